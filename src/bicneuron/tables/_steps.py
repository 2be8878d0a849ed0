"""Steps that convert a column of a table to numbers, as plain values.

A step is chosen when a model is fitted, stored with the model as JSON, and applied again to new
tables.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._dates import (
    HOURS_OF_A_DAY,
    are_around_midnight,
    may_be_minutes,
    offset_of,
    read_date_column,
    read_time,
)
from bicneuron.tables._numbers import COMMA, POINT, Reading, read_column
from bicneuron.tables._sheet import (
    MISSING_AMONG_NUMBERS,
    Column,
    cells_of,
    each_once,
    is_missing,
    listed,
    shown,
    some,
    text_of,
    to_names,
)
from bicneuron.tables._spelling import (
    DITTO,
    FALSE,
    OPEN,
    TRUE,
    Spellings,
    is_word_for_missing,
    word_of,
)
from bicneuron.tables._step import ColumnResult, NumberFormat, Step, refused

# Units that make another number of the digits, so that cells without them are doubtful.
_MULTIPLES = frozenset({"%", "\u2030", "k", "M", "Tsd", "tsd", "Mio", "mio", "Mrd", "million"})
# Why cells are refused, and columns left out.
NO_NUMBER, DIFFERENT = "is not a finite number", "a different text in most rows"
_LIMITS = "limits such as <0.5 taken as the limit itself"


@dataclass(frozen=True)
class Numbers(Step, kind="numbers"):
    """Numbers written with a unit, with marks between thousands or as limits."""

    unit: str = ""
    decimal: str = ""
    has_limits: bool = False
    has_thousands: bool = False

    @property
    def description(self) -> str:
        parts = {
            f"unit {self.unit!r} left out": self.unit,
            "marks between thousands left out": self.has_thousands,
            _LIMITS: self.has_limits,
        }
        return ", ".join(part for part, is_so in parts.items() if is_so)

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        is_multiple = self.unit.rstrip(".") in _MULTIPLES
        if reading.was_converted and self.decimal == COMMA:  # with a point in their place
            reading = read_column(column, closely=True)
        if reading.was_converted and not is_multiple:
            return ColumnResult([reading.by_mark[POINT]], reading.missing, {})
        # The fit decides, and not what most columns of a new table show.
        mark = reading.own_mark or self.decimal or number_format.decimal
        is_open = reading.has_comma or reading.mark_of_groups is not None
        if not mark and reading.depends_on_mark and is_open:
            shown_mark, name = (COMMA, "comma") if reading.has_comma else (POINT, "point")
            return refused(
                f"has {_such_as(column, shown_mark)}, whose {name} may stand for thousands or for "
                "decimals. Say which with --read decimal=point or --read decimal=comma."
            )
        mark = mark or POINT
        name = "comma" if mark == COMMA else "point" if reading.has_comma else ""
        no_number = NO_NUMBER + (name and f" with a decimal {name}")
        wrong = dict.fromkeys(reading.text_rows(mark), no_number)
        said = f", and the others {f'are in {self.unit}' if self.unit else 'have no unit'}"
        if len(reading.units) > 2:
            units = sorted(reading.units, key=lambda unit: -len(reading.units[unit]))
            said = f"; the column mixes the units {', '.join(unit or 'none' for unit in units)}"
        for unit, rows in reading.units.items():
            if unit and _one_of(unit) != _one_of(self.unit):
                wrong |= dict.fromkeys(rows, f"has the unit {unit}{said}")
        if is_multiple and reading.n_filled:
            with_unit = {row for unit, rows in reading.units.items() if unit for row in rows}
            gaps = {*reading.missing, *wrong, *with_unit}
            bare = (row for row in range(len(reading.by_mark[mark])) if row not in gaps)
            wrong |= dict.fromkeys(bare, f"has no {self.unit}, as the others do")
        notes: tuple[str, ...] = ()
        if reading.limits and not self.has_limits:
            notes = (f"{self.column!r}: {_LIMITS}",)
        if mark == POINT and reading.mark_of_groups == COMMA:
            notes += (f"{self.column!r}: {_such_as(column, POINT)} taken as decimals",)
        return ColumnResult([reading.by_mark[mark]], reading.missing, wrong, notes=notes)


def _one_of(unit: str) -> str:
    """A unit whatever its number and capitals; of one letter, these make another unit."""
    folded = unit.casefold() if len(unit) > 1 else unit
    return folded.removesuffix("s") if len(unit) > len("min") else folded


def _such_as(column: Column, mark: str) -> str:
    cell = next(cell for cell in cells_of(column) if mark in str(cell))
    return f"cells such as {shown(cell)}"


@dataclass(frozen=True)
class Flags(Step, kind="flags"):
    """Yes and no, or true and false."""

    yes: str = "true"
    no: str = "false"

    @property
    def features(self) -> tuple[str, ...]:
        is_plain = self.yes.lower() in ("true", "t", "1")
        return (self.column if is_plain else f"{self.column} = {self.yes}",)

    @property
    def description(self) -> str:
        return f"{self.yes!r} taken as 1, {repr(self.no) if self.no else 'blank'} as 0"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        places, missing, unseen = _places(column, (*FALSE, *TRUE) if self.no else (self.yes,))
        if self.no:
            values = np.where(places < 0, np.nan, places >= len(FALSE))
        else:  # a sign, or a blank cell
            cells = cells_of(column)
            missing = [row for row in missing if cells[row] is not None and text_of(cells[row])]
            values = np.where(places == 0, 1.0, 0.0)
            values[missing] = np.nan
        wrong = dict.fromkeys(unseen, f"is neither {self.yes} nor {self.no or 'blank'}")
        return ColumnResult([values], missing, wrong)


@dataclass(frozen=True)
class Categories(Step, kind="categories"):
    """A feature for each of a few words; one feature where there are two words."""

    levels: tuple[str, ...] = ()

    @property
    def _shown(self) -> tuple[str, ...]:
        return self.levels[1:] if len(self.levels) == 2 else self.levels

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(f"{self.column} = {level}" for level in self._shown)

    @property
    def description(self) -> str:
        if len(self.levels) == 2:
            return f"{self.levels[1]!r} taken as 1, {self.levels[0]!r} as 0"
        return f"a column of 0 and 1 for each of {listed(self.levels, 10)}"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        places, missing, unseen = _places(column, self.levels)
        values = [np.where(places == self.levels.index(level), 1.0, 0.0) for level in self._shown]
        for one in values:
            one[missing] = np.nan
        unseen_words = {row: word_of(cells_of(column)[row]) for row in unseen}
        ditto = [row for row, word in unseen_words.items() if word.lower() in DITTO]
        if ditto:
            wrong = dict.fromkeys(ditto, "stands for the cell above; write its word there")
            return ColumnResult(values, missing, wrong)
        if len(self.levels) == 2:  # a third word is neither 0 nor 1
            return ColumnResult(values, missing, _not_seen(unseen, self.levels))
        words = sorted({*unseen_words.values()})
        note = (
            f"{self.column!r}: {listed(words)} in {len(unseen)} of {len(places)} rows was not seen "
            "in the fit and is taken as none of its words"
        )
        return ColumnResult(values, missing, {}, notes=(note,) if unseen else ())


@dataclass(frozen=True)
class Ranks(Step, kind="ranks"):
    """Words in an order, as numbers from 0 on."""

    levels: tuple[str, ...] = ()
    is_alphabetical: bool = False

    @property
    def description(self) -> str:
        order = "in alphabetical order" if self.is_alphabetical else "in their order"
        n = len(self.levels)
        return f"{n} words numbered from 0 to {n - 1} {order}: {listed(self.levels, 10)}"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        places, missing, unseen = _places(column, self.levels)
        values = np.where(places < 0, np.nan, places)
        return ColumnResult([values], missing, _not_seen(unseen, self.levels))


_UNSEEN, _GAP = -1, -2


def _places(column: Column, levels: Sequence[str]) -> tuple[FloatArray, list[int], list[int]]:
    """Index of the level of each cell, or -1; rows without a value; rows with unknown words."""
    meaning = Spellings(levels, fold=True)
    known = {meaning.key(level): place for place, level in enumerate(levels)}

    def place_of(cell: Any) -> int:
        return _GAP if is_missing(cell) else known.get(meaning.key(word_of(cell)), _UNSEEN)

    places = np.array(each_once(place_of, cells_of(column)), dtype=float)
    missing = np.flatnonzero(places == _GAP).tolist()
    unseen = np.flatnonzero(places == _UNSEEN).tolist()
    return np.maximum(places, -1.0), missing, unseen


def _not_seen(rows: Iterable[int], levels: Sequence[str]) -> dict[int, str]:
    return dict.fromkeys(rows, f"is none of the words {listed(tuple(levels), 10)}")


@dataclass(frozen=True)
class Dates(Step, kind="dates"):
    """Dates as years with a fraction."""

    ending = " (year)"
    day_first: bool | None = None

    @property
    def description(self) -> str:
        order = ""
        if self.day_first is not None:
            order = f", read with the {'day' if self.day_first else 'month'} first"
        return f"dates taken as years with a fraction, as 2021.5{order}"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        dates = read_date_column(column)
        if dates.n_short:
            return refused("has dates with years of two digits. Write years with four digits.")
        # The fit decides: after 25/03/2021 there is no 03/25/2021, and 03/04 is in April.
        candidates = (self.day_first, dates.own_order, number_format.day_first)
        order = next((one for one in candidates if one is not None), None)
        if order is None and dates.depends_on_order:
            first = next(cell for cell in cells_of(column) if not is_missing(cell))
            return refused(
                f"has dates such as {shown(first)}, whose first number may be the day or the "
                "month. Say which with --read dates=day-first or --read dates=month-first."
            )
        order = order is not False
        first = f", with the {'day' if order else 'month'} first" if dates.depends_on_order else ""
        wrong = dict.fromkeys(dates.other_rows(order), f"is not a date as the others are{first}")
        years = dates.by_order[order]
        offsets = [*filter(None, each_once(offset_of, cells_of(column)))]
        n_others = int(np.isfinite(years).sum()) - len(offsets)
        one = min(offsets, default="Z")
        note = f"{self.column!r}: times with an offset such as {one} taken in UTC"
        note += f", and so are the {n_others} without one" if n_others else ""
        is_said = one != "Z" or bool(offsets and n_others)
        return ColumnResult([years], dates.missing, wrong, notes=(note,) * is_said)


def as_stated(step: Step, number_format: NumberFormat) -> Step:
    """A step of a fit with what is stated about a new table in the place of what the fit saw."""
    if isinstance(step, Numbers) and number_format.decimal is not None:
        return replace(step, decimal=number_format.decimal)
    if isinstance(step, Dates) and number_format.day_first is not None:
        return replace(step, day_first=number_format.day_first)
    return step


@dataclass(frozen=True)
class Times(Step, kind="times"):
    """Times of the day, or durations, as hours with a fraction."""

    ending = " (hour)"
    is_duration: bool = False

    @property
    def description(self) -> str:
        what = "durations" if self.is_duration else "times"
        return f"{what} taken as hours with a fraction, as 13.5 for 13:30"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        cells = cells_of(column)
        hours = np.array([np.nan if hour is None else hour for hour in map(read_time, cells)])
        missing = [row for row, cell in enumerate(cells) if is_missing(cell, MISSING_AMONG_NUMBERS)]
        no_time = np.flatnonzero(np.isnan(hours)).tolist()
        wrong = dict.fromkeys(no_time, "is not a time as the others are")
        if not self.is_duration:
            late = np.flatnonzero(hours >= HOURS_OF_A_DAY).tolist()
            wrong |= dict.fromkeys(late, "is a duration, and the others are times of the day")
        wrong |= dict.fromkeys(
            may_be_minutes(cells), "may be minutes and seconds: write it with hours, as 0:58:12"
        )
        for row in missing:
            wrong.pop(row, None)
        is_said = not self.is_duration and are_around_midnight(hours)
        note = f"{self.column!r}: times around midnight; write 0:20 as 24:20 to keep it near 23:40"
        return ColumnResult([hours], missing, wrong, notes=(note,) * is_said)


@dataclass(frozen=True)
class _WithoutFeatures(Step):
    """A step that makes no features of its own."""

    @property
    def features(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class MissingCodes(_WithoutFeatures, kind="missing codes"):
    """Codes for missing values, of one column or, without its name, of all."""

    column: str = ""
    levels: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return f"{listed(self.levels, 10)} taken as missing"


@dataclass(frozen=True)
class Classes(_WithoutFeatures, kind="classes"):
    """Words of the target, and the class that each of them means."""

    words: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.words) != len(self.levels):  # of a damaged file
            raise TableError(f"target {self.column!r} has words without a class.")

    @property
    def description(self) -> str:
        others: dict[str, list[str]] = {}
        for word, level in zip(self.words, self.levels, strict=True):
            if word != level:
                others.setdefault(level, []).append(word)
        merged = [f"{listed(words, 4)} taken as {level!r}" for level, words in others.items()]
        return f"class {some(merged, 4)}" if merged else ""

    def classes(self, column: Column) -> list[str]:
        """Return the class of each cell in the spelling of the fit, empty if it is missing."""
        level_of = dict(zip(self.words, self.levels, strict=True))
        spellings = Spellings(level_of)
        by_key = {spellings.key(word): level for word, level in level_of.items()}
        has_plus = any("+" in word for word in level_of)

        def class_of(word: str) -> str:
            if not word or word in level_of:
                return level_of.get(word, "")
            level = by_key.get(spellings.key(word))
            if level is not None:
                return level
            lacks_a_class = is_word_for_missing(word, has_plus=has_plus)
            return "" if lacks_a_class and word.lower() not in OPEN else word

        return each_once(class_of, to_names(column, level_of))


@dataclass(frozen=True)
class Cut(_WithoutFeatures, kind="cut"):
    """Numbers of the target, cut into classes at limits."""

    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        limits: list[float] = []
        with suppress(ValueError):
            limits = [float(level) for level in self.levels]
        if not limits or not np.isfinite(limits).all() or sorted({*limits}) != limits:
            raise TableError(f"--read cut={self.column}={','.join(self.levels)} needs numbers.")

    @property
    def _names(self) -> list[str]:
        between = [f"{a} to <{b}" for a, b in pairwise(self.levels)]
        return [f"<{self.levels[0]}", *between, f">={self.levels[-1]}"]

    @property
    def description(self) -> str:
        return f"cut into the classes {listed(self._names, 10)}"

    def classes(self, column: Column) -> list[str]:
        """Return the class of each cell, empty if it is missing."""
        reading = read_column(column)
        mark = reading.own_mark or POINT
        wrong = reading.text_rows(mark)
        if wrong:
            raise TableError(
                f"target {self.column!r}, row {wrong[0] + 1}, is "
                f"{shown(cells_of(column)[wrong[0]])}, which is not a number to cut. Correct it, "
                "or take it as missing with --read missing=CODE."
            )
        limits = [*map(float, self.levels), np.inf]  # NaN is sorted behind infinity
        places = np.searchsorted(limits, reading.by_mark[mark], side="right")
        names = [*self._names, ""]
        return [names[place] for place in places.tolist()]


@dataclass(frozen=True)
class Probes(_WithoutFeatures, kind="probes"):
    """One of several probes of a gene, or their mean."""

    rule: str = "highest"
    taken: int = 0
    of: int = 1

    @property
    def description(self) -> str:
        what = "their mean" if self.rule == "mean" else "the one with the highest mean"
        return f"of several probes {what} taken"


@dataclass(frozen=True)
class Log(_WithoutFeatures, kind="log"):
    """Logarithms of all columns of numbers."""

    column: str = ""

    @property
    def description(self) -> str:
        return "log2(x + 1) taken of all numbers"


@dataclass(frozen=True)
class LeftOut(_WithoutFeatures, kind="left out"):
    """A column without information for a model."""

    reason: str = ""

    @property
    def description(self) -> str:
        return f"left out, {self.reason}"

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        return ColumnResult([], [], {})
