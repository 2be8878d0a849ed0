"""Large files of numbers are read a part at a time, as small ones are read."""

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from pandas.testing import assert_frame_equal
from table_files import said

from bicneuron._shared import _large_files
from bicneuron.exceptions import TableError
from bicneuron.tables import _files, read_table


@pytest.fixture(params=["t.parquet", "sparse.h5ad", "dense.h5ad"])
def file(request, tmp_path):
    """A table with gaps, a constant column, a class, whole numbers and, in Parquet, an index."""
    rng, path = np.random.default_rng(0), tmp_path / request.param
    names = [f"cell {place}" for place in range(60)]
    frame = pd.DataFrame(rng.normal(size=(60, 5)).round(2), names, [*"abcde"]).clip(lower=0)
    frame["b"], frame["d"] = 1.0, frame["d"].where(frame["d"] < 1).astype(np.float32)
    classes = rng.choice(["x", "y"], 60)
    if path.suffix == ".parquet":
        frame.assign(n=rng.integers(9, size=60), kind=classes).to_parquet(path)
        return path
    values = frame.to_numpy(np.float32)
    values = values if path.stem == "dense" else scipy.sparse.csc_matrix(values)
    of_rows = pd.DataFrame({"kind": classes}, names)
    anndata.AnnData(values, of_rows, pd.DataFrame(index=[*"abcde"])).write_h5ad(path)
    return path


@pytest.fixture
def in_parts(monkeypatch):
    """Every file counts as large."""
    monkeypatch.setattr(_large_files, "MANY_CELLS", 1)
    monkeypatch.setattr(_large_files, "CELLS_AT_ONCE", 35)
    monkeypatch.setattr(_files, "MANY_CELLS", 1)


@pytest.mark.parametrize("target", [None, "kind"])
def test_a_large_file_is_read_as_a_small_one(file, target, request):
    options = {"aside": {"covariates": "a"}} if file.suffix == ".parquet" else {}
    once = read_table(file, target=target, **options)
    request.getfixturevalue("in_parts")
    parts = read_table(file, target=target, **options)
    if options:
        assert_frame_equal(parts.covariates, once.covariates)
    assert_frame_equal(parts.features, once.features)
    np.testing.assert_array_equal(parts.labels, once.labels)
    assert said(parts) == said(once)
    assert parts.encoding == once.encoding


@pytest.mark.usefixtures("in_parts")
def test_a_file_that_is_cut_or_too_large_is_refused_in_one_line(file, monkeypatch):
    monkeypatch.setattr(_large_files, "free_memory", lambda: 100.0)
    with pytest.raises(TableError, match=r"60 rows x \d columns take .* take fewer rows") as error:
        read_table(file)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)
    file.write_bytes(file.read_bytes()[:-400])
    with pytest.raises(TableError, match="is cut or damaged") as error:
        read_table(file)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)
