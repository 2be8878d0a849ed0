"""Read numbers in the common notations; the cells of a column decide between them.

``241,611`` is a number with a decimal comma or with a comma between thousands. A cell is read in
both ways, and the cells that can be read in one way only decide for their column.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._sheet import (
    MISSING_AMONG_NUMBERS,
    Column,
    cells_of,
    each_once,
    is_missing,
    text_of,
)
from bicneuron.tables._spelling import without_unseen

POINT, COMMA = ".", ","
# Marks between thousands, besides the other decimal mark.
_GAPS = " '\u2019"
# Decimal and thousands marks of Arabic, and dashes that programs write for a minus.
_OTHER_MARKS = {"\u066b": ".", "\u066c": ",", "\u2013": "-", "\ufe63": "-"}
_MINUS, _TIMES = "\u2212", "\u00d7"
# Signs of full width are this far from those of ASCII.
_FULL_WIDTH = 0xFEE0
_FRACTIONS = {"\u00bc": 0.25, "\u00bd": 0.5, "\u00be": 0.75}
_CELL = re.compile(
    rf"(?P<limit>[<>≤≥]=?)?\s?(?P<sign>[+{_MINUS}-]?)(?P<currency>[$€£])?\s?"
    rf"(?P<digits>[0-9.,](?:[0-9.,{_GAPS}]*[0-9.,])?)(?P<exponent>(?:[eE][+-]?|[dD][+-])[0-9]+)?"
    r"\s?(?P<more>\+)?(?P<unit>[%‰$€£]|°[CF]?|/?[^\W\d_][^\s\d<>][^\s<>]{,14}|[^\W\d_]{1,3}[0-9²³]?"
    rf"|(?:[x{_TIMES}*] ?)?10\^[0-9]+[^\s<>]{{,10}})?"
)
_OF_TIMES = ("Uhr", "uhr")
_BODY = {
    mark: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?P<gap>[{_GAPS}{other}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*)"
        rf"(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+"
    )
    for mark, other in ((POINT, COMMA), (COMMA, POINT))
}

# Columns of many numbers and nothing else, and numbers that may have a mark between thousands.
_DECIMALS = re.compile(r"(?:-?[0-9]+(?:[.,][0-9]+)?)?(?:\n(?:-?[0-9]+(?:[.,][0-9]+)?)?)*")
_ONE_GROUP = re.compile(r"-?[1-9][0-9]{0,2}[.,][0-9]{3}")
# The largest numbers without a mark between thousands lie between these.
_HUNDRED, _THOUSAND = 100, 1000
# Cells that may be decimals, for each that says that they are thousands.
_MANY = 5
# Columns that are converted together, as long as none of them holds text.
_COLUMNS_AT_ONCE = 64
# One for all columns of plain numbers, of which there may be a million.
_NOTHING: Mapping[str, list[int]] = MappingProxyType({})


class ParsedNumber(NamedTuple):
    """A parsed number: its value for each decimal mark, or None if it is invalid with that mark."""

    by_mark: dict[str, float | None]
    unit: str
    is_limit: bool
    is_grouped: dict[str, bool]


def read_number(text: str) -> ParsedNumber | None:
    """Read the text of a cell; None if it is not a number."""
    if not text.isascii():
        text = "".join(map(_as_usual, without_unseen(text)))
        if text[-1:] in _FRACTIONS:
            return _with_fraction(text)
    cell = _CELL.fullmatch(text)
    # A time, and signs such as the one of a square behind a number.
    if cell is None or cell["unit"] in _OF_TIMES or _is_raised(cell["unit"]):
        return None
    by_mark: dict[str, float | None] = {}
    is_grouped = {}
    for mark, pattern in _BODY.items():
        body = pattern.fullmatch(cell["digits"])
        by_mark[mark] = None
        is_grouped[mark] = body is not None and body["gap"] is not None
        if body is not None:
            digits = body[0].replace(body["gap"] or " ", "").replace(mark, ".")
            exponent = (cell["exponent"] or "").lower().replace("d", "e")
            value = float(cell["sign"].replace(_MINUS, "-") + digits + exponent)
            by_mark[mark] = value if math.isfinite(value) else None
    if all(value is None for value in by_mark.values()):
        return None
    unit = (cell["currency"] or "") + (cell["unit"] or "")
    is_limit = cell["limit"] is not None or cell["more"] is not None
    return ParsedNumber(by_mark, unit, is_limit, is_grouped)


def _as_usual(letter: str) -> str:
    """Replace digits and marks of other scripts by ASCII ones."""
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if "\uff01" <= letter <= "\uff5e":
        return chr(ord(letter) - _FULL_WIDTH)
    return _OTHER_MARKS.get(letter, letter)


def _with_fraction(text: str) -> ParsedNumber | None:
    """Read a whole number with a fraction of one sign behind it, or such a fraction alone."""
    whole = text[:-1].strip() or "0"
    if not whole.isdecimal():
        return None
    return ParsedNumber(dict.fromkeys(_BODY, int(whole) + _FRACTIONS[text[-1]]), "", False, {})


def _is_raised(unit: str | None) -> bool:
    return unit is not None and unit[0].isnumeric() and not unit[0].isdecimal()


@dataclass(frozen=True)
class Reading:
    """A column read as numbers, with a decimal point and with a decimal comma."""

    by_mark: dict[str, FloatArray]  # NaN where there is no number, or no value
    missing: list[int]  # rows without a value
    # Rows of each unit, the empty one included, of cells that are text.
    units: Mapping[str, list[int]] = field(default_factory=lambda: _NOTHING)
    limits: Sequence[int] = ()  # rows such as <0.5
    # Rows with something between thousands, by decimal mark.
    grouped: Mapping[str, list[int]] = field(default_factory=lambda: _NOTHING)
    has_comma: bool = False  # of a number

    @property
    def was_converted(self) -> bool:
        """True if all cells were converted together: each is a number or missing."""
        return self.by_mark[POINT] is self.by_mark[COMMA]

    @cached_property
    def n_read(self) -> dict[str, int]:
        """Number of cells that are numbers, by decimal mark."""
        if self.was_converted:
            return dict.fromkeys(self.by_mark, self.n_filled)
        return {mark: int(np.isfinite(v).sum()) for mark, v in self.by_mark.items()}

    @property
    def n_filled(self) -> int:
        """Number of cells with a value."""
        return len(self.by_mark[POINT]) - len(self.missing)

    @property
    def is_text(self) -> bool:
        """True for a column of text, rather than one of numbers with a few errors."""
        return not self.was_converted and 2 * max(self.n_read.values()) < self.n_filled

    @property
    def is_plain(self) -> bool:
        """True if all cells with a value are plain numbers with a decimal point."""
        return self.was_converted or not (
            self.limits
            or any(unit for unit in self.units)
            or self.grouped.get(POINT)
            or self.n_read[POINT] < self.n_filled
        )

    @cached_property
    def own_mark(self) -> str | None:
        """Decimal mark that the cells show; None if they do not show it."""
        point, comma = self.n_read[POINT], self.n_read[COMMA]
        if point != comma:
            shown = POINT if point > comma else COMMA
            return None if self._rests_on_few(shown) else shown
        mark = self.mark_of_groups
        if mark is None:
            return None
        # Programs that write 301 for 301.000 do not write 1.030 for 1.03.
        decimals = np.abs(self.by_mark[COMMA if mark == POINT else POINT])
        is_marked = np.isin(np.arange(len(decimals)), self.grouped[mark])
        ends_in_0 = np.any(self.by_mark[mark][is_marked] % 10 == 0)
        is_sure = ends_in_0 and np.nanmax(decimals[~is_marked]) > decimals[is_marked].max()
        return mark if is_sure else None

    def _rests_on_few(self, mark: str) -> bool:
        """True if a few cells such as 1,5 make thousands of all others, which are as 1.234."""
        other = self.by_mark[COMMA if mark == POINT else POINT]
        shown = np.flatnonzero(np.isfinite(self.by_mark[mark]) & np.isnan(other))
        grouped = self.grouped.get(mark, [])
        is_proven = bool(np.isin(shown, grouped).any())  # by 1.234,5 or 1.234.567
        n_others = self.n_read[mark] - len(shown)
        return not is_proven and len(grouped) == n_others >= _MANY * len(shown)

    @cached_property
    def mark_of_groups(self) -> str | None:
        """Decimal mark with which all other marks stand between thousands, as in 1.030 and 301.

        None unless each number from 1,000 on has a mark then, and some from 100 on have none.
        """
        if not self.depends_on_mark:
            return None
        point, comma = self.by_mark[POINT], self.by_mark[COMMA]
        differ = np.flatnonzero((point != comma) & np.isfinite(point)).tolist()
        others = np.abs(point[point == comma])
        if not np.any(others >= _HUNDRED) or np.any((others % 1 != 0) | (others >= _THOUSAND)):
            return None
        return next((mark for mark, rows in self.grouped.items() if rows == differ), None)

    @cached_property
    def depends_on_mark(self) -> bool:
        """True if the two decimal marks give different numbers."""
        point, comma = self.by_mark[POINT], self.by_mark[COMMA]
        return not self.was_converted and not np.array_equal(point, comma, equal_nan=True)

    def text_rows(self, mark: str) -> list[int]:
        """Rows with a value that is not a number."""
        if self.was_converted:
            return []
        no_number = np.isnan(self.by_mark[mark])
        no_number[self.missing] = False
        return [int(row) for row in np.flatnonzero(no_number)]


def read_all(columns: Mapping[str, Column], *, closely: bool = False) -> dict[str, Reading]:
    """Read columns as numbers, many at once where that is possible; see `read_column`."""
    readings: dict[str, Reading] = {}
    names = list(columns)
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        block = {name: columns[name] for name in names[start : start + _COLUMNS_AT_ONCE]}
        readings |= _read_together(block, closely) or {
            name: read_column(column, closely=closely) for name, column in block.items()
        }
    return readings


def _read_together(columns: Mapping[str, Column], closely: bool) -> dict[str, Reading] | None:
    """Readings of columns of arrays, or as pyarrow has read them; None if any is text."""
    kinds = {type(column) for column in columns.values()}
    if list in kinds or len(kinds) > 1:
        return None
    values: Any
    rows: FloatArray | None
    if np.ndarray in kinds:
        values = [np.asarray(column, dtype=np.float64) for column in columns.values()]
        rows = np.stack(values)
    else:
        values = rows = _cast_together([*columns.values()], closely)
    if rows is None or np.isinf(rows).any():
        return None
    with_gaps = {*np.nonzero(np.isnan(rows))[0].tolist()}
    readings = {
        name: _same(row) if place in with_gaps else Reading({POINT: row, COMMA: row}, [])
        for place, (name, row) in enumerate(zip(columns, values, strict=True))
    }
    if np.ndarray not in kinds:
        for place in _may_be_thousands(rows):
            name = [*columns][place]
            readings[name] = _closely_if_thousands(columns[name], readings[name])
    return readings


def _may_be_thousands(rows: FloatArray) -> list[int]:
    """Rows of numbers such as 1.03 and 301, which may have been 1.030 and 301 in the file."""
    largest = np.fmax.reduce(rows, axis=1)
    places = np.flatnonzero((largest >= _HUNDRED) & (largest < _THOUSAND))
    sizes = np.abs(rows[places])
    is_whole = sizes == np.floor(sizes)
    whole, marked = (np.where(one, sizes, np.nan) for one in (is_whole, ~is_whole))
    can_be = (np.fmax.reduce(whole, axis=1) >= _HUNDRED) & (np.fmin.reduce(marked, axis=1) >= 1)
    thousands = _THOUSAND * marked[can_be]
    # NaN where there is no mark, which is not a difference from a thousand.
    has_three_digits = ~(np.abs(thousands - np.rint(thousands)) > 1e-6).any(axis=1)
    return [int(place) for place in places[can_be][has_three_digits]]


def _closely_if_thousands(column: Any, converted: Reading) -> Reading:
    """A column that was converted, read cell by cell if its marks may stand between thousands."""
    sizes = np.abs(converted.by_mark[POINT])
    is_whole = sizes == np.floor(sizes)
    # Two cells tell most columns of decimals.
    rows = (np.argmax(~is_whole & np.isfinite(sizes)), np.argmax(np.where(is_whole, sizes, -1)))
    marked, whole = (cells_of(column[int(row) : int(row) + 1])[0] for row in rows)
    is_text = isinstance(marked, str)  # of numbers, as in Parquet, nothing is open
    if not is_text or _ONE_GROUP.fullmatch(marked.strip()) is None or POINT in whole:
        return converted
    closely = _read_decimals(cells_of(column))
    return converted if closely is None or closely.mark_of_groups is None else closely


def _cast_together(columns: list[Any], closely: bool) -> FloatArray | None:
    """Columns that pyarrow has read as rows of one array."""
    stacked = [chunk for column in columns for chunk in column.chunks]
    if len({chunk.type for chunk in stacked}) != 1:
        return None
    import pyarrow as pa

    values = _cast(pa.chunked_array([pa.concat_arrays(stacked)]), closely)
    return None if values is None else values.reshape(len(columns), -1)


def read_column(column: Column, *, closely: bool = False) -> Reading:
    """Read a column as numbers.

    Numbers that can be converted at once are not looked at one by one, unless ``closely``: with a
    decimal comma ``1.234`` is another number.
    """
    if isinstance(column, np.ndarray):
        values = column.astype(np.float64, copy=False)
        if not np.isinf(values).any():
            return _same(values)
    else:
        is_list = isinstance(column, list)
        cast = _convert(column, closely) if is_list else _cast(column, closely)
        if cast is not None and not np.isinf(cast).any():
            is_open = bool(_may_be_thousands(cast[None]))
            return _closely_if_thousands(column, _same(cast)) if is_open else _same(cast)
    cells = cells_of(column)
    return _read_decimals(cells) or _read_cells(cells)


def leaves_mark_open(reading: Reading) -> bool:
    """True if a column of numbers shows a decimal comma, or does not show its decimal mark."""
    if reading.was_converted or reading.is_text:
        return False
    mark = reading.own_mark
    return mark == COMMA or (mark is None and reading.depends_on_mark)


def _same(values: FloatArray) -> Reading:
    return Reading({POINT: values, COMMA: values}, np.flatnonzero(np.isnan(values)).tolist())


def _convert(cells: list[Any], closely: bool) -> FloatArray | None:
    """Convert text as `float` does; None if a cell is something else than a plain number."""
    if closely or not all(type(cell) is str for cell in cells) or "_" in "".join(cells):
        return None
    try:
        values = np.array([float(cell) for cell in cells])
    except ValueError:
        return None
    return None if np.isnan(values).any() else values


def _cast(column: Any, closely: bool) -> FloatArray | None:
    """Convert all cells at once, to the same values as one by one; None if any is text."""
    import pyarrow as pa

    is_text = pa.types.is_string(column.type)
    if pa.types.is_boolean(column.type) or (is_text and (closely or _starts_with_comma(column))):
        return None
    try:
        values = column.cast(pa.float64())
        values = values.fill_null(math.nan) if values.null_count else values  # loads pandas
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    # From memory, because to_numpy loads pandas, which takes longer than to refuse a small table.
    chunks = [
        np.frombuffer(chunk.buffers()[1], np.float64, len(chunk), 8 * chunk.offset)
        for chunk in values.chunks
        if len(chunk)
    ]
    return np.concatenate([np.empty(0), *chunks])


def _starts_with_comma(column: Any) -> bool:
    """True if the first cell has a comma, so that converting the column would fail."""
    return len(column) > 0 and "," in (column[0].as_py() or "")


def _read_decimals(cells: list[Any]) -> Reading | None:
    """Read cells of digits with at most one mark and one unit; None if any is something else.

    The same as `_read_cells`, many times faster: most tables with a decimal comma have no others.
    """
    if not all(type(cell) is str for cell in cells):
        return None
    unit, ending = _common_unit(cells)
    if ending:
        cells = [cell.removesuffix(ending) for cell in cells]
    text = "\n".join(cells)
    if text.count("\n") != len(cells) - 1 or _DECIMALS.fullmatch(text) is None:
        return None
    missing = [row for row, cell in enumerate(cells) if not cell]
    values = np.array([float(cell.replace(",", ".") or "nan") for cell in cells])
    by_mark: dict[str, FloatArray] = {}
    grouped: dict[str, list[int]] = {}
    for mark, other in ((POINT, COMMA), (COMMA, POINT)):
        by_mark[mark] = values.copy()
        grouped[mark] = []
        for row in [row for row, cell in enumerate(cells) if other in cell]:
            is_group = _ONE_GROUP.fullmatch(cells[row]) is not None
            by_mark[mark][row] = float(cells[row].replace(other, "")) if is_group else np.nan
            grouped[mark] += [row] * is_group
        by_mark[mark][np.isinf(by_mark[mark])] = np.nan  # hundreds of digits
    gaps = set(missing)
    units = {unit: [row for row in range(len(cells)) if row not in gaps]}
    return Reading(by_mark, missing, units, [], grouped, "," in text)


def _common_unit(cells: list[str]) -> tuple[str, str]:
    """Return the unit of all filled cells and the suffix that contains it, or two empty strings."""
    first = next(filter(None, cells), "")
    ending = first.lstrip("-0123456789.,")
    unit = ending.strip()
    written = read_number(first) if unit else None
    if written is None or written.unit != unit:
        return "", ""
    is_common = all(cell.endswith(ending) and cell != ending for cell in cells if cell)
    return (unit, ending) if is_common else ("", "")


# A cell without a value.
_MISSING = ParsedNumber({}, "", False, {})


def _read_cells(cells: list[Any]) -> Reading:
    by_mark = {mark: np.full(len(cells), np.nan) for mark in (POINT, COMMA)}
    missing: list[int] = []
    limits: list[int] = []
    units: dict[str, list[int]] = {}
    grouped: dict[str, list[int]] = {POINT: [], COMMA: []}
    has_comma = False
    for row, (cell, written) in enumerate(zip(cells, each_once(_look_at, cells), strict=True)):
        if written is _MISSING:
            missing.append(row)
        elif written is not None:
            has_comma |= "," in cell
            units.setdefault(written.unit, []).append(row)
            if written.is_limit:
                limits.append(row)
            for mark, value in written.by_mark.items():
                by_mark[mark][row] = np.nan if value is None else value
                if written.is_grouped.get(mark):
                    grouped[mark].append(row)
        elif type(cell) not in (str, bool) and isinstance(cell, Real) and math.isfinite(cell):
            for values in by_mark.values():
                values[row] = float(cell)
    return Reading(by_mark, missing, units, limits, grouped, has_comma)


def _look_at(cell: Any) -> ParsedNumber | None:
    """A number that is written as text; None for anything else with a value."""
    if not isinstance(cell, str):
        return _MISSING if is_missing(cell) else None
    text = text_of(cell).removeprefix("'")  # of a spreadsheet, before a number as text
    written = read_number(text)
    return _MISSING if written is None and text.lower() in MISSING_AMONG_NUMBERS else written
