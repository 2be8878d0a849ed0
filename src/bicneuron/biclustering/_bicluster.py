"""The value class of a bicluster."""

from dataclasses import dataclass

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._core._value import ArrayValue


@dataclass(frozen=True, slots=True, eq=False)
class Bicluster(ArrayValue):
    """A subset of rows and a subset of columns, found by a miner: B = (I, J).

    Parameters
    ----------
    rows, columns : array of shape (n_rows,) and (n_columns,), dtype intp
        Sorted indices into the mined matrix, stored as read-only copies.
    msr : float
        Mean squared residue H(I, J) in the matrix that was mined.
    """

    rows: IndexArray
    columns: IndexArray
    msr: float

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.columns)

    def within(self, rows: IndexArray, columns: IndexArray) -> "Bicluster":
        """The bicluster in the submatrix of ``rows`` and ``columns``, sorted, that contains it."""
        return Bicluster(
            np.searchsorted(rows, self.rows), np.searchsorted(columns, self.columns), self.msr
        )

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<Bicluster of {rows} rows x {columns} columns, msr {self.msr:.4g}>"
