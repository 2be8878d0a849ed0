"""Local pairs: few columns, and half of each class."""

from collections.abc import Sequence

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._residue import mean_squared_residue
from bicneuron._estimators._scaled_matrix import ScaledMatrix
from bicneuron.biclustering import Bicluster

MAX_COLUMNS = 16
# How often the rows are chosen anew around the centre of those before.
ROUNDS = 3


def half(n_rows: int) -> int:
    """Half of the rows, at least one."""
    return max(1, n_rows // 2)


def localised(Z: ScaledMatrix, y: AnyArray, biclusters: Sequence[Bicluster]) -> list[Bicluster]:
    """Hold biclusters to few columns, and give them the half of their class nearest to them.

    A bicluster keeps the columns that separate it best from the other classes. Its centre in these
    columns then chooses its rows anew.

    Parameters
    ----------
    Z : float64 array of shape (n_rows, n_columns), C order
    y : array of shape (n_rows,)
        Classes.
    biclusters : sequence of Bicluster
        Of one class.

    Returns
    -------
    list of Bicluster
        Distinct ones, in the order of the first of equal ones.
    """
    if not biclusters:
        return []
    is_own = y == y[biclusters[0].rows[0]]
    own, others = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    found: dict[Bicluster, None] = {}
    for bicluster in biclusters:
        columns = _few(Z, bicluster.rows, others, bicluster.columns)
        block = np.ascontiguousarray(Z[own[:, None], columns])
        rows = np.searchsorted(own, bicluster.rows)
        for _ in range(ROUNDS):
            rows = _nearest(block, block[rows].mean(axis=0))
        residue = mean_squared_residue(np.ascontiguousarray(block[rows]))
        found.setdefault(Bicluster(own[rows], columns, residue))
    return list(found)


def _few(Z: ScaledMatrix, rows: IndexArray, others: IndexArray, columns: IndexArray) -> IndexArray:
    if len(columns) <= MAX_COLUMNS:
        return columns
    one, other = (np.asarray(Z[some[:, None], columns]) for some in (rows, others))
    spread = one.var(axis=0) + other.var(axis=0)
    apart = (one.mean(axis=0) - other.mean(axis=0)) ** 2
    ratios = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0)
    return np.sort(columns[np.argsort(-ratios, kind="stable")[:MAX_COLUMNS]])


def _nearest(block: FloatArray, centre: FloatArray) -> IndexArray:
    distances = ((block - centre) ** 2).sum(axis=1)
    nearest: IndexArray = np.sort(np.argsort(distances, kind="stable")[: half(len(block))])
    return nearest
