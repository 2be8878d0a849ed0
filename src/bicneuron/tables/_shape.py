"""Which way round a table is, and what another file says about its rows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np

from bicneuron.exceptions import TableError
from bicneuron.tables._cells import listed, to_names, without_quotes
from bicneuron.tables._numbers import read_column
from bicneuron.tables._sheet import Sheet, cells_of


def turned(path: Path, sheet: Sheet, why: str = "") -> Sheet:
    """The table with its columns as rows; the first column names what was a row."""
    if sheet.row_names is not None:
        raise TableError(f"{path} says itself what its rows are; leave out --transpose.")
    names = [without_quotes(name) for name in sheet.names]
    first, *others = sheet.columns
    # Symbols and descriptions of genes stand between their names and the samples.
    about = [*takewhile(lambda column: not max(read_column(column).n_read.values()), others[:-1])]
    notes = [*sheet.notes, f"rows and columns exchanged{why and f', {why}'}"]
    if about:
        told = listed(names[1 : 1 + len(about)])
        notes.append(f"{told} left out, about genes; --genes takes one of them as their names")
    return Sheet(
        to_names(first),
        [list(row) for row in zip(*map(cells_of, others[len(about) :]), strict=True)],
        aside=sheet.aside,
        row_names=names[1 + len(about) :],
        row_source="the names of the columns",
        notes=notes,
        other_names={
            name: to_names(column) for name, column in zip(names[1:], about, strict=False)
        },
    )


def is_other_way_round(sheet: Sheet, wanted: Iterable[str]) -> bool:
    """Whether the target, or the columns of a model, name rows and no columns."""
    if sheet.row_names is not None or len(sheet.columns) < 2:
        return False
    sought = set(wanted)
    if not sought or sought & {*map(without_quotes, sheet.names)}:
        return False
    return not sought.isdisjoint(to_names(sheet.columns[0]))


def joined(
    path: Path,
    sheet: Sheet,
    other_path: Path,
    other: Sheet,
    id_column: str | None,
    *,
    may_turn: bool,
) -> Sheet:
    """The table, with the columns of another one set aside, row by row of the same id."""
    names = [without_quotes(name) for name in other.names]
    if id_column is None:
        raise TableError(f"{other_path}: say with --id which column holds the ids of the samples.")
    if id_column not in names:
        raise TableError(f"{other_path} has no column {id_column!r}. There are: {listed(names)}.")
    ids = to_names(other.columns[names.index(id_column)])
    twice = [name for name, n in Counter(ids).items() if n > 1]
    if twice:
        raise TableError(f"{other_path} has several rows for {listed(twice, 4)}; keep one of each.")
    sheet = _with_rows(path, sheet, other_path, ids, may_turn)
    assert sheet.row_names is not None  # that is where the ids were found
    place = {name: row for row, name in enumerate(ids)}
    lacking = [name for name in sheet.row_names if name not in place]
    if lacking:
        raise TableError(
            f"{other_path} has no row for {len(lacking)} of {len(sheet.row_names)} samples of "
            f"{path}: {listed(lacking, 4)}. Add them, or leave these samples out."
        )
    aside = {
        name: [cells[place[row]] for row in sheet.row_names]
        for name, cells in zip(names, map(cells_of, other.columns), strict=True)
        if name != id_column
    }
    n_more = len(ids) - len(sheet.row_names)
    notes = [f"{other_path.name}: joined by {id_column!r}"]
    notes += [f"{other_path.name}: {n_more} rows of no sample left out"] if n_more else []
    return replace(sheet, aside={**sheet.aside, **aside}, notes=[*sheet.notes, *notes])


def _with_rows(
    path: Path, sheet: Sheet, other_path: Path, ids: Iterable[str], may_turn: bool
) -> Sheet:
    """The table with the ids as row names, the other way round if they are its columns."""
    known = set(ids)
    if sheet.row_names is not None and known & {*sheet.row_names}:
        return sheet
    if sheet.row_names is None:
        if may_turn and known & {*map(without_quotes, sheet.names[1:])}:
            why = f"ids of {other_path.name} found as names of columns; if not: --no-transpose"
            return turned(path, sheet, why)
        best = _column_of_ids(sheet, known)
        if best is not None:
            rest = [j for j in range(len(sheet.columns)) if j != best]
            return Sheet(
                [sheet.names[j] for j in rest],
                [sheet.columns[j] for j in rest],
                aside=sheet.aside,
                row_names=to_names(sheet.columns[best]),
                row_source=f"column {sheet.names[best]!r}",
                notes=sheet.notes,
            )
    found = sheet.row_names or to_names(sheet.columns[0])
    raise TableError(
        f"{path} has none of the ids of {other_path}, such as {listed(sorted(known), 2)}; its own "
        f"are such as {listed(found, 2)}. Name the column of ids with --id, or make them the same."
    )


def _column_of_ids(sheet: Sheet, known: set[str]) -> int | None:
    """The column with the most ids; the first that holds nothing else is not beaten."""
    shares = []
    for column in sheet.columns:
        names = [] if isinstance(column, np.ndarray) else to_names(column)
        shares.append(len(known & {*names}))
        if names and shares[-1] == len({*names}):
            break
    return shares.index(max(shares)) if any(shares) else None
