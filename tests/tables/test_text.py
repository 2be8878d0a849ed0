"""Text tables as programs and people write them: delimiters, quotes, remarks, row names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table
from bicneuron.tables._encoding import Encoding

PLAIN = "id,a,b,class\np1,1.5,2,x\np2,2.5,3,y\np3,3.5,4,x\n"


def same_as_plain(table):
    assert table.features.index.tolist() == ["p1", "p2", "p3"]
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.to_numpy().tolist() == [[1.5, 2], [2.5, 3], [3.5, 4]]
    assert table.labels.tolist() == ["x", "y", "x"]
    assert (table.target, table.id_column) == ("class", "id")
    return table.notes


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found_and_nothing_is_said(table_of, delimiter):
    assert same_as_plain(table_of(PLAIN.replace(",", delimiter), target="class")) == ()


@pytest.mark.parametrize(
    ("encoding", "n_notes"), [("utf-8", 0), ("utf-8-sig", 0), ("utf-16", 0), ("cp1252", 1)]
)
def test_encodings(table_of, encoding, n_notes):
    text = "Prüfling;Größe µm;Diagnose\nJosé;1,5;gesund\nZoë;2,5;krank\n"
    table = table_of(text.encode(encoding), target="Diagnose")
    assert table.features.index.tolist() == ["José", "Zoë"]
    assert table.features.columns.tolist() == ["Größe µm"]
    assert table.labels.tolist() == ["gesund", "krank"]
    said = "encoding: Windows-1252, because it is not UTF-8"
    assert table.notes.count(said) == n_notes


def test_quotes_hold_delimiters_line_ends_and_quotes(table_of):
    table = table_of('"na""me","a, b","c\nd",said\n"x,y",1,"2","so\nso"\n"z",3,4,"1,\n2"\n')
    assert table.features.index.name == 'na"me'
    assert table.features.index.tolist() == ["x,y", "z"]
    assert table.features.columns.tolist() == ["a, b", "c\nd", "said = so so"]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN + "\n\n",
        "\n" + PLAIN.replace("\n", "\n\n"),
        PLAIN + ",,,\n,,,\n",
        "sep=,\n" + PLAIN,
        PLAIN.replace(",", " , "),
        PLAIN.replace("class", "class,").replace("x\n", "x,\n").replace("y\n", "y,\n"),
        PLAIN.replace("x\n", "x,\n").replace("y\n", "y,\n"),
    ],
    ids=["ends", "blank", "delimiters", "sep", "spaces", "nameless and empty", "trailing"],
)
def test_what_programs_add(table_of, text):
    same_as_plain(table_of(text, target="class"))


@pytest.mark.parametrize(
    "remark", ["p4", "# below: the second visit", "Source: a registry of 2019"]
)
def test_lines_of_another_length_are_refused(table_of, remark):
    with pytest.raises(TableError, match=r"Row #4: Expected 4 columns, got 1: .*, it is a remark"):
        table_of(PLAIN + remark + "\n", target="class")


@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_tables_of_any_width_and_in_all_ways_of_numbers(table_of, name):
    n_columns = 6000 if name == "wide" else 3
    names = [f"gene{j}" for j in range(n_columns)]
    rows = [[i + j / 8 for j in range(n_columns)] for i in range(3)]
    cells = [[f"{value:+.3f}" if value % 1 else f"{value:.0e}" for value in row] for row in rows]
    cells[1][2] = "NA"
    table = table_of("\n".join([",".join(names), *map(",".join, cells)]))
    assert table.features.shape == (3, n_columns)
    expected = np.array([[float(cell.replace("NA", "nan")) for cell in row] for row in cells])
    np.testing.assert_array_equal(table.features, expected)


def test_numbers_are_read_to_the_last_bit(table_of):
    numbers = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    rows = (f"{number!r},+{i % 7}" for i, number in enumerate(numbers.tolist()))
    table = table_of("a,b\n" + "\n".join(rows))
    assert (table.features["a"].to_numpy() == numbers).all()
    assert (table.features["b"] == [i % 7 for i in range(500)]).all()
    assert table.encoding.conversions == ()


# --- names of rows


@pytest.mark.parametrize(
    ("text", "id_column"),
    [
        ("name,a\nx,1\ny,2\n", "name"),
        ("a,name\n1,x\n2,y\n", "name"),
        ("id,a\n1,1\n2,2\n", "id"),
        ("patient_id,a\n0010,1\n0020,2\n", "patient_id"),
        ("a,sample\n1,12-1\n2,12-2\n", "sample"),
        (",a\n0,1\n1,2\n", "column 1"),
        ('"a"\n"s1",1\n"s2",3\n', "column 1"),
    ],
)
def test_what_is_taken_for_names(table_of, text, id_column):
    table = table_of(text)
    assert table.id_column == id_column == table.features.index.name
    assert table.features.columns.tolist() == ["a"]
    assert table.reading.loc[id_column, "kind"] == "id"


@pytest.mark.parametrize(
    "text",
    [
        "uric acid,b\n1,1\n2,2\n",
        "id,b\n1.5,1\n2.5,2\n",
        "id,b\n1,1\n1,2\n",
        "a,b\n1,1\n2,2\n",
    ],
    ids=["ends in id", "measurements", "not all different", "no name of ids"],
)
def test_measurements_are_not_taken_for_names(table_of, text):
    table = table_of(text)
    assert table.id_column is None
    assert table.features.shape == (2, 2)
    assert table.features.index.tolist() == [1, 2]


# --- columns with a role


def test_covariates_are_numbers_that_are_no_features(table_of):
    text = (
        "x;alter;raucher;batch;centre;kind\n1,5;30,5;ja;A;1;u\n2;41;nein;A;2;v\n3;52,25;ja;B;1;u\n"
    )
    aside = {"strata": ["batch", "centre"], "covariates": ["alter", "raucher"]}
    table = table_of(text, target="kind", aside=aside)
    assert table.features.columns.tolist() == ["x"]
    assert table.covariates["alter"].tolist() == [30.5, 41, 52.25]
    assert table.covariates.shape == (3, 2)
    assert table.covariates.index.equals(table.features.index)
    assert table.aside["strata"].tolist() == [["A", 1], ["A", 2], ["B", 1]]
    assert table_of(text, target="kind").covariates is None
    with pytest.raises(TableError, match="'alter' for covariates lacks 1 of 3 values"):
        table_of(text.replace("41", ""), target="kind", aside=aside)


def test_columns_set_aside_are_no_features(table_of):
    text = "name,x,batch,patient,kind\nann,1,A,3,u\nbob,2,A,3,v\ncid,3,B,4,v\n"
    aside = {"strata": "batch", "groups": "patient"}
    table = table_of(text, target="kind", aside=aside)
    assert table.features.columns.tolist() == ["x"]
    assert table.aside["strata"].tolist() == ["A", "A", "B"]
    assert table.aside["groups"].tolist() == [3, 3, 4]
    assert table.id_column == "name"
    assert table.reading["kind"].tolist() == ["id", "number", "set aside", "set aside", "target"]
    assert "3 rows, 5 columns: 1 number, 2 set aside, 1 target; ids: 'name';" in table.summary
    by_name = table_of("code,x,kind\na,1,u\nb,2,v\n", aside={"groups": "code"}, drop=["kind"])
    assert by_name.id_column is None


def test_columns_of_a_model_are_matched_by_name(table_of):
    text = "sex,b,note,class,a\nm,2,-,x,1\nf,4,-,x,3\n"
    table = table_of(text, encoder=Encoding(features=("a", "b")), target="class")
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.to_numpy().tolist() == [[1, 2], [3, 4]]
    assert table.labels.tolist() == ["x", "x"], "one class is enough where nothing is fitted"
    with pytest.raises(TableError, match=r"lacks 2 of the 3 columns .* on: 'c', 'd'\. "):
        table_of(text, encoder=Encoding(features=("a", "c", "d")))


def test_rows_without_a_class_are_left_out(table_of):
    text = "a,b,class\n1,2,x\n2,3,\n3,4,y\n4,x9,NA\n5,6,y\n"
    table = table_of(text, target="class")
    assert table.features.index.tolist() == [1, 3, 5], "the numbers of the file"
    assert table.labels.tolist() == ["x", "y", "y"]
    assert "rows without a class in 'class' left out: 2" in table.notes
    with pytest.raises(TableError, match=r"row 5, is 'x6'"):
        table_of(text.replace("6,y", "x6,y"), target="class")
    again = table_of(text.replace("x9", "9"), encoder=table.encoding)
    assert len(again.features) == 5, "a new table keeps all its rows"


# --- quotes that nobody closed: no row is lost without a word

HEADER = "id,size,town,said,class\n"
ROWS = [f'p{i},{i}.5,{["Ulm", "Rom", "Bonn"][i % 3]},"so, {i}",{"xy"[i % 2]}' for i in range(40)]


def text_with(changed):
    return HEADER + "".join(f"{changed.get(i, row)}\n" for i, row in enumerate(ROWS))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({8: 'p8,8.5,"Bonn,so,x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({8: 'p8,8.5,Bonn,so,"x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({8: '"p8,8.5,Bonn,so,x'}, "the quote that opens in line 10 is not closed before line 11"),
        ({8: '"p\n8",8.5,Bonn,so,x'}, "the quote that opens in line 10 is not closed before"),
        ({39: 'p39,1,Ulm,so,"x'}, "the quote that opens in line 41 is never closed; close it or"),
        ({39: 'p39,1,"Ulm,so,x'}, "the quote that opens in line 41 is never closed"),
        (
            {8: 'p8,8.5,"Bonn,so,x', 13: 'p13,13.5,Bonn",so,y'},
            "opens in line 10 is not closed before line 11, which looks like a row of its own",
        ),
        ({8: 'p8,8.5,"Bonn,so,x', 9: 'p9,9.5,"Ulm,so,y'}, "opens in line 10 is not closed before"),
        ({8: 'p8,8.5,Bonn,so,"x\ny"'}, r"target 'class' 'x\ny' has a line break. Write it in one"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_are_not_swallowed(table_of, changed, said, end):
    with pytest.raises(TableError) as error:
        table_of(text_with(changed).replace("\n", end), target="class")
    assert said.replace("\\n", repr(end)[1:-1]) in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_all_rows_in_one_cell(table_of):
    plain = [row.replace('"so, ', "so").replace('"', "") for row in ROWS]
    body = "\n".join([*plain[:8], 'p8,8.5,Bonn,so,"x', *plain[9:]]) + "\n"
    with pytest.raises(TableError, match="the quote that opens in line 10 is never closed"):
        table_of(HEADER + body, target="class")
    with pytest.raises(TableError, match="the quote that opens in line 13 is never closed"):
        table_of("a title\n\n\n" + HEADER + body, target="class")
    with pytest.raises(TableError, match="the quote that opens in line 1 is not closed before li"):
        table_of(text_with({}).replace("size,town", '"size,town'), target="class")


@settings(max_examples=25)
@given(st.text(alphabet='ab1,;."\n\t -', max_size=60))
def test_any_text_is_a_table_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text)
    try:
        table = read_table(path)
    except TableError:
        return
    assert table.features.size > 0
