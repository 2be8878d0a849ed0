"""A table in standard scores, of which each block is computed when it is used."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared import _scaling
from bicneuron._shared._content_order import content_keys, tied_ranks
from bicneuron._shared._scaling import CLIP, Columns, RobustScaling, Scaling
from bicneuron.biclustering._miner import searched
from bicneuron.biclustering._subgroups._aside import SetAside

# Cells of a block: 32 MB as float64, and a few such arrays are in memory at once. A block of all
# rows has so many columns at least, whatever that takes: each block reads all of a file.
CELLS_AT_ONCE, FEWEST_COLUMNS = 2**22, 8
EVERYTHING = slice(None)


class BlockTable(NamedTuple):
    """Rows, and how they are scaled: z-scores, robust scores, and without known structure."""

    X: Any
    scaling: Scaling | None
    robust: RobustScaling
    aside: SetAside | None = None
    known: FloatArray | None = None  # numbers of the known structure of the rows

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.X.shape[0], self.X.shape[1]

    def values(self, rows: Columns = EVERYTHING, columns: Columns = EVERYTHING) -> FloatArray:
        """Cells in the units that are searched, NaN for missing ones."""
        return searched(dense(self.X, rows, columns), self.scaling and self.scaling.take(columns))

    def standard(
        self, rows: Columns = EVERYTHING, columns: Columns = EVERYTHING, clip: float = CLIP
    ) -> FloatArray:
        """Standard scores, 0 for missing cells."""
        values = self.values(rows, columns)
        scores = self.robust.take(columns).apply(values, clip)
        if self.aside is None or self.known is None:
            return scores
        return self.aside.take(columns).remove(scores, self.known[rows], np.isnan(values))

    def by_rows(self, columns: Columns, clip: float = CLIP) -> Iterator[tuple[slice, FloatArray]]:
        """Standard scores of some columns, a few rows at a time."""
        table, n_columns = self, len(self.robust.scale[columns])
        if issparse(self.X):
            table, columns = self._of_columns(columns), EVERYTHING
        for rows in gen_batches(self.shape[0], max(1, CELLS_AT_ONCE // max(n_columns, 1))):
            yield rows, table.standard(rows, columns, clip)

    def _of_columns(self, columns: Columns) -> "BlockTable":
        return self._replace(
            X=self.X[:, columns].tocsr(),
            scaling=self.scaling and self.scaling.take(columns),
            robust=self.robust.take(columns),
            aside=self.aside and self.aside.take(columns),
        )

    def sums(self, factors: FloatArray, clip: float = CLIP) -> FloatArray:
        """Weighted sums of the columns in each row, one for each line of factors."""
        used = np.flatnonzero(factors.any(axis=0))
        sums = np.zeros((self.shape[0], len(factors)))
        for rows, Z in self.by_rows(used, clip) if len(used) else ():
            # No matrix product, as in `Axis.values`.
            for k, line in enumerate(factors[:, used]):
                sums[rows, k] = np.einsum("ij,j->i", Z, line)
        return sums


class Learnt(NamedTuple):
    """Scalings of a table, and hashes of its rows and columns by content if they were asked for."""

    scaling: Scaling | None
    robust: RobustScaling
    rows: AnyArray
    columns: AnyArray


def dense(X: Any, rows: Columns, columns: Columns) -> FloatArray:
    """Some rows and columns of an array or a sparse matrix, as a C-ordered array."""
    if issparse(X):
        part = X if isinstance(columns, slice) and columns == EVERYTHING else X[:, columns]
        return np.asarray(part[rows].toarray(order="C"), np.float64)
    if isinstance(columns, slice):  # a view: of the rows, only these columns are copied
        return np.ascontiguousarray(X[:, columns][rows], np.float64)
    part = X[rows][:, columns] if isinstance(rows, slice) else X[np.ix_(rows, columns)]
    return np.ascontiguousarray(part, np.float64)


def column_blocks(shape: tuple[int, int]) -> list[slice]:
    """Blocks of all rows and some columns."""
    width = max(CELLS_AT_ONCE // max(shape[0], 1), FEWEST_COLUMNS)
    return [*gen_batches(shape[1], width, min_batch_size=min(2, shape[1]))]


def learn_scalings(X: Any, standardize: bool, keyed: bool) -> Learnt:
    """Learn the scalings of a table, some columns at a time."""
    scalings, robust, columns = [], [], []
    rows = np.zeros(X.shape[0], np.uint64)
    for some in column_blocks(X.shape):
        cells = dense(X, EVERYTHING, some)
        own = _scaling.zscore_scaling(cells) if standardize else None
        values = searched(cells, own)
        scalings.append(own)
        robust.append(_scaling.robust_scaling(values))
        if keyed:
            of_rows, of_columns = content_keys(tied_ranks(values))
            rows += of_rows
            columns.append(of_columns)
    joined = [np.concatenate(parts) for parts in zip(*robust, strict=True)]
    scaling = Scaling(*map(np.concatenate, zip(*scalings, strict=True))) if standardize else None
    return Learnt(scaling, RobustScaling(*joined), rows, np.concatenate(columns or [rows[:0]]))
