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
MEGABYTES_FOR_COLUMNS = 200

SHAPES = {
    "tiny": {"rows": (500, 10), "columns": (60, 100)},
    "usual": {"rows": (200_000, 50), "columns": (200, 5_000)},
    "full": {"rows": (1_000_000, 50), "columns": (200, 20_000)},
}


def rows(size: Size) -> Iterator[Bench]:
    tall, wide = SHAPES[size]["rows"], SHAPES[size]["columns"]
    classifier = FIT.format(model="BicNeuronClassifier", settings="random_state=0")
    yield from measured("linkage of one column", LINKAGE, (tall[0], 4), at_most=15)
    yield from measured("BicNeuronClassifier.fit, rows", classifier, tall, at_most=3)
    if size == "tiny":
        return
    miner = FIT.format(model="CoherentBiclustering", settings="")
    search = FIT.format(model="BicNeuronClassifier", settings="random_state=0")
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
    yield from measured("BicNeuronClassifier.fit", search, (tall[0] // 10, tall[1]))
    yield from measured("BicNeuronNetwork.fit", network, (tall[0] // 10, tall[1]), at_most=4)
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
