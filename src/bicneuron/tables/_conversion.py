"""How a column becomes numbers: decided when a model is fitted, and applied again to new tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._cells import (
    COMMA,
    DITTO,
    FALSE,
    POINT,
    TRUE,
    Column,
    Reading,
    Spellings,
    cells_of,
    each_once,
    is_missing,
    lacks_year,
    listed,
    read_dates,
    shown,
    text_of,
)

KINDS = ("number", "yes/no", "category", "date", "left out")
DIFFERENT, SAME = "a different text in most rows", "the same in all rows"
NO_NUMBER = "is not a finite number"
# Units that make another number of the digits, so that cells without them are doubtful.
_MULTIPLES = frozenset({"%", "\u2030", "k", "M", "Tsd", "tsd", "Mio", "mio", "Mrd", "million"})
# More endings of numbers than these are parts of words.
_MOST_UNITS = 3
# Up to so many different words are categories.
MOST_CATEGORIES = 10
_CROSSES = frozenset({"x", "\u2713", "\u2714", "\u221a"})  # in a box that is blank otherwise


class Notation(NamedTuple):
    """Notation of numbers and dates of a table; None where it is neither stated nor shown."""

    decimal: str | None = None
    day_first: bool | None = None


class Converted(NamedTuple):
    """A column as numbers, and what is wrong with it."""

    values: list[FloatArray]  # one array for each feature; NaN where there is no value
    missing: Sequence[int] = ()  # rows without a value
    wrong: Mapping[int, str] = MappingProxyType({})  # rows that cannot be read: "which ..."
    refused: str = ""  # problem of the whole column, to follow its name
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conversion:
    """How one column becomes numbers; columns of plain numbers need none."""

    column: str
    kind: str
    words: tuple[str, ...] = ()  # yes and no, or categories
    unit: str = ""
    decimal: str = ""
    day_first: bool | None = None
    about: str = ""  # what happens to the cells, or why the column is left out

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it makes."""
        name, kind = self.column, self.kind
        if kind == "left out":
            return ()
        if kind == "category":
            return tuple(f"{name} = {word}" for word in self._shown)
        if kind == "yes/no":
            is_plain = self.words[0].lower() in ("true", "t", "1")
            return (name if is_plain else f"{name} = {self.words[0]}",)
        return (f"{name} (year)" if kind == "date" else name,)

    @property
    def _shown(self) -> tuple[str, ...]:
        return self.words[1:] if len(self.words) == 2 else self.words

    def stated(self, notation: Notation) -> "Conversion":
        """What is stated about a new table in the place of what a fit saw."""
        decimal = notation.decimal if self.kind == "number" else None
        order = notation.day_first if self.kind == "date" else None
        day_first = self.day_first if order is None else order
        return replace(self, decimal=decimal or self.decimal, day_first=day_first)

    def apply(self, column: Column, reading: Reading, notation: Notation) -> Converted:
        """Convert a column that was also read as numbers."""
        if self.kind == "left out":
            return Converted([])
        if self.kind == "number":
            return self._number(column, reading, notation)
        return self._date(column, notation) if self.kind == "date" else self._words(column)

    def _number(self, column: Column, reading: Reading, notation: Notation) -> Converted:
        is_multiple = self.unit in _MULTIPLES
        if reading.is_plain and not is_multiple:
            return Converted([reading.by_mark[POINT]], reading.missing)
        # The fit decides, and not what most columns of a new table show.
        mark = reading.own_mark or self.decimal or notation.decimal
        is_open = reading.has_comma or reading.mark_of_groups is not None
        if not mark and reading.depends_on_mark and is_open:
            sign, name = (COMMA, "comma") if reading.has_comma else (POINT, "point")
            cell = next(cell for cell in cells_of(column) if sign in str(cell))
            return Converted(
                [],
                refused=f"has cells such as {shown(cell)}, whose {name} may stand for thousands or "
                "for decimals. Say which with --read decimal=point or --read decimal=comma.",
            )
        mark = mark or POINT
        name = "comma" if mark == COMMA else "point" if reading.has_comma else ""
        why = NO_NUMBER + (name and f" with a decimal {name}")
        wrong = dict.fromkeys(reading.text_rows(mark), why)
        beside = f", and the others {f'are in {self.unit}' if self.unit else 'have no unit'}"
        if len(reading.units) > 2:
            units = sorted(reading.units, key=lambda unit: -len(reading.units[unit]))
            beside = f"; the column mixes the units {', '.join(unit or 'none' for unit in units)}"
        for unit, rows in reading.units.items():
            if unit and _one_of(unit) != _one_of(self.unit):
                wrong |= dict.fromkeys(rows, f"has the unit {unit}{beside}")
        if is_multiple and reading.n_filled:
            with_unit = {row for unit, rows in reading.units.items() if unit for row in rows}
            gaps = {*reading.missing, *wrong, *with_unit}
            bare = (row for row in range(len(reading.by_mark[mark])) if row not in gaps)
            wrong |= dict.fromkeys(bare, f"has no {self.unit}, as the others do")
        notes: tuple[str, ...] = ()
        if reading.limits and "limits" not in self.about:
            notes = (f"{self.column!r}: limits such as <0.5 taken as the limit itself",)
        return Converted([reading.by_mark[mark]], reading.missing, wrong, notes=notes)

    def _words(self, column: Column) -> Converted:
        """Yes and no, and categories."""
        yes_no = self.kind == "yes/no"
        is_blank = yes_no and not self.words[1]  # a sign, or a blank cell
        levels = self.words
        if yes_no:
            levels = (self.words[0],) if is_blank else (*FALSE, *TRUE)
        spellings = Spellings(levels, fold=True)
        known = {spellings.key(level): place for place, level in enumerate(levels)}
        cells = cells_of(column)

        def place_of(cell: Any) -> int:
            return -2 if is_missing(cell) else known.get(spellings.key(text_of(cell)), -1)

        places = np.array(each_once(place_of, cells), dtype=float)
        missing = np.flatnonzero(places == -2).tolist()
        unseen = np.flatnonzero(places == -1).tolist()
        if is_blank:
            missing = [row for row in missing if cells[row] is not None and text_of(cells[row])]
            values = [np.where(places == 0, 1.0, 0.0)]
        elif yes_no:
            values = [np.where(places >= len(FALSE), 1.0, 0.0)]
        else:
            values = [np.where(places == levels.index(word), 1.0, 0.0) for word in self._shown]
        is_gap = np.isin(np.arange(len(places)), missing + unseen)
        for one in values:
            one[missing if self.kind == "category" else is_gap] = np.nan
        ditto = [row for row in unseen if text_of(cells[row]).lower() in DITTO]
        if ditto:
            why = "stands for the cell above; write its word there"
            return Converted(values, missing, dict.fromkeys(ditto, why))
        if self.kind == "category" and len(levels) > 2:
            words = sorted({text_of(cells[row]) for row in unseen})
            note = (
                f"{self.column!r}: {listed(words)} in {len(unseen)} of {len(places)} rows was not "
                "seen in the fit and is taken as none of its words"
            )
            return Converted(values, missing, notes=(note,) if unseen else ())
        why = f"is none of the words {listed(levels, 10)}"
        if yes_no:
            why = f"is neither {self.words[0]} nor {self.words[1] or 'blank'}"
        return Converted(values, missing, dict.fromkeys(unseen, why))

    def _date(self, column: Column, notation: Notation) -> Converted:
        dates = read_dates(column)
        if dates.n_short:
            why = "has dates with years of two digits. Write years with four digits."
            return Converted([], refused=why)
        # The fit decides: after 25/03/2021 there is no 03/25/2021, and 03/04 is in April.
        candidates = (self.day_first, dates.day_first, notation.day_first)
        order = next((one for one in candidates if one is not None), None)
        if order is None and dates.depend_on_order:
            first = next(cell for cell in cells_of(column) if not is_missing(cell))
            return Converted(
                [],
                refused=f"has dates such as {shown(first)}, whose first number may be the day or "
                "the month. Say which with --read dates=day-first or --read dates=month-first.",
            )
        years = dates.years[int(order is False)]
        first = "" if order is None else f", with the {'day' if order else 'month'} first"
        gaps = {*dates.missing}
        rows = [row for row in np.flatnonzero(np.isnan(years)).tolist() if row not in gaps]
        why = f"is not a date as the others are{first * dates.depend_on_order}"
        return Converted([years], dates.missing, dict.fromkeys(rows, why))


def _one_of(unit: str) -> str:
    """A unit whatever its number and capitals; of one letter, these make another unit."""
    folded = unit.casefold() if len(unit) > 1 else unit
    return folded.removesuffix("s") if len(unit) > len("min") else folded


def convert(
    name: str, conversion: Conversion | None, column: Column, reading: Reading, notation: Notation
) -> Converted:
    """Convert a column, also one that needs no conversion."""
    if conversion is None and reading.is_plain:
        return Converted([reading.by_mark[POINT]], reading.missing)
    made = (conversion or Conversion(name, "number")).apply(column, reading, notation)
    if isinstance(column, np.ndarray) or reading.is_plain:
        return made
    dates = [row for row, is_one in enumerate(each_once(lacks_year, column)) if is_one]
    why = "is a date without a year, as spreadsheets make of 3/10 and of the gene MARCH1"
    return made._replace(wrong={**made.wrong, **dict.fromkeys(dates, why)}) if dates else made


def decide(
    name: str, column: Column, reading: Reading, notation: Notation, *, are_codes: bool
) -> Conversion | None:
    """Choose the conversion of a column; None for plain numbers, which need none.

    ``are_codes`` says that its digits are names, as of postcodes.
    """
    if not reading.n_filled:
        return Conversion(name, "left out", about="without any value")
    if reading.is_plain and not are_codes:
        return None
    if not (are_codes or reading.is_text) and sum(map(bool, reading.units)) <= _MOST_UNITS:
        return _decide_number(name, reading, notation)
    dates = read_dates(column)
    if dates.are_most and not are_codes:
        order = None
        if dates.depend_on_order:
            order = notation.day_first if dates.day_first is None else dates.day_first
        first = "" if order is None else f", the {'day' if order else 'month'} first"
        about = f"taken as years with a fraction{first}"
        return Conversion(name, "date", day_first=order, about=about)
    return _decide_words(name, column)


def _decide_number(name: str, reading: Reading, notation: Notation) -> Conversion | None:
    mark = reading.own_mark or notation.decimal or ""
    with_unit = {unit: rows for unit, rows in reading.units.items() if unit}
    unit = ""
    if 2 * sum(map(len, with_unit.values())) >= reading.n_filled:
        unit = max(with_unit, key=lambda one: len(with_unit[one]), default="")
    parts = {
        f"unit {unit!r} left out": unit,
        "marks between thousands left out": reading.grouped.get(mark or POINT),
        "limits such as <0.5 taken as the limit itself": reading.limits,
    }
    about = ", ".join(part for part, is_so in parts.items() if is_so)
    # Without a conversion, numbers have a decimal point and other cells are refused.
    if not about and (reading.own_mark == POINT or not (mark and reading.depends_on_mark)):
        return None
    return Conversion(name, "number", unit=unit, decimal=mark, about=about)


def _decide_words(name: str, column: Column) -> Conversion:
    cells = cells_of(column)
    texts = each_once(lambda cell: None if is_missing(cell) else text_of(cell), cells)
    words = [text for text in texts if text is not None and text.lower() not in DITTO]
    counts = Counter(words)
    levels = [*dict.fromkeys(Spellings(counts, fold=True).usual(counts).values())]
    if len(levels) == 1:
        if levels[0].casefold() in _CROSSES and len(words) < len(cells):
            about = f"{levels[0]!r} taken as 1, blank as 0"
            return Conversion(name, "yes/no", (levels[0], ""), about=about)
        rest = "" if len(words) == len(cells) else " with a value"
        return Conversion(name, "left out", about=SAME + rest)
    yes, no = ([word for word in levels if word.casefold() in known] for known in (TRUE, FALSE))
    if len(levels) == 2 and yes and no:
        about = f"{yes[0]!r} taken as 1, {no[0]!r} as 0"
        return Conversion(name, "yes/no", (yes[0], no[0]), about=about)
    is_many = len(levels) > MOST_CATEGORIES
    if len(levels) > 2 and (is_many or len(levels) == len(words)):
        is_text = not is_many or 2 * len(levels) > len(words)
        about = DIFFERENT if is_text else f"more than {MOST_CATEGORIES} different words"
        return Conversion(name, "left out", about=about)
    ordered = tuple(sorted(levels))
    about = f"a column of 0 and 1 for each of {listed(ordered, 10)}"
    if len(ordered) == 2:
        about = f"{ordered[1]!r} taken as 1, {ordered[0]!r} as 0"
    return Conversion(name, "category", ordered, about=about)
