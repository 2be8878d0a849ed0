"""Guesses about a text table, each with a note."""

import numpy as np
import pytest

from bicneuron.exceptions import TableError

PLAIN = "id,a,b,class\np1,1.5,2,x\np2,2.5,3,y\np3,3.5,4,x\n"


def same_as_plain(table):
    assert table.features.index.tolist() == ["p1", "p2", "p3"]
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.to_numpy().tolist() == [[1.5, 2], [2.5, 3], [3.5, 4]]
    assert table.labels.tolist() == ["x", "y", "x"]
    assert (table.target, table.id_column) == ("class", "id")
    return table.notes


# --- delimiter, decimal comma, encoding


def test_a_header_without_a_name_for_words_that_name_the_rows(table_of):
    """As R writes it; a row of different words could be a header, too."""
    rows = [f"p{i},{'small' if i % 2 else 'large'},c{i % 3}\n" for i in range(9)]
    text = "size,class\n" + "".join(rows)
    table = table_of(text, target="class")
    assert table.features.index.tolist() == [f"p{i}" for i in range(9)]
    assert table.features.columns.tolist() == ["size = small"]


@pytest.mark.parametrize(
    ("delimiter", "word"),
    [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar"), (" ", "space")],
)
def test_the_delimiter_is_found_and_said(table_of, delimiter, word):
    notes = same_as_plain(table_of(PLAIN.replace(",", delimiter), target="class"))
    assert notes == (f"delimiter: {word}", "row names: column 'id'")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_decimal_comma_is_found_and_said(table_of, delimiter):
    text = PLAIN.replace(",", delimiter).replace(".", ",")
    assert "decimal comma" in same_as_plain(table_of(text, target="class"))


def test_a_decimal_comma_between_quotes(table_of):
    text = 'id,a,b,class\np1,"1,5",2,x\np2,"2,5",3,y\np3,"3,5",4,x\n'
    assert "decimal comma" in same_as_plain(table_of(text, target="class"))


def test_a_decimal_comma_that_comes_late(table_of):
    rows = [f"{i};{i}" for i in range(300)] + ["300;0,5"]
    table = table_of("a;b\n" + "\n".join(rows))
    assert table.features["b"].iloc[-1] == 0.5


def test_the_header_may_hold_the_decimal_sign(table_of):
    table = table_of("a,mm;b,mm;c,mm\n1,5;2,5;3,5\n0,5;1;2\n")
    assert table.features.columns.tolist() == ["a,mm", "b,mm", "c,mm"]
    assert table.features.to_numpy().tolist() == [[1.5, 2.5, 3.5], [0.5, 1, 2]]


def test_thousands_are_not_taken_for_decimals(table_of):
    text = 'a,b\n"1,234",1\n"5,678",2\n'
    with pytest.raises(TableError, match=r"'1,234', whose comma may stand for thousands or for d"):
        table_of(text)
    assert table_of(text, decimal="point").features["a"].tolist() == [1234, 5678]
    assert table_of(text, decimal="comma").features["a"].tolist() == [1.234, 5.678]
    with pytest.raises(ValueError, match="decimal='dot' must be one of point, comma"):
        table_of(text, decimal="dot")


@pytest.mark.parametrize(
    ("column", "other", "read"),
    [
        (["1,234", "0.5"], ["1", "2"], [1234, 0.5]),  # the column itself
        (["1,234,567", "1,234"], ["1", "2"], [1234567, 1234]),
        (["1,234", "0,500"], ["1", "2"], [1.234, 0.5]),
        (["1,234", "5,678"], ["1,5", "2"], [1.234, 5.678]),  # the other columns
        (["1,234", "5,678"], ["1.5", "2"], [1234, 5678]),
        (["1.234", "5.678"], ["1,5", "2"], [1234, 5678]),
        (["1.234", "5.6"], ["1,5", "2"], [1.234, 5.6]),
        (["1.234", "5.678"], ["1.5", "2"], [1.234, 5.678]),
        (["1.234,5", "5,6"], ["1", "2"], [1234.5, 5.6]),
    ],
)
def test_thousands_and_decimals_are_told_apart(table_of, column, other, read):
    rows = "".join(f"{one};{two}\n" for one, two in zip(column, other, strict=True))
    assert table_of("a;b\n" + rows).features["a"].tolist() == read


@pytest.mark.parametrize(("odd", "most"), [("1.5", ","), ("1,5", ".")])
def test_two_decimal_signs_are_not_mixed(table_of, odd, most):
    cells = [f"{i}{most}25" for i in range(9)] + [odd]
    with pytest.raises(TableError, match=f"row 10, is '{odd}', which is not a finite number"):
        table_of("a;b\n" + "\n".join(f"{cell};1" for cell in cells))


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8-sig", "encoding: UTF-8, by its byte-order mark"),
        ("utf-16", "encoding: UTF-16, by its byte-order mark"),
        ("cp1252", "encoding: Windows-1252, because it is not UTF-8"),
        ("utf-8", "delimiter: semicolon"),
    ],
)
def test_encodings(table_of, encoding, said):
    text = "Prüfling;Größe µm;Diagnose\nJosé;1,5;gesund\nZoë;2,5;krank\n"
    table = table_of(text.encode(encoding), target="Diagnose")
    assert table.features.index.tolist() == ["José", "Zoë"]
    assert table.features.columns.tolist() == ["Größe µm"]
    assert table.labels.tolist() == ["gesund", "krank"]
    assert table.notes[0] == said


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends(table_of, ends):
    same_as_plain(table_of(PLAIN.replace("\n", ends), target="class"))


def test_quotes_hold_delimiters_line_ends_and_quotes(table_of):
    table = table_of('"na""me","a, b","c\nd",said\n"x,y",1,"2","so\nso"\n"z",3,4,"1,\n2"\n')
    assert table.features.index.name == 'na"me'
    assert table.features.index.tolist() == ["x,y", "z"]
    assert table.features.columns.tolist() == ["a, b", "c\nd", "said = so so"]
    assert "cells of several lines: 2, the first opens in line 3" in table.notes


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


def test_row_names_as_r_writes_them(table_of):
    table = table_of('"a","b"\n"s1",1,2\n"s2",3,4\n')
    assert table.features.index.tolist() == ["s1", "s2"]
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.notes[-1] == "row names: column 'column 1'"


def test_a_wide_table(table_of):
    names = [f"gene{j}" for j in range(20_000)]
    rows = [",".join(str(i + j / 8) for j in range(20_000)) for i in range(3)]
    table = table_of("\n".join([",".join(names), *rows]))
    assert table.features.shape == (3, 20_000)
    assert table.features.iloc[2, -1] == 2 + 19_999 / 8


def test_numbers_are_read_to_the_last_bit(table_of):
    numbers = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    rows = (f"{number!r},+{-i % 7 + i}" for i, number in enumerate(numbers.tolist()))
    table = table_of("a,b\n" + "\n".join(rows))
    assert (table.features["a"].to_numpy() == numbers).all()
    assert (table.features["b"] == [-i % 7 + i for i in range(500)]).all()
    assert table.encoding.steps == ()


# --- the id column


@pytest.mark.parametrize(
    ("text", "id_column"),
    [
        ("name,a\nx,1\ny,2\n", "name"),
        ("a,name\n1,x\n2,y\n", "name"),
        ("a,one,two\n1,x,p\n2,y,p\n", "one"),
        ("id,a\n1,1\n2,2\n", "id"),
        ("a,id\n1,1\n2,2\n", "id"),
        ("Patient ID,a\n10,1\n20,2\n", "Patient ID"),
        ("PatientId,a\n10,1\n20,2\n", "PatientId"),
        ("patient_id,a\n0010,1\n0020,2\n", "patient_id"),
        ("a,sample\n1,12-1\n2,12-2\n", "sample"),
        (",a\n0,1\n1,2\n", "column 1"),
        ("Unnamed: 0,a\n0,1\n1,2\n", "Unnamed: 0"),
    ],
)
def test_what_is_taken_for_names(table_of, text, id_column):
    table = table_of(text, drop=["two"] if "two" in text else [])
    assert table.id_column == id_column == table.features.index.name
    assert table.features.columns.tolist() == ["a"]
    (note,) = (note for note in table.notes if note.startswith("row names: "))
    assert note.startswith(f"row names: column {id_column!r}")


@pytest.mark.parametrize(
    "text",
    [
        "uric acid,b\n1,1\n2,2\n",  # ends in id
        "id,b\n1.5,1\n2.5,2\n",  # measurements
        "id,b\n1,1\n1,2\n",  # not all different
        "a,b\n1,1\n2,2\n",
    ],
)
def test_measurements_are_not_taken_for_names(table_of, text):
    table = table_of(text)
    assert table.id_column is None
    assert table.features.shape == (2, 2)
    assert table.features.index.tolist() == [1, 2]
    assert table.notes[-1] == "row names: none found, rows are numbered"


@pytest.mark.parametrize("cell", ["5.1 mg/l", "1.100,50 €", "2 Jul 2021", "10^3/µl"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spaces_and_commas_in_cells_are_no_delimiters(table_of, cell, delimiter):
    quoted = f'"{cell}"' if delimiter in cell else cell
    rows = "".join(delimiter.join([quoted, str(i), "xy"[i % 2]]) + "\n" for i in range(6))
    table = table_of(delimiter.join(["a", "b", "class"]) + "\n" + rows, target="class")
    assert table.features["b"].tolist() == list(range(6))


@pytest.mark.parametrize("name", ["patient_id", "PatientID", "Sample"])
@pytest.mark.parametrize("form", ["{}", "P{}"])
def test_row_names_that_are_repeated_are_named(table_of, name, form):
    rows = "".join(f"{form.format(i // 2)},{i}.5\n" for i in range(24))
    table = table_of(f"{name},a\n{rows}")
    assert table.id_column == name
    assert table.features.columns.tolist() == ["a"]
    named = ", ".join(repr(form.format(i)) for i in range(4))
    assert f"id {name!r}: {named} and 8 more stand in several rows" in table.notes[-1]


def test_dates_in_words_are_not_taken_for_names(table_of):
    table = table_of("".join(["day,a\n", *(f"{i} Jul 2021,{i}\n" for i in range(1, 7))]))
    assert table.id_column is None
    assert table.features.columns.tolist() == ["day (year)", "a"]


def test_dates_are_not_taken_for_names(table_of):
    table = table_of("date,a\n2020-01-01,1\n2020-01-02,2\n")
    assert table.id_column is None
    assert table.features["date (year)"].tolist() == [2020, 2020 + 1 / 366]


def test_row_names_between_spaces_as_r_writes_them(table_of):
    table = table_of('"a b" "class"\n"1" 1.5 "x"\n"2" 2.5 "y"\n', target="class")
    assert table.features.index.tolist() == ["1", "2"]
    assert table.features["a b"].tolist() == [1.5, 2.5]


def test_numbers_with_a_slip_are_not_taken_for_names(table_of):
    with pytest.raises(TableError, match=r"column 'a', row 3, is '3\.x'"):
        table_of("a,b\n1.5,1\n2.5,2\n3.x,4\n")


def test_zeros_in_front_of_names_are_kept(table_of):
    assert table_of("id,a\n007,1\n010,2\n").features.index.tolist() == ["007", "010"]


def test_covariates_are_numbers_that_are_no_features(table_of):
    text = (
        "x;alter;raucher;batch;centre;kind\n1,5;30,5;ja;A;1;u\n2;41;nein;A;2;v\n3;52,25;ja;B;1;u\n"
    )
    aside = {"strata": ["batch", "centre"]}
    table = table_of(text, target="kind", aside=aside, covariates=["alter", "raucher"])
    assert table.features.columns.tolist() == ["x"]
    assert table.covariates["alter"].tolist() == [30.5, 41, 52.25]
    assert table.covariates.shape == (3, 2)
    assert table.covariates.index.equals(table.features.index)
    assert table.aside["strata"].tolist() == [["A", 1], ["A", 2], ["B", 1]]
    assert table_of(text, target="kind").covariates is None
    with pytest.raises(TableError, match="no column 'age' for covariates"):
        table_of(text, target="kind", covariates=["age"])
    with pytest.raises(TableError, match="'alter' lacks 1 of 3 values"):
        table_of(text.replace("41", ""), target="kind", covariates=["alter"])


def test_columns_set_aside_are_no_features(table_of):
    text = "name,x,batch,patient,kind\nann,1,A,3,u\nbob,2,A,3,v\ncid,3,B,4,v\n"
    table = table_of(text, target="kind", aside={"strata": "batch", "groups": "patient"})
    assert list(table.features) == ["x"]
    assert table.aside["strata"].tolist() == ["A", "A", "B"]
    assert table.aside["groups"].tolist() == [3, 3, 4]
    assert table.dropped == ()
    assert table.id_column == "name"
    assert table_of(text, drop=["batch", "patient", "kind"]).aside == {}
    by_name = table_of("code,x,kind\na,1,u\nb,2,v\n", aside={"groups": "code"}, drop=["kind"])
    assert by_name.id_column is None
    fitted = table_of(text, columns=["x"], aside={"strata": "batch"})
    assert fitted.aside["strata"].tolist() == ["A", "A", "B"]
    assert fitted.dropped == ("patient", "kind")


def test_id_and_drop_overrule(table_of):
    text = "name,site,code,a\nx,1,q,1\ny,1,r,2\n"
    table = table_of(text, id_column="code", drop=["name", "site"])
    assert table.features.index.tolist() == ["q", "r"]
    assert table.features.columns.tolist() == ["a"]
    assert table.dropped == ("name", "site")
    repeated = table_of(text, id_column="site", drop=["name", "code"])
    assert repeated.features.index.tolist() == ["1", "1"]
    assert repeated.notes[-1] == (
        "id 'site': '1' stands in several rows; they stay together in folds and tests"
    )


def test_the_target_is_not_taken_for_names(table_of):
    table = table_of("class,name,a\nx,p,1\ny,q,2\n", target="class")
    assert table.id_column == "name"


def test_empty_columns_are_left_out_aloud(table_of):
    table = table_of("id,a,b,c\np,1,,NA\nq,2,,\n")
    assert table.features.columns.tolist() == ["a"]
    assert table.dropped == ("b", "c")
    assert table.notes[-1] == "'b', 'c': left out, without any value"


# --- labels


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["0", "1", "0"], [0, 1, 0]),
        (["-1", "10", "-1"], [-1, 10, -1]),
        (["01", "02", "01"], ["01", "02", "01"]),
        (["True", "False", "True"], ["True", "False", "True"]),
        (["é è", " ü", "é è"], ["é è", "ü", "é è"]),
    ],
)
def test_labels(table_of, cells, labels):
    table = table_of(
        "a,class\n" + "\n".join(f"{i},{cell}" for i, cell in enumerate(cells)), target="class"
    )
    assert table.labels.tolist() == labels


# --- the columns of a model


def test_columns_are_matched_by_name(table_of):
    text = "sex,b,note,class,a\nm,2,-,x,1\nf,4,-,x,3\n"
    table = table_of(text, columns=["a", "b"], target="class", id_column="nr")
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.to_numpy().tolist() == [[1, 2], [3, 4]]
    assert table.labels.tolist() == ["x", "x"], "one class is enough where nothing is fitted"
    assert table.id_column == "sex", "different in each row"
    assert table.notes[-1] == "columns that are not needed left out: 'note'"
    assert table_of(text, columns=["a"], target="klass").labels is None


def test_labels_that_are_not_known_yet(table_of):
    table = table_of("a,class\n1,x\n2,\n", columns=["a"], target="class")
    assert table.labels is None
    assert table.notes[-1] == "target 'class' has missing labels and is ignored"


def test_missing_columns_are_named(table_of):
    with pytest.raises(TableError, match=r"lacks 2 of the 3 columns .* on: 'B', 'c'\. "):
        table_of("a,b\n1,2\n", columns=["a", "B", "c"])


# --- rows and lines that are none


def test_rows_without_a_class_are_left_out(table_of):
    text = "a,b,class\n1,2,x\n2,3,\n3,4,y\n4,x9,NA\n5,6,y\n"
    table = table_of(text, target="class")
    assert table.features.index.tolist() == [1, 3, 5], "the numbers of the file"
    assert table.labels.tolist() == ["x", "y", "y"]
    assert "rows without a class in 'class' left out: 2" in table.notes
    with pytest.raises(TableError, match=r"row 5, is 'x6'"):
        table_of(text.replace("6,y", "x6,y"), target="class")
    # A new table keeps all its rows.
    again = table_of(text.replace("x9", "9"), columns=["a", "b"], target="class")
    assert len(again.features) == 5


@pytest.mark.parametrize(
    "above",
    [
        "Study of liver\n",
        "Study of liver, 2019\n\n",
        "# made by a program\n# version 2, of 2019\n",
        "Table 1. Patients,,,\n,,,\n",
        '"Patients, and\ncontrols"\n',
    ],
)
def test_lines_above_the_header(table_of, above):
    notes = same_as_plain(table_of(above + PLAIN, target="class"))
    assert any(note.startswith("lines above the header left out: ") for note in notes)


def test_a_first_line_that_is_no_title(table_of):
    with pytest.raises(TableError, match="row 1 has 4 cells for 2 columns"):
        table_of("a,b\n1,2,3,x\n1,2,3,y\n")
    assert table_of("a\n1\n2\n3\n").features["a"].tolist() == [1, 2, 3]


def test_remarks_between_and_below_the_rows(table_of):
    text = PLAIN.replace("p2", "# below: the second visit\np2") + "Source: registry of 2019\n"
    notes = same_as_plain(table_of(text, target="class"))
    assert "lines that are remarks left out: 2, such as '# below: the second visit'" in notes
    with pytest.raises(TableError, match="row 4 has 1 cells for 4 columns"):
        table_of(PLAIN + "p4\n", target="class")


def test_columns_of_nothing_beside_the_data(table_of):
    text = "\n".join(line + ",," for line in PLAIN.splitlines())
    notes = same_as_plain(table_of(text, target="class"))
    assert "columns without a name and values left out: 2" in notes
