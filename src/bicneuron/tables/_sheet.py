"""What every format is read into, before columns get their roles."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

# Python values, an array of numbers, or what pyarrow reads.
Column: TypeAlias = "list[Any] | np.ndarray[Any, Any] | pa.ChunkedArray"


@dataclass(frozen=True)
class Sheet:
    """Columns as a file holds them.

    Parameters
    ----------
    names : list of str
        Names of the columns; some may be repeated or empty.
    columns : list of columns
    aside : dict of columns, default={}
        Columns that may hold the target or the row names but no feature, by name.
    row_names : list of str, default=None
        Where the format itself has row names.
    notes : list of str, default=[]
        What was guessed.
    row_source : str, default="obs_names"
        Where row names of the format come from.
    row_numbers : list of int, default=None
        Numbers of the rows in the file, from 1 on; None if none was left out.
    other_names : dict of str to list of str, default={}
        Other names of the columns, where genes are in rows: symbols, for example.
    opened : dict of str to int, default={}
        Cells of several lines, and the line of the file where the quote before them opens.
    """

    names: list[str]
    columns: list[Column]
    aside: dict[str, Column] = field(default_factory=dict)
    row_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    row_source: str = "obs_names"
    row_numbers: list[int] | None = None
    other_names: dict[str, list[str]] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0])

    def with_rows(self, rows: Sequence[int]) -> "Sheet":
        """Only these rows, by place."""
        numbers = self.row_numbers or range(1, self.n_rows + 1)
        names = self.row_names
        return replace(
            self,
            columns=[_taken(column, rows) for column in self.columns],
            aside={name: _taken(column, rows) for name, column in self.aside.items()},
            row_names=None if names is None else [names[row] for row in rows],
            row_numbers=[numbers[row] for row in rows],
        )


def _taken(column: Column, rows: Sequence[int]) -> Column:
    if isinstance(column, list):
        return [column[row] for row in rows]
    if isinstance(column, np.ndarray):
        return column[list(rows)]
    return column.take(list(rows))


def cells_of(column: Column) -> list[Any]:
    """The cells as Python values."""
    if isinstance(column, list):
        return column
    if isinstance(column, np.ndarray):
        return list(column.tolist())
    return list(column.to_pylist())
