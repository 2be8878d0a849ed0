"""Damaged and hostile AnnData files are refused before native code reads them."""

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from bicneuron.exceptions import TableError
from bicneuron.tables import _h5ad, read_table

N_ROWS, N_COLUMNS = 12, 7


@pytest.fixture
def sparse_file(tmp_path, request):
    """A file with a sparse X, and its values."""
    kind = getattr(request, "param", "csr")
    random = np.random.default_rng(0)
    values = random.poisson(0.8, (N_ROWS, N_COLUMNS)).astype(np.float32)
    matrix = scipy.sparse.csr_matrix(values) if kind == "csr" else scipy.sparse.csc_matrix(values)
    obs = pd.DataFrame(
        {"class": pd.Categorical(["x", "y"] * 6), "age": np.arange(12.0)},
        index=[f"cell {i}" for i in range(N_ROWS)],
    )
    var = pd.DataFrame(index=[f"gene {j}" for j in range(N_COLUMNS)])
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(matrix, obs, var, layers={"raw": values}).write_h5ad(path)
    return path, values


def refused(path, **options):
    with pytest.raises(TableError) as error:
        read_table(path, **options)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("sparse_file", ["csr", "csc"], indirect=True)
def test_an_intact_file(sparse_file):
    path, values = sparse_file
    for options in ({}, {"layer": "raw"}):
        table = read_table(path, target="class", **options)
        varies = np.ptp(values, axis=0) > 0
        np.testing.assert_array_equal(table.features.to_numpy(), values[:, varies])
        assert table.labels.tolist() == ["x", "y"] * 6
        assert table.features.index[3] == "cell 3"


def damage_of(name, place, value):
    def change(file):
        file[f"X/{name}"][place] = value

    return change


def with_length(name, n_more):
    def change(file):
        values = file[f"X/{name}"][()]
        del file[f"X/{name}"]
        longer = np.concatenate([values, values[-1:]]) if n_more > 0 else values[:n_more]
        file[f"X/{name}"] = longer

    return change


def of_kind(name, kind):
    def change(file):
        values = file[f"X/{name}"][()]
        del file[f"X/{name}"]
        file[f"X/{name}"] = values.astype(kind)

    return change


@pytest.mark.parametrize(
    "change",
    [
        damage_of("indices", 3, 10**6),
        damage_of("indices", 0, -1),
        damage_of("indices", 5, -(2**31)),
        damage_of("indptr", 2, 10**6),
        damage_of("indptr", 2, -1),
        damage_of("indptr", 0, 1),
        damage_of("indptr", -1, 0),
        with_length("indices", 1),
        with_length("data", -1),
        with_length("indptr", -1),
        of_kind("indices", np.float64),
        of_kind("indptr", "S4"),
        of_kind("data", "S4"),
    ],
)
def test_indices_that_do_not_fit(sparse_file, change):
    path, _ = sparse_file
    with h5py.File(path, "r+") as file:
        change(file)
    assert "is cut or damaged" in refused(path)


@pytest.mark.parametrize("shape", [(N_ROWS, N_COLUMNS + 1), (10**9, 10**9), (-1, 7), (5,)])
def test_another_shape(sparse_file, shape):
    path, _ = sparse_file
    with h5py.File(path, "r+") as file:
        file["X"].attrs["shape"] = np.array(shape)
    assert f"and it names {N_ROWS} rows and {N_COLUMNS} columns" in refused(path)


def replaced(path, name, make):
    with h5py.File(path, "r+") as file:
        del file[name]
        make(file)


@pytest.mark.parametrize("name", ["X", "X/indices", "obs/class", "layers"])
@pytest.mark.parametrize("link", [h5py.ExternalLink("other.h5ad", "/X"), h5py.SoftLink("/obs/age")])
def test_links_are_not_followed(sparse_file, name, link):
    path, _ = sparse_file
    other = path.with_name("other.h5ad")
    other.write_bytes(path.read_bytes())

    def make(file):
        file[name] = link

    replaced(path, name, make)
    options = {"layer": "raw"} if name == "layers" else {}
    assert "is a link to another place or file, which is not followed" in refused(path, **options)


@pytest.mark.parametrize("name", ["layers/raw", "obs/age"])
def test_data_in_other_files_are_not_read(sparse_file, name):
    path, values = sparse_file
    shape = values.shape if name == "layers/raw" else (N_ROWS,)
    (path.parent / "secret").write_bytes(bytes(8 * N_ROWS * N_COLUMNS))

    def external(file):
        file.create_dataset(name, shape, "f4", external=[(str(path.parent / "secret"), 0, 4096)])

    def virtual(file):
        layout = h5py.VirtualLayout(shape, "f4")
        layout[...] = h5py.VirtualSource(str(path.parent / "other.h5"), "x", shape)
        file.create_virtual_dataset(name, layout)

    for make in (external, virtual):
        replaced(path, name, make)
        message = refused(path, layer="raw")
        assert f"/{name} is kept in another file, which is not read" in message


@pytest.mark.parametrize("name", ["layers/raw", "X/data", "var/_index"])
@pytest.mark.parametrize(
    ("shape", "chunks"), [((200_000, 200_000), (1, 200_000)), ((12,), (2**28,))]
)
def test_a_few_bytes_that_declare_much(sparse_file, name, shape, chunks):
    path, _ = sparse_file

    def make(file):
        file.create_dataset(name, shape, "f8", chunks=chunks, maxshape=(None,) * len(shape))

    replaced(path, name, make)
    assert path.stat().st_size < 100_000
    message = refused(path, **({"layer": "raw"} if name == "layers/raw" else {}))
    assert "would take more than 1 GB of memory" in message


def test_groups_within_groups(sparse_file):
    path, _ = sparse_file
    with h5py.File(path, "r+") as file:
        file["obs/class/again"] = file["obs"]  # for ever
        file["obs/more"] = file["obs"]
    assert "/obs names other columns than it has" in refused(path)
    with h5py.File(path, "r+") as file:
        del file["obs/more"]
    assert read_table(path, target="class").labels.tolist() == ["x", "y"] * 6


def test_what_the_library_never_ends_to_read(sparse_file, monkeypatch):
    """A text of an attribute whose place in the file is damaged; found by mutation."""
    path, _ = sparse_file
    monkeypatch.setattr(_h5ad, "_SECONDS", 0.01)  # no file is read so fast
    monkeypatch.setattr(_h5ad, "_SECONDS_OF_MB", 0.0)
    assert "is cut or damaged: it cannot be read" in refused(path)


def test_codes_of_no_category(sparse_file):
    path, _ = sparse_file
    with h5py.File(path, "r+") as file:
        file["obs/class/codes"][3] = 5
    assert "is cut or damaged" in refused(path)
