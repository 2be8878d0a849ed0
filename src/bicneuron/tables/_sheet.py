"""A table as a file or a frame holds it, and its shape: samples as rows, one column per gene."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables import _cells
from bicneuron.tables._cells import Column, cells_of, listed, names_of, without_quotes, word_set

_WORDS = re.compile(r"\w+")
_MOST_ROWS = 10_000  # of which the last are compared with the sums of those above
_SUMMARIES = word_set("mean average median sum total sd mittelwert durchschnitt summe gesamt")


@dataclass(frozen=True)
class Sheet:
    """Columns as a file holds them."""

    names: list[str]  # some may be repeated or empty
    columns: list[Column]
    aside: dict[str, Column] = field(default_factory=dict)  # no features
    row_names: list[str] | None = None  # for formats that have them
    notes: list[str] = field(default_factory=list)  # on what was guessed
    row_numbers: Sequence[int] = ()  # in the file, from 1 on; empty if no row was left out

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
            columns=[taken(column, rows) for column in self.columns],
            aside={name: taken(column, rows) for name, column in self.aside.items()},
            row_names=None if self.row_names is None else [self.row_names[row] for row in rows],
            row_numbers=[self.numbers[row] for row in rows],
        )


def taken(column: Column, rows: Sequence[int]) -> Column:
    return [column[row] for row in rows] if isinstance(column, list) else column[[*rows]]


def of_frame(frame: Any) -> Sheet:
    """The columns of a frame of pandas or polars."""
    places = range(len(frame.columns))
    series = (frame.iloc[:, j] if hasattr(frame, "iloc") else frame[:, j] for j in places)
    return Sheet([*map(str, frame.columns)], [column_of(one.to_numpy()) for one in series])


def column_of(array: Any) -> Column:
    """Numbers as float64, other cells as values of Python with None for those that are missing."""
    if array.dtype.kind in "iuf":
        return np.array(array, dtype=np.float64)
    array = array.astype("datetime64[us]") if array.dtype.kind == "M" else array
    # NaN, NaT and NA are not equal to themselves, or it is unknown whether they are.
    cells = [
        cell if isinstance(cell, str) or str(cell == cell) == "True" else None
        for cell in array.tolist()
    ]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {int, float}:
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return cells


def transposed(path: Path, sheet: Sheet, why: str = "", n_about: int | None = None) -> Sheet:
    """Exchange rows and columns; between names and samples are ``n_about`` columns about genes."""
    if sheet.row_names is not None:
        raise TableError(f"{path} states the names of its rows; leave out --read transpose=yes.")
    names, notes = [*map(without_quotes, sheet.names)], [*sheet.notes]
    first, *others = sheet.columns
    if n_about is None:  # those without a number, as symbols and descriptions
        has_numbers = (np.isfinite(_cells.read_column(one).values).any() for one in others[:-1])
        n_about = next((j for j, has in enumerate(has_numbers) if has), len(others[:-1]))
        notes.append(f"rows and columns exchanged{why and f', {why}'}")
        if n_about:
            notes.append(f"{listed(names[1 : 1 + n_about])} left out, about genes")
    samples = others[n_about:]
    if all(isinstance(column, np.ndarray) for column in samples):
        columns: list[Column] = [*np.ascontiguousarray(np.column_stack(samples))]
    else:
        columns = [list(row) for row in zip(*map(cells_of, samples), strict=True)]
    return Sheet(names_of(first), columns, row_names=names[1 + n_about :], notes=notes)


def with_probes(sheet: Sheet) -> Sheet:
    """Number the probes of a gene where the columns are genes; elsewhere they are an error."""
    if sheet.row_names is None or len({*sheet.names}) == len(sheet.names):
        return sheet
    seen, names = Counter[str](), list[str]()
    for name in sheet.names:
        seen[name] += 1
        names.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    several = listed(name for name, n in seen.items() if n > 1)
    return replace(sheet, names=names, notes=[*sheet.notes, f"probes numbered: {several}"])


def joined(
    path: Path, sheet: Sheet, other_path: Path, other: Sheet, id_column: str | None, *, turn: bool
) -> Sheet:
    """Join another table by row id; its columns are set aside."""
    columns = {without_quotes(n): c for n, c in zip(other.names, other.columns, strict=True)}
    if id_column not in columns:
        way = "say with --id which column holds the ids of the samples"
        raise TableError(f"{other_path}: {way}, not {id_column!r}. There are: {listed(columns)}.")
    ids = names_of(columns.pop(id_column))
    why = f"ids of {other_path.name} found as names of columns; if not: --read transpose=no"
    known = {*filter(None, ids)}
    if sheet.row_names is None and turn and known & {*map(without_quotes, sheet.names[1:])}:
        sheet = transposed(path, sheet, why)
    elif sheet.row_names is None:  # the column with most of the ids
        named = max(map(names_of, sheet.columns), key=lambda names: len(known.intersection(names)))
        sheet = replace(sheet, row_names=named)
    samples = sheet.row_names or []
    wrong = [name for name in samples if ids.count(name) != 1]
    if wrong:
        lacks = f"{len(wrong)} of {len(samples)} samples of {path}, {listed(wrong, 4)}"
        way = f"Its ids are such as {listed(ids, 2)}; name their column with --id."
        said = "must have one row for each sample, and has not for"
        raise TableError(f"{other_path} {said} {lacks}. {way}")
    notes = [*sheet.notes, f"{other_path.name}: joined by {id_column!r}"]
    if len(ids) > len(samples):
        notes.append(f"{other_path.name}: {len(ids) - len(samples)} rows of no sample left out")
    rows = [ids.index(name) for name in samples]
    beside = {name: taken(one, rows) for name, one in columns.items()}
    return replace(sheet, aside={**sheet.aside, **beside}, notes=notes)


@np.errstate(over="ignore", invalid="ignore")
def summary_below(columns: Sequence[FloatArray], places: Sequence[str]) -> str:
    """The problem with a last row that is called so, or has the sums or means of the rows above."""
    n_columns = 100 if len(places) <= _MOST_ROWS else 0
    values = np.column_stack([np.empty((len(places), 0)), *columns[:n_columns]])
    for row in range(max(5, len(places) - 12), len(places)):
        name = {*_WORDS.findall(places[row].partition("(")[2].casefold())}
        is_filled = np.isfinite(values[: row + 1]).all(axis=0) & (values[row] != 0)
        above, found = values[:row, is_filled], values[row, is_filled]
        is_sum = np.abs(above.sum(axis=0) - found) <= 1e-3 * np.abs(found)
        # Rounded, with a digit more than the rows: no row of data is so near in three columns.
        is_mean = np.abs(above.mean(axis=0) - found) < 0.02 * above.std(axis=0)
        are_sums = is_sum.all() and (found > above.max(axis=0)).sum() > 1
        if (name and name <= _SUMMARIES) or are_sums or (is_mean.all() and len(found) > 2):
            return f"{places[row]} is a sum, a mean or the like of the rows above; leave it out."
    return ""
