"""Shape tables with genes: samples as rows, annotations from another file, one column per gene."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._numbers import POINT, read_column
from bicneuron.tables._sheet import Column, Sheet, cells_of, listed, to_names, without_quotes
from bicneuron.tables._step import Step
from bicneuron.tables._steps import Probes


def transposed(path: Path, sheet: Sheet, why: str = "") -> Sheet:
    """Exchange rows and columns; the first column contains the names of the rows."""
    if sheet.row_names is not None:
        raise TableError(f"{path} states the names of its rows; leave out --read transpose=yes.")
    names = [without_quotes(name) for name in sheet.names]
    first, *others = sheet.columns
    # Symbols and descriptions of genes stand between their names and the samples.
    about = [*takewhile(lambda column: not max(read_column(column).n_read.values()), others[:-1])]
    notes = [*sheet.notes, f"rows and columns exchanged{why and f', {why}'}"]
    if about:
        described = listed(names[1 : 1 + len(about)])
        notes.append(f"{described} left out, about genes; --read genes=NAME names them by one")
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


def has_samples_in_columns(sheet: Sheet, wanted: Iterable[str]) -> bool:
    """True if the target, or the columns of a model, name rows and no columns."""
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
    may_transpose: bool,
) -> Sheet:
    """Join another table by row id; its columns are set aside."""
    names = [without_quotes(name) for name in other.names]
    guessed = ""
    if id_column is None:
        able = _columns_of_samples(sheet, other)
        if len(able) != 1:
            found = f"; {listed([names[j] for j in able])} do" if able else ""
            raise TableError(
                f"{other_path}: say with --id which column holds the ids of the samples{found}."
            )
        id_column, guessed = names[able[0]], ", which holds the names of samples; if not: --id"
    if id_column not in names:
        raise TableError(f"{other_path} has no column {id_column!r}. There are: {listed(names)}.")
    ids = to_names(other.columns[names.index(id_column)])
    twice = [name for name, n in Counter(ids).items() if n > 1]
    if twice:
        raise TableError(f"{other_path} has several rows for {listed(twice, 4)}; keep one of each.")
    sheet = _with_rows(path, sheet, other_path, ids, may_transpose)
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
    notes = [f"{other_path.name}: joined by {id_column!r}{guessed}"]
    notes += [f"{other_path.name}: {n_more} rows of no sample left out"] if n_more else []
    return replace(sheet, aside={**sheet.aside, **aside}, notes=[*sheet.notes, *notes])


def _columns_of_samples(sheet: Sheet, other: Sheet) -> list[int]:
    """Columns of another table that hold different names, most of them those of samples here."""
    named = map(without_quotes, sheet.names[1:]) if sheet.row_names is None else sheet.row_names
    able = _holding({*named}, other)
    if able or sheet.row_names is not None:
        return able
    columns = [column for column in sheet.columns if not isinstance(column, np.ndarray)]
    return sorted({j for column in columns for j in _holding({*to_names(column)}, other)})


def _holding(samples: set[str], other: Sheet) -> list[int]:
    able = []
    for j, names in enumerate(map(to_names, other.columns)):
        ids = {*names}
        is_most = 2 * len(ids & samples) > min(len(ids), len(samples))
        if is_most and len(ids) == len(names):
            able.append(j)
    return able


def _with_rows(
    path: Path, sheet: Sheet, other_path: Path, ids: Iterable[str], may_transpose: bool
) -> Sheet:
    """Return the table with the ids as row names, transposed if they name its columns."""
    known = set(ids)
    if sheet.row_names is not None and known & {*sheet.row_names}:
        return sheet
    if sheet.row_names is None:
        if may_transpose and known & {*map(without_quotes, sheet.names[1:])}:
            why = f"ids of {other_path.name} found as names of columns; if not: --read transpose=no"
            return transposed(path, sheet, why)
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
    """Find the column with the most ids, preferably the first that holds nothing else."""
    shares = []
    for column in sheet.columns:
        names = [] if isinstance(column, np.ndarray) else to_names(column)
        shares.append(len(known & {*names}))
        if names and shares[-1] == len({*names}):
            break
    return shares.index(max(shares)) if any(shares) else None


def named_by(path: Path, sheet: Sheet, source: str) -> Sheet:
    """Rename the genes of a table; those without another name keep their own."""
    if source not in sheet.other_names:
        known = listed(list(sheet.other_names)) or "none"
        raise TableError(
            f"{path} has no column {source!r} that names the genes. There are: {known}."
        )
    names = [
        other or name for name, other in zip(sheet.names, sheet.other_names[source], strict=True)
    ]
    return replace(sheet, names=names)


def one_per_gene(
    path: Path, sheet: Sheet, rule: str, steps: Iterable[Step] | None
) -> tuple[Sheet, tuple[Probes, ...]]:
    """Take one column of those with the same name, as in the fit if its steps are known.

    Only where the format says that columns are genes: elsewhere a name that is repeated is an
    error.
    """
    if sheet.row_names is None:
        return sheet, ()
    n_of = Counter(sheet.names)
    repeated = {name for name, n in n_of.items() if n > 1}
    known = {step.column: step for step in steps or () if isinstance(step, Probes)}
    found: dict[str, Probes] = {}
    columns: dict[str, Column] = {}
    groups: dict[str, list[Column]] = {}
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        if name in repeated:
            groups.setdefault(name, []).append(column)
        columns.setdefault(name, column)
    for name, group in groups.items():
        values = np.stack([read_column(column).by_mark[POINT] for column in group])
        step = known.get(name) or Probes(name, rule, _highest(values), len(group))
        if step.of != len(group):
            raise TableError(
                f"{path} has {len(group)} probes of {name!r}, and the table of the fit had "
                f"{step.of}; give it the same probes."
            )
        columns[name] = _mean(values) if step.rule == "mean" else group[step.taken]
        found[name] = step
    taken = replace(sheet, names=list(columns), columns=list(columns.values()), other_names={})
    return taken, tuple(found.values())


def _highest(values: FloatArray) -> int:
    """Index of the probe with the highest mean, the first of several."""
    means = [np.mean(row[~np.isnan(row)]) if np.any(~np.isnan(row)) else -np.inf for row in values]
    return int(np.argmax(means))


def _mean(values: FloatArray) -> FloatArray:
    n_there = np.sum(~np.isnan(values), axis=0)
    total = np.nansum(values, axis=0)
    return np.where(n_there > 0, total / np.maximum(n_there, 1), np.nan)
