"""Convert the columns of features to numbers, and collect notes and problems."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._budget import Budget
from bicneuron.tables._dates import lacks_year, read_date_column
from bicneuron.tables._missing import suspected_codes, suspected_dates
from bicneuron.tables._numbers import COMMA, POINT, Reading, leaves_mark_open, read_all
from bicneuron.tables._recognise import recognise
from bicneuron.tables._sheet import Column, cells_of, each_once, listed, shown
from bicneuron.tables._steps import (
    Categories,
    Classes,
    ColumnResult,
    Cut,
    Dates,
    LeftOut,
    Log,
    MissingCodes,
    NumberFormat,
    Numbers,
    Probes,
    Step,
)
from bicneuron.tables._steps_json import describe_steps
from bicneuron.tables._summaries import unnamed_summaries

# With fewer rows columns are the same by chance.
FEWEST_ROWS = 5
# Columns of one kind of problem that are named.
_MOST_NAMED = 8
_NOTHING_WRONG: dict[int, str] = {}
_NO_YEAR = "is a date without a year, as spreadsheets make of 3/10 and of the gene MARCH1"
# With fewer columns it is hardly a table of expression, and if few of them have large values it is
# one of different measurements.
_FEWEST_COLUMNS, _SHARE_OF_LARGE = 100, 0.25
_LARGE, _SKEWED = 100.0, 1.5
_COLUMNS_AT_ONCE = 1024


class Prepared(NamedTuple):
    """Features as numbers, the steps that made them, notes and problems."""

    values: dict[str, FloatArray]
    steps: tuple[Step, ...]
    notes: list[str]
    problems: list[str]


def read_columns(
    columns: Mapping[str, Column], number_format: NumberFormat
) -> tuple[dict[str, Reading], NumberFormat]:
    """Read columns as numbers, and complete the number format from what the columns show.

    What the user has stated is not changed.
    """
    readings = read_all(columns)
    if number_format.day_first is None:
        texts = [columns[name] for name, reading in readings.items() if reading.is_text]
        number_format = number_format._replace(day_first=_order_of(texts))
    is_open = number_format.decimal == COMMA or any(map(leaves_mark_open, readings.values()))
    if not is_open:
        return readings, number_format
    converted = [name for name, reading in readings.items() if reading.was_converted]
    readings |= read_all({name: columns[name] for name in converted}, closely=True)
    votes = Counter(reading.own_mark for reading in readings.values() if not reading.is_text)
    return readings, number_format._replace(decimal=number_format.decimal or _majority(votes))


def _order_of(columns: Iterable[Column]) -> bool | None:
    """True if the day comes first in the dates of a table; None if no column shows the order."""
    orders = {
        dates.own_order
        for dates in map(read_date_column, columns)
        if dates.is_dates and dates.depends_on_order
    } - {None}
    return orders.pop() if len(orders) == 1 else None


def _majority(votes: Counter[str | None]) -> str | None:
    """Decimal mark of most columns; None if there is no majority."""
    n_points, n_commas = votes[POINT], votes[COMMA]
    return None if n_points == n_commas else POINT if n_points > n_commas else COMMA


def prepare(
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    number_format: NumberFormat,
    places: Sequence[str],
    budget: Budget | None,
    *,
    strict: bool,
    keep_missing: bool,
    log: bool,
) -> Prepared:
    """Recognise what the columns hold, and convert them to numbers.

    Parameters
    ----------
    columns, readings : mappings of str to column and to what was read
    number_format : NumberFormat
    places : sequence of str
        Names of the rows in messages.
    budget : Budget or None
        Memory for columns that are made from words.
    strict : bool
        Refuse what would be converted or left out.
    keep_missing : bool
        Keep cells without a value as NaN; otherwise they are refused.
    log : bool
        Take the logarithms of numbers.

    Returns
    -------
    Prepared
    """
    found = {
        name: recognise(name, column, readings[name], number_format)
        for name, column in columns.items()
    }
    _spend(budget, found.values(), len(places))
    done = {
        name: _applied(name, step, columns[name], readings[name], number_format)
        for name, step in found.items()
    }
    found |= _useless(found, done)
    steps = tuple(step for step in found.values() if step is not None) + (Log(),) * log
    kept = {name: done[name] for name, step in found.items() if not isinstance(step, LeftOut)}
    problems = [*_problems(columns, kept, places, keep_missing)]
    if strict:
        problems += [f"without --strict: {line}." for line in describe_steps(steps)]
    problems += _clashes(found)
    notes = _notes(steps, kept, keep_missing)
    if dates := [name for name in columns if lacks_year(name)]:
        notes.append(f"columns called {listed(dates)}, as spreadsheets make of MARCH1; rename them")
    numbers = {name: made.values for name, made in kept.items() if _are_numbers(found[name], made)}
    problems += unnamed_summaries((values[0] for values in numbers.values()), places)
    notes += suspected_codes({name: values[0] for name, values in numbers.items()}, places)
    notes += _about_dates(columns, found, kept, places)
    if log:
        problems += _take_logarithms(numbers, places)
    elif hint := hint_at_log([one for values in numbers.values() for one in values]):
        notes.append(hint)
    return Prepared(_features(found, kept), steps, notes, problems)


def _spend(budget: Budget | None, steps: Iterable[Step | None], n_rows: int) -> None:
    """Count the columns that are about to be made from words, up to ten from one column."""
    if budget is not None:
        n_made = sum(len(step.levels) for step in steps if isinstance(step, Categories))
        budget.spend_on_made_columns(n_rows, n_made)


def _applied(
    name: str, step: Step | None, column: Column, reading: Reading, number_format: NumberFormat
) -> ColumnResult:
    if step is None and reading.was_converted:  # as most of a million columns
        return ColumnResult([reading.by_mark[POINT]], reading.missing, _NOTHING_WRONG)
    made = (step or Numbers(name)).apply(column, reading, number_format)
    dates = [row for row, is_one in enumerate(each_once(lacks_year, cells_of(column))) if is_one]
    return made._replace(wrong={**made.wrong, **dict.fromkeys(dates, _NO_YEAR)}) if dates else made


def _are_numbers(step: Step | None, made: ColumnResult) -> bool:
    return (step is None or isinstance(step, Numbers)) and not made.refused


def _take_logarithms(
    numbers: Mapping[str, list[FloatArray]], places: Sequence[str]
) -> Iterable[str]:
    """Replace values by log2(x + 1); yield a line for each column with negative values."""
    for name, values in numbers.items():
        negative = np.flatnonzero(values[0] < 0)
        if len(negative):
            row = int(negative[0])
            yield (
                f"column {name!r}, {places[row]}, is {values[0][row]:g}, and --log takes values of "
                "0 or more. Leave out --log if they are logarithms already, or --drop the column."
            )
        else:
            values[0] = np.log2(values[0] + 1.0)


def apply_steps(
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    steps: Iterable[Step],
    number_format: NumberFormat,
    places: Sequence[str],
    budget: Budget | None,
    *,
    keep_missing: bool,
) -> Prepared:
    """Apply the steps of a fit to a new table; parameters as of `prepare`."""
    steps = tuple(steps)
    by_column = {
        step.column: step
        for step in steps
        if not isinstance(step, MissingCodes | Classes | Cut | Probes | Log)
    }
    found = {name: by_column.get(name, Numbers(name)) for name in columns}
    _spend(budget, found.values(), len(places))
    done = {
        name: step.apply(columns[name], readings[name], number_format)
        for name, step in found.items()
    }
    problems = [*_problems(columns, done, places, keep_missing)]
    if any(isinstance(step, Log) for step in steps):
        numbers = {n: made.values for n, made in done.items() if _are_numbers(found[n], made)}
        problems += _take_logarithms(numbers, places)
    notes = _notes((), done, keep_missing) + _about_dates(columns, found, done, places)
    return Prepared(_features(found, done), (), notes, problems)


def _about_dates(
    columns: Mapping[str, Column],
    found: Mapping[str, Step | None],
    done: Mapping[str, ColumnResult],
    places: Sequence[str],
) -> list[str]:
    return [
        note
        for name, made in done.items()
        if isinstance(found[name], Dates) and made.values
        for note in suspected_dates(name, made.values[0], cells_of(columns[name]), places)
    ]


def _useless(found: Mapping[str, Step | None], done: Mapping[str, ColumnResult]) -> dict[str, Step]:
    """Find columns that are the same in all rows, or the same as another column."""
    judged = [
        name
        for name, step in found.items()
        if not isinstance(step, LeftOut)
        and not (done[name].wrong or done[name].refused)
        and len(done[name].values) == 1
    ]
    if not judged or len(done[judged[0]].values[0]) < FEWEST_ROWS:
        return {}
    left_out: dict[str, Step] = {}
    seen: dict[bytes, str] = {}
    for name in judged:
        values = done[name].values[0] + 0.0  # -0.0 is 0.0
        content = values.tobytes()
        if content == content[:8] * len(values) and values[0] == values[0]:
            left_out[name] = LeftOut(name, "the same in all rows")
        else:
            # A digest: the columns themselves are kept elsewhere already.
            first = seen.setdefault(blake2b(content, digest_size=16).digest(), name)
            if first != name:
                left_out[name] = LeftOut(name, f"the same as {first!r}")
    return left_out


def _clashes(found: Mapping[str, Step | None]) -> list[str]:
    """Find columns with the name of a feature that another column makes."""
    made_of = {
        feature: name
        for name, step in found.items()
        if step is not None
        for feature in step.features
    }
    return [
        f"has a column {name!r}, and column {made_of[name]!r} makes a feature of this name; rename "
        "one of them."
        for name in found
        if made_of.get(name, name) != name
    ]


def _features(
    found: Mapping[str, Step | None], done: Mapping[str, ColumnResult]
) -> dict[str, FloatArray]:
    return {
        feature: values
        for name, made in done.items()
        if not made.refused
        for feature, values in zip(_features_of(name, found[name]), made.values, strict=True)
    }


def _features_of(name: str, step: Step | None) -> tuple[str, ...]:
    return (name,) if step is None else step.features


def _notes(
    steps: Iterable[Step], done: Mapping[str, ColumnResult], keep_missing: bool
) -> list[str]:
    notes = describe_steps(steps)
    notes += [note for made in done.values() for note in made.notes]
    holes = [f"{name!r} ({len(made.missing)})" for name, made in done.items() if made.missing]
    if holes and keep_missing:
        notes.append(f"cells without a value are kept as missing: {_some(holes)}")
    return notes


def _problems(
    columns: Mapping[str, Column],
    done: Mapping[str, ColumnResult],
    places: Sequence[str],
    keep_missing: bool,
) -> Iterable[str]:
    """Yield a line for each column with a problem, and one line for all missing cells."""
    for name, made in done.items():
        if made.refused:
            yield f"column {name!r} {made.refused}"
        if made.wrong:
            row, why = next(iter(sorted(made.wrong.items())))
            more = f" ({len(made.wrong)} such cells)" if len(made.wrong) > 1 else ""
            yield (
                f"column {name!r}, {places[row]}, is {shown(cells_of(columns[name])[row])}, which "
                f"{why}{more}. Correct it or leave the column out with --drop."
            )
    holes = {name: made.missing for name, made in done.items() if made.missing}
    if holes and not keep_missing:
        name, rows = next(iter(holes.items()))
        others = [f"{other!r} ({len(holes[other])})" for other in holes if other != name]
        more = f"; so do {len(others)} more columns: {_some(others)}" if others else ""
        yield (
            f"column {name!r} lacks {len(rows)} of {len(places)} values, the first in "
            f"{places[rows[0]]}{more}. Fill them in (by the median, say), or leave out the columns "
            "or the rows."
        )


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more


def hint_at_log(values: Sequence[FloatArray]) -> str:
    """Return a hint if values look like raw intensities, otherwise an empty text.

    The rule of GEO2R, that the 99th percentile is above 100 where there is nothing negative, with
    large values in many columns and a mean well above the median besides: columns of a laboratory
    have large values, too.
    """
    if len(values) < _FEWEST_COLUMNS:
        return ""
    blocks = (values[i : i + _COLUMNS_AT_ONCE] for i in range(0, len(values), _COLUMNS_AT_ONCE))
    n_large = sum(int(np.any(np.stack(block) > _LARGE, axis=1).sum()) for block in blocks)
    if n_large < _SHARE_OF_LARGE * len(values):
        return ""
    cells = np.concatenate(values)
    if not np.isfinite(cells).all():
        cells = cells[np.isfinite(cells)]
    # In place, because there may be as many cells as half of the memory holds.
    if cells.min() < 0 or np.percentile(cells, 99, overwrite_input=True) <= _LARGE:
        return ""
    median = float(np.median(cells, overwrite_input=True))
    if cells.mean() < _SKEWED * median:
        return ""
    return (
        f"values look like raw intensities or counts (half of them below {median:.4g}, the largest "
        f"{cells.max():.4g}); --log takes log2(x + 1) of all numbers"
    )
