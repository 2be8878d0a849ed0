"""Convert the columns of features to numbers, and collect notes and problems."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._budget import Budget
from bicneuron.tables._dates import lacks_year, read_date_column
from bicneuron.tables._ids import Role
from bicneuron.tables._missing import suspected_codes, suspected_dates
from bicneuron.tables._numbers import COMMA, POINT, Reading, leaves_mark_open, read_all
from bicneuron.tables._recognise import recognise
from bicneuron.tables._scales import several_units
from bicneuron.tables._sheet import (
    Column,
    cells_of,
    each_once,
    in_blocks,
    listed,
    shown,
    some,
    text_of,
    to_names,
)
from bicneuron.tables._step import ColumnResult, NumberFormat, Step, describe_steps
from bicneuron.tables._steps import (
    DIFFERENT,
    NO_NUMBER,
    Categories,
    Dates,
    LeftOut,
    Log,
    Numbers,
)
from bicneuron.tables._summaries import unnamed_summaries

# With fewer rows columns are the same by chance.
FEWEST_ROWS = 5
_NOTHING_WRONG: dict[int, str] = {}
_NO_YEAR = "is a date without a year, as spreadsheets make of 3/10 and of the gene MARCH1"
# With fewer columns it is hardly a table of expression, and if few of them have large values it is
# one of different measurements.
_FEWEST_COLUMNS, _SHARE_OF_LARGE = 100, 0.25
_LARGE, _SKEWED = 100.0, 1.5
_DIGIT = re.compile(r"\d")


class Look(NamedTuple):
    """Columns as they are read, and which of them number or name the rows."""

    columns: dict[str, Column]  # codes for missing values are gone, but in row names
    readings: dict[str, Reading]
    number_format: NumberFormat  # completed from what the columns show
    ids: Mapping[str, Role] = MappingProxyType({})  # columns that are ids, or may be
    id_column: str | None = None
    n_cells: Mapping[str, dict[str, int]] = MappingProxyType({})  # of each code, by column


class Options(NamedTuple):
    """How columns become numbers."""

    places: Sequence[str]  # names of the rows in messages
    budget: Budget | None = None  # memory for columns that are made from words
    keep_missing: bool = True  # as NaN; otherwise cells without a value are refused
    strict: bool = False  # refuse what would be converted or left out
    log: bool = False  # take the logarithms of numbers


class Prepared(NamedTuple):
    """Features as numbers, the steps that a fit chose, notes and problems."""

    values: dict[str, FloatArray]
    steps: tuple[Step, ...]
    notes: list[str]
    problems: list[str]


def read_columns(columns: Mapping[str, Column], number_format: NumberFormat) -> Look:
    """Read columns as numbers, and complete the number format from what the columns show.

    What the user has stated is not changed.
    """
    readings = read_all(columns)
    if number_format.day_first is None:
        texts = [columns[name] for name, reading in readings.items() if reading.is_text]
        number_format = number_format._replace(day_first=_order_of(texts))
    if number_format.decimal == COMMA or any(map(leaves_mark_open, readings.values())):
        converted = [name for name, reading in readings.items() if reading.was_converted]
        readings |= read_all({name: columns[name] for name in converted}, closely=True)
        votes = Counter(reading.own_mark for reading in readings.values() if not reading.is_text)
        number_format = number_format._replace(decimal=number_format.decimal or _majority(votes))
    return Look(dict(columns), readings, number_format)


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


def prepare(  # noqa: C901  # one kind of column after the other
    look: Look, names: Iterable[str], options: Options, steps: Sequence[Step] | None = None
) -> Prepared:
    """Convert columns to numbers by the steps of a fit, or else as they are recognised."""
    columns = {name: look.columns[name] for name in names}
    is_fit = steps is None
    found = _recognised(columns, look) if steps is None else _of_fit(columns, steps)
    if options.budget is not None:  # up to ten columns are made from one of words
        n_made = sum(len(step.levels) for step in found.values() if isinstance(step, Categories))
        options.budget.spend_on_made_columns(len(options.places), n_made)
    done = {
        name: _applied(name, step, columns[name], look.readings[name], look.number_format)
        for name, step in found.items()
    }
    if is_fit:
        found |= _useless(found, done)
        done = {name: done[name] for name, step in found.items() if not isinstance(step, LeftOut)}
        steps = (*filter(None, found.values()), *(Log(),) * options.log)
    steps = tuple(steps or ())
    about = describe_steps(steps) if is_fit else []
    problems = [*_problems(columns, done, options)]
    if options.strict:
        problems += [f"without --read strict=yes: {line}." for line in about]
    problems += _clashes(found) if is_fit else []
    about += _about_texts(columns, found) if is_fit else []
    notes = about + [note for made in done.values() for note in made.notes]
    holes = [f"{name!r} ({len(made.missing)})" for name, made in done.items() if made.missing]
    if holes and options.keep_missing:
        notes.append(f"cells without a value are kept as missing: {some(holes)}")
    numbers = {
        name: made.values
        for name, made in done.items()
        if isinstance(found[name], Numbers | None) and not made.refused
    }
    if is_fit:
        problems += unnamed_summaries((values[0] for values in numbers.values()), options.places)
        if dates := [name for name in columns if lacks_year(name)]:
            notes.append(
                f"columns called {listed(dates)}, as spreadsheets make of MARCH1; rename them"
            )
        words = {name: one.levels for name, one in found.items() if isinstance(one, Categories)}
        notes += several_units(words, numbers)
        notes += suspected_codes(
            {name: values[0] for name, values in numbers.items()}, options.places
        )
    for name, made in done.items():
        if isinstance(found[name], Dates) and made.values:
            cells = cells_of(columns[name])
            notes += suspected_dates(name, made.values[0], cells, options.places)
    if any(isinstance(step, Log) for step in steps):
        problems += _take_logarithms(numbers, options.places)
    elif is_fit and (hint := hint_at_log([one for values in numbers.values() for one in values])):
        notes.append(hint)
    return Prepared(_features(found, done), steps if is_fit else (), notes, problems)


def _recognised(columns: Mapping[str, Column], look: Look) -> dict[str, Step | None]:
    return {
        name: recognise(name, column, look.readings[name], look.number_format)
        for name, column in columns.items()
    }


def _of_fit(columns: Iterable[str], steps: Iterable[Step]) -> dict[str, Step | None]:
    known = {step.column: step for step in steps if step.features or isinstance(step, LeftOut)}
    return {name: known.get(name) for name in columns}


def _applied(
    name: str, step: Step | None, column: Column, reading: Reading, number_format: NumberFormat
) -> ColumnResult:
    if step is None and reading.was_converted:  # as most of a million columns
        return ColumnResult([reading.by_mark[POINT]], reading.missing, _NOTHING_WRONG)
    made = (step or Numbers(name)).apply(column, reading, number_format)
    dates = [row for row, is_one in enumerate(each_once(lacks_year, cells_of(column))) if is_one]
    return made._replace(wrong={**made.wrong, **dict.fromkeys(dates, _NO_YEAR)}) if dates else made


def _features(
    found: Mapping[str, Step | None], done: Mapping[str, ColumnResult]
) -> dict[str, FloatArray]:
    features: dict[str, FloatArray] = {}
    for name, made in done.items():
        step = found[name]
        if not made.refused:
            names = (name,) if step is None else step.features
            features |= zip(names, made.values, strict=True)
    return features


def _take_logarithms(
    numbers: Mapping[str, list[FloatArray]], places: Sequence[str]
) -> Iterable[str]:
    """Replace values by log2(x + 1); yield a line for each column with negative values."""
    for name, values in numbers.items():
        negative = np.flatnonzero(values[0] < 0)
        if len(negative):
            row = int(negative[0])
            yield (
                f"column {name!r}, {places[row]}, is {values[0][row]:g}, and --read log=yes takes "
                "values of 0 or more. Leave it out if they are logarithms, or --drop the column."
            )
        else:
            values[0] = np.log2(values[0] + 1.0)


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
    # The first cells tell most columns apart. -0.0 is 0.0.
    starts = {name: (done[name].values[0][:FEWEST_ROWS] + 0.0).tobytes() for name in judged}
    n_with = Counter(starts.values())
    for name in judged:
        values = done[name].values[0]
        if values[0] == values[-1] and np.all(values == values[0]):
            left_out[name] = LeftOut(name, "the same in all rows")
        elif n_with[starts[name]] > 1:
            # A digest: the columns themselves are kept elsewhere already.
            digest = blake2b((values + 0.0).data, digest_size=16).digest()
            first = seen.setdefault(digest, name)
            if first != name:
                left_out[name] = LeftOut(name, f"the same as {first!r}")
    return left_out


def _clashes(found: Mapping[str, Step | None]) -> list[str]:
    """Find columns with the name of a feature that another column makes."""
    made_of = {feature: step.column for step in found.values() if step for feature in step.features}
    return [
        f"has a column {name!r}, and column {made_of[name]!r} makes a feature of this name; rename "
        "one of them."
        for name in found
        if made_of.get(name, name) != name
    ]


def _about_texts(columns: Mapping[str, Column], found: Mapping[str, Step | None]) -> Iterable[str]:
    """Say which columns are left out as text, though most cells are like 120/80."""
    texts = [name for name, step in found.items() if step and step == LeftOut(name, DIFFERENT)]
    said = []
    for name in texts:
        words = [*filter(None, to_names(columns[name]))]
        with_digits = [word for word in words if 3 * len(_DIGIT.findall(word)) >= len(word)]
        if 2 * len(with_digits) > len(words):
            said.append(f"{name!r} such as {shown(max(with_digits, key=len))}")
    numbers = "to use their numbers, write each plainly in a column of its own"
    return [f"texts with digits left out: {some(said)}; {numbers}"] if said else []


def _problems(
    columns: Mapping[str, Column], done: Mapping[str, ColumnResult], options: Options
) -> Iterable[str]:
    """Yield a line for each column with a problem, and one line for all missing cells."""
    places = options.places
    for name, made in done.items():
        if made.refused:
            yield f"column {name!r} {made.refused}"
        if made.wrong:
            row, why = next(iter(sorted(made.wrong.items())))
            more = f" ({len(made.wrong)} such cells)" if len(made.wrong) > 1 else ""
            cell = cells_of(columns[name])[row]
            is_word = why.startswith(NO_NUMBER) and not _DIGIT.search(text_of(cell))
            way = f", take it as missing with --read missing={shlex.quote(text_of(cell))},"
            yield (
                f"column {name!r}, {places[row]}, is {shown(cell)}, which {why}{more}. "
                f"Correct it{way * is_word} or leave the column out with --drop."
            )
    holes = {name: made.missing for name, made in done.items() if made.missing}
    if holes and not options.keep_missing:
        name, rows = next(iter(holes.items()))
        others = [f"{other!r} ({len(holes[other])})" for other in holes if other != name]
        more = f"; so do {len(others)} more columns: {some(others)}" if others else ""
        yield (
            f"column {name!r} lacks {len(rows)} of {len(places)} values, the first in "
            f"{places[rows[0]]}{more}. Fill them in (by the median, say), or leave out the columns "
            "or the rows."
        )


def hint_at_log(values: Sequence[FloatArray]) -> str:
    """Return a hint if values look like raw intensities, otherwise an empty text.

    The rule of GEO2R, that the 99th percentile is above 100 where there is nothing negative, with
    large values in many columns and a mean well above the median besides: columns of a laboratory
    have large values, too.
    """
    if len(values) < _FEWEST_COLUMNS:
        return ""
    n_large = sum(int(np.any(block > _LARGE, axis=1).sum()) for block in in_blocks(values))
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
        f"{cells.max():.4g}); --read log=yes takes log2(x + 1) of all numbers"
    )
