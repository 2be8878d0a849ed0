"""Which rows and columns of a large table are searched, by their content alone."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray
from bicneuron._shared._scaling import Columns
from bicneuron.biclustering._subgroups import _blocks, _table
from bicneuron.biclustering._subgroups._blocks import EVERYTHING, BlockTable, Learnt
from bicneuron.biclustering._subgroups._wide import Screen, screened

# Columns of a table that is searched whole; so many are searched of a larger one.
MOST_COLUMNS = 20_000
# Rows that are searched of a large table: a group of 1 % has 40 of them.
ROWS_OF_LARGE = 4000


class Part(NamedTuple):
    """Rows and columns that are searched."""

    rows: Columns
    columns: Columns
    screen: Screen | None = None
    n_components: int = max(_table.N_REMOVED)  # of all columns, at most

    @property
    def is_whole(self) -> bool:
        """True if all of the table is searched."""
        return self.rows is EVERYTHING and self.columns is EVERYTHING


def searched_part(table: BlockTable, learnt: Learnt, in_class: Mapping[Any, BoolArray]) -> Part:
    """The part of a table that is searched: all of it, unless it is large."""
    n_rows, n_columns = table.shape
    rows: Columns = EVERYTHING
    order = np.argsort(learnt.rows, kind="stable")
    if n_rows > _table.MOST_ROWS:  # half of them of all rows, half shared by the classes
        chosen = np.zeros(n_rows, dtype=bool)
        chosen[order[: ROWS_OF_LARGE // 2]] = True
        for own in in_class.values():
            of_class = order[(own & ~chosen)[order]]
            chosen[of_class[: ROWS_OF_LARGE // (2 * len(in_class))]] = True
        rows = np.flatnonzero(chosen)
    if n_columns <= MOST_COLUMNS:
        return Part(rows, EVERYTHING)
    some = order[: _table.SEED_ROWS]
    blocks = _blocks.column_blocks((len(some), n_columns))
    screen = screened(table.standard(some, columns) for columns in blocks)
    n_components = _table.count_components(table.standard(some, columns) for columns in blocks)
    return Part(rows, screen.columns(MOST_COLUMNS), screen, n_components)
