"""Numbers and dates are read back as themselves, in whatever way people write them."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bicneuron.exceptions import TableError
from bicneuron.tables._dates import lacks_year, read_date, read_date_column
from bicneuron.tables._numbers import COMMA, POINT, _read_cells, read_all, read_column, read_number
from bicneuron.tables._recognise import recognise
from bicneuron.tables._step import NumberFormat, describe_steps, steps_from_json, steps_to_json
from bicneuron.tables._steps import (
    Categories,
    Dates,
    Flags,
    LeftOut,
    Numbers,
    Ranks,
    Times,
)

UNITS = ["", "%", "kg", "mg/dl", "µg/L", "mmHg", "°C", "m2", "U/l", "x10^9/L", "years", "€"]
GAPS = {POINT: ["", ",", " ", "'", "\u2019", "\u00a0", "\u202f"], COMMA: ["", ".", " ", "\u00a0"]}


def applied(step, cells, decimal=None):
    """Apply a step to the cells of a table with this decimal mark."""
    return step.apply(cells, read_column(cells, closely=decimal == COMMA), NumberFormat(decimal))


@st.composite
def written_numbers(draw):
    """A number, its decimal mark, unit and text."""
    digits = draw(st.integers(0, 4))
    number = draw(st.decimals(-(10**9), 10**9, places=digits))
    mark = draw(st.sampled_from([POINT, COMMA]))
    gap = draw(st.sampled_from(GAPS[mark]))
    text = f"{number:,}".replace(",", "g").replace(".", mark).replace("g", gap)
    if draw(st.booleans()):
        text = text.replace("-", "\u2212")
    limit = draw(st.sampled_from(["", "<", "> ", "≤", ">="]))
    unit = draw(st.sampled_from(UNITS))
    space = draw(st.sampled_from(["", " "]))
    quote = draw(st.sampled_from(["", '"', " ", "" if gap == "'" else "'"]))
    return float(number), mark, unit, bool(limit), f"{quote}{limit}{text}{space}{unit}{quote}"


@given(written_numbers())
@settings(max_examples=400)
def test_a_number_is_read_as_itself(case):
    value, mark, unit, is_limit, text = case
    reading = read_column([text], closely=True)
    assert reading.by_mark[mark].tolist() == [value]
    assert [*reading.units] == [unit]
    assert bool(reading.limits) == is_limit


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.booleans())
def test_plain_numbers_are_never_changed(numbers, as_text):
    cells = [repr(number) for number in numbers] if as_text else numbers
    reading = read_column(cells)
    assert recognise("a", cells, reading, NumberFormat()) is None
    done = applied(Numbers("a"), cells)
    assert done.values[0].tolist() == numbers
    assert done == (done.values, [], {}, "", ())


@pytest.mark.parametrize(
    "text", ["", "abc", "1_0", "inf", "nan", "1..2", "1,23,4", "3-4", "120/80", "p5", "1 2", "0x1f"]
)
def test_what_is_no_number(text):
    assert read_number(text) is None


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.data())
def test_a_date_is_read_as_itself(moment, data):
    form = data.draw(
        st.sampled_from(
            [
                ("%Y-%m-%d", None),
                ("%Y/%m/%d", None),
                ("%d.%m.%Y", True),
                ("%d/%m/%Y", True),
                ("%m/%d/%Y", False),
                ("%d-%m-%Y", True),
                ("%d %b %Y", None),
                ("%d-%b-%Y", None),
                ("%B %d, %Y", None),
            ]
        )
    )
    clock = data.draw(st.sampled_from(["", " %H:%M", "T%H:%M:%S", " %I:%M %p"]))
    read = read_date(moment.strftime(form[0] + clock))
    kept = {"": (0, 0, 0), " %H:%M": (moment.hour, moment.minute, 0)}
    kept[" %I:%M %p"] = kept[" %H:%M"]
    hour, minute, second = kept.get(clock, (moment.hour, moment.minute, moment.second))
    start = datetime(moment.year, 1, 1)
    length = datetime(moment.year + 1, 1, 1) - start
    same = moment.replace(hour=hour, minute=minute, second=second, microsecond=0)
    expected = moment.year + (same - start) / length
    for order in (True, False) if form[1] is None else (form[1],):
        assert read[order] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("stamp", "in_utc"),
    [
        ("2021-03-02T06:42:00Z", "2021-03-02 06:42"),
        ("2021-03-02T06:42:00+09:00", "2021-03-01 21:42"),
        ("2021-12-31 22:10:05.25-0500", "2022-01-01 03:10:05"),
        ("2021-03-02 06:42:00+00", "2021-03-02 06:42"),
        ("03.02.2021 11:30 PM +05:30", "03.02.2021 18:00"),
    ],
)
def test_times_with_an_offset_are_taken_in_utc(stamp, in_utc):
    assert read_date(stamp) == read_date(in_utc)
    moment = datetime(2021, 3, 2, 6, 42, tzinfo=timezone(timedelta(hours=9)))
    assert read_date(moment) == read_date("2021-03-01 21:42")


def test_times_with_and_without_an_offset_are_said():
    stamps = ["2021-03-02T06:42:00+09:00", "2021-03-02T06:42:00Z"]
    said = "'a': times with an offset such as +09:00 taken in UTC"
    assert applied(Dates("a"), stamps).notes == (said,)
    mixed = applied(Dates("a"), [*stamps, "2021-03-02T06:42:00"])
    assert mixed.notes == (f"{said}, and so are the 1 without one",)
    assert len(applied(Dates("a"), [stamps[1], "2021-03-02"]).notes) == 1
    assert applied(Dates("a"), [stamps[1], "2021-03-02 06:43:00Z"]).notes == ()
    assert applied(Dates("a"), ["2021-03-02 06:43", "2021-03-02"]).notes == ()


def test_times_on_both_sides_of_midnight_are_said():
    (note,) = applied(Times("bed"), ["11:40 PM", "0:20", "22:10", "1:30 AM", "NA"]).notes
    assert note == "'bed': times around midnight; write 0:20 as 24:20 to keep it near 23:40"
    later = ["23:40", "24:20", "22:10"]
    assert recognise("bed", later, read_column(later), NumberFormat()) == Times("bed", True)


@pytest.mark.parametrize(
    "cells",
    [
        ["8:00", "20:00", "8:30", "19:40"],
        ["23:40", "0:20", "8:30", "16:40"],
        ["22:10", "23:00", "23:50"],
        ["6:10", "7:00", "8:10"],
        ["12:00"],
    ],
)
def test_other_times_are_not(cells):
    assert applied(Times("at"), cells).notes == ()


def test_offsets_beyond_the_calendar():
    assert read_date("2021-03-02T06:42:00+25:00") is None
    assert read_date("0001-01-01T00:00:00+09:00") == {True: 1.0, False: 1.0}


@pytest.mark.parametrize("text", ["2021-13-01", "31/31/2021", "12:30", "May", "5 Foo 2021", "2021"])
def test_what_is_no_date(text):
    assert read_date(text) is None


@pytest.mark.parametrize(
    "text", ["3-Oct", "03-Oct", "1. Mrz", "2.Sep", "Mar-01", "Sept-09", "Dez 12"]
)
def test_dates_without_a_year(text):
    assert lacks_year(text)


@pytest.mark.parametrize(
    "text",
    ["Oct-4", "OCT4", "2-Decanol", "3-Oct-2021", "Mar 2021", "3 mar", "1-Max", "12-4", "Mai"],
)
def test_what_is_no_date_without_a_year(text):
    assert not lacks_year(text)


def test_a_column_decides_whether_the_day_comes_first():
    assert read_date_column(["03/04/2021", "13/04/2021"]).own_order is True
    assert read_date_column(["03/04/2021", "04/13/2021"]).own_order is False
    assert read_date_column(["03/04/2021", "04/05/2021"]).own_order is None
    assert not read_date_column(["04/04/2021", "2021-05-06"]).depends_on_order


def step_of(cells):
    return recognise("a", cells, read_column(cells), NumberFormat())


GENOTYPES = ["a = AA", "a = Aa", "a = aa"]
CODES = ["a = 0389", "a = 4019", "a = 25000"]


@pytest.mark.parametrize(
    ("cells", "step", "features"),
    [
        (["yes", "no", "Yes"], Flags("a", "yes", "no"), ["a = yes"]),
        (["Y", "N", "N"], Flags("a", "Y", "N"), ["a = Y"]),
        (["ja", "nein", "nein"], Flags("a", "ja", "nein"), ["a = ja"]),
        (["Y", "yes", "N", "yes", "no", "no"], Flags("a", "yes", "no"), ["a = yes"]),
        (["AA", "Aa", "aa", "Aa"], Categories("a", ("AA", "Aa", "aa")), GENOTYPES),
        (["t", "n", "f", "n"], Categories("a", ("f", "n", "t")), ["a = f", "a = n", "a = t"]),
        (["TRUE", "FALSE", "TRUE"], Flags("a", "TRUE", "FALSE"), ["a"]),
        ([True, False, False], Flags("a", "True", "False"), ["a"]),
        (["m", "f", "M", "m"], Categories("a", ("f", "m")), ["a = m"]),
        (["x", "z", "y", "x"], Categories("a", ("x", "y", "z")), ["a = x", "a = y", "a = z"]),
        (["'x'", "y", "x", "y"], Categories("a", ("x", "y")), ["a = y"]),
        (["high", "low", "medium"], Ranks("a", ("low", "medium", "high")), ["a"]),
        (["II", "I", "IV"], Ranks("a", ("I", "II", "IV")), ["a"]),
        (["+", "-", "++"], Ranks("a", ("-", "+", "++")), ["a"]),
        (["0389", "25000", "0389", "4019"], Categories("a", ("0389", "4019", "25000")), CODES),
        (["3E2", "1E11", "3E2"], Categories("a", ("1E11", "3E2")), ["a = 3E2"]),
        (["26.6%", "3%"], Numbers("a", "%", POINT), ["a"]),
        (["<0.5", "0.7"], Numbers("a", "", POINT, has_limits=True), ["a"]),
        (["3+", "1", "2"], Numbers("a", "", "", has_limits=True), ["a"]),
        (["$1,200.50", "$3"], Numbers("a", "$", POINT, has_thousands=True), ["a"]),
        (["70 kg", "72", "73kg"], Numbers("a", "kg"), ["a"]),
        (["2021-01-02", "-"], Dates("a"), ["a (year)"]),
        (["13/01/2021", "01/02/2021"], Dates("a", day_first=True), ["a (year)"]),
        (["one", "one"], LeftOut("a", "the same in all rows"), []),
        (["this", "that", "other"], LeftOut("a", "a different text in most rows"), []),
        (["", "NA"], LeftOut("a", "without any value"), []),
    ],
)
def test_what_a_column_holds(cells, step, features):
    assert step_of(cells) == step
    assert list(step.features) == features
    assert steps_from_json(steps_to_json([step])) == (step,)
    assert describe_steps([step])[0].startswith("'a': ")


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "05", "005"],  # beside decimals
        ["0", "00.0", "10"],
        ["042", "7", "300", "12"],  # a slip
        ["001", "002", "014"],  # padded to one length
        ["1E4", "5E5", "1E12"],  # longer numbers
        ["3E2", "300", "1E2"],
        ["1e1", "1e2", "2e1"],
    ],
)
def test_digits_that_are_no_codes(cells):
    assert step_of(cells) is None


def test_zeros_in_front_of_a_measure_are_no_code(table_of):
    ages = ["08", "64", "101", "09", "64", "101", "09"]
    rows = [f"{age},{age},{i}.5" for i, age in enumerate(ages)]
    table = table_of("\n".join(["age,ward,crp", *rows]))
    assert table.features["age"].tolist() == [8, 64, 101, 9, 64, 101, 9]
    words = ["ward = 08", "ward = 09", "ward = 64", "ward = 101"]
    assert table.features.columns.tolist() == ["age", *words, "crp"]


def test_many_words_are_numbered_in_their_natural_order():
    words = [f"Ward {n}" for n in range(1, 14)]
    step = step_of([*words[::-1], *words])
    assert step == Ranks("a", tuple(words), is_alphabetical=True)
    assert applied(step, ["Ward 10", "ward 2"]).values[0].tolist() == [9, 1]


def test_words_with_thousands_of_digits_have_an_order():
    words = [f"Ward {n}" for n in range(1, 13)] + [f"Ward {'9' * 5000}"]
    assert step_of([*words[::-1], *words]) == Ranks("a", tuple(words), is_alphabetical=True)


def test_endings_that_are_no_units():
    rooms = ["1A", "2B", "1C", "2D", "1A", "2B"]
    assert step_of(rooms) == Categories("a", ("1A", "1C", "2B", "2D"))


@pytest.mark.parametrize(
    ("step", "cells", "wrong"),
    [
        (Numbers("a"), ["1", "2 kg"], "has the unit kg, and the others have no unit"),
        (Numbers("a", "kg"), ["1 kg", "2 lb"], "has the unit lb, and the others are in kg"),
        (Numbers("a", "%"), ["1%", "0.02"], "has no %, as the others do"),
        (Numbers("a"), ["1", "x"], "is not a finite number"),
        (Flags("a", "yes", "no"), ["no", "maybe"], "is neither yes nor no"),
        (Categories("a", ("f", "m")), ["f", "x"], "is none of the words 'f', 'm'"),
        (Ranks("a", ("low", "high")), ["low", "huge"], "is none of the words 'low', 'high'"),
        (Dates("a"), ["2021-01-01", "soon"], "is not a date as the others are"),
    ],
)
def test_cells_that_a_step_cannot_read(step, cells, wrong):
    assert applied(step, cells).wrong == {1: wrong}


def test_words_that_the_fit_did_not_see():
    done = applied(Categories("town", ("Bonn", "Köln", "Ulm")), ["ulm", "Rom", ""])
    np.testing.assert_equal(np.column_stack(done.values), [[0, 0, 1], [0, 0, 0], [np.nan] * 3])
    assert done.missing == [2]
    assert done.notes == (
        "'town': 'Rom' in 1 of 3 rows was not seen in the fit and is taken as none of its words",
    )


def test_words_that_the_fit_saw_in_another_spelling():
    step = step_of(["Si", "no", "a veces", "Si", "no", "a veces"])
    cells = ["sí", "NO", "A  veces", "sì"]
    made = step.apply(cells, read_column(cells), NumberFormat())
    assert np.column_stack(made.values).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert made.notes == ()


def test_what_the_fit_found_decides_what_a_new_table_leaves_open():
    numbers = Numbers("a", "", POINT, has_thousands=True)
    assert applied(numbers, ["241,611"]).values[0].tolist() == [241611]
    assert applied(numbers, ["241,6"]).values[0].tolist() == [241.6]
    assert applied(numbers, ["241,611"], decimal=COMMA).values[0].tolist() == [241611]
    assert "--read decimal" in applied(Numbers("a"), ["241,611"]).refused
    day = applied(Dates("a", day_first=True), ["02/01/2021"]).values[0]
    assert day.tolist() == [2021 + 1 / 365]
    assert [*applied(Dates("a", day_first=True), ["02/01/2021", "01/25/2021"]).wrong] == [1]
    assert "--read dates" in applied(Dates("a"), ["02/01/2021"]).refused
    assert "two digits" in applied(Dates("a"), ["02/01/21"]).refused


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"kind": "numbers"},
        {"kind": "run", "column": "a"},
        {"kind": "numbers", "column": "a", "code": "1"},
        {"kind": "ranks", "column": "a", "levels": [1]},
        {"kind": "flags", "column": "a", "levels": ["x"]},
        {"kind": "flags", "column": "a", "yes": ["x"]},
    ],
)
def test_steps_that_are_none(record):
    with pytest.raises(TableError, match="the model names a step that is not known"):
        steps_from_json([record])


short_numbers = st.from_regex(r"(-?[0-9]{1,4}([.,][0-9]{1,4})?)?", fullmatch=True)


@settings(max_examples=50)
@given(
    st.lists(short_numbers, min_size=1, max_size=8),
    st.sampled_from(["", " kg", "%", "mg/dl", "e5", " \u00b0C"]),
)
def test_columns_of_decimals_are_read_as_cell_by_cell(numbers, ending):
    cells = [number and number + ending for number in numbers]
    one, other = read_column(cells, closely=True), _read_cells(cells)
    for mark in (POINT, COMMA):
        np.testing.assert_array_equal(one.by_mark[mark], other.by_mark[mark])
        assert one.grouped[mark] == other.grouped[mark]
    assert {unit: rows for unit, rows in one.units.items() if rows} == other.units
    assert (one.missing, one.has_comma) == (other.missing, other.has_comma)


@pytest.mark.parametrize(
    "cells",
    [
        *(["1", "2\n3"], ["1", "\u0663"], ["1", 2.0], ["1,5", "2 000"]),
        *(["1 kg", " kg"], ["1 kg", "2 lb"], ["1 kg", "2"], ["1 kg", "2  kg"]),
    ],
)
def test_what_is_more_than_decimals_is_read_cell_by_cell(cells):
    one, other = read_column(cells, closely=True), _read_cells(cells)
    for mark in (POINT, COMMA):
        np.testing.assert_array_equal(one.by_mark[mark], other.by_mark[mark])
    assert (one.missing, one.units) == (other.missing, other.units)


def test_columns_together_are_read_as_one_by_one():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(200, 7)).round(3).astype(str)
    cells[3, 2], cells[70, 1], cells[150, :] = "word", "1,5", "4"
    columns = {str(j): pa.chunked_array([row.tolist()]) for j, row in enumerate(cells)}
    columns["numbers"] = pa.chunked_array([[1.0, None, 3.0, 4.0, 5.0, 6.0, 7.0]])
    together = read_all(columns)
    assert list(together) == list(columns)
    for name, column in columns.items():
        alone = read_column(column)
        assert alone.missing == together[name].missing
        assert alone.was_converted == together[name].was_converted
        for mark in (POINT, COMMA):
            np.testing.assert_array_equal(alone.by_mark[mark], together[name].by_mark[mark])


def column_text(cells, beside="2"):
    rows = [f"{cell};{beside};{'xy'[i % 2]}\n" for i, cell in enumerate(cells)]
    return "a;b;class\n" + "".join(rows)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.030", "301", "950", "2.451"], [1030, 301, 950, 2451]),
        (["-1.030", "301", "n.d.", "2.451"], [-1030, 301, np.nan, 2451]),
        (["1.030", "2.450", "5", "12"], [1.03, 2.45, 5, 12]),
        (["1.030", "2.450", "5", "n.d."], [1.03, 2.45, 5, np.nan]),
        (["1.030", "301", "2.5", "0.125"], [1.03, 301, 2.5, 0.125]),
        (["1.030", "301.000", "2.125", "4.500"], [1.03, 301, 2.125, 4.5]),
        (["1.030", "301", "1200", "2.125"], [1.03, 301, 1200, 2.125]),
    ],
)
def test_marks_between_thousands(cells, values, table_of):
    table = table_of(column_text(cells), target="class", drop=["b"], keep_missing=True)
    np.testing.assert_array_equal(table.features["a"], values)


@pytest.mark.parametrize("cells", [["1.031", "301", "950"], ["1.030", "301", "500.250"]])
def test_marks_that_may_stand_between_thousands(cells, table_of):
    """Other columns decide, and what was decided is said; without them it is asked."""
    with pytest.raises(TableError, match=r"'a' has cells such as '1.03[01]', whose point"):
        table_of(column_text(cells), target="class")
    for decimal, value in (("point", float(cells[0])), ("comma", float(cells[0]) * 1000)):
        table = table_of(column_text(cells), target="class", decimal=decimal)
        assert table.features["a"].iloc[0] == value
    table = table_of(column_text(cells, "2.5"), target="class")
    assert table.features["a"].iloc[0] == float(cells[0])
    assert f"'a': cells such as '{cells[0]}' taken as decimals" in table.notes


def test_a_cell_with_a_comma_does_not_make_thousands_of_all_others(table_of):
    """Beside 1.234 in all other rows, 1,5 is as likely a slip."""
    cells = ["1.234", "1.325", "1,5", "1.287", "1.402", "1.311"]
    with pytest.raises(TableError, match="--read decimal=point or --read decimal=comma"):
        table_of(column_text(cells), target="class")
    with pytest.raises(TableError, match="'a', row 3, is '1,5', which is not a finite number"):
        table_of(column_text(cells), target="class", decimal="point")
    table = table_of(column_text(cells), target="class", decimal="comma")
    assert table.features["a"].tolist() == [1234, 1325, 1.5, 1287, 1402, 1311]
    for proof in ("850", "1.234,5", "1.234.567"):
        assert table_of(column_text([*cells, proof]), target="class").features["a"].iloc[0] == 1234


@pytest.mark.parametrize("text", ["5\u00b2", "5\u2153", "1\u00bd\u00bd", "x\u00bd", "13.30 Uhr"])
def test_signs_behind_a_number_that_make_another_one(text):
    assert read_number(text) is None


def test_crosses_beside_blank_cells_and_missing_values(table_of):
    table = table_of(column_text(["x", "", "NA", "X", ""]), target="class", keep_missing=True)
    np.testing.assert_array_equal(table.features["a = x"], [1, 0, np.nan, 1, 0])
    assert "'a': 'x' taken as 1, blank as 0" in table.notes


def test_never_is_not_no(table_of):
    table = table_of(column_text(["ja", "nein", "nie", "ja", "nie", "nein"]), target="class")
    assert table.features.columns.tolist() == ["a = ja", "a = nein", "a = nie"]
