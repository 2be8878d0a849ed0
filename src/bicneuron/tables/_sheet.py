"""A table as a file holds it, and its shape: samples as rows, one column per gene."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import but_for_case
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import (
    POINT,
    Column,
    cells_of,
    listed,
    names_of,
    read_column,
    without_quotes,
    word_set,
)


@dataclass(frozen=True)
class Sheet:
    """Columns as a file holds them."""

    names: list[str]  # some may be repeated or empty
    columns: list[Column]
    aside: dict[str, Column] = field(default_factory=dict)  # no features
    row_names: list[str] | None = None  # for formats that have them
    notes: list[str] = field(default_factory=list)  # on what was guessed
    row_source: str = "obs_names"
    row_numbers: Sequence[int] = ()  # in the file, from 1 on; empty if no row was left out
    other_names: dict[str, list[str]] = field(default_factory=dict)  # of genes: symbols, say

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @property
    def numbers(self) -> Sequence[int]:
        """Numbers of the rows in the file."""
        return self.row_numbers or range(1, self.n_rows + 1)

    def with_rows(self, rows: Sequence[int]) -> "Sheet":
        """The table with these rows only, by position."""
        return replace(
            self,
            columns=[_taken(column, rows) for column in self.columns],
            aside={name: _taken(column, rows) for name, column in self.aside.items()},
            row_names=None if self.row_names is None else [self.row_names[row] for row in rows],
            row_numbers=[self.numbers[row] for row in rows],
        )


def _taken(column: Column, rows: Sequence[int]) -> Column:
    is_list = isinstance(column, list)
    return [column[row] for row in rows] if is_list else column[np.asarray(rows, dtype=np.intp)]


def in_known_case(sheet: Sheet, wanted: Sequence[str]) -> tuple[Sheet, list[str]]:
    """Call columns that were named in another case so, with a note."""
    cleaned = [without_quotes(name) for name in sheet.names]
    alike = but_for_case(wanted, [*cleaned, *sheet.aside])
    if not alike:
        return sheet, []
    (first, like), n = next(iter(alike.items())), len(alike)
    more = f" and {n - 1} more" if n > 1 else ""
    pairs = zip(sheet.names, cleaned, strict=True)
    aside = {alike.get(name, name): column for name, column in sheet.aside.items()}
    renamed = replace(sheet, names=[alike.get(c, name) for name, c in pairs], aside=aside)
    return renamed, [f"column {first!r} taken for {like!r}{more}, ignoring case"]


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
    samples = others[len(about) :]
    columns: list[Column]
    if all(isinstance(column, np.ndarray) for column in samples):
        columns = [*np.ascontiguousarray(np.column_stack(samples))]
    else:
        columns = [list(row) for row in zip(*map(cells_of, samples), strict=True)]
    return Sheet(
        names_of(first),
        columns,
        aside=sheet.aside,
        row_names=names[1 + len(about) :],
        row_source="the names of the columns",
        notes=notes,
        other_names=dict(zip(names[1:], map(names_of, about), strict=False)),
    )


def has_samples_in_columns(sheet: Sheet, wanted: Iterable[str]) -> bool:
    """True if the target, or the columns of a model, name rows and no columns."""
    sought = set(wanted)
    if sheet.row_names is not None or len(sheet.columns) < 2 or not sought:
        return False
    is_there = not sought.isdisjoint(map(without_quotes, sheet.names))
    return not is_there and not sought.isdisjoint(names_of(sheet.columns[0]))


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
    ids = names_of(other.columns[names.index(id_column)])
    twice = [name for name, n in Counter(ids).items() if n > 1]
    if twice:
        raise TableError(f"{other_path} has several rows for {listed(twice, 4)}; keep one of each.")
    sheet = _with_rows(path, sheet, other_path, ids, may_transpose)
    samples = sheet.row_names or []
    place = {name: row for row, name in enumerate(ids)}
    lacking = [name for name in samples if name not in place]
    if lacking:
        raise TableError(
            f"{other_path} has no row for {len(lacking)} of {len(samples)} samples of "
            f"{path}: {listed(lacking, 4)}. Add them, or leave these samples out."
        )
    rows = [place[name] for name in samples]
    columns = zip(names, other.columns, strict=True)
    aside = {name: _taken(column, rows) for name, column in columns if name != id_column}
    n_more = len(ids) - len(samples)
    notes = [f"{other_path.name}: joined by {id_column!r}{guessed}"]
    notes += [f"{other_path.name}: {n_more} rows of no sample left out"] if n_more else []
    return replace(sheet, aside={**sheet.aside, **aside}, notes=[*sheet.notes, *notes])


def _columns_of_samples(sheet: Sheet, other: Sheet) -> list[int]:
    """Columns of another table that hold different names, most of them those of samples here."""
    named = map(without_quotes, sheet.names[1:]) if sheet.row_names is None else sheet.row_names
    able = _holding({*named}, other)
    if able or sheet.row_names is not None:
        return able
    columns = [column for column in sheet.columns if isinstance(column, list)]
    return sorted({j for column in columns for j in _holding({*names_of(column)}, other)})


def _holding(samples: set[str], other: Sheet) -> list[int]:
    able = []
    for j, names in enumerate(map(names_of, other.columns)):
        ids = {*names}
        is_most = 2 * len(ids & samples) > min(len(ids), len(samples))
        able += [j] * (is_most and len(ids) == len(names))
    return able


def _with_rows(
    path: Path, sheet: Sheet, other_path: Path, ids: Iterable[str], may_transpose: bool
) -> Sheet:
    """The table with the ids as row names, transposed if they name its columns."""
    known = set(ids)
    if sheet.row_names is not None and known & {*sheet.row_names}:
        return sheet
    if sheet.row_names is None:
        if may_transpose and known & {*map(without_quotes, sheet.names[1:])}:
            why = f"ids of {other_path.name} found as names of columns; if not: --read transpose=no"
            return transposed(path, sheet, why)
        named = [{*names_of(column)} for column in sheet.columns]
        shares = [len(known & names) for names in named]
        if any(shares):  # preferably the first that holds nothing else
            pure = (j for j, names in enumerate(named) if names and names <= known)
            best = next(pure, shares.index(max(shares)))
            rest = [j for j in range(len(sheet.columns)) if j != best]
            return Sheet(
                [sheet.names[j] for j in rest],
                [sheet.columns[j] for j in rest],
                aside=sheet.aside,
                row_names=names_of(sheet.columns[best]),
                row_source=f"column {sheet.names[best]!r}",
                notes=sheet.notes,
            )
    found = sheet.row_names or names_of(sheet.columns[0])
    raise TableError(
        f"{path} has none of the ids of {other_path}, such as {listed(sorted(known), 2)}; its own "
        f"are such as {listed(found, 2)}. Name the column of ids with --id, or make them the same."
    )


def named_by(path: Path, sheet: Sheet, source: str) -> Sheet:
    """Rename the genes of a table; those without another name keep their own."""
    if source not in sheet.other_names:
        known = listed(sheet.other_names) or "none"
        raise TableError(
            f"{path} has no column {source!r} that names the genes. There are: {known}."
        )
    pairs = zip(sheet.names, sheet.other_names[source], strict=True)
    return replace(sheet, names=[other or name for name, other in pairs])


def one_per_gene(
    path: Path, sheet: Sheet, of_fit: dict[str, list[int]] | None
) -> tuple[Sheet, dict[str, list[int]]]:
    """Take of several probes of a gene the one with the highest mean, or the one of the fit.

    Return its place among how many, too. Only where the format says that columns are genes:
    elsewhere a name that is repeated is an error.
    """
    groups: dict[str, list[Column]] = {}
    for name, column in zip(sheet.names, sheet.columns, strict=True):
        groups.setdefault(name, []).append(column)
    if sheet.row_names is None or len(groups) == len(sheet.names):
        return sheet, {}
    taken: dict[str, list[int]] = {}
    for name, group in groups.items():
        if len(group) == 1:
            continue
        values = np.stack([read_column(column).by_mark[POINT] for column in group])
        n_there = np.isfinite(values).sum(axis=1)
        means = np.where(n_there > 0, np.nansum(values, axis=1) / np.maximum(n_there, 1), -np.inf)
        taken[name] = (of_fit or {}).get(name) or [int(np.argmax(means)), len(group)]
        if taken[name][1] != len(group):
            raise TableError(
                f"{path} has {len(group)} probes of {name!r}, and the table of the fit had "
                f"{taken[name][1]}; give it the same probes."
            )
    columns = [
        group[taken[name][0]] if name in taken else group[0] for name, group in groups.items()
    ]
    note = f"{listed(taken)}: of several probes the one with the highest mean taken"
    notes = [*sheet.notes, note]
    return replace(sheet, names=[*groups], columns=columns, other_names={}, notes=notes), taken


def summaries(sheet_names: Sequence[str], columns: Sequence[Column]) -> tuple[int, str]:
    """How many last rows are called mean, sum or the like where the others have ids, and a note."""
    for name, column in islice(zip(sheet_names, columns, strict=True), 100):
        last = names_of(column[max(0, len(column) - 12) :])[::-1]
        called = [{*_WORDS.findall(word.casefold())} for word in last]
        n = next((i for i, one in enumerate(called) if not one or one - _SUMMARIES - _BESIDE), 0)
        if all(map(_SUMMARIES.isdisjoint, called[:n])):
            continue
        ids = names_of(column)[:-n]
        are_ids = len({*ids}) == len(ids) or all(one.isdecimal() for one in ids)
        if are_ids or not (called[0] & _ALSO_OTHERS or {*ids} & {*last[:n]}):
            words = listed(dict.fromkeys(last[:n][::-1]))
            return n, f"rows below the data left out: {n}, called {words} in column {name!r}"
    return 0, ""


_WORDS = re.compile(r"\w+")
_SUMMARIES = word_set(
    "mean means average avg mittelwert mittel mw durchschnitt moyenne media promedio median sum "
    "sums total totals summe gesamt somme suma totale sd std stdev standardabw standardabweichung"
)
# Beside them; elsewhere n means no, and media and total are not summaries.
_BESIDE = word_set("n min max minimum maximum range count anzahl se sem abw iqr cv")
_ALSO_OTHERS = word_set("media mittel mw total totale totals sum suma gesamt") | _BESIDE


@np.errstate(over="ignore", invalid="ignore")
def unnamed_summary(columns: Sequence[FloatArray], places: Sequence[str]) -> str:
    """The problem with a last row that has the sums or the means of all rows above."""
    n_rows = len(places)
    values = np.column_stack([np.empty((n_rows, 0)), *columns[:100]])
    for row in range(max(5, n_rows - 12), n_rows if n_rows <= 10_000 else 0):
        is_filled = np.isfinite(values[: row + 1]).all(axis=0) & (values[row] != 0)
        above, found = values[:row, is_filled], values[row, is_filled]
        is_larger = found > above.max(axis=0)
        if (
            np.all(np.abs(above.sum(axis=0) - found) <= 1e-3 * np.abs(found))
            and is_larger.sum() > 1
        ):
            what = "sum"
        # Rounded, with a digit more than the rows: no row of data is so near in three columns.
        elif len(found) > 2 and np.all(
            np.abs(above.mean(axis=0) - found) < 0.02 * above.std(axis=0)
        ):
            what = "mean"
        else:
            continue
        return (
            f"{places[row]} holds the {what} of the rows above in all columns of numbers. "
            "Leave out such rows and those below."
        )
    return ""
