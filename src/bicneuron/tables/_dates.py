"""Read dates as years and times of the day as hours, in the common notations."""

import re
from calendar import isleap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any, TypeAlias

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

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_OF = {word: month for month, word in enumerate(_MONTHS, start=1)}
_MONTH_OF |= {"jän": 1, "mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12}
_TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r" ?(?P<half>[AaPp][Mm])?(?: ?(?P<offset>Z|[+-]\d{2}(?::?\d{2})?))?)?"
)
_OFFSET = re.compile(r":\d{2}(?:\.\d+)?(?: ?[AaPp][Mm])? ?(Z|[+-]\d{2}(?::?\d{2})?)$")
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_TIME}")
_DAY_AND_WORD = re.compile(rf"(\d{{1,2}})[ .-]+([^\W\d_]{{3,9}})\.?[ ,-]+(\d{{4}}){_TIME}")
_WORD_AND_DAY = re.compile(rf"([^\W\d_]{{3,9}})\.? (\d{{1,2}}),? (\d{{4}}){_TIME}")
_SHORT_YEAR = re.compile(
    r"\d{1,2}(?:([-/.])\d{1,2}\1|[ .-]{1,2}(?P<word>[^\W\d_]{3,9})\.?[ -])\d{2}"
)
_WITHOUT_YEAR = re.compile(r"\d{1,2}[-.] ?([^\W\d_]{3,4})\.?|([^\W\d_]{3,4})[- ]\d{2}")


HOURS_OF_A_DAY = 24.0
ByOrder: TypeAlias = dict[bool, float | None]
# A cell without a value, and a date whose century is not known.
_MISSING: ByOrder = {}
_SHORT: ByOrder = {}
# Minutes that are as well dilutions of a titre, such as 1:40.
_DILUTION = re.compile(r"1:(?:10|16|20|25|32|40|50)")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?))?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?"
)


def read_date(cell: Any) -> ByOrder | None:
    """Read a date as a year, with the day (True) or the month first; None if it is not a date."""
    if isinstance(cell, date):  # a datetime is one, too
        return dict.fromkeys((True, False), _as_year(cell))
    if not isinstance(cell, str):
        return None
    text = text_of(cell)
    by_order: ByOrder
    if found := _YEAR_FIRST.fullmatch(text):
        by_order = dict.fromkeys((True, False), _year(found, found[1], found[3], found[4]))
    elif found := _YEAR_LAST.fullmatch(text):
        month_first = None if found[2] == "." else _year(found, found[4], found[1], found[3])
        by_order = {True: _year(found, found[4], found[3], found[1]), False: month_first}
    elif found := _DAY_AND_WORD.fullmatch(text) or _WORD_AND_DAY.fullmatch(text):
        day, word = (found[1], found[2]) if found[1].isdigit() else (found[2], found[1])
        month = _MONTH_OF.get(word[:3].lower(), 0)
        by_order = dict.fromkeys((True, False), _year(found, found[3], str(month), day))
    else:
        return None
    return None if all(year is None for year in by_order.values()) else by_order


def offset_of(cell: Any) -> str:
    """Return the offset from UTC that a time is written with, such as Z and +09:00, or nothing."""
    found = _OFFSET.search(text_of(cell))
    return found[1] if found else ""


def has_short_year(cell: Any) -> bool:
    """True for a date such as 03/04/21 or 3-Apr-21, whose century is not known."""
    found = _SHORT_YEAR.fullmatch(text_of(cell)) if isinstance(cell, str) else None
    return found is not None and (found["word"] or "jan")[:3].lower() in _MONTH_OF


def lacks_year(cell: Any) -> bool:
    """True for a date such as 3-Oct or Mar-01, which spreadsheets make of 3/10 and MARCH1."""
    found = _WITHOUT_YEAR.fullmatch(text_of(cell)) if isinstance(cell, str) else None
    return found is not None and (found[1] or found[2]).lower() in {*_MONTH_OF, "sept"}


def _year(time: "re.Match[str]", year: str, month: str, day: str) -> float | None:
    hour, minute, second = (int(time[part] or 0) for part in ("hour", "minute", "second"))
    if time["half"]:
        hour = hour % 12 + 12 * (time["half"].lower() == "pm")
    try:
        zone = datetime.fromisoformat(f"2000-01-01T00{time['offset'] or ''}").tzinfo
        moment = datetime(int(year), int(month), int(day), hour, minute, second, tzinfo=zone)
    except ValueError:
        return None
    return _as_year(moment)


def _as_year(moment: date) -> float:
    """Return a moment as a year, in UTC if its offset is known."""
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        with suppress(OverflowError):  # beyond the calendar
            moment = moment.astimezone(UTC)
    day = moment.timetuple().tm_yday - 1
    seconds = 0
    if isinstance(moment, datetime):
        seconds = 3600 * moment.hour + 60 * moment.minute + moment.second
    return moment.year + (day + seconds / 86400) / (366 if isleap(moment.year) else 365)


@dataclass(frozen=True)
class DateReading:
    """A column read as dates, with the day first (True) and with the month first (False)."""

    by_order: dict[bool, FloatArray]
    missing: list[int]
    n_short: int

    @cached_property
    def n_read(self) -> dict[bool, int]:
        """Number of cells that are dates, by order."""
        return {order: int(np.isfinite(v).sum()) for order, v in self.by_order.items()}

    @property
    def is_dates(self) -> bool:
        """True if most cells with a value are dates."""
        n_filled = len(self.by_order[True]) - len(self.missing)
        return 2 * (max(self.n_read.values()) + self.n_short) > n_filled

    @property
    def own_order(self) -> bool | None:
        """True if the cells show that the day comes first; None if they do not show the order."""
        day, month = self.n_read[True], self.n_read[False]
        return None if day == month else day > month

    @property
    def depends_on_order(self) -> bool:
        """True if the two orders give different dates."""
        return not np.array_equal(self.by_order[True], self.by_order[False], equal_nan=True)

    def other_rows(self, order: bool) -> list[int]:
        """Rows with a value that is not a date."""
        no_date = np.isnan(self.by_order[order])
        no_date[self.missing] = False
        return [int(row) for row in np.flatnonzero(no_date)]


def read_date_column(column: Column) -> DateReading:
    """Read a column as dates."""
    found = each_once(_look_at, cells_of(column))
    by_order = {order: np.full(len(found), np.nan) for order in (True, False)}
    missing = []
    n_short = 0
    for row, seen in enumerate(found):
        if seen is _MISSING:
            missing.append(row)
        elif seen is _SHORT:
            n_short += 1
        elif seen is not None:
            for order, year in seen.items():
                by_order[order][row] = np.nan if year is None else year
    return DateReading(by_order, missing, n_short)


def _look_at(cell: Any) -> ByOrder | None:
    if is_missing(cell, MISSING_AMONG_NUMBERS):
        return _MISSING
    return _SHORT if has_short_year(cell) else read_date(cell)


def read_time(cell: Any) -> float | None:
    """Read a time as hours, such as 13.5 for 13:30 and 1:30 pm; None if it is not a time."""
    if isinstance(cell, time):
        return cell.hour + cell.minute / 60 + cell.second / 3600
    if not isinstance(cell, str):
        return None
    text = text_of(cell)
    if text.lower().endswith("uhr"):
        text = text[:-3].rstrip().replace(".", ":")
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"][0].lower() == "p")
    return hour + int(found["minute"]) / 60 + float(found["second"] or 0) / 3600


def may_be_minutes(cells: Sequence[Any]) -> list[int]:
    """Rows such as 58:12 beside 1:02:30, which may be minutes and seconds."""
    parts = [text_of(cell).split(":") if isinstance(cell, str) else [] for cell in cells]
    short = [row for row, part in enumerate(parts) if len(part) == 2]
    has_long = any(len(part) == 3 for part in parts)
    # Times of the day are written with seconds or without.
    is_open = has_long and any((read_time(cells[row]) or 0) >= HOURS_OF_A_DAY for row in short)
    return short if is_open else []


def are_around_midnight(hours: FloatArray) -> bool:
    """True for hours that are late or early, with a gap of half a day between them."""
    ordered = np.sort(hours[np.isfinite(hours)])
    gaps = np.diff(ordered, append=ordered[:1] + HOURS_OF_A_DAY) / HOURS_OF_A_DAY
    return len(gaps) > 1 and bool(gaps[-1] <= 1 / 4 and gaps.max() >= 1 / 2)


def are_times(column: Column) -> bool:
    """True if most cells with a value are times, and they are not dilutions such as 1:40."""
    cells = cells_of(column)
    if sum(each_once(_vote, cells)) <= 0:
        return False
    texts = [text_of(cell) for cell in cells if not is_missing(cell, MISSING_AMONG_NUMBERS)]
    return not all(map(_DILUTION.fullmatch, texts))


def _vote(cell: Any) -> int:
    """Vote 1 for a time, -1 for another value, 0 for a missing one."""
    if is_missing(cell, MISSING_AMONG_NUMBERS):
        return 0
    return -1 if read_time(cell) is None else 1
