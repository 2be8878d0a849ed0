"""Groups whose columns rise and fall together: differential co-expression.

In the rows of such a group the columns share a row effect, elsewhere they are independent; means
and variances are the same. With l columns, signs s_j, q the sum of squares and t = sum of s_j z_j,
a row's log likelihood ratio of both densities is, for noise of variance v and a row effect of
variance 1 - v,

    (q - (q - t^2 / l) / v - t^2 / l / (v + l (1 - v)) - (l - 1) log v - log(v + l (1 - v))) / 2.

The search starts from the pairs of columns with the largest correlations in the class, adds the
columns that go best with them in the rows that agree, and then alternates between rows and columns.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._coexpression import agreements, best_additions
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroup_kinds import (
    Coexpressed,
    bounded_below,
    ratio_factors,
    row_ratios,
)
from bicneuron.biclustering._subgroup_list import (
    LEAST_STRENGTH,
    ScoredGroup,
    Searched,
    belongs_to_class,
    known_rates,
)
from bicneuron.biclustering._subgroup_search import Problem

# Most correlated pairs of columns, from which sets are grown.
PAIRS = 30_000
# Next columns that are tried with each set, and the number of sets that are kept of those with
# three columns, of four, five and six.
NEXT, BEAM = 8, (20_000, 8000, 2000, 150)
# Sets at once, and groups that are kept.
AT_ONCE, KEPT = 500, 20
# Columns of a group.
MIN_COLUMNS, MAX_COLUMNS = 4, 30
# A row of a group is likelier inside it by this many nats.
CLEAR_ROW = 1.0
MAX_SWEEPS = 8
# Columns of a block of the correlation matrix, which is never whole in memory.
BLOCK = 512


class _Set(NamedTuple):
    """Columns and their signs."""

    columns: IndexArray
    signs: Float32Array


def coexpressed_groups(problem: Problem) -> tuple[list[ScoredGroup], int]:
    """Groups of a class whose columns rise and fall together, and the number of pairs tried.

    The groups are distinct, strongest first.
    """
    A = problem.Z[problem.in_class]
    if problem.Z.shape[1] <= MIN_COLUMNS:
        return [], 0
    columns, signs = correlated_pairs(A)
    if not len(columns):
        # At most one column varies within the class.
        return [], 0
    found: dict[bytes, ScoredGroup] = {}
    for start in _grown_sets(A, columns, signs):
        group = _refined(problem, A, start)
        if group is not None:
            found.setdefault(group.columns.tobytes(), group)
    listed: list[ScoredGroup] = []
    for group in sorted(found.values(), key=lambda group: -group.strength):
        if all(_overlap(group.columns, other.columns) < 0.5 for other in listed):
            listed.append(group)
            if len(listed) == KEPT:
                break
    return listed, len(columns)


def _grown_sets(A: Float32Array, columns: IndexArray, sides: Float32Array) -> list[_Set]:
    """Pairs with the columns that go best with them; the best sets of all.

    Each set is tried with several next columns, and the best of all sets go on.
    """
    squared, by_column = np.square(A), np.ascontiguousarray(A.T)
    for kept in BEAM:
        tried = [
            _with_next_columns(
                A, squared, columns[start : start + AT_ONCE], sides[start : start + AT_ONCE]
            )
            for start in range(0, len(columns), AT_ONCE)
        ]
        columns, sides = (np.concatenate(parts) for parts in zip(*tried, strict=True))
        # The same set may have been reached from several others.
        order = np.argsort(columns, axis=1)
        columns = np.take_along_axis(columns, order, axis=1)
        sides = np.take_along_axis(sides, order, axis=1)
        square, common, constant = ratio_factors(columns.shape[1])
        agreement = agreements(by_column, columns, sides, square, common, constant - CLEAR_ROW)
        order = np.argsort(-agreement, kind="stable")[: 2 * NEXT * kept]
        distinct = np.sort(np.unique(columns[order], axis=0, return_index=True)[1])[:kept]
        columns, sides = columns[order[distinct]], sides[order[distinct]]
    return [_Set(*pair) for pair in zip(columns, sides, strict=True)]


def correlated_pairs(A: Float32Array) -> tuple[IndexArray, Float32Array]:
    """The most correlated pairs of columns, and signs with which both rise together."""
    n, n_columns = A.shape
    centred = A - A.mean(axis=0)
    deviation = centred.std(axis=0)
    S = np.where(deviation > 1e-6, centred / np.maximum(deviation, 1e-6), 0) / np.sqrt(
        np.float32(n)
    )
    places, values = np.empty(0, np.intp), np.empty(0, np.float32)
    least = np.float32(0)
    for start in range(0, n_columns, BLOCK):
        block: Float32Array = S[:, start : start + BLOCK].T @ S[:, start:]
        upper = np.triu(block, 1)
        high = np.flatnonzero(np.abs(upper) > least)
        left, right = np.divmod(high, upper.shape[1])
        places = np.concatenate([places, (left + start) * n_columns + right + start])
        values = np.concatenate([values, upper.ravel()[high]])
        if len(values) > PAIRS:
            kept = np.argsort(-np.abs(values), kind="stable")[:PAIRS]
            places, values = places[kept], values[kept]
            least = np.abs(values).min()
    signs = np.sign(values)
    return (
        np.stack(np.divmod(places, n_columns), axis=1),
        np.stack([np.ones_like(signs), signs], axis=1),
    )


def _with_next_columns(
    A: Float32Array, squared: Float32Array, columns: IndexArray, signs: Float32Array
) -> tuple[IndexArray, Float32Array]:
    """Add to each set, in turn, the columns most correlated with it in the rows that agree."""
    block = A[:, columns] * signs
    membership = 1 / (1 + np.exp(0.85 - row_ratios(block)))
    w = np.ascontiguousarray(membership.T, np.float32)
    total = w.sum(axis=1, keepdims=True)
    effect = block.mean(axis=2).T
    effect = effect - (w * effect).sum(axis=1, keepdims=True) / total
    covariance = (w * effect) @ A
    n_next = min(NEXT, A.shape[1] - columns.shape[1])
    added = best_additions(covariance, w @ A, w @ squared, total[:, 0], columns, n_next)
    side = np.where(np.take_along_axis(covariance, added, axis=1) >= 0, 1, -1).astype(np.float32)
    return (
        np.concatenate([np.repeat(columns, n_next, axis=0), added.reshape(-1, 1)], axis=1),
        np.concatenate([np.repeat(signs, n_next, axis=0), side.reshape(-1, 1)], axis=1),
    )


def _refined(problem: Problem, A: Float32Array, start: _Set) -> ScoredGroup | None:
    """Alternate between rows and columns, and score what comes out."""
    n_class, n_columns = A.shape
    columns, signs = start
    most = int(0.6 * n_class)
    fewest = min(max(problem.fewest, 6), most)
    least_gain = np.log(n_columns) - 1.0
    for sweep in range(MAX_SWEEPS):
        ratios = row_ratios(A[:, columns] * signs)
        size = min(max(fewest, int(np.sum(ratios > CLEAR_ROW))), most)
        rows = np.argsort(-ratios, kind="stable")[:size]
        correlation = _effect_correlations(A[rows], columns, signs)
        gains = -0.5 * size * np.log(np.maximum(1 - correlation**2, 0.02))
        count = int(np.sum(gains > least_gain))
        count = MIN_COLUMNS + sweep if count < MIN_COLUMNS else min(count, MAX_COLUMNS)
        chosen = np.sort(np.argsort(-gains, kind="stable")[:count])
        if sweep > 1 and np.array_equal(chosen, np.sort(columns)):
            break
        columns, signs = chosen, np.where(correlation[chosen] >= 0, 1, -1).astype(np.float32)
    ratios = row_ratios(problem.Z[:, columns] * signs)
    carriers = ratios > CLEAR_ROW
    rows = np.flatnonzero(carriers & problem.in_class)
    if not fewest <= len(rows) <= most or not belongs_to_class(problem, carriers[None])[0]:
        return None
    order = np.argsort(columns)
    strength = _strength(problem, ratios, carriers, len(columns))
    if strength < LEAST_STRENGTH:
        return None
    searched = Searched(problem, Coexpressed(), 0)
    return ScoredGroup(carriers, rows, columns[order], strength, searched)


def _strength(problem: Problem, ratios: FloatArray, carriers: BoolArray, n_columns: int) -> float:
    """The lesser of two: what rows and columns say less what naming them costs, and a split.

    On tables whose columns are all correlated the first is large for any columns; their rows do not
    split into carriers and others.
    """
    inside = problem.in_class
    n_class, n_others = int(inside.sum()), int((~inside).sum())
    size = int(np.sum(carriers & inside))
    beyond = np.maximum(ratios - CLEAR_ROW, 0)
    told = beyond[inside].sum()
    if n_others:
        told -= beyond[~inside].sum() * n_class / n_others
    names = gammaln(n_class + 1) - gammaln(size + 1) - gammaln(n_class - size + 1)
    told -= (np.log(problem.Z.shape[1]) - 1.0) * n_columns + names
    axis = bounded_below(np.asarray(ratios, np.float64))[inside]
    gain = gains_of_groups(axis[None, None], (carriers & inside)[None][:, inside])[0, 0]
    return float(min(told, gain + known_rates(problem, carriers[None])[0]))


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
