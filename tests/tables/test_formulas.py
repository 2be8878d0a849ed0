"""Text that a spreadsheet would run is written so that it does not, and read as it was."""

import time

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from bicneuron._shared._formats import escape_formula, unescape_formula
from bicneuron.tables import read_table, write_table

NAMES = ["=1+1", "'=1+1", "''@x", "+cmd|' /C calc'!A0", "-TP53", "@SUM(A1)", "'s", "plain", "-2+3"]
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


@given(st.text(alphabet="'=+-@\t\r12.,eEx \u200b\ufeff\uff1d\uff0d", max_size=8))
def test_every_text_comes_back(text):
    written = escape_formula(text)
    assert unescape_formula(written) == text
    if written.startswith(DANGEROUS):
        float(written.replace(",", ""))  # nothing but a number begins so


@pytest.mark.parametrize(
    "text",
    [
        "\u200b=1+1",
        "\ufeff=1+1",
        "\u202e\u2066@SUM(A1)",
        " =1+1",
        "\u00a0=1+1",
        "\u3000+x",
        "\uff1d1+1",
        "\uff0bx",
        "\uff0dx",
        "\uff20SUM(A1)",
        "\u200b\uff1dcmd|' /C calc'!A0",
        "\u00ad=x",
        "\u2060-x",
        "'\u200b=x",
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_formulas_behind_what_is_not_seen(text, suffix, tmp_path):
    written = escape_formula(text)
    assert written == "'" + text
    assert unescape_formula(written) == text
    frame = pd.DataFrame({text: [1.5, 2.5, 3.0], "kind": [text, "b", "b"]})
    path = write_table(frame, tmp_path / f"t{suffix}")
    cells = [cell for line in path.read_text("utf-8").splitlines() for cell in line.split("\t")]
    assert not [cell for cell in cells if cell.startswith(text)]
    table = read_table(path, target="kind")
    assert table.features.columns.tolist() == [text]


@pytest.mark.parametrize(
    "text",
    ["-2.5", "+1", "-1e-5", "-.5", "-1,5", "-1.234,5", "-0.5; 2; -1e-5; nan", "5", "x-1", ""],
)
def test_harmless_text_stays(text):
    assert escape_formula(text) == text
    assert unescape_formula(text) == text


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".xlsx"])
def test_names_labels_and_columns_come_back(suffix, tmp_path):
    frame = pd.DataFrame(
        {"=size": [-float(i) for i in range(9)], "'=kind": ["=x", "'-y", "=x'"] * 3},
        index=pd.Index(NAMES, name="@id"),
    )
    path = write_table(frame, tmp_path / f"t{suffix}")
    table = read_table(path, target="'=kind", id_column="@id")
    assert table.features.index.tolist() == NAMES
    assert table.features.columns.tolist() == ["=size"]
    assert table.features["=size"].tolist() == frame["=size"].tolist()
    assert table.labels.tolist() == frame["'=kind"].tolist()


def test_what_is_written(tmp_path):
    frame = pd.DataFrame({"=a": ["=x", "b", None], "n": [1, None, "-3"]}, dtype=object)
    safe, raw = tmp_path / "safe.csv", tmp_path / "raw.csv"
    write_table(frame, safe)
    assert safe.read_text() == "'=a,n\n'=x,1\nb,\n,-3\n"
    write_table(frame, raw, keep_formulas=True)
    assert raw.read_text() == "=a,n\n=x,1\nb,\n,-3\n"
    assert frame.columns.tolist() == ["=a", "n"]  # not changed itself
    kinds = pd.DataFrame({"k": pd.Categorical(["-x", "y"]), "a": [1.0, -2.0]})
    write_table(kinds, safe)
    assert safe.read_text() == "k,a\n'-x,1.0\ny,-2.0\n"


def test_excel_takes_it_for_text(tmp_path):
    path = write_table(pd.DataFrame({"a": ["=1+1", "b"]}), tmp_path / "t.xlsx")
    cells = [cell for (cell,) in load_workbook(path).active.iter_rows(min_row=2)]
    assert [cell.value for cell in cells] == ["=1+1", "b"]
    assert [cell.data_type for cell in cells] == ["s", "s"]
    assert [bool(cell.quotePrefix) for cell in cells] == [True, False]


@pytest.mark.parametrize("start", ["'-", "-", "+", "", "'"])
def test_long_lists_of_numbers_with_one_word_take_no_time(start):
    """With backtracking, ten numbers took seconds and fourteen hours."""
    text = start + "; ".join(["10234"] * 5000) + "; x"
    begun = time.process_time()
    written = escape_formula(text)
    assert unescape_formula(written) == text
    assert written == ("'" + text if start.strip("'") else text)
    assert time.process_time() - begun < 1


def test_a_header_and_a_cell_of_many_numbers_are_read(tmp_path):
    numbers = "'-" + "; ".join(["10234"] * 14) + "; x"
    path = tmp_path / "t.csv"
    path.write_text(f"a,{numbers},class\n" + f"1,{numbers},p\n2,b,q\n" * 3)
    table = read_table(path, target="class")
    assert any(numbers[1:] in name for name in table.features.columns)


def test_the_list_of_patients_is_written(tmp_path):
    names = [str(10101 + i) + "b" * (i == 17) for i in range(80)]
    path = write_table(pd.DataFrame({"rows": ["; ".join(names)]}), tmp_path / "groups.csv")
    assert path.read_text() == "rows\n" + "; ".join(names) + "\n"
