"""What every format is read into, before columns get their roles."""

from dataclasses import dataclass, field
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
    """

    names: list[str]
    columns: list[Column]
    aside: dict[str, Column] = field(default_factory=dict)
    row_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    row_source: str = "obs_names"


def cells_of(column: Column) -> list[Any]:
    """The cells as Python values."""
    if isinstance(column, list):
        return column
    if isinstance(column, np.ndarray):
        return list(column.tolist())
    return list(column.to_pylist())
