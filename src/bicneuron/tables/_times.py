"""Times of the day, and durations written in the same way, as hours with a fraction."""

import re
from datetime import time
from typing import Any

from bicneuron.tables._cells import MISSING_AMONG_NUMBERS, each_once, is_missing, text_of
from bicneuron.tables._sheet import Column, cells_of

_CLOCK = re.compile(
    r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?))?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?"
)


def read_time(cell: Any) -> float | None:
    """Hours, as 13.5 for 13:30 and 1:30 pm; None if it is no time."""
    if isinstance(cell, time):
        return cell.hour + cell.minute / 60 + cell.second / 3600
    found = _CLOCK.fullmatch(text_of(cell)) if isinstance(cell, str) else None
    if found is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"][0].lower() == "p")
    return hour + int(found["minute"]) / 60 + float(found["second"] or 0) / 3600


def are_times(column: Column) -> bool:
    """Whether most cells with a value are times."""
    votes = each_once(_vote, cells_of(column))
    return sum(votes) > 0


def _vote(cell: Any) -> int:
    """For or against times, 0 without a value."""
    if is_missing(cell, MISSING_AMONG_NUMBERS):
        return 0
    return -1 if read_time(cell) is None else 1
