"""How a column becomes numbers: decided when a model is fitted, and applied again to new tables."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables import _cells
from bicneuron.tables._cells import Column, Reading, Spellings, listed, names_of

KINDS = {"number": 0, "yes/no": 2, "date": 0, "category": 2, "left out": 0}  # fewest words
DIFFERENT, SAME = "a different text in most rows", "the same in all rows"
NO_NUMBER, _LIMITS = "is not a finite number", "limits such as <0.5 taken as the limit itself"
# Units that make another number of the digits, so that cells without them are doubtful.
_MULTIPLES = frozenset({"%", "\u2030", "k", "M", "Tsd", "Mio", "Mrd"})
_MOST_UNITS = 3  # more endings of numbers are parts of words
MOST_CATEGORIES = 10
# What spreadsheets make of 3/10 and of the gene MARCH1.
_WITHOUT_YEAR = re.compile(r"\d{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-\d{2}")
# Dates as they are written, and those whose order is beyond doubt; others leave it to the fit.
_DATE = re.compile(r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?!\d).*")
_PLAIN_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y")
_DATE_FORMS = (*_PLAIN_FORMS, "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S", "T%H:%M:%S%z")
_CROSSES = frozenset({"x", "\u2713", "\u2714"})  # in a box that is blank otherwise


class Converted(NamedTuple):
    """A column as numbers, and what is wrong with it."""

    values: Sequence[FloatArray] = ()  # one array for each feature; NaN where there is no value
    wrong: Mapping[int, str] = {}  # rows that cannot be read: "which ..."
    note: str = ""


@dataclass(frozen=True)
class Conversion:
    """How one column becomes numbers; columns of plain numbers need none."""

    column: str
    kind: str
    words: tuple[str, ...] = ()  # no and yes, or categories
    unit: str = ""  # of numbers, or the format of dates
    decimal: str = ""
    about: str = ""  # what happens to the cells, or why the column is left out

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it makes."""
        is_flag = self.kind == "yes/no" and self.words[1].lower() in ("true", "t", "1")
        if is_flag or self.kind == "number":
            return (self.column,)
        if self.kind == "date":
            return (f"{self.column} (year)",)
        # Of two words, the second says all.
        words = self.words[1:] if len(self.words) == 2 else self.words
        return tuple(f"{self.column} = {word}" for word in words)

    def apply(
        self, column: Column, reading: Reading, decimal: str | None, *, log: bool = False
    ) -> Converted:
        """Convert a column that was also read as numbers, in a table that may show its mark."""
        if self.kind == "number":
            return self._numbers(reading, decimal, log=log)
        if self.kind == "date":
            return self._dates(column)
        return Converted() if self.kind == "left out" else self._words(column)

    def _dates(self, column: Column) -> Converted:
        texts = names_of(column)
        years = years_of(texts, self.unit)
        order = {"%d": " with the day first", "%m": " with the month first"}
        why = "is not a date" + order.get(self.unit[:2], "")
        gaps = np.flatnonzero(np.isnan(years)).tolist()
        rows = [row for row in gaps if texts[row].lower() not in _cells.MISSING_AMONG_NUMBERS]
        return Converted([years], dict.fromkeys(rows, why))

    def _numbers(self, reading: Reading, decimal: str | None, *, log: bool) -> Converted:
        # The fit decides, and not what most columns of a new table show.
        mark = reading.own_mark or self.decimal or decimal
        if not mark and reading.open_row is not None:
            why = "may have a decimal mark or one between thousands; say which with "
            why += "--read decimal=point or --read decimal=comma"
            return Converted(wrong={reading.open_row: why})
        mark = mark or _cells.POINT
        values, wrong = reading.by_mark[mark], dict[int, str]()
        if log:
            why = "is below 0, of which --read log=yes takes no logarithm"
            wrong = dict.fromkeys(np.flatnonzero(values < 0).tolist(), why)
            values = np.log2(np.where(values < 0, np.nan, values) + 1.0)
        if self.unit in _MULTIPLES:
            bare = np.flatnonzero(np.isfinite(values)).tolist() if reading.is_plain else []
            rows = reading.units.get("", bare)
            wrong |= dict.fromkeys(rows, f"has no {self.unit}, as the others do")
        others = f"are in {self.unit}" if self.unit else "have no unit"
        for unit, rows in reading.units.items():
            if unit and _one_of(unit) != _one_of(self.unit):
                wrong |= dict.fromkeys(rows, f"has the unit {unit}, and the others {others}")
        why = NO_NUMBER + " with a decimal comma" * (mark == _cells.COMMA)
        wrong |= dict.fromkeys(reading.text_rows(mark), why)
        is_new = reading.has_limits and _LIMITS not in self.about
        return Converted([values], wrong, f"{self.column!r}: {_LIMITS}" if is_new else "")

    def _words(self, column: Column) -> Converted:
        """Yes and no, and categories."""
        spellings = Spellings(self.words)
        known = {spellings.key(word): place for place, word in enumerate(self.words)}
        texts = names_of(column)
        places = np.array(_cells.each_once(lambda text: known.get(spellings.key(text), -1), texts))
        is_gap = np.array([not text and "" not in self.words for text in texts])
        unseen = np.flatnonzero((places == -1) & ~is_gap).tolist()
        numbered = range(len(self.words))[-len(self.features) :]
        values = [np.where(is_gap, np.nan, places == place) for place in numbered]
        if len(self.words) > 2 and unseen:
            words = listed(sorted({texts[row] for row in unseen}))
            note = f"{self.column!r}: {words} in {len(unseen)} of {len(texts)} rows was not seen "
            note += "in the fit and is taken as none of its words"
            return Converted(values, note=note)
        why = f"is none of the words {listed(self.words, 10)}"
        return Converted(values, dict.fromkeys(unseen, why))


def _one_of(unit: str) -> str:
    """A unit whatever its number and capitals; of one letter, these make another unit."""
    folded = unit.casefold() if len(unit) > 1 else unit
    return folded.removesuffix("s") if len(unit) > len("min") else folded


def decide(
    name: str, column: Column, reading: Reading, decimal: str | None, *, are_codes: bool
) -> Conversion | None:
    """Choose the conversion of a column, None for plain numbers; ``are_codes`` are postcodes."""
    if not reading.n_filled:
        return Conversion(name, "left out", about="without any value")
    if reading.is_plain and not are_codes:
        return None
    if are_codes or reading.is_text or sum(map(bool, reading.units)) > _MOST_UNITS:
        return _decide_words(name, column)
    mark = reading.own_mark or decimal or ""
    n_cells = {unit: len(rows) for unit, rows in reading.units.items() if unit}
    has_unit = 2 * sum(n_cells.values()) >= reading.n_filled
    unit = max(n_cells, key=lambda one: n_cells[one], default="") if has_unit else ""
    parts = [f"unit {unit!r} left out"] if unit else []
    parts += ["marks between thousands left out"] * ((mark or _cells.POINT) in reading.grouped)
    parts += [_LIMITS] if reading.has_limits else []
    # Without a conversion, numbers have a decimal point and other cells are refused.
    if not parts and (reading.own_mark == _cells.POINT or not (mark and reading.depends_on_mark)):
        return None
    decimal = mark if reading.depends_on_mark else ""
    return Conversion(name, "number", unit=unit, decimal=decimal, about=", ".join(parts))


def _decide_words(name: str, column: Column) -> Conversion:
    if (form := _form_of_dates(column)) is not None:
        return Conversion(name, "date", unit=form, about="dates taken as years with decimals")
    counts = Counter(filter(None, names_of(column)))
    n_words, levels = counts.total(), sorted({*Spellings(counts).usual(counts).values()})
    has_gaps, n_levels = n_words < len(column), len(levels)
    if n_levels == 1 and has_gaps and levels[0].casefold() in _CROSSES:
        about = f"{levels[0]!r} taken as 1, blank as 0"
        return Conversion(name, "yes/no", ("", levels[0]), about=about)
    if day := next(filter(_WITHOUT_YEAR.fullmatch, counts), ""):
        why = f"dates without a year such as {day}, as spreadsheets make of 3/10 and MARCH1"
    elif n_levels == 1:
        why = SAME + " with a value" * has_gaps
    elif n_levels == n_words > 2 or 2 * n_levels > max(n_words, 2 * MOST_CATEGORIES):
        why = DIFFERENT
    elif n_levels > MOST_CATEGORIES:
        why = f"more than {MOST_CATEGORIES} different words"
    elif n_levels > 2:
        about = f"a column of 0 and 1 for each of {listed(levels, 10)}"
        return Conversion(name, "category", (*levels,), about=about)
    else:
        first, second = (word.casefold() for word in levels)
        is_yes_no = {first, second} & _cells.TRUE and {first, second} & _cells.FALSE
        no, yes = levels[::-1] if is_yes_no and first in _cells.TRUE else levels
        kind = "yes/no" if is_yes_no else "category"
        return Conversion(name, kind, (no, yes), about=f"{yes!r} taken as 1, {no!r} as 0")
    return Conversion(name, "left out", about=why)


def _form_of_dates(column: Column) -> str | None:
    """The format of a column of dates; None if a cell is none, or the order remains open."""
    different = dict.fromkeys(names_of(column))
    texts = [text for text in different if text.lower() not in _cells.MISSING_AMONG_NUMBERS]
    if not texts or not all(map(_DATE.fullmatch, texts)):
        return None
    read = {form: years_of(texts, form) for form in _DATE_FORMS}
    found = {form: years.tobytes() for form, years in read.items() if not np.isnan(years).any()}
    return next(iter(found)) if len({*found.values()}) == 1 else None


def years_of(texts: Sequence[str], form: str) -> FloatArray:
    """Dates as years with decimals, in UTC; NaN for what is no date."""
    import pandas as pd  # loaded late: a table without dates may be refused before

    dates = pd.Series([text if _DATE.fullmatch(text) else None for text in texts], dtype=object)
    moments = pd.Series(pd.NaT, dates.index, dtype="datetime64[ns, UTC]")
    for one in (day + time for day in dict.fromkeys((form, *_PLAIN_FORMS)) for time in _TIMES):
        moments = moments.fillna(pd.to_datetime(dates, format=one, errors="coerce", utc=True))
    of = moments.dt
    days = of.dayofyear - 1 + (of.hour + of.minute / 60 + of.second / 3600) / 24
    return np.asarray(of.year + days / (365 + of.is_leap_year), dtype=np.float64)
