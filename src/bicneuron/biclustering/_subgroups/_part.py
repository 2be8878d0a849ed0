"""Which rows and columns of a large table are searched, by their content alone."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, IndexArray
from bicneuron._shared._scaling import Columns
from bicneuron.biclustering._subgroups._blocks import (
    EVERYTHING,
    BlockTable,
    Learnt,
    column_blocks,
)
from bicneuron.biclustering._subgroups._table import (
    MOST_ROWS,
    N_REMOVED,
    SEED_ROWS,
    count_components,
)
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
    n_components: int = max(N_REMOVED)  # of all columns, at most

    @property
    def is_whole(self) -> bool:
        """True if all of the table is searched."""
        return self.rows is EVERYTHING and self.columns is EVERYTHING


def searched_part(table: BlockTable, learnt: Learnt, in_class: Mapping[Any, BoolArray]) -> Part:
    """The part of a table that is searched: all of it, unless it is large."""
    n_rows, n_columns = table.shape
    rows: Columns = EVERYTHING
    if n_rows > MOST_ROWS:
        rows = _spread_rows(learnt.rows, [*in_class.values()])
    if n_columns <= MOST_COLUMNS:
        return Part(rows, EVERYTHING)
    some = np.argsort(learnt.rows, kind="stable")[:SEED_ROWS]
    own = column_blocks((len(some), n_columns))
    screen = screened(table.standard(some, columns) for columns in own)
    n_components = count_components(table.standard(some, columns) for columns in own)
    return Part(rows, screen.columns(MOST_COLUMNS), screen, n_components)


def _spread_rows(keys: AnyArray, classes: list[BoolArray]) -> IndexArray:
    """Rows in the order of their hashes: half of them of all rows, half shared by the classes."""
    order = np.argsort(keys, kind="stable")
    chosen = np.zeros(len(keys), dtype=bool)
    chosen[order[: ROWS_OF_LARGE // 2]] = True
    for own in classes:
        of_class = order[(own & ~chosen)[order]]
        chosen[of_class[: ROWS_OF_LARGE // (2 * len(classes))]] = True
    return np.flatnonzero(chosen)
