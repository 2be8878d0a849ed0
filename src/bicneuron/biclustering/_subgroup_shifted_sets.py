"""Groups to start from that several shifted columns tell together.

The rows of a weak shift cannot be told by one column, and hardly by two. Pairs of columns that are
correlated in the class are grown to sets of six before rows are chosen.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, IndexArray
from bicneuron._core._splits import best_splits
from bicneuron.biclustering._subgroup_search import Problem
from bicneuron.biclustering._subgroup_sets import ColumnSets, best_pairs, grown_sets

# Most correlated pairs, and columns among which they are looked for: groups have several columns.
PAIRS, PAIR_COLUMNS = 2000, 4000
# Next columns that are tried with each set, and the number of sets that are kept of those with
# three columns, of four, five and six.
NEXT, BEAM = 4, (1000, 500, 200, 80)
# Standardised values count as no farther from 0 than this.
FARTHEST = np.float32(2.5)
# Columns of a block of the matrix of correlations, which is never whole in memory.
BLOCK = 512


class ShiftedRows:
    """Rows that are higher, or lower, in all columns of a set, by so many standard deviations."""

    share = 0.3
    mirrored = False
    shift = 1.6

    def factors(self, n_columns: int) -> tuple[float, float, float, float]:
        """Factors of the ratio of a row."""
        return self.shift, 0.0, 0.0, -n_columns * self.shift**2 / 2

    def ties(
        self, A: Float32Array, memberships: Float32Array, effects: Float32Array
    ) -> tuple[Float32Array, Float32Array]:
        """Covariance of each column with the memberships, and its square over the variance."""
        centred = memberships - memberships.mean(axis=1, keepdims=True)
        covariance = centred @ A
        return covariance, np.square(covariance) / np.maximum(A.var(axis=0), np.float32(1e-3))


def shifted_sets(problem: Problem) -> BoolArray:
    """Groups of rows that sets of columns split off."""
    # Few rows far out must not decide which columns go together.
    A = np.clip(problem.Z[problem.in_class], -FARTHEST, FARTHEST)
    pairs = correlated_pairs(A)
    if not len(pairs.columns) or A.shape[1] < 2 + len(BEAM):
        return np.empty((0, len(problem.Z)), dtype=bool)
    both = ColumnSets(
        np.concatenate([pairs.columns, pairs.columns]), np.concatenate([pairs.signs, -pairs.signs])
    )
    columns, signs = grown_sets(A, both, ShiftedRows(), NEXT, BEAM)
    axes = np.einsum("ikl,kl->ki", problem.Z[:, columns], signs, dtype=np.float64)
    groups = best_splits(axes, problem.in_class, problem.labelled, problem.fewest, problem.most)[0]
    distinct: BoolArray = np.unique(groups, axis=0)
    return distinct


def correlated_pairs(A: Float32Array) -> ColumnSets:
    """The most correlated pairs of columns, with signs with which both rise together."""
    among: IndexArray = np.arange(0, A.shape[1], -(-A.shape[1] // PAIR_COLUMNS))
    centred = A[:, among] - A[:, among].mean(axis=0)
    unit = centred / np.maximum(np.sqrt(np.square(centred).sum(axis=0)), np.float32(1e-3))
    blocks = (
        np.triu(unit[:, first : first + BLOCK].T @ unit, first + 1)
        for first in range(0, len(among), BLOCK)
    )
    pairs, signs = best_pairs(blocks, PAIRS)
    return ColumnSets(among[pairs], signs)
