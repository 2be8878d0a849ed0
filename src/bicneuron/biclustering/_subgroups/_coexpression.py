"""Groups whose columns rise and fall together: differential co-expression.

In the rows of such a group the columns share a row effect, elsewhere they are independent; means
and variances are the same. With l columns, signs s_j, q the sum of squares and t = sum of s_j z_j,
a row's log likelihood ratio of both densities is, for noise of variance v and a row effect of
variance 1 - v,

    (q - (q - t^2 / l) / v - t^2 / l / (v + l (1 - v)) - (l - 1) log v - log(v + l (1 - v))) / 2.

The search starts from pairs of columns, adds the columns that go best with them in the rows that
agree, and then alternates between rows and columns. A pair is judged by how much likelier the rows
of the class are if a share of them has such a row effect: a correlation over all rows would hardly
notice it.
"""

import numpy as np
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._column_sets import pair_gains
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroups._column_sets import ColumnSets, best_pairs, grown_sets
from bicneuron.biclustering._subgroups._kinds import (
    Coexpressed,
    bounded_below,
    ratio_factors,
    row_ratios,
    shift_gains,
)
from bicneuron.biclustering._subgroups._rates import log_choices
from bicneuron.biclustering._subgroups._strength import (
    Origin,
    ScoredGroup,
    belongs_to_class,
    known_rates,
)
from bicneuron.biclustering._subgroups._table import SearchTask

# Share of the class that has a row effect, for the comparison of sets of columns.
SHARE = 0.3
# Best pairs of columns, from which sets are grown; bins of equal probability, in which the values
# of a pair are looked at.
PAIRS, BINS = 15_000, 16
# Next columns that are tried with each set, and the number of sets that are kept of those with
# three columns, of four, five and six.
NEXT, BEAM = 6, (8000, 3000, 1000, 100)
# Groups that are kept.
KEPT = 20
# Columns of a group.
MIN_COLUMNS, MAX_COLUMNS = 4, 30
# A row of a group is likelier inside it by this many nats.
CLEAR_ROW = 1.0
MAX_SWEEPS = 8
# Columns of a block of the correlation matrix, which is never whole in memory.
BLOCK = 512


class SharedRowEffect:
    """Rows in which the columns of a set rise and fall together."""

    share = SHARE
    mirrored = True

    def factors(self, n_columns: int) -> tuple[float, float, float, float]:
        """Factors of the ratio of a row."""
        return 0.0, *ratio_factors(n_columns)

    def ties(
        self, A: Float32Array, memberships: Float32Array, effects: Float32Array
    ) -> tuple[Float32Array, Float32Array]:
        """Covariance of each column with the row effects of members, and squared correlation."""
        total = memberships.sum(axis=1, keepdims=True)
        means = (memberships * effects).sum(axis=1, keepdims=True) / total
        covariance: Float32Array = (memberships * (effects - means)) @ A
        spread = memberships @ np.square(A) - np.square(memberships @ A) / total
        return covariance, np.square(covariance) / np.maximum(spread, np.float32(1e-6))


def coexpressed_groups(task: SearchTask) -> tuple[list[ScoredGroup], int]:
    """Groups of a class whose columns rise and fall together, and the number of pairs tried."""
    A = task.Z[task.in_class]
    if task.Z.shape[1] <= MIN_COLUMNS:
        return [], 0
    pairs = agreeing_pairs(A)
    if not len(pairs.columns):
        # At most one column varies within the class.
        return [], 0
    found: dict[bytes, ScoredGroup] = {}
    for columns, signs in zip(*grown_sets(A, pairs, SharedRowEffect(), NEXT, BEAM), strict=True):
        group = _refined(task, A, columns, signs)
        if group is not None:
            found.setdefault(group.columns.tobytes(), group)
    listed: list[ScoredGroup] = []
    for group in sorted(found.values(), key=lambda group: -group.strength):
        if all(_overlap(group.columns, other.columns) < 0.5 for other in listed):
            listed.append(group)
            if len(listed) == KEPT:
                break
    return listed, len(pairs.columns)


def agreeing_pairs(A: Float32Array) -> ColumnSets:
    """Pairs of columns with the largest gains, and signs with which both rise together."""
    n_columns = A.shape[1]
    edges = norm.ppf(np.arange(1, BINS) / BINS)
    bins = np.ascontiguousarray(np.searchsorted(edges, A).astype(np.uint8).T)
    table = _pair_table()
    blocks = (
        pair_gains(bins, first, min(first + BLOCK, n_columns), table)
        for first in range(0, n_columns, BLOCK)
    )
    return best_pairs(blocks, PAIRS)


def _pair_table() -> Float32Array:
    """Gain of a row by the bins in which its values in two columns lie."""
    points = 20  # in each bin
    values = norm.ppf((np.arange(BINS * points) + 0.5) / (BINS * points))
    square, common, constant = ratio_factors(2)
    x, y = values[:, None], values
    likelier = np.exp(square * (x**2 + y**2) + common * (x + y) ** 2 + constant)
    in_bins = likelier.reshape(BINS, points, BINS, points).mean(axis=(1, 3))
    table: Float32Array = np.log(1 - SHARE + SHARE * in_bins).astype(np.float32)
    return table


def _refined(
    task: SearchTask, A: Float32Array, columns: IndexArray, signs: Float32Array
) -> ScoredGroup | None:
    """Alternate between rows and columns, and score the result."""
    n_class, n_columns = A.shape
    most = int(0.6 * n_class)
    fewest = min(max(task.fewest, 6), most)
    least_gain = np.log(n_columns)
    for sweep in range(MAX_SWEEPS):
        ratios = row_ratios(A[:, columns] * signs)
        size = min(max(fewest, int(np.sum(ratios > CLEAR_ROW))), most)
        rows = np.argsort(-ratios, kind="stable")[:size]
        correlation = _effect_correlations(A[rows], columns, signs)
        gains = shift_gains(correlation**2, size)
        count = int(np.sum(gains > least_gain))
        count = MIN_COLUMNS + sweep if count < MIN_COLUMNS else min(count, MAX_COLUMNS)
        chosen = np.sort(np.argsort(-gains, kind="stable")[:count])
        if sweep > 1 and np.array_equal(chosen, np.sort(columns)):
            break
        columns, signs = chosen, np.where(correlation[chosen] >= 0, 1, -1).astype(np.float32)
    ratios = row_ratios(task.Z[:, columns] * signs)
    carriers = ratios > CLEAR_ROW
    rows = np.flatnonzero(carriers & task.in_class)
    if not fewest <= len(rows) <= most or not belongs_to_class(task, carriers[None])[0]:
        return None
    order = np.argsort(columns)
    strength = _strength(task, ratios, carriers, len(columns))
    if strength < task.least_strength:
        return None
    origin = Origin(task, Coexpressed(), 0)
    return ScoredGroup(carriers, rows, columns[order], strength, origin)


def _strength(task: SearchTask, ratios: FloatArray, carriers: BoolArray, n_columns: int) -> float:
    """The lesser of two: evidence of rows and columns less the cost of naming them, and a split."""
    inside = task.in_class
    n_class, n_others = int(inside.sum()), int((~inside).sum())
    size = int(np.sum(carriers & inside))
    share = size / n_class
    gains = np.logaddexp(np.log1p(-share), np.log(share) + ratios)
    evidence = gains[inside].sum()
    if n_others:
        evidence -= max(gains[~inside].sum(), 0.0) * n_class / n_others
    evidence -= log_choices(task.Z.shape[1], n_columns)
    axis = bounded_below(np.asarray(ratios, np.float64))[inside]
    gain = gains_of_groups(axis[None, None], (carriers & inside)[None][:, inside])[0, 0]
    return float(min(evidence, gain + known_rates(task, carriers[None])[0]))


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


def _overlap(a: IndexArray, b: IndexArray) -> float:
    return len(np.intersect1d(a, b)) / min(len(a), len(b))
