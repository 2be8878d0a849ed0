"""Messages about tables that cannot be read say why, where and what to do."""

import contextlib
import gzip
import io
import sys

import numpy as np
import pandas as pd
import pytest

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table, write_table

GOOD = "id,a,b,class\n" + "".join(f"p{i},{i}.5,{i},{'xy'[i % 2]}\n" for i in range(40))
FRAME = pd.read_csv(io.StringIO(GOOD), index_col="id")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("a,b,class\n", "is empty: it has a header and no rows"),
        ("a,b\n1,2\n", "has no column 'class' for the target. There are: 'a', 'b'."),
        ("a,Class\n1,2\n", "has no column 'class' for the target. Did you mean 'Class'?"),
        ("a,CLASS\n1,2\n", "Did you mean 'CLASS'?"),
        ("a,class\n1,x\n2,x\n", "target 'class' has one class, 'x', in all rows; two are needed"),
        ("a,class\n1,x\n2,\n", "target 'class' has one class, 'x', in all rows"),
        ("a,class\n1,\n2,\n", "target 'class' lacks 2 of 2 labels, the first in row 1"),
        (
            "a,class\n1,x\n2,y\n3,z\n",
            "'class' has a different value in each row, such as 'x'",
        ),
        ("a,class\n1,.5\n2,1.5\n3,.5\n", "target 'class' holds measurements, such as '.5'"),
        ("a,a,class\n1,2,x\n1,2,y\n", "several columns called 'a'"),
        ("a,b,class\n1,2,x\n1,y\n", "row 2 has 2 cells for 3 columns"),
        ("a,b,class\n1,2,x\n1,2,3,y\n", "row 2 has 4 cells for 3 columns"),
        ('a,b,class\n1,2,x\n1,"2,y\n', "the quote that opens in line 3 is never closed; close it"),
        ("i,a,class\np,1,x\nq,,y\n", "column 'a' lacks 1 of 2 values, the first in row 2 (q)"),
        ("a,b,class\n1,1,x\nNA,?,y\n", "so do 1 more columns: 'b' (1). Fill them in"),
        ("i,a,class\np,1,x\nq,x1,y\n", "column 'a', row 2 (q), is 'x1', which is not a finite"),
        ("i,a,class\np,1,x\nq,inf,y\n", "column 'a', row 2 (q), is 'inf', which is not a finite"),
        (f"i,a,class\np,1,x\nq,{'9' * 309},y\n", "which is not a finite number. Correct it"),
        ("i,a,class\np,1,x\nq,1_0,y\n", "is '1_0', which is not a finite number"),
        (
            "s,t,class\nm,p,x\nm,p,y\n",
            "has no column of features left ('s', 't': left out, the same in all rows).",
        ),
        (
            "a,b,class\n1,1,x\n2,o,y\n3,3,x\n",
            "is 'o', which is not a finite number. Correct it, take",
        ),
        ("i,class\np,x\nq,y\n", "has no column of features left"),
        ("class\nx\ny\n", "has no column of features left"),
    ],
)
def test_what_is_wrong_with_a_text(table_of, text, said):
    with pytest.raises(TableError) as error:
        table_of(text, target="class")
    assert said in str(error.value)
    assert "table.csv" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_all_problems_are_told_together(table_of):
    text = """id,visit,born,weight,count,income,crp,class
p1,03/04/2021,1.5.70,70 kg,1,"241,611",0.5,x
p2,05/06/2021,2.5.71,150 lb,2,"31,000",low,x
p3,07/08/2021,3.5.72,72 kg,,"1,200",7,x
p4,07/09/2021,3.5.73,73 kg,x2,"4,500",9,x
"""
    text = text.replace("0.5", "5")  # nothing shows the decimal mark
    with pytest.raises(TableError) as error:
        table_of(text, target="class", drop=["age"])
    first, *problems = str(error.value).splitlines()
    assert first.endswith("table.csv has 9 problems:")
    said = (
        "no column 'age' to drop",
        "'visit' has dates such as '03/04/2021', whose first number may be the day or the month. "
        "Say which with --read dates=day-first or --read dates=month-first.",
        "'born' has dates with years of two digits",
        "'weight', row 2 (p2), is '150 lb', which has the unit lb, and the others are in kg",
        "'count', row 4 (p4), is 'x2', which is not a finite number",
        "'income' has cells such as '241,611', whose comma may stand for thousands or for decimals",
        "'crp', row 2 (p2), is 'low', which is not a finite number",
        "'count' lacks 1 of 4 values, the first in row 3 (p3)",
        "target 'class' has one class, 'x', in all rows",
    )
    for problem, words in zip(problems, said, strict=True):
        assert words in problem
    options = {"dates": "month-first", "decimal": "point"}
    drop = ["born", "weight", "count", "crp", "class"]
    assert table_of(text, drop=drop, **options).features.iloc[0].tolist() == [
        2021 + 62 / 365,
        241611,
    ]
    with pytest.raises(
        TableError, match="without --read strict=yes: 'income': marks between thousands l"
    ):
        table_of(text, drop=[*drop, "visit"], strict=True, **options)


def test_names_that_a_step_would_make_twice(table_of):
    text = "smoker,smoker = yes\nyes,1\nno,2\nno,3\n"
    with pytest.raises(TableError, match="has a column 'smoker = yes', and column 'smoker' makes"):
        table_of(text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"id_column": "idd"}, "no column 'idd' for the row names. Did you mean 'id'?"),
        ({"drop": ["c"]}, "no column 'c' to drop"),
        ({"aside": {"strata": "c"}}, "no column 'c' for strata"),
        ({"layer": "raw"}, "has no layers, got layer='raw'; only .h5ad files have"),
    ],
)
def test_what_is_wrong_with_the_options(table_of, options, said):
    with pytest.raises(TableError, match=said):
        table_of(GOOD, **options)


def test_files_that_are_none(tmp_path):
    with pytest.raises(TableError, match=r"none\.csv does not exist"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path / "folder.csv")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("table.doc", "its name must end in .csv"),
        ("table", "its name must end in .csv"),
        ("table.xls", "Save old Excel files as .xlsx"),
        ("table.parquet.gz", "its name must end in .csv"),
    ],
)
def test_names_that_stand_for_no_format(table_of, name, said):
    with pytest.raises(TableError, match=said):
        table_of(GOOD, name)


@pytest.mark.parametrize(
    ("suffix", "called", "said"),
    [
        (".parquet", ".csv", "is a Parquet file despite its name; rename it to table.par"),
        (".xlsx", ".tsv", "is an Excel file despite its name; rename it to table.xlsx"),
        (".xlsx", ".parquet", "is an Excel file"),
        (".csv", ".parquet", "is not a Parquet file despite its name, or it is damaged"),
        (".csv", ".xlsx", "is not an Excel file"),
        (".csv", ".h5ad", "is not an HDF5 file"),
        (".csv", ".arff", "is not an ARFF file, or it is cut: it has no @data section"),
        (".csv.gz", ".csv", "is packed with gzip; rename it to table.csv.gz"),
        (".csv", ".csv.gz", "is not packed with gzip; rename it to table.csv"),
    ],
)
def test_a_wrong_suffix_is_told(tmp_path, suffix, called, said):
    written = write_table(FRAME, tmp_path / f"right{suffix}")
    path = written.rename(tmp_path / f"table{called}")
    with pytest.raises(TableError) as error:
        read_table(path)
    assert said in str(error.value)


def test_other_files_called_csv(table_of):
    with pytest.raises(TableError, match="is not text"):
        table_of(b"\x00\x01\x02", "table.csv")
    with pytest.raises(TableError, match="neither UTF-8 nor Windows-1252"):
        table_of(b"a,b\n\x81,2\n", "table.csv")
    with pytest.raises(TableError, match="cut or damaged"):
        table_of(b"\xff\xfea\x00,", "table.csv")


@pytest.mark.parametrize("suffix", [".csv.gz", ".tsv.gz", ".parquet", ".xlsx"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_in_the_middle(tmp_path, suffix, share):
    path = write_table(FRAME, tmp_path / f"table{suffix}")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(TableError, match=r"is cut or damaged.* again\."):
        read_table(path)


@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".xlsx"])
def test_altered_bytes_give_a_clean_error_or_a_table(tmp_path, suffix):
    path = write_table(FRAME, tmp_path / f"table{suffix}")
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    random = np.random.default_rng(0)
    for _ in range(60):
        damaged = content.copy()
        damaged[random.integers(len(content), size=3)] = random.integers(256, size=3)
        path.write_bytes(damaged.tobytes())
        with contextlib.suppress(TableError):
            read_table(path, target="class")


def test_an_empty_gz(table_of):
    with pytest.raises(TableError, match="is empty"):
        table_of(gzip.compress(b""), "table.csv.gz")


def test_a_missing_library_is_named(monkeypatch, table_of):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'bicneuron\[tables\]'"):
        table_of(GOOD)


def test_a_tsv_file_without_tabs(tmp_path):
    (tmp_path / "t.tsv").write_text("a;b;class\n1;2;x\n3;4;y\n")
    with pytest.raises(TableError, match=r"t\.tsv has no tabs; rename it to \.csv"):
        read_table(tmp_path / "t.tsv", target="class")


def test_a_reason_is_one_sentence(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(TableError, match=r"\(ArrowInvalid: .* not found in footer\)\. Copy"):
        read_table(tmp_path / "t.parquet")
