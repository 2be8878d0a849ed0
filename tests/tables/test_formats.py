"""Every format holds the same table."""

import json
import os
from dataclasses import asdict

import anndata
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from scipy.sparse import csr_matrix
from table_files import read, stored

from bicneuron._shared._formats import escape_formula, unescape_formula
from bicneuron.exceptions import TableError
from bicneuron.tables import read_table, write_table
from bicneuron.tables._encoding import Encoding

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
    numbers = st.lists(st.floats(-1e300, 1e300), min_size=n_columns, max_size=n_columns)
    cells = draw(st.lists(numbers, min_size=n_rows, max_size=n_rows))
    index = pd.Index([f"row {name}" for name in rows], name=columns[0])
    return pd.DataFrame(np.array(cells), index=index, columns=columns[1:])


@pytest.mark.parametrize("suffix", WRITTEN)
@settings(max_examples=25)
@given(frame=frames())
def test_what_is_written_is_read(tmp_path_factory, suffix, frame):
    path = tmp_path_factory.mktemp("t") / f"table{suffix}"
    assert write_table(frame, path) == path
    table = read_table(path, id_column=frame.index.name, encoder=Encoding())
    exact = {"rtol": 1e-15, "atol": 0} if suffix == ".xlsx" else {"check_exact": True}
    pd.testing.assert_frame_equal(table.features, frame, **exact)
    assert os.listdir(path.parent) == [path.name]


def test_what_cannot_be_written(tmp_path):
    for name in ("t.gct", "t.h5ad", "t.doc"):
        with pytest.raises(TableError, match=r"\.csv"):
            write_table(pd.DataFrame({"a": [1]}), tmp_path / name)
    with pytest.raises(TableError, match="cannot be used in worksheets"):
        write_table(pd.DataFrame({"a": ["\x01"]}), tmp_path / "t.xlsx")
    assert os.listdir(tmp_path) == []
    path = write_table(pd.DataFrame({"a": ["x"]}), tmp_path / "t.xlsx")
    with pytest.raises(FileExistsError):
        write_table(pd.DataFrame({"a": ["y"]}), path, overwrite=False)


FORMULAS = ["=1+1", "'=1+1", "''@x", "+cmd|' /C calc'!A0", "-TP53", "@SUM(A1)", "\u200b=1", " =1+1"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".xlsx"])
def test_text_that_a_spreadsheet_would_run_is_written_and_read(suffix, tmp_path):
    frame = pd.DataFrame(
        {"=size": [-float(i) for i in range(8)], "'=kind": ["=x", "'-y"] * 4},
        index=pd.Index([f"{name}{i}" for i, name in enumerate(FORMULAS)], name="@id"),
    )
    path = write_table(frame, tmp_path / f"t{suffix}")
    table = read_table(path, target="'=kind", id_column="@id")
    assert table.features.index.tolist() == [name.strip() for name in frame.index]
    assert table.features.columns.tolist() == ["=size"]
    assert table.features["=size"].tolist() == frame["=size"].tolist()
    assert table.labels.tolist() == frame["'=kind"].tolist()
    if suffix == ".csv":
        cells = [cell for line in path.read_text().splitlines() for cell in line.split(",")]
        assert not [cell for cell in cells if cell[0] in "=+@" or cell.startswith("-T")]


@given(st.text(alphabet="'=+-@\t\r12.,eEx \u200b\ufeff\uff1d\uff0d", max_size=8))
def test_text_that_is_escaped_comes_back(text):
    written = escape_formula(text)
    assert unescape_formula(written) == text
    if written.startswith(("=", "+", "-", "@", "\t", "\r")):
        assert {*written} <= {*"+-12.,eE "}, "numbers only"


# --- Excel


def workbook(path, **sheets):
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_the_sheet_with_the_target_is_read(tmp_path):
    sheets = {
        "codes": [["code", "meaning"], [1, "ill"], [2, "healthy"]],
        "patients": [["age", "class"], [31, "x"], [45, "y"], [52, "y"]],
    }
    path = workbook(tmp_path / "t.xlsx", **sheets)
    table = read_table(path, target="class")
    assert table.features["age"].tolist() == [31, 45, 52]
    assert table.notes[0] == "sheet: 'patients', the first of 2 with 'class'"
    assert read_table(path).notes[0] == "sheet: 'codes', the first of 2 with data"


def test_an_empty_workbook(tmp_path):
    with pytest.raises(TableError, match="is empty: no sheet has a header and rows"):
        read_table(workbook(tmp_path / "t.xlsx", a=[["a", "b"]]))
    with pytest.raises(TableError, match="is empty"):
        read_table(workbook(tmp_path / "t.xlsx", a=[], b=[]))


# --- AnnData


@pytest.fixture
def cells(tmp_path):
    """A file, and its values."""
    values = np.array([[0, 1.5, 0], [2, 0, 3], [0, 0, 4]])
    kinds = pd.Categorical(["T", "B", "T"])
    data = anndata.AnnData(
        csr_matrix(values),
        obs=pd.DataFrame({"kind": kinds, "n": [1, 2, 3]}, index=["c1", "c2", "c3"]),
        var=pd.DataFrame(index=["CD3", "CD19", "HLA-A"]),
        layers={"log": np.log1p(values), "bad": np.array([[1.0, 2, 3], [4, np.inf, 6], [7, 8, 9]])},
    )
    data.write_h5ad(tmp_path / "t.h5ad")
    return tmp_path / "t.h5ad", values


def test_h5ad(cells):
    path, values = cells
    table = read(path, "kind")
    assert table.features.columns.tolist() == ["CD3", "CD19", "HLA-A"]
    assert table.features.index.tolist() == ["c1", "c2", "c3"]
    np.testing.assert_array_equal(table.features, values)
    assert table.labels.tolist() == ["T", "B", "T"]
    table = read(path, "kind", layer="log", id_column="n", drop=["CD3"])
    np.testing.assert_array_equal(table.features, np.log1p(values)[:, 1:])
    assert table.features.index.tolist() == ["1", "2", "3"]
    aside = read(path, aside={"strata": "kind", "groups": "CD3"})
    assert aside.aside["strata"].tolist() == ["T", "B", "T"]
    assert aside.features.columns.tolist() == ["CD19", "HLA-A"]
    by_name = read(path, encoder=Encoding(features=("HLA-A", "CD3")))
    np.testing.assert_array_equal(by_name.features, values[:, [2, 0]])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layer": "lgo"}, "has no layer 'lgo'. Did you mean 'log'"),
        ({"target": "king"}, "has no column 'king' for the target. Did you mean 'kind'"),
    ],
)
def test_bad_h5ad(cells, options, said):
    with pytest.raises(TableError, match=said):
        read(cells[0], **options)
    assert "'CD19': 1 infinite cell taken as missing" in read(cells[0], layer="bad").notes


# --- genes in rows, samples in columns, and classes in another file

GCT = "#1.2\n2\t3\nName\tDescription\ts1\ts2\ts3\nTP53\tna\t1\t2\t3.5\nBRCA1\tna\t4\t5\t6\n"
GCT_3 = (
    "#1.3\n2\t3\t1\t2\nid\tnote\ts1\ts2\ts3\nclass\tna\tx\ty\tx\nage\tna\t50\t60\t70\n"
    "TP53\ta\t1\t2\t3.5\nBRCA1\tb\t4\t5\t6\n"
)
SERIES = (
    '!Series_title\t"A study"\n!Series_geo_accession\t"GSE1"\n\n'
    '!Sample_title\t"one"\t"two"\t"three"\n'
    '!Sample_characteristics_ch1\t"disease: x"\t"disease: y"\t"disease: x"\n'
    '!Sample_characteristics_ch1\t"age: 50"\t"sex: f"\t"age: 70"\n'
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\n'
    '"1007_s_at"\t1\t2\t3.5\n"1053_at"\t4\t5\t6\n!series_matrix_table_end\n'
)
GENES = "gene,s1,s2,s3\nTP53,1,2,3.5\nBRCA1,4,5,6\n"
SAMPLES = "id,TP53,BRCA1\ns1,1,4\ns2,2,5\ns3,3.5,6\n"
PHENOTYPE = "sample;class;batch\ns3;x;b\ns1;x;a\ns2;y;a\ns9;y;b\n"
VALUES = [[1, 4], [2, 5], [3.5, 6]]


def check(table, rows=("s1", "s2", "s3"), columns=("TP53", "BRCA1")):
    assert table.features.index.tolist() == list(rows)
    assert table.features.columns.tolist() == list(columns)
    assert table.features.to_numpy().tolist() == VALUES
    assert table.labels.tolist() == ["x", "y", "x"]


@pytest.fixture
def phenotype(tmp_path):
    path = tmp_path / "pheno.csv"
    path.write_text(PHENOTYPE)
    return {"phenotype": path, "id_column": "sample", "target": "class"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.gct", "#1.2\nx\n", "is cut or damaged"),
        ("t.gct", GCT.replace("BRCA1\tna\t4\t5\t6\n", ""), "line 2 says 2 genes and 3 samples"),
        ("t.gct", GCT.replace("na\t1", '"na\t1'), "quote that opens in line 4 is never closed"),
        ("s.txt", SERIES[:200], "is cut: it has no !series_matrix_table_begin"),
        ("s.txt", SERIES[:-10], "is cut: it has no !series_matrix_table_end"),
        (
            "s.txt",
            SERIES.replace('"1007_s_at"\t1\t2\t3.5\n"1053_at"\t4\t5\t6\n', ""),
            "is empty: it has a header and no rows",
        ),
    ],
)
def test_bad_files_of_genes(table_of, name, text, said):
    with pytest.raises(TableError, match=said):
        table_of(text, name)


def test_the_target_says_which_way_round_a_table_is(table_of):
    text = GENES + "class,x,y,x\n"
    table = table_of(text, target="class")
    check(table)
    said = "rows and columns exchanged, 'class' found in rows; if not: --read transpose=no"
    assert said in table.notes
    with pytest.raises(TableError, match="has no column 'class' for the target"):
        table_of(text, target="class", transpose=False)
    check(table_of(text, target="class", transpose=True))
    again = table_of(GENES, encoder=Encoding(features=("TP53", "BRCA1")))
    assert again.features.to_numpy().tolist() == VALUES
    usual = table_of("class,a\nx,1\ny,2\nclass,3\ny,3\n", target="class")
    assert usual.features.columns.tolist() == ["a"], "a column is looked for first"
    with pytest.raises(TableError, match="states the names of its rows; leave out --read transp"):
        table_of(GCT, "t.gct", transpose=True)


@pytest.mark.parametrize(
    ("text", "name"), [(GENES, "t.csv"), (SAMPLES, "t.csv"), (GCT, "t.gct")], ids=["1", "2", "3"]
)
def test_classes_in_another_file(table_of, phenotype, text, name):
    table = table_of(text, name, **phenotype)
    check(table)
    assert "pheno.csv: joined by 'sample'" in table.notes
    aside = table_of(text, name, **phenotype, aside={"strata": "batch"})
    assert aside.aside["strata"].tolist() == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (PHENOTYPE, {"id_column": None}, "say with --id which column holds the ids of the samples"),
        (PHENOTYPE, {"id_column": "nr"}, "not 'nr'. There are: 'sample', 'class'"),
        (PHENOTYPE + "s1;y;a\n", {}, "must have one row for each sample, .* for 1 of 3 .*, 's1'"),
        (
            PHENOTYPE.replace("s2;y;a\n", ""),
            {},
            "must have one row for each sample, .* for 1 .*, 's2'",
        ),
        (PHENOTYPE.replace("s", "p"), {"id_column": "pample"}, "Its ids are such as 'p3', 'p1'"),
        (PHENOTYPE, {"target": "klass"}, "no column 'klass' for the target. Did you mean 'class'"),
    ],
)
def test_a_phenotype_that_does_not_fit(table_of, phenotype, text, options, said):
    phenotype["phenotype"].write_text(text)
    with pytest.raises(TableError, match=said):
        table_of(GENES, **{**phenotype, **options})


def test_a_column_called_as_the_format_of_genes(table_of):
    table = table_of("#1.2\ta\nx\t1\ny\t2.5\n", "t.tsv")
    assert table.features["a"].tolist() == [1, 2.5]


# --- several probes of a gene, descriptions of genes

PROBES = "#1.2\n3\t2\nName\tDescription\ts1\ts2\nTP53\tp53\t1\t2\nTP53\tp53\t5\t6\nMYC\t\t4\t5\n"
TALL = (
    "probe,symbol,about,s1,s2,s3\nA_1,TP53,tumour protein,1,2,3\nA_2,MYC,proto-oncogene,4,5,6\n"
    "class,,,x,y,x\n"
)


def test_probes_of_a_gene_are_numbered(table_of):
    table = table_of(PROBES, "t.gct")
    assert table.features.to_dict("list") == {"TP53": [1, 2], "TP53 (2)": [5, 6], "MYC": [4, 5]}
    assert "probes numbered: 'TP53'" in table.notes
    fewer = PROBES.replace("TP53\tp53\t1\t2\n", "").replace("\n3\t2\n", "\n2\t2\n")
    with pytest.raises(TableError, match=r"lacks 1 of the 3 columns .*'TP53 \(2\)'"):
        table_of(fewer, "t.gct", encoder=stored(table))


def test_descriptions_of_genes_are_left_out(table_of):
    table = table_of(TALL, target="class")
    assert table.features.columns.tolist() == ["A_1", "A_2"]
    assert "'symbol', 'about' left out, about genes" in table.notes


# --- what a model file keeps


def record_of(table_of):
    text = "id,a,b,town,class\n" + "".join(
        f"p{i},{i * 7 % 23},{i}.5 kg,{['Ulm', 'Rom', 'Bonn'][i % 3]},{'xy'[i % 2]}\n"
        for i in range(24)
    )
    return table_of(text, target="class", missing=["a=3"]).encoding


def test_json_holds_all_that_was_decided(table_of):
    encoding = record_of(table_of)
    again = Encoding.from_json(json.loads(json.dumps(asdict(encoding))))
    assert again == encoding
    assert again.features == ("a", "b", "town = Bonn", "town = Rom", "town = Ulm")
    assert again.codes == (("a", "3"),)


@pytest.mark.parametrize(
    "changed",
    [
        {"features": [1, 2]},
        {"columns": "a"},
        {"conversions": [{"column": "a", "kind": "run"}]},
        {"conversions": [{"column": "a"}]},
        {"conversions": [{"column": "a", "kind": "yes/no"}]},
        {"conversions": [{"column": "a", "kind": "number", "code": "1"}]},
        {"conversions": [{"column": "a", "kind": "category", "words": [1]}]},
        {"id_column": 3},
        {"classes": {"column": "class", "words": ["x"], "levels": []}},
        {"classes": {"column": "class", "limit": "x"}},
        {"seen": {"a": [1]}},
        {"seen": {"a": [float("nan")] * 8}},
        {"more": 1},
    ],
)
def test_forged_records_are_refused(table_of, changed):
    record = json.loads(json.dumps(asdict(record_of(table_of))))
    with pytest.raises(TableError, match="the model has"):
        Encoding.from_json({**record, **changed})
    with pytest.raises(TableError, match="the model has no valid reader of tables"):
        Encoding.from_json({})
