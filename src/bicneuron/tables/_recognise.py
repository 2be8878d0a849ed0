"""Recognise what a column holds, and choose the step that converts it to numbers."""

import re
from collections import Counter
from collections.abc import Iterable

from bicneuron.tables._dates import HOURS_OF_A_DAY, are_times, read_date_column, read_time
from bicneuron.tables._ids import MOST_CATEGORIES, written_as
from bicneuron.tables._numbers import POINT, Reading
from bicneuron.tables._sheet import Column, cells_of, each_once, is_missing
from bicneuron.tables._spelling import DITTO, FALSE, TRUE, Spellings, word_of
from bicneuron.tables._step import NumberFormat, Step
from bicneuron.tables._steps import (
    DIFFERENT,
    Categories,
    Dates,
    Flags,
    LeftOut,
    Numbers,
    Ranks,
    Times,
)

_DIGITS = re.compile(r"([0-9]+)")
# The most endings of numbers that are taken for units; more of them are part of words.
_MOST_UNITS = 3
# Signs in a box that is blank otherwise.
_CROSSES = frozenset({"x", "\u2713", "\u2714", "\u221a"})
_SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "normal", "high"),
    ("low", "intermediate", "high"),
    ("low", "moderate", "high"),
    ("none", "mild", "moderate", "severe", "very severe"),
    ("absent", "mild", "moderate", "severe"),
    ("negative", "trace", "positive"),
    ("small", "medium", "large"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("i", "ii", "iii", "iv", "v"),
    ("-", "+", "++", "+++", "++++"),
)


def recognise(
    name: str, column: Column, reading: Reading, number_format: NumberFormat
) -> Step | None:
    """Return the step for a column; None for plain numbers, which need none."""
    if not reading.n_filled:
        return LeftOut(name, "without any value")
    if written_as(name, column, reading) == "codes":
        return _words(name, column)
    if reading.was_converted:
        return None
    if not reading.is_text and sum(map(bool, reading.units)) <= _MOST_UNITS:
        return _numbers(name, reading, number_format)
    dates = read_date_column(column)
    if dates.is_dates:
        order = number_format.day_first if dates.own_order is None else dates.own_order
        return Dates(name, order if dates.depends_on_order else None)
    if are_times(column):
        hours = [hour for hour in each_once(read_time, cells_of(column)) if hour is not None]
        return Times(name, is_duration=max(hours) >= HOURS_OF_A_DAY)
    return _words(name, column)


def _numbers(name: str, reading: Reading, number_format: NumberFormat) -> Step | None:
    mark = reading.own_mark or number_format.decimal or ""
    with_unit = {unit: rows for unit, rows in reading.units.items() if unit}
    unit = ""
    if 2 * sum(map(len, with_unit.values())) >= reading.n_filled:
        unit = max(with_unit, key=lambda one: len(with_unit[one]))
    step = Numbers(
        name,
        unit,
        mark,
        has_limits=bool(reading.limits),
        has_thousands=bool(reading.grouped.get(mark or POINT)),
    )
    # What was decided about marks is kept for new tables. Without a step, numbers have a decimal
    # point and other cells are refused.
    is_plain = reading.own_mark == POINT or not (mark and reading.depends_on_mark)
    return step if step.description or not is_plain else None


def _words(name: str, column: Column) -> Step:
    cells = cells_of(column)
    texts = each_once(lambda cell: None if is_missing(cell) else word_of(cell), cells)
    words = [text for text in texts if text is not None and text.lower() not in DITTO]
    counts = Counter(words)
    levels = [*dict.fromkeys(Spellings(counts, fold=True).usual(counts).values())]
    if len(levels) == 1:
        if levels[0].casefold() in _CROSSES and len(words) < len(cells):
            return Flags(name, levels[0], "")
        rest = "" if len(words) == len(cells) else " with a value"
        return LeftOut(name, f"the same in all rows{rest}")
    yes, no = ([word for word in levels if word.casefold() in known] for known in (TRUE, FALSE))
    if len(levels) == 2 and yes and no:
        return Flags(name, *yes, *no)
    scale = _scale_of(levels)
    if scale is not None:
        return Ranks(name, scale)
    if len(levels) > 2 and (
        len(levels) == len(words)
        or (len(levels) > MOST_CATEGORIES and 2 * len(levels) > len(words))
    ):
        return LeftOut(name, DIFFERENT)
    ordered = tuple(sorted(sorted(levels), key=_natural))
    if len(levels) <= MOST_CATEGORIES:
        return Categories(name, ordered)
    return Ranks(name, ordered, is_alphabetical=True)


def _scale_of(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Return the levels in order if they form a known scale, otherwise None."""
    known = {word.casefold(): word for word in levels}
    for scale in _SCALES:
        if len(known) > 2 and {*known} <= {*scale}:
            return tuple(known[word] for word in scale if word in known)
    return None


def _natural(word: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts A2 before A10."""
    parts = _DIGITS.split(word.casefold())
    return tuple(_rank(part) for part in parts if part)


def _rank(part: str) -> tuple[int, int, str]:
    """Return a key for digits, by their value, or for other text."""
    if not part.isdecimal():
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits
