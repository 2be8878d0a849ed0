"""Numbers and words are read as what they mean, in whatever way people write them."""

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bicneuron.exceptions import TableError
from bicneuron.tables._cells import COMMA, POINT, read_column, read_number
from bicneuron.tables._conversion import Conversion, decide, years_of
from bicneuron.tables._ids import are_codes

UNITS = ["", "%", "kg", "mg/dl", "µg/L", "mmHg", "°C", "m2", "U/l", "x10^9/L", "years", "€"]
GAPS = {POINT: ["", ",", " ", "'", "\u2019", "\u00a0", "\u202f"], COMMA: ["", ".", " ", "\u00a0"]}


@st.composite
def written_numbers(draw):
    """A number, its decimal mark, unit and text."""
    number = draw(st.decimals(-(10**9), 10**9, places=draw(st.integers(0, 4))))
    mark = draw(st.sampled_from([POINT, COMMA]))
    gap = draw(st.sampled_from(GAPS[mark]))
    text = f"{number:,}".replace(",", "g").replace(".", mark).replace("g", gap)
    text = text.replace("-", draw(st.sampled_from(["-", "\u2212"])))
    limit = draw(st.sampled_from(["", "<", "> ", "≤", ">="]))
    unit = draw(st.sampled_from(UNITS))
    quote = draw(st.sampled_from(["", '"', " ", "" if gap == "'" else "'"]))
    space = draw(st.sampled_from(["", " "]))
    return float(number), mark, unit, bool(limit), f"{quote}{limit}{text}{space}{unit}{quote}"


@settings(max_examples=25)
@given(written_numbers())
def test_a_number_is_read_as_itself(case):
    value, mark, unit, is_limit, text = case
    reading = read_column([text, "x"])
    assert reading.by_mark[mark][0] == value
    assert [*reading.units] == [unit]
    assert bool(reading.has_limits) == is_limit


@settings(max_examples=25)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.booleans())
def test_plain_numbers_are_never_changed(numbers, as_text):
    cells = [repr(number) for number in numbers] if as_text else np.array(numbers)
    reading = read_column(cells)
    assert decide("a", cells, reading, None, are_codes=False) is None
    made = Conversion("a", "number").apply(cells, reading, None)
    assert made.values[0].tolist() == numbers
    assert [*made.wrong, *made.note] == []


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1_0", "inf", "nan", "1..2", "1,23,4", "3-4", "120/80", "p5", "1 2", "5\u00b2"],
)
def test_what_is_no_number(text):
    assert read_number(text) is None


def conversion_of(cells):
    reading = read_column(cells)
    is_code = are_codes("a", cells, reading) is True
    return decide("a", cells, reading, None, are_codes=is_code)


@settings(max_examples=25)
@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m-%d-%Y"]),
    st.sampled_from(["", " %H:%M", "T%H:%M:%S"]),
)
def test_a_date_is_read_as_itself(moment, form, clock):
    text = moment.strftime(form + clock)
    start, end = datetime(moment.year, 1, 1), datetime(moment.year + 1, 1, 1)
    share = (datetime.strptime(text, form + clock) - start) / (end - start)
    assert years_of([text, "2021-13-01", ""], form) == pytest.approx(
        [moment.year + share, np.nan, np.nan], abs=1e-9, nan_ok=True
    )


@pytest.mark.parametrize(
    ("cells", "kind", "features"),
    [
        (["yes", "no", "Yes"], "yes/no", ["a = yes"]),
        (["Y", "yes", "N", "yes", "no", "no"], "yes/no", ["a = yes"]),
        (["TRUE", "FALSE", "TRUE"], "yes/no", ["a"]),
        ([True, False, False], "yes/no", ["a"]),
        (["x", "", "X", ""], "yes/no", ["a = x"]),
        (["ja", "nein", "nie", "ja", "nie"], "category", ["a = ja", "a = nein", "a = nie"]),
        (["m", "f", "M", "m"], "category", ["a = m"]),
        (["'x'", "y", "x", "y"], "category", ["a = y"]),
        (["3E2", "1E11", "3E2"], "category", ["a = 3E2"]),
        (["1A", "2B", "1C", "2D", "1A"], "category", ["a = 1A", "a = 1C", "a = 2B", "a = 2D"]),
        (["<0.5", "0.7"], "number", ["a"]),
        (["$1,200.50", "$3"], "number", ["a"]),
        (["70 kg", "72", "73kg"], "number", ["a"]),
        (["13/01/2021", "01/02/2021", "03/02/2021"], "date", ["a (year)"]),
        (["11/01/2021", "01/02/2021", "03/02/2021"], "left out", []),
        (["one", "one"], "left out", []),
        (["this", "that", "other"], "left out", []),
        (["", "NA"], "left out", []),
        ([f"w{i % 12}" for i in range(60)], "left out", []),
    ],
)
def test_what_a_column_holds(cells, kind, features):
    conversion = conversion_of(cells)
    assert (conversion.kind, [*conversion.features]) == (kind, features)
    assert conversion.about


def column_text(cells, beside="2"):
    rows = [f"{cell};{beside};{'xy'[i % 2]}\n" for i, cell in enumerate(cells)]
    return "a;b;class\n" + "".join(rows)


@pytest.mark.parametrize(
    ("cells", "beside", "values"),
    [
        (["1,234", "0.5"], "2", [1234, 0.5]),
        (["1,234", "0,500"], "2", [1.234, 0.5]),
        (["1,234", "5,678"], "1,5", [1.234, 5.678]),
        (["1.234", "5.678"], "1,5", [1234, 5678]),
        (["1.234", "5.6"], "1,5", [1.234, 5.6]),
        (["1.234", "5.678"], "1.5", [1.234, 5.678]),
        (["1.030", "301.000", "2.125", "4.500"], "2", [1.03, 301, 2.125, 4.5]),
        (["1.030", "301", "1200", "2.125"], "2", [1.03, 301, 1200, 2.125]),
    ],
)
def test_thousands_and_decimals_are_told_apart(table_of, cells, beside, values):
    assert table_of(column_text(cells, beside)).features["a"].tolist() == values


@pytest.mark.parametrize("cells", [["1.030", "301", "950"], ["1,234", "5,678", "2,345"]])
def test_marks_that_may_stand_between_thousands_are_asked_about(table_of, cells):
    with pytest.raises(TableError, match="--read decimal=point or --read decimal=comma"):
        table_of(column_text(cells))
    point, comma = (table_of(column_text(cells), decimal=mark) for mark in ("point", "comma"))
    ratio = point.features["a"].iloc[0] / comma.features["a"].iloc[0]
    assert ratio == pytest.approx(1000 if "," in cells[0] else 1 / 1000)


@pytest.mark.parametrize(("odd", "most"), [("1.5", ","), ("1,5", ".")])
def test_two_decimal_signs_are_not_mixed(table_of, odd, most):
    cells = [f"{i}{most}25" for i in range(9)] + [odd]
    with pytest.raises(TableError, match=f"row 10, is '{odd}', which is not a finite number"):
        table_of(column_text(cells))
