"""Messages about tables that cannot be read say why, where and what to do."""

import gzip
import io
import os
import zipfile

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table, write_table

GOOD = "id,a,b,class\n" + "".join(f"p{i},{i}.5,{i},{'xy'[i % 2]}\n" for i in range(40))
FRAME = pd.read_csv(io.StringIO(GOOD), index_col="id")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("a,b,class\n", "is empty: it has a header and no rows"),
        ("a,b\n1,2\n", "has no column 'class' for the target. There are: 'a', 'b'."),
        ("a,klass\n1,2\n", "has no column 'class' for the target. Did you mean 'klass'?"),
        ("1,2,x\n3,4,y\n5,6,x\n", "has no column 'class' for the target. There are: '1', '2', 'x'"),
        ("a,class\n1,x\n2,x\n", "target 'class' has one class, 'x', in all rows; two are needed"),
        ("a,class\n1,x\n2,\n", "target 'class' has one class, 'x', in all rows"),
        ("a,class\n1,\n2,\n", "target 'class' has no labels"),
        ("a,class\n1,x\n2,y\n3,z\n", "'class' has a different value in each row, such as 'x'"),
        ("a,class\n1,.5\n2,1.5\n3,.5\n", "target 'class' holds measurements, such as '0.5'"),
        ("a,a,class\n1,2,x\n1,2,y\n", "several columns called 'a'; give each a unique name"),
        (
            "a,b,class\n1,2,x\n1,y\n",
            "Row #2: Expected 3 columns, got 2: 1,y; a delimiter or a quote is missing",
        ),
        ('a,b,class\n1,2,x\n1,"2,y\n', "the quote that opens in line 3 is never closed; close it"),
        ("i,a,class\np,1,x\nq,x1,y\n", "column 'a', row 2 (q), is 'x1', which is not a finite"),
        (f"i,a,class\np,1,x\nq,{'9' * 309},y\n", "which is not a finite number. Correct it"),
        ("i,a,class\np,1,x\nq,1_0,y\n", "is '1_0', which is not a finite number"),
        ("s,t,class\nm,p,x\nm,p,y\n", "('s', 't': left out, the same in all rows)."),
        (
            "a,b,class\n1,1,x\n2,o,y\n3,3,x\n",
            "Correct it, take it as missing with --read missing=o",
        ),
        ("class\nx\ny\n", "has no column of features left"),
        (f"i,{'n' * 500},class\np,1,x\nq,x1,y\n", "row 2 (q), is 'x1', which is not a finite"),
    ],
)
def test_what_is_wrong_with_a_text(table_of, text, said):
    with pytest.raises(TableError) as error:
        table_of(text, target="class")
    assert said in str(error.value)
    assert "table.csv" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_missing_cells_are_no_problem(table_of):
    table = table_of("i,a,class\np,1,x\nq,,y\nr,NA,y\n", target="class")
    np.testing.assert_array_equal(table.features["a"], [1, np.nan, np.nan])
    assert table.reading.loc["a", "missing"] == 2


def test_infinite_cells_are_missing_and_that_is_said(table_of):
    text = "a,class\n1,x\ninf,y\n2.5,x\n-Inf,y\n"
    table = table_of(text, target="class")
    np.testing.assert_array_equal(table.features["a"], [1, np.nan, 2.5, np.nan])
    assert table.notes == ("'a': 2 infinite cells taken as missing",)
    asked_for = table_of(text, target="class", missing=["inf", "-inf"])
    pd.testing.assert_frame_equal(asked_for.features, table.features)
    assert asked_for.notes == ()


def test_all_problems_are_told_together(table_of):
    text = """id,visit,born,weight,count,income,crp,class
p1,03/04/2021,1.5.70,70 kg,1,"241,611",5,x
p2,05/06/2021,2.5.71,150 lb,2,"31,000",low,x
p3,07/08/2021,3.5.72,72 kg,,"1,200",7,x
p4,07/09/2021,3.5.73,73 kg,x2,"4,500",9,x
"""
    with pytest.raises(TableError) as error:
        table_of(text, target="class", drop=["age"])
    first, *problems = str(error.value).splitlines()
    assert first.endswith("table.csv has 6 problems:")
    said = (
        "no column 'age' to drop",
        "'weight', row 2 (p2), is '150 lb', which has the unit lb, and the others are in kg",
        "'count', row 4 (p4), is 'x2', which is not a finite number",
        "'income', row 1 (p1), is '241,611', which may have a decimal mark",
        "'crp', row 2 (p2), is 'low', which is not a finite number",
        "target 'class' has one class, 'x', in all rows",
    )
    for problem, words in zip(problems, said, strict=True):
        assert words in problem
    table = table_of(text, drop=["weight", "count", "crp", "class"], decimal="point")
    assert table.features.iloc[0].tolist() == [241611]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"id_column": "idd"}, "no column 'idd' for the row names. Did you mean 'id'?"),
        ({"drop": ["c"]}, "no column 'c' to drop"),
        ({"keep": ["c"]}, "no column 'c' to keep"),
        ({"aside": {"strata": "c"}}, "no column 'c' for strata"),
        ({"aside": {"covariates": "c"}}, "no column 'c' for covariates"),
        ({"missing": ["c=9"]}, "has no column 'c' for missing"),
        ({"missing": ["a="]}, "--read missing=a= names no value"),
        ({"layer": "raw"}, "has no layer 'raw'; only .h5ad files have layers"),
    ],
)
def test_what_is_wrong_with_the_options(table_of, options, said):
    with pytest.raises(TableError, match=said):
        table_of(GOOD, **options)


def test_files_that_are_none(tmp_path):
    with pytest.raises(TableError, match=r"none\.csv does not exist"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="is a folder, a pipe or a device"):
        read_table(tmp_path / "folder.csv")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("table.doc", "its name must end in .csv"),
        ("table.arff", "its name must end in .csv"),
        ("table.xls", "Save old Excel files as .xlsx"),
        ("table.parquet.gz", "its name must end in .csv"),
        ("table.zip", "cut or damaged"),
    ],
)
def test_names_that_stand_for_no_format(table_of, name, said):
    with pytest.raises(TableError, match=said):
        table_of(GOOD, name)


@pytest.mark.parametrize(
    ("suffix", "called"),
    [(".parquet", ".csv"), (".xlsx", ".tsv"), (".csv", ".parquet"), (".csv.gz", ".csv")],
)
def test_the_content_shows_the_format(tmp_path, suffix, called):
    path = write_table(FRAME, tmp_path / f"right{suffix}").rename(tmp_path / f"table{called}")
    assert read_table(path, target="class").features["a"].equals(FRAME["a"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x00\x01\x02", "is not text"),
        (b"a,b\n\x81,2\n", "neither UTF-8 nor Windows-1252"),
        (b"\xff\xfea\x00,", "cut or damaged"),
    ],
)
def test_other_files_called_csv(table_of, content, said):
    with pytest.raises(TableError, match=said):
        table_of(content)


@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".xlsx"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_cut_in_the_middle(tmp_path, suffix, share):
    path = write_table(FRAME, tmp_path / f"table{suffix}")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(TableError, match=r"is cut or damaged.* again\."):
        read_table(path)


def zipped(path, *names):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, GOOD)
    return path


def test_an_archive_of_one_table_is_read_and_one_of_two_is_refused(tmp_path, table_of):
    others = "__MACOSX/._t.csv", "data/.DS_Store", "data/"
    table = read_table(zipped(tmp_path / "one.zip", *others, "data/t.csv"))
    assert table.features.equals(table_of(GOOD).features)
    with pytest.raises(TableError, match="contains 2 files; unpack it and name one of them"):
        read_table(zipped(tmp_path / "two.zip", *others, "data/t.csv", "data/u.csv"))


def test_a_small_file_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * (101 * 10**6 // 4), 1))
    assert path.stat().st_size < 10**6
    with pytest.raises(TableError, match=r"MB of it unpack to 101 MB.*Unpack it first if it"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.csv", "t.h5ad"])
def test_pipes_and_devices(name, tmp_path):
    pipe, device = tmp_path / f"pipe_{name}", tmp_path / f"device_{name}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(TableError, match="is a folder, a pipe or a device"):
            read_table(path)


# --- damaged .h5ad


@pytest.fixture
def sparse_file(tmp_path):
    """A file with a sparse X, and its values."""
    values = np.random.default_rng(0).poisson(0.8, (12, 7)).astype(np.float32)
    obs = pd.DataFrame(
        {"class": pd.Categorical(["x", "y"] * 6)}, index=[f"cell {i}" for i in range(12)]
    )
    var = pd.DataFrame(index=[f"gene {j}" for j in range(7)])
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(scipy.sparse.csr_matrix(values), obs, var).write_h5ad(path)
    return path, values


def put(name, place, value):
    def change(file):
        file[name][place] = value

    return change


def without(name):
    def change(file):
        del file[name]

    return change


@pytest.mark.parametrize(
    "change",
    [
        put("X/indices", 3, 10**6),
        put("X/indices", 0, -1),
        put("X/indptr", 2, 10**6),
        put("X/indptr", -1, 0),
        put("obs/class/codes", 3, 5),
        without("X/indices"),
    ],
)
def test_a_damaged_h5ad(sparse_file, change):
    path, values = sparse_file
    intact = read_table(path, target="class")
    np.testing.assert_array_equal(intact.features, values[:, np.ptp(values, axis=0) > 0])
    with h5py.File(path, "r+") as file:
        change(file)
    with pytest.raises(TableError) as error:
        read_table(path, target="class")
    assert str(path) in str(error.value)
    assert len(str(error.value).splitlines()) == 1
