"""Sets of columns that separate the same rows, grown from pairs column by column.

A set is judged by the rows: how much likelier they are if a share of them belongs to a group that
the columns separate. Rows are members to a degree, so that a set of two or three columns, which
places many rows wrongly, still leads to the next column.

One column cannot separate the rows of a weak shift, and two hardly can. `shifted_sets` grows pairs
of columns that are correlated in the class to sets of six before rows are chosen.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit, logit

from bicneuron._core._arrays import BoolArray, Float32Array, IndexArray
from bicneuron._core._column_sets import largest_places, mixture_gains
from bicneuron._core._splits import best_splits
from bicneuron.biclustering._subgroups._table import SEED_ROWS, SearchTask, distinct_sets, spaced

# Sets at once: independent of n_jobs.
AT_ONCE = 500
# Most correlated pairs, and columns among which they are looked for: groups have several columns.
PAIRS, PAIR_COLUMNS = 2000, 4000
# Next columns that are tried with each set, and the number of sets that are kept of those with
# three columns, of four, five and six.
NEXT, BEAM = 4, (1000, 500, 200, 80)
# Standardised values count as no farther from 0 than this.
FARTHEST = np.float32(2.5)
# Columns of a block of the matrix of correlations, which is never whole in memory.
BLOCK = 512


class ColumnSets(NamedTuple):
    """Sets of equally many columns, with signs."""

    columns: IndexArray
    signs: Float32Array


class GroupModel(Protocol):
    """The difference between the rows of a group and other rows."""

    @property
    def share(self) -> float:
        """Share of the rows that belong to the group."""

    @property
    def mirrored(self) -> bool:
        """True if a set with all signs changed is the same set."""

    def factors(self, n_columns: int) -> tuple[float, float, float, float]:
        """Factors of the ratio of a row: of t, q and t^2, and a constant (`mixture_gains`)."""

    def ties(
        self, A: Float32Array, memberships: Float32Array, effects: Float32Array
    ) -> tuple[Float32Array, Float32Array]:
        """Signed tie of each column to the members of each set, and goodness of its fit."""


def best_pairs(blocks: Iterable[Float32Array], most: int) -> ColumnSets:
    """Pairs of columns with the largest absolute values, the largest first."""
    pairs, values = np.empty((0, 2), np.intp), np.empty(0, np.float32)
    first, least = 0, np.float32(1e-3)  # rounding stays below
    for block in blocks:
        sizes = np.abs(block)
        if sizes.size > most:
            least = max(least, np.partition(sizes, -most, axis=None)[-most])
        high = sizes >= least
        pairs = np.concatenate([pairs, np.argwhere(high) + np.array([first, 0])])
        values = np.concatenate([values, block[high]])
        best = np.argsort(-np.abs(values), kind="stable")[:most]
        pairs, values = pairs[best], values[best]
        first += len(block)
    signs = np.sign(values)
    return ColumnSets(pairs, np.stack([np.ones_like(signs), signs], axis=1))


def grown_sets(
    A: Float32Array, sets: ColumnSets, model: GroupModel, n_next: int, kept: tuple[int, ...]
) -> ColumnSets:
    """Add columns to sets, one after the other."""
    by_column = np.ascontiguousarray(A.T)
    for most in kept:
        some = [slice(start, start + AT_ONCE) for start in range(0, len(sets.columns), AT_ONCE)]
        tried = [
            _with_next_columns(A, ColumnSets(sets.columns[k], sets.signs[k]), model, n_next)
            for k in some
        ]
        columns, signs = (np.concatenate(parts) for parts in zip(*tried, strict=True))
        order = np.argsort(columns, axis=1)
        columns = np.take_along_axis(columns, order, axis=1)
        signs = np.take_along_axis(signs, order, axis=1)
        if model.mirrored:
            signs *= signs[:, :1]
        gains = mixture_gains(
            by_column, columns, signs, *model.factors(columns.shape[1]), model.share
        )
        best = np.argsort(-gains, kind="stable")[: 2 * n_next * most]
        # The same set may have been reached from several others.
        signed = (columns[best] + 1) * signs[best].astype(np.intp)
        distinct: dict[bytes, int] = {}
        for place, line in zip(best.tolist(), signed, strict=True):
            distinct.setdefault(line.tobytes(), place)
            if len(distinct) == most:
                break
        best = np.array([*distinct.values()], np.intp)
        sets = ColumnSets(columns[best], signs[best])
    return sets


def _with_next_columns(
    A: Float32Array, sets: ColumnSets, model: GroupModel, n_next: int
) -> ColumnSets:
    """Add to each set, in turn, the columns that fit its rows best."""
    columns, signs = sets
    n_columns = columns.shape[1]
    values = A[:, columns] * signs
    total = values.sum(axis=2).T
    linear, square, common, constant = model.factors(n_columns)
    ratios = linear * total + common * np.square(total) + constant
    if square:
        ratios += square * np.square(values).sum(axis=2).T
    memberships = expit(ratios + logit(model.share)).astype(np.float32)
    tie, fit = model.ties(A, np.ascontiguousarray(memberships), total / np.float32(n_columns))
    n_next = min(n_next, A.shape[1] - n_columns)
    added = largest_places(fit, columns, n_next)
    side = np.where(np.take_along_axis(tie, added, axis=1) >= 0, 1, -1).astype(np.float32)
    return ColumnSets(
        np.concatenate([np.repeat(columns, n_next, axis=0), added.reshape(-1, 1)], axis=1),
        np.concatenate([np.repeat(signs, n_next, axis=0), side.reshape(-1, 1)], axis=1),
    )


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


def shifted_sets(task: SearchTask) -> BoolArray:
    """Groups of rows that sets of columns split off."""
    # Few rows far out must not decide which columns go together.
    rows = np.flatnonzero(task.in_class)
    A = np.clip(task.Z[rows[spaced(len(rows), SEED_ROWS)]], -FARTHEST, FARTHEST)
    pairs = correlated_pairs(A)
    if not len(pairs.columns) or A.shape[1] < 2 + len(BEAM):
        return np.empty((0, len(task.Z)), dtype=bool)
    both = ColumnSets(
        np.concatenate([pairs.columns, pairs.columns]), np.concatenate([pairs.signs, -pairs.signs])
    )
    columns, signs = grown_sets(A, both, ShiftedRows(), NEXT, BEAM)
    axes = np.einsum("ikl,kl->ki", task.Z[:, columns], signs, dtype=np.float64)
    groups = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)[0]
    return distinct_sets(groups)


def correlated_pairs(A: Float32Array) -> ColumnSets:
    """The most correlated pairs of columns, with signs with which both rise together."""
    among = spaced(A.shape[1], PAIR_COLUMNS)
    centred = A[:, among] - A[:, among].mean(axis=0)
    unit = centred / np.maximum(np.sqrt(np.square(centred).sum(axis=0)), np.float32(1e-3))
    blocks = (
        np.triu(unit[:, first : first + BLOCK].T @ unit, first + 1)
        for first in range(0, len(among), BLOCK)
    )
    pairs, signs = best_pairs(blocks, PAIRS)
    return ColumnSets(among[pairs], signs)
