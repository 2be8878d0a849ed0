"""Every format holds the same table."""

import gzip
import io
import os
import zipfile

import anndata
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from scipy.io import mmwrite
from scipy.sparse import coo_array, csr_matrix

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table, write_table
from bicneuron.tables._encoding import Encoding
from reproduction.datasets import load_dataset

WRITTEN = [".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx"]

names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)


@st.composite
def frames(draw):
    """Frames of numbers with names of all kinds."""
    n_rows, n_columns = draw(st.integers(1, 5)), draw(st.integers(2, 5))
    rows = draw(st.lists(names, min_size=n_rows, max_size=n_rows, unique=True))
    columns = draw(st.lists(names, min_size=n_columns + 1, max_size=n_columns + 1, unique=True))
    numbers = st.floats(-1e300, 1e300)
    cells = draw(
        st.lists(
            st.lists(numbers, min_size=n_columns, max_size=n_columns),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    index = pd.Index([f"row {name}" for name in rows], name=columns[0])
    return pd.DataFrame(np.array(cells), index=index, columns=columns[1:])


@pytest.mark.parametrize("suffix", WRITTEN)
@settings(max_examples=40)
@given(frame=frames())
def test_what_is_written_is_read(tmp_path_factory, suffix, frame):
    path = tmp_path_factory.mktemp("t") / f"table{suffix}"
    assert write_table(frame, path) == path
    table = read_table(path, id_column=frame.index.name, encoder=Encoding())
    exact = {"rtol": 1e-15, "atol": 0} if suffix == ".xlsx" else {"check_exact": True}
    pd.testing.assert_frame_equal(table.features, frame, **exact)
    assert os.listdir(path.parent) == [path.name]


def test_row_numbers_without_a_name_are_not_written(tmp_path):
    path = write_table(pd.DataFrame({"a": [1, 2]}), tmp_path / "t.csv")
    assert path.read_text() == "a\n1\n2\n"
    path = write_table(pd.DataFrame({"a": [1, 2]}).rename_axis("row"), tmp_path / "t.csv")
    assert path.read_text() == "row,a\n0,1\n1,2\n"


def test_excel_is_given_text_and_no_formulas(tmp_path):
    frame = pd.DataFrame({"=1+1": ["=cmd()", "x"], "n": [np.inf, np.nan]})
    path = write_table(frame, tmp_path / "t.xlsx")
    cells = list(load_workbook(path).active.iter_rows())
    assert [cell.value for cell in cells[0]] == ["=1+1", "n"]
    assert [cell.value for cell in cells[1]] == ["=cmd()", "inf"]
    assert {cell.data_type for row in cells[:2] for cell in row} == {"s"}
    assert cells[2][1].value is None


@pytest.mark.parametrize("name", ["t.arff", "t.h5ad", "t.doc"])
def test_what_cannot_be_written(tmp_path, name):
    with pytest.raises(TableError, match=r"\.csv"):
        write_table(pd.DataFrame({"a": [1]}), tmp_path / name)
    with pytest.raises(TableError, match="control character"):
        write_table(pd.DataFrame({"a": ["\x01"]}), tmp_path / "t.xlsx")
    assert os.listdir(tmp_path) == []


def test_text_that_excel_would_cut_off_is_refused(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x" * 32767, "y"]})
    path = write_table(frame, tmp_path / "t.xlsx")
    assert pd.read_excel(path)["b"][0] == "x" * 32767
    frame.loc[1, "b"] = "x" * 32768
    with pytest.raises(TableError, match="a text of 32768 characters in a cell; use"):
        write_table(frame, tmp_path / "more.xlsx")
    assert not (tmp_path / "more.xlsx").exists()


# --- Excel


def workbook(path, *sheets):
    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_as_people_keep_it(tmp_path):
    rows = [
        [None, None, None, None],
        ["nr", " Größe ", "rate", "class", None],
        [1, 1, "1,5", "a b"],
        [2, 2.5, "2", True],
        [None, None],
        [3, "4,25", 3, "a b"],
    ]
    path = workbook(tmp_path / "t.xlsx", rows, [["other"], [1]])
    table = read_table(path, target="class")
    assert table.features.index.tolist() == ["1", "2", "3"]
    assert table.features.columns.tolist() == ["Größe", "rate"]
    assert table.features.to_numpy().tolist() == [[1, 1.5], [2.5, 2], [4.25, 3]]
    assert table.labels.tolist() == ["a b", "True", "a b"]
    assert table.notes == (
        "sheet: 'Sheet', the first of 2",
        "decimal comma",
        "row names: column 'nr'; --read keep=nr takes it as a feature",
    )


def test_an_empty_workbook(tmp_path):
    with pytest.raises(TableError, match="is empty: its sheet 'Sheet' has no rows"):
        read_table(workbook(tmp_path / "t.xlsx", [["a", "b"]]))


def test_dates_and_errors_are_no_numbers(tmp_path):
    rows = [["a", "b"], [1, pd.Timestamp("2020-03-01").to_pydatetime()], [2, 3], [4, 5]]
    with pytest.raises(TableError, match=r"column 'b', row 1, is datetime"):
        read_table(workbook(tmp_path / "t.xlsx", rows))
    rows = [["a", "b"], [1, "#DIV/0!"], [2, 3], [4, 5]]
    with pytest.raises(TableError, match=r"column 'b' lacks 1 of 3 values, the first in row 1"):
        read_table(workbook(tmp_path / "t.xlsx", rows))


# --- Parquet


@pytest.mark.parametrize("index", [["p", "q", "r"], [7, 8, 9]])
@pytest.mark.parametrize("name", ["patient", None])
def test_the_index_of_a_parquet_file_holds_the_names(tmp_path, index, name):
    frame = pd.DataFrame({"a": [1.0, 2, 3]}, index=pd.Index(index, name=name))
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.features.index.tolist() == list(map(str, index))
    assert table.features.columns.tolist() == ["a"]


def test_types_of_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, 2, 3], dtype="Int8"),
            "half": np.array([0.5, 1, 1.5], dtype=np.float16),
            "flag": [True, False, True],
            "words": pd.Categorical(["1", "2", "3"]),
            "class": pd.Categorical(["x", "y", "x"]),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", target="class")
    assert table.features.to_numpy().tolist() == [[1, 0.5, 1, 1], [2, 1, 0, 2], [3, 1.5, 1, 3]]
    assert table.labels.tolist() == ["x", "y", "x"]
    frame.assign(whole=pd.array([1, None, 3], dtype="Int8")).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match=r"column 'whole' lacks 1 of 3 values, the first in row 2"):
        read_table(tmp_path / "t.parquet", target="class")
    moments = pd.to_datetime(["2020-01-01 00:00", "2021-07-02 12:00", "2022-01-01 00:00"])
    frame.assign(whole=moments).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", target="class")
    assert table.features["whole (year)"].tolist() == [2020, 2021.5, 2022]


# --- ARFF


def test_arff(table_of):
    text = """@relation 'r'
@attribute 'a b' real
@attribute class {'it\\'s', other}
@data
1.5,'it\\'s'
2,other
"""
    table = table_of(text, "t.arff", target="class")
    assert table.features["a b"].tolist() == [1.5, 2]
    assert table.labels.tolist() == ["it's", "other"]
    with pytest.raises(TableError, match=r"is cut: row 2 has 1 cells for 2 attributes"):
        table_of(text[:-7], "t.arff", target="class")
    with pytest.raises(TableError, match="is empty: it has no rows after @data"):
        table_of(text[: text.index("1.5")], "t.arff", target="class")
    with pytest.raises(TableError, match="column 'a b' lacks 1 of 2 values"):
        table_of(text.replace("1.5", "?"), "t.arff", target="class")


# --- AnnData


@pytest.fixture
def cells():
    data = anndata.AnnData(
        csr_matrix(np.array([[0, 1.5, 0], [2, 0, 3], [0, 0, 4]])),
        obs=pd.DataFrame(
            {"kind": pd.Categorical(["T", "B", "T"]), "donor": ["d1", None, "d3"], "n": [1, 2, 3]},
            index=["c1", "c2", "c3"],
        ),
        var=pd.DataFrame(index=["CD3", "CD19", "HLA-A"]),
    )
    data.layers["log"] = np.log1p(data.X.toarray())
    return data


def test_h5ad(cells, tmp_path):
    cells.write_h5ad(tmp_path / "t.h5ad")
    table = read_table(tmp_path / "t.h5ad", target="kind")
    assert table.features.columns.tolist() == ["CD3", "CD19", "HLA-A"]
    assert table.features.index.tolist() == ["c1", "c2", "c3"]
    assert (table.features.to_numpy() == cells.X.toarray()).all()
    assert table.labels.tolist() == ["T", "B", "T"]
    assert table.notes == ("features: X", "row names: obs_names")
    table = read_table(tmp_path / "t.h5ad", target="kind", layer="log", id_column="n", drop=["CD3"])
    assert (table.features.to_numpy() == cells.layers["log"][:, 1:]).all()
    assert table.features.index.tolist() == ["1", "2", "3"]
    aside = read_table(tmp_path / "t.h5ad", aside={"strata": "kind", "groups": "CD3"})
    assert aside.aside["strata"].tolist() == ["T", "B", "T"]
    assert aside.features.columns.tolist() == ["CD19", "HLA-A"]
    by_name = read_table(tmp_path / "t.h5ad", columns=["HLA-A", "CD3"])
    assert (by_name.features.to_numpy() == cells.X.toarray()[:, [2, 0]]).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layer": "lgo"}, "has no layer 'lgo'. Did you mean 'log'"),
        ({"target": "king"}, "has no column 'king' for the target. Did you mean 'kind'"),
        (
            {"target": "donor", "strict": True},
            r"target 'donor' lacks 1 of 3 labels, the first in row 2 \(c2\)",
        ),
    ],
)
def test_bad_h5ad(cells, tmp_path, options, said):
    cells.write_h5ad(tmp_path / "t.h5ad")
    with pytest.raises(TableError, match=said):
        read_table(tmp_path / "t.h5ad", **options)


def test_cells_of_h5ad_that_are_no_numbers(cells, tmp_path):
    path = tmp_path / "t.h5ad"
    cells.layers["bad"] = np.array([[1.0, 2, 3], [4, np.inf, 6], [7, 8, np.nan]])
    cells.obs["number"] = [1.0, 2.0, 3.0]
    cells.write_h5ad(path)
    with pytest.raises(TableError, match=r"column 'CD19', row 2 \(2\), is inf, which is not a fin"):
        read_table(path, layer="bad", id_column="number")
    with pytest.raises(TableError, match=r"column 'HLA-A' lacks 1 of 3 .* row 3 \(c3\)"):
        read_table(path, layer="bad", drop=["CD19"])


def test_h5ad_that_is_cut_or_holds_something_else(cells, tmp_path):
    path = tmp_path / "t.h5ad"
    cells.write_h5ad(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match="is cut or damaged"):
        read_table(path)
    cells.X = None
    cells.write_h5ad(path)
    with pytest.raises(TableError, match="has no matrix X; name a layer: log"):
        read_table(path)


# --- real data, in every format


def write_arff(X, names, labels, path):
    lines = ["@relation r", *(f"@attribute '{name}' real" for name in names)]
    lines += [f"@attribute class {{{','.join(sorted(set(labels)))}}}", "@data"]
    lines += [
        ",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), labels, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["chen", "lsvt"])
@pytest.mark.parametrize("suffix", [*WRITTEN, ".arff", ".h5ad"])
def test_real_data_in_every_format(tmp_path, suffix, name):
    bunch = load_dataset(name)
    path = tmp_path / f"table{suffix}"
    frame = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    if suffix == ".arff":
        write_arff(bunch.data, bunch.feature_names, bunch.target, path)
    elif suffix == ".h5ad":
        frame.index = frame.index.astype(str)
        anndata.AnnData(
            frame, obs=pd.DataFrame({"class": bunch.target}, index=frame.index)
        ).write_h5ad(path)
    else:
        write_table(frame.assign(**{"class": bunch.target}), path)
    table = read_table(path, target="class", encoder=Encoding())  # two columns of lsvt are the same
    digits = 1e-15 if suffix == ".xlsx" else 0
    np.testing.assert_allclose(table.features.to_numpy(), bunch.data, rtol=digits, atol=0)
    assert table.features.columns.tolist() == bunch.feature_names
    assert table.labels.astype(str).tolist() == bunch.target.tolist()


@pytest.mark.real_data
def test_real_files_as_they_are(tmp_path):
    table = read_table(f"{os.environ['BICNEURON_DATA']}/wdbc31.csv.gz", target="class")
    assert table.id_column == "patient_id", "a number that the paper took for a feature"
    assert (table.features.to_numpy() == load_dataset("wdbc").data).all()


# --- folders, archives, sheets


def matrix_market(folder, counts, cells, genes, before=""):
    folder.mkdir()
    buffer = io.BytesIO()
    mmwrite(buffer, coo_array(np.array(counts)))
    (folder / f"{before}matrix.mtx").write_bytes(buffer.getvalue())
    (folder / f"{before}barcodes.tsv.gz").write_bytes(gzip.compress("\n".join(cells).encode()))
    (folder / f"{before}genes.tsv").write_text("\n".join(genes) + "\n")
    return folder


GENES = ["ENSG1\tCD3", "ENSG2\tMATR3", "ENSG3\tNONE", "ENSG4\tMATR3"]
COUNTS = [[1, 0, 3], [0, 5, 0], [0, 0, 0], [7, 0, 9]]


@pytest.mark.parametrize("before", ["", "GSM1_"])
def test_matrix_market(tmp_path, before):
    folder = matrix_market(tmp_path / "m", COUNTS, ["AA-1", "AC-1", "AG-1"], GENES, before)
    for path in (folder, folder / f"{before}matrix.mtx"):
        table = read_table(path)
        assert table.features.index.tolist() == ["AA-1", "AC-1", "AG-1"]
        assert table.features.columns.tolist() == ["CD3", "ENSG2", "ENSG4"], "ids of repeated names"
        assert table.features.to_numpy().tolist() == [[1, 0, 7], [0, 5, 0], [3, 0, 9]]
        assert "genes without a count in any cell left out: 1" in table.notes


def test_bad_matrix_market(tmp_path):
    folder = matrix_market(tmp_path / "m", COUNTS, ["AA-1", "AC-1"], GENES)
    with pytest.raises(TableError, match="has 4 genes and 3 cells, and the files beside it name 4"):
        read_table(folder)
    (folder / "matrix.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n4 3 9\n")
    with pytest.raises(TableError, match=r"matrix.mtx is cut or damaged"):
        read_table(folder)
    (folder / "barcodes.tsv.gz").unlink()
    with pytest.raises(TableError, match=r"has no barcodes.tsv \(also .gz\); put it beside"):
        read_table(folder)
    (folder / "matrix.mtx").unlink()
    with pytest.raises(TableError, match="is a folder, not a table"):
        read_table(folder)


def test_zip_files(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/t.tsv", "a\tb\n1\t2\n3\t5\n")
    assert read_table(path).features["b"].tolist() == [2, 5]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data/u.tsv", "a\tb\n1\t2\n")
    with pytest.raises(TableError, match="contains 2 files; unpack it and name one of them"):
        read_table(path)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(TableError, match="is cut or damaged, not a zip file"):
        read_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.doc", "text")
    with pytest.raises(TableError, match=r"notes.doc is not a table"):
        read_table(path)


def test_the_sheet_with_the_target_is_read(tmp_path):
    book = Workbook()
    book.active.title = "codes"
    for row in (["code", "meaning"], [1, "ill"], [2, "healthy"]):
        book.active.append(row)
    page = book.create_sheet("patients")
    for row in (["age", "class"], [31, "x"], [45, "y"], [52, "y"]):
        page.append(row)
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx", target="class")
    assert table.features["age"].tolist() == [31, 45, 52]
    assert table.notes[0] == "sheet: 'patients' of 2, which has 'class'"
    assert read_table(tmp_path / "t.xlsx").notes[0] == "sheet: 'codes', the first of 2"


def test_keel(table_of):
    text = (
        "@relation r\n@attribute A real [0.0, 9.0]\n@attribute B integer [1, 5]\n"
        "@attribute Class {p, n}\n@inputs A, B\n@outputs Class\n@data\n0.5, 1, p\n<null>, 5, n\n"
    )
    table = table_of(text, "t.dat", target="Class", keep_missing=True)
    np.testing.assert_array_equal(table.features, [[0.5, 1], [np.nan, 5]])
    assert table.labels.tolist() == ["p", "n"]
    with pytest.raises(TableError, match="is not a KEEL file, or it is cut: it has no @data"):
        table_of("a b\n1 2\n", "t.dat")
