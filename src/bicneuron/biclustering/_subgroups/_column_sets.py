"""Sets of columns that separate the same rows, grown from pairs column by column.

A set is judged by how much likelier the rows are if a share of them belongs to a group that the
columns separate. Rows are members to a degree, so that a set of two or three columns, which places
many rows wrongly, still leads to the next. `shifted_sets` grows pairs of columns that are
correlated in the class to sets of six before rows are chosen: one column cannot separate the rows
of a weak shift.

In the rows of a coexpressed group the columns share a row effect, elsewhere they are independent;
means and variances are the same. With l columns, signs s_j, q the sum of squares and t = sum of
s_j z_j, a row's log likelihood ratio of both densities is, for noise of variance v and a row effect
of variance 1 - v,

    (q - (q - t^2 / l) / v - t^2 / l / (v + l (1 - v)) - (l - 1) log v - log(v + l (1 - v))) / 2.

`coexpressed_groups` grows the pairs that this makes likelier (a correlation over all rows would
hardly notice them), and then alternates between rows and columns.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._column_sets import mixture_gains, pair_gains
from bicneuron._core._splits import best_splits, gains_of_groups, keep_largest
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds, _strength, _table
from bicneuron.biclustering._subgroups._strength import ScoredGroup
from bicneuron.biclustering._subgroups._table import SearchTask

# Share of the rows that belong to a group, for the comparison of sets of columns.
SHARE = 0.3
# Sets at once: independent of n_jobs.
AT_ONCE = 500
# Columns of a block of a matrix of pairs, which is never whole in memory.
BLOCK = 512
# Of shifts: most correlated pairs, columns among which they are looked for, next columns that are
# tried with each set, and the number of sets that are kept of those with three to six columns.
PAIRS, PAIR_COLUMNS, NEXT, BEAM = 2000, 4000, 4, (1000, 500, 200, 80)
# Standardised values count as no farther from 0 than this.
FARTHEST = np.float32(2.5)
# Of coexpressed groups: the same, bins in which the values of a pair are looked at, groups kept.
AGREEING_PAIRS, AGREEING_NEXT, AGREEING_BEAM = 15_000, 6, (8000, 3000, 1000, 100)
BINS, KEPT = 16, 20
# Columns of a coexpressed group.
MIN_COLUMNS, MAX_COLUMNS = 4, 30
MAX_SWEEPS = 8


class ColumnSets(NamedTuple):
    """Sets of equally many columns, with signs."""

    columns: IndexArray
    signs: Float32Array


class ShiftedRows:
    """Rows that are higher, or lower, in all columns of a set, by so many standard deviations."""

    mirrored = False  # a set with all signs changed is another set
    shift = 1.6

    def factors(self, n_columns: int) -> tuple[float, float, float, float]:
        """Factors of the ratio of a row: of t, q and t^2, and a constant (`mixture_gains`)."""
        return self.shift, 0.0, 0.0, -n_columns * self.shift**2 / 2

    def ties(
        self, A: Float32Array, memberships: Float32Array, effects: Float32Array
    ) -> tuple[Float32Array, Float32Array]:
        """Covariance of each column with the memberships, and its variance."""
        centred = memberships - memberships.mean(axis=1, keepdims=True)
        return centred @ A, np.maximum(A.var(axis=0), np.float32(1e-3))


class SharedRowEffect:
    """Rows in which the columns of a set rise and fall together."""

    mirrored = True

    def factors(self, n_columns: int) -> tuple[float, float, float, float]:
        """Factors of the ratio of a row."""
        return 0.0, *_kinds.ratio_factors(n_columns)

    def ties(
        self, A: Float32Array, memberships: Float32Array, effects: Float32Array
    ) -> tuple[Float32Array, Float32Array]:
        """Covariance of each column with the row effects of members, and its variance there."""
        total = memberships.sum(axis=1, keepdims=True)
        means = (memberships * effects).sum(axis=1, keepdims=True) / total
        covariance: Float32Array = (memberships * (effects - means)) @ A
        spread = memberships @ np.square(A) - np.square(memberships @ A) / total
        return covariance, np.maximum(spread, np.float32(1e-6))


GroupModel: TypeAlias = ShiftedRows | SharedRowEffect


def best_pairs(blocks: Iterable[Float32Array], most: int) -> ColumnSets:
    """Pairs of columns with the largest absolute values, the largest first."""
    pairs, values = np.empty((0, 2), np.intp), np.empty(0, np.float32)
    first, least = 0, np.float32(1e-3)  # rounding stays below
    for block in blocks:
        sizes = np.abs(block)
        large = sizes[sizes >= least]  # few, but in the first block
        if large.size > most:
            least = np.partition(large, -most)[-most]
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
    fit = np.empty((AT_ONCE, A.shape[1]), np.float32)  # used again and again: new memory is slow
    for most in kept:
        tried = [
            _with_next_columns(A, sets, some, model, n_next, fit)
            for some in slices(len(sets.columns), AT_ONCE)
        ]
        columns, signs = (np.concatenate(parts) for parts in zip(*tried, strict=True))
        order = np.argsort(columns, axis=1)
        columns = np.take_along_axis(columns, order, axis=1)
        signs = np.take_along_axis(signs, order, axis=1)
        if model.mirrored:
            signs *= signs[:, :1]
        gains = mixture_gains(by_column, columns, signs, model.factors(columns.shape[1]), SHARE)
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
    A: Float32Array, sets: ColumnSets, own: slice, model: GroupModel, n_next: int, fit: Float32Array
) -> ColumnSets:
    """Add to each of some sets, in turn, the columns that fit its rows best; writes to ``fit``."""
    columns, signs = sets.columns[own], sets.signs[own]
    fit, n_columns = fit[: len(columns)], columns.shape[1]
    values = A[:, columns] * signs
    total = values.sum(axis=2).T
    linear, square, common, constant = model.factors(n_columns)
    ratios = linear * total + common * np.square(total) + constant
    if square:
        ratios += square * np.square(values).sum(axis=2).T
    memberships = expit(ratios + logit(SHARE)).astype(np.float32)
    tie, spread = model.ties(A, np.ascontiguousarray(memberships), total / np.float32(n_columns))
    np.divide(np.square(tie, out=fit), spread, out=fit)
    n_next = min(n_next, A.shape[1] - n_columns)
    np.put_along_axis(fit, columns, np.float32(-1), axis=1)
    top = np.full((len(columns), n_next), np.float32(-1))
    added, none = np.zeros(top.shape, np.intp), np.full(len(columns), -1)
    keep_largest(fit, 0, none, top, added)
    side = np.where(np.take_along_axis(tie, added, axis=1) >= 0, 1, -1).astype(np.float32)
    return ColumnSets(
        np.concatenate([np.repeat(columns, n_next, axis=0), added.reshape(-1, 1)], axis=1),
        np.concatenate([np.repeat(signs, n_next, axis=0), side.reshape(-1, 1)], axis=1),
    )


def shifted_sets(task: SearchTask) -> BoolArray:
    """Groups of rows that sets of columns split off."""
    # Few rows far out must not decide which columns go together.
    rows = np.flatnonzero(task.in_class)
    A = np.clip(task.Z[rows[_table.spaced(len(rows), _table.SEED_ROWS)]], -FARTHEST, FARTHEST)
    # The most correlated pairs of columns, with signs with which both rise or fall together.
    among = _table.spaced(A.shape[1], PAIR_COLUMNS)
    centred = A[:, among] - A[:, among].mean(axis=0)
    unit = centred / np.maximum(np.sqrt(np.square(centred).sum(axis=0)), np.float32(1e-3))
    blocks = (
        np.triu(unit[:, first : first + BLOCK].T @ unit, first + 1)
        for first in range(0, len(among), BLOCK)
    )
    pairs, signs = best_pairs(blocks, PAIRS)
    if not len(pairs) or A.shape[1] < 2 + len(BEAM):
        return np.empty((0, len(task.Z)), dtype=bool)
    both = ColumnSets(among[np.concatenate([pairs, pairs])], np.concatenate([signs, -signs]))
    columns, signs = grown_sets(A, both, ShiftedRows(), NEXT, BEAM)
    axes = np.einsum("ikl,kl->ki", task.Z[:, columns], signs, dtype=np.float64)
    groups = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)[0]
    return _table.distinct_sets(groups)


def coexpressed_groups(task: SearchTask) -> tuple[list[ScoredGroup], int]:
    """Groups of a class whose columns rise and fall together, and the number of pairs tried."""
    A = task.Z[task.in_class]
    if task.Z.shape[1] <= MIN_COLUMNS:
        return [], 0
    pairs = agreeing_pairs(A)
    if not len(pairs.columns):  # at most one column varies within the class
        return [], 0
    found: dict[bytes, ScoredGroup] = {}
    sets = grown_sets(A, pairs, SharedRowEffect(), AGREEING_NEXT, AGREEING_BEAM)
    for columns, signs in zip(*sets, strict=True):
        group = _refined(task, A, columns, signs)
        if group is not None:
            found.setdefault(group.columns.tobytes(), group)
    listed: list[ScoredGroup] = []
    for group in sorted(found.values(), key=lambda group: -group.strength):
        own = group.columns
        if all(
            len(np.intersect1d(own, other.columns)) < 0.5 * min(len(own), len(other.columns))
            for other in listed
        ):
            listed.append(group)
    return listed[:KEPT], len(pairs.columns)


def agreeing_pairs(A: Float32Array) -> ColumnSets:
    """Pairs of columns with the largest gains, and signs with which both rise together."""
    edges = norm.ppf(np.arange(1, BINS) / BINS)
    bins = np.ascontiguousarray(np.searchsorted(edges, A).astype(np.uint8).T)
    points = 20  # in each bin
    values = norm.ppf((np.arange(BINS * points) + 0.5) / (BINS * points))
    square, common, constant = _kinds.ratio_factors(2)
    x, y = values[:, None], values
    likelier = np.exp(square * (x**2 + y**2) + common * (x + y) ** 2 + constant)
    in_bins = likelier.reshape(BINS, points, BINS, points).mean(axis=(1, 3))
    table = np.asarray(np.log(1 - SHARE + SHARE * in_bins), np.float32)
    blocks = (
        pair_gains(bins, first, min(first + BLOCK, len(bins)), table)
        for first in range(0, len(bins), BLOCK)
    )
    return best_pairs(blocks, AGREEING_PAIRS)


def _refined(
    task: SearchTask, A: Float32Array, columns: IndexArray, signs: Float32Array
) -> ScoredGroup | None:
    """Alternate between rows and columns, and score the result."""
    n_class, n_columns = A.shape
    most = int(0.6 * n_class)
    fewest = min(max(task.fewest, 6), most)
    least_gain = np.log(n_columns)
    for sweep in range(MAX_SWEEPS):
        ratios = _kinds.row_ratios(A[:, columns] * signs)
        size = min(max(fewest, int(np.sum(ratios > _kinds.CLEAR_ROW))), most)
        rows = np.argsort(-ratios, kind="stable")[:size]
        correlation = _effect_correlations(A[rows], columns, signs)
        gains = _kinds.shift_gains(correlation**2, size)
        count = int(np.sum(gains > least_gain))
        count = MIN_COLUMNS + sweep if count < MIN_COLUMNS else min(count, MAX_COLUMNS)
        chosen = np.sort(np.argsort(-gains, kind="stable")[:count])
        if sweep > 1 and np.array_equal(chosen, np.sort(columns)):
            break
        columns, signs = chosen, np.where(correlation[chosen] >= 0, 1, -1).astype(np.float32)
    ratios = _kinds.row_ratios(task.Z[:, columns] * signs)
    carriers = ratios > _kinds.CLEAR_ROW
    rows = np.flatnonzero(carriers & task.in_class)
    if not fewest <= len(rows) <= most or not _strength.belongs_to_class(task, carriers[None])[0]:
        return None
    strength = _evidence(task, ratios, carriers, len(columns))
    if strength < _table.LEAST_STRENGTH:
        return None
    origin = _strength.Origin(task, _kinds.Coexpressed(), 0)
    return ScoredGroup(carriers, rows, np.sort(columns), strength, origin)


def _evidence(task: SearchTask, ratios: FloatArray, carriers: BoolArray, n_columns: int) -> float:
    """The lesser of two: evidence of rows and columns less the cost of naming them, and a split."""
    inside = task.in_class
    n_class, n_others = int(inside.sum()), int((~inside).sum())
    size = int(np.sum(carriers & inside))
    share = size / n_class
    gains = np.logaddexp(np.log1p(-share), np.log(share) + ratios)
    evidence = gains[inside].sum()
    if n_others:
        evidence -= max(gains[~inside].sum(), 0.0) * n_class / n_others
    evidence -= _kinds.log_choices(task.Z.shape[1], n_columns)
    axis = _kinds.bounded_below(np.asarray(ratios, np.float64))[inside]
    gain = gains_of_groups(axis[None, None], (carriers & inside)[None][:, inside])[0, 0]
    return float(min(evidence, gain + _strength.known_rates(task, carriers[None])[0]))


def _effect_correlations(
    rows: Float32Array, columns: IndexArray, signs: Float32Array
) -> FloatArray:
    """Correlation of every column with the row effect, which leaves out the column itself."""
    centred = rows - rows.mean(axis=0)
    effect = centred[:, columns] @ signs
    squares = np.square(centred).sum(axis=0)
    correlation = effect @ centred / np.sqrt(squares * (effect @ effect) + 1e-9)
    own = centred[:, columns]
    others = effect[:, None] - own * signs
    lengths = np.sqrt(np.square(others).sum(axis=0) * squares[columns] + 1e-9)
    correlation[columns] = np.sum(others * own, axis=0) / lengths
    return np.asarray(correlation, np.float64)
