"""Peak memory that each step adds to that of its input, in a separate process."""

from collections.abc import Iterator

from benchmarks._bench import Bench, Size, peak_memory

SETUP = """
import numpy as np
from benchmarks._matrices import planted
rows, columns = map(int, sys.argv[1:])
X, y = planted(rows, columns)
small = planted(60, 6)
"""
LINKAGE = """
from bicneuron._core._linkage1d import dendrogram
dendrogram(np.arange(3.0))
column = X[:, 0].copy()
print(added(lambda: dendrogram(column)), column.nbytes)
"""
FIT = """
from bicneuron import {model}
make = lambda: {model}({settings})
make().fit(*small)
print(added(lambda: make().fit(X, y)), X.nbytes)
"""
PREDICT = """
from bicneuron import {model}
{model}().fit(*small).predict(small[0])
model = {model}(random_state=0).fit(X[:2000], y[:2000])
print(added(lambda: model.predict(X)), X.nbytes)
"""
READ = """
from tempfile import TemporaryDirectory
import pandas as pd, anndata, scipy.sparse
from bicneuron.tables import read_table
X[::3, 1] = np.nan
with TemporaryDirectory() as folder:
    frame, path = pd.DataFrame(X, copy=False).rename(columns="c{{}}".format), folder + "/t.{suffix}"
    small = folder + "/small.{suffix}"
    for table, name in ((frame[:50], small), (frame, path)):
        if name.endswith(".parquet"):
            table.to_parquet(name)
        else:
            values = scipy.sparse.csr_matrix(np.where(table > 1.64, table, 0), dtype=np.float32)
            anndata.AnnData(values).write_h5ad(name)
    size = X.nbytes
    del X, frame, table
    read_table(small)
    print(added(lambda: read_table(path)), size)
"""
# The output layer of a network has 400 neurons and 8,192 rows at most, and is needed four times;
# of a file, some blocks are held, and names of rows.
MEGABYTES_FOR_COLUMNS, FREE = 200, 100 * 2**20

SHAPES = {
    "tiny": {"rows": (500, 10), "columns": (60, 100)},
    "usual": {"rows": (200_000, 50), "columns": (200, 5_000), "file": (200_000, 100)},
    "full": {"rows": (1_000_000, 50), "columns": (200, 20_000), "file": (1_000_000, 200)},
}


def rows(size: Size) -> Iterator[Bench]:
    tall, wide = SHAPES[size]["rows"], SHAPES[size]["columns"]
    classifier = FIT.format(model="BicNeuronClassifier", settings="random_state=0")
    yield from measured("linkage of one column", LINKAGE, (tall[0], 4), at_most=15)
    yield from measured("BicNeuronClassifier.fit, rows", classifier, tall, at_most=2.2)
    if size == "tiny":
        return
    miner = FIT.format(model="CoherentBiclustering", settings="")
    network = FIT.format(model="BicNeuronNetwork", settings="random_state=0")
    predict = PREDICT.format(model="BicNeuronClassifier")
    yield from measured("miner.fit", miner, (wide[0], wide[1] // 10))
    yield from measured(
        f"BicNeuronClassifier.fit, columns, less {MEGABYTES_FOR_COLUMNS} MB",
        classifier,
        wide,
        at_most=3,
        free=MEGABYTES_FOR_COLUMNS * 2**20,
    )
    yield from measured("BicNeuronClassifier.fit", classifier, (tall[0] // 10, tall[1]))
    yield from measured("BicNeuronClassifier.fit", classifier, (320_000, 30), at_most=2.2)
    for shape in ((40_000, 50), (320_000, 30)):
        what = "BicNeuronNetwork.fit, less 100 MB"
        yield from measured(what, network, shape, at_most=2.2, free=FREE)
    of_cells = SHAPES[size]["file"]
    for suffix, shape in (("parquet", of_cells), ("h5ad", (of_cells[0] // 10, 10 * of_cells[1]))):
        script = READ.format(suffix=suffix)
        what = f"read_table of .{suffix}, less 100 MB"
        yield from measured(what, script, shape, at_most=1.3, free=FREE)
    yield from measured("BicNeuronClassifier.predict", predict, tall)
    yield from measured(
        "BicNeuronNetwork.predict",
        PREDICT.format(model="BicNeuronNetwork"),
        (tall[0] // 10, tall[1]),
    )


def measured(
    what: str, script: str, shape: tuple[int, int], at_most: float | None = None, free: int = 0
) -> Iterator[Bench]:
    """One row, or none if the system does not report a peak."""
    measurement = peak_memory(SETUP + script, *shape)
    if measurement is None:
        return
    added, size = measurement
    yield Bench(
        "memory",
        f"added at the peak / input, {what}",
        f"{shape[0]:,} x {shape[1]:,}",
        max(added - free, 0) / size,
        at_most=at_most,
        note=f"{added / 2**20:.0f} MB",
    )
