"""Search for groups of rows that differ in some columns: rows and columns find each other.

A group is a set of rows. Column j supports it by the correlation r_j of its indicator with the
column; its gain, in nats, is -n/2 log(1 - r_j^2). The axis of a group is the sum of its columns,
weighted by r_j, and the rows of the next group are the best split of that axis. The search

1. **seeds** groups from the splits of single columns and from the clusters of hierarchical trees;
2. keeps **leaders**: the seeds with the strongest support in other columns, unlike each other;
3. **alternates** between columns and rows until the rows stay the same, for several numbers of
   columns.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.cluster.hierarchy import linkage
from scipy.stats import chi2

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import best_splits, largest_squares

# Numbers of columns on an axis: few clear columns, or many weak ones.
AXIS_SIZES = (8, 30, 100, 500)
# Columns that an axis has at least, whatever their gains.
MIN_AXIS_COLUMNS = 8
# Shares of the rows that seed groups have, beside the best split of their column.
TAIL_SHARES = (0.08, 0.2)
# Columns, other than its own, that the support of a seed counts.
SUPPORT_COLUMNS = 8
# Most variable columns that trees are built on.
TREE_COLUMNS = (500, 2000)
# Seeds that are compared for leaders, leaders, and those that go through all axis sizes.
COMPARED_SEEDS, LEADERS, FINALISTS = 6000, 300, 200
# Leaders overlap by no larger Jaccard index.
LEADER_OVERLAP = 0.6
MAX_SWEEPS = 8
# Row sets per task: independent of n_jobs.
SETS_PER_TASK = 512


class Problem(NamedTuple):
    """What is searched.

    Parameters
    ----------
    Z : float32 array of shape (n_rows, n_columns), C order
        Standardised columns; constant ones are zero.
    in_class : bool array of shape (n_rows,)
        The class whose groups are looked for; all rows if there are no labels.
    labelled : bool
    fewest, most : int
        Sizes of a group, rows outside the class included.
    n_jobs : int or None
        Threads.
    """

    Z: Float32Array
    in_class: BoolArray
    labelled: bool
    fewest: int
    most: int
    n_jobs: int | None

    @property
    def least_gain(self) -> float:
        """Gain above which a column is counted to a group."""
        return float(np.log(self.Z.shape[1])) - 1.0


def correlations(Z: Float32Array, groups: BoolArray) -> Float32Array:
    """Correlation of the indicator of each group with each column."""
    n = Z.shape[0]
    sizes = groups.sum(axis=1, dtype=np.float32)[:, None]
    shares = sizes / n
    scale = np.sqrt(n * sizes * (1 - shares))
    indicators = ((groups - shares) / np.where(scale > 0, scale, 1)).astype(np.float32)
    correlation: Float32Array = indicators @ Z
    return correlation


def column_gains(correlation: Float32Array, n_rows: int) -> Float32Array:
    """Log likelihood ratio of a shifted group in each column, in nats."""
    left = np.maximum(1 - correlation**2, np.float32(0.02))
    gains: Float32Array = np.float32(-0.5 * n_rows) * np.log(left)
    return gains


def axis_weights(
    correlation: Float32Array, gains: Float32Array, size: int, least_gain: float
) -> Float32Array:
    """Correlations of the columns on an axis, zero elsewhere.

    At most ``size`` columns, those with gains above ``least_gain``; at least `MIN_AXIS_COLUMNS`.
    """
    n_columns = gains.shape[1]
    largest = _kth_largest(gains, min(size, n_columns))
    few = _kth_largest(gains, min(size, MIN_AXIS_COLUMNS, n_columns))
    kept = (gains >= largest) & ((gains > least_gain) | (gains >= few))
    return np.where(kept, correlation, np.float32(0))


def find_groups(problem: Problem) -> tuple[BoolArray, int]:
    """Distinct groups that the search ends with, and the number of seeds."""
    seeds, owners, n_tree_seeds = _seeds(problem)
    trees = seeds[len(seeds) - n_tree_seeds :]
    tasks = Parallel(n_jobs=problem.n_jobs, require="sharedmem")
    support = np.concatenate(
        tasks(
            delayed(_supports)(problem, seeds[some], owners[some]) for some in _slices(len(seeds))
        )
    )
    if problem.labelled:
        support = support + _class_information(problem, seeds)
    leaders = np.concatenate([seeds[_leaders(seeds, support)], trees])
    found: dict[bytes, BoolArray] = {}
    start = np.unique(leaders, axis=0)
    for size in AXIS_SIZES:
        groups = start
        for sweep in range(MAX_SWEEPS):
            if not len(groups):
                break
            swept = tasks(
                delayed(_sweep)(problem, groups[some], size) for some in _slices(len(groups))
            )
            after = np.concatenate([some for some, _ in swept])
            values = np.concatenate([some for _, some in swept])
            same = (after == groups).all(axis=1)
            done = same | (sweep == MAX_SWEEPS - 1)
            if sweep >= 2:
                found.update((group.tobytes(), group) for group in after[done])
                after, values = after[~done], values[~done]
            if sweep == 1 and size == AXIS_SIZES[0]:
                best = np.argsort(-values, kind="stable")[:FINALISTS]
                start = np.unique(np.concatenate([after[best], trees]), axis=0)
            groups = np.unique(after, axis=0) if len(after) else after
    return np.array(list(found.values()), dtype=bool).reshape(-1, len(problem.Z)), len(seeds)


def _sweep(problem: Problem, groups: BoolArray, size: int) -> tuple[BoolArray, FloatArray]:
    """Columns from rows, then rows from columns."""
    correlation = correlations(problem.Z, groups)
    gains = column_gains(correlation, len(problem.Z))
    weights = axis_weights(correlation, gains, size, problem.least_gain)
    return split_rows(problem, weights @ problem.Z.T)


def split_rows(problem: Problem, axes: FloatArray | Float32Array) -> tuple[BoolArray, FloatArray]:
    """The best split of each axis, and its value."""
    return best_splits(
        np.asarray(axes, np.float64),
        problem.in_class,
        problem.labelled,
        problem.fewest,
        problem.most,
    )


def _seeds(problem: Problem) -> tuple[BoolArray, IndexArray, int]:
    """Groups to start from, the column of each (-1 for clusters), and how many are clusters."""
    Z, n = problem.Z, len(problem.Z)
    unlabelled = problem._replace(labelled=False)
    ascending = np.argsort(Z, axis=0, kind="stable").T
    sets = []
    for sign in (1, -1):
        sets.append(split_rows(unlabelled, sign * Z.T)[0])
        order = ascending[:, ::-1] if sign > 0 else ascending
        for share in TAIL_SHARES:
            tail = np.zeros((Z.shape[1], n), dtype=bool)
            size = max(problem.fewest, round(share * n))
            np.put_along_axis(tail, order[:, :size], True, axis=1)
            sets.append(tail)
    owners = np.tile(np.arange(Z.shape[1]), len(sets))
    clusters = np.array(list(_clusters(problem)), dtype=bool).reshape(-1, n)
    return (
        np.concatenate([*sets, clusters]),
        np.concatenate([owners, np.full(len(clusters), -1)]),
        len(clusters),
    )


def _clusters(problem: Problem) -> Iterator[BoolArray]:
    """Clusters of Ward trees of the class and of all rows, on the columns with the most outliers.

    Standardised columns have one variance; what tells groups is the fourth moment.
    """
    Z, n = problem.Z, len(problem.Z)
    order = np.argsort(-tree_order(Z), kind="stable")
    everything = np.arange(n)
    pools = [everything]
    if problem.labelled:
        pools.append(np.flatnonzero(problem.in_class))
    for n_columns in TREE_COLUMNS:
        columns = np.sort(order[:n_columns])
        for rows in pools:
            if len(rows) < 3:
                continue
            members = [[row] for row in rows.tolist()]
            for left, right, *_ in linkage(Z[np.ix_(rows, columns)], "ward"):
                members.append(members[int(left)] + members[int(right)])
                if problem.fewest <= len(members[-1]) <= problem.most:
                    group = np.zeros(n, dtype=bool)
                    group[members[-1]] = True
                    yield group


def tree_order(Z: Float32Array) -> FloatArray:
    """By what columns are chosen for trees."""
    U = np.linalg.svd(Z, full_matrices=False)[0][:, :20]
    communality: FloatArray = np.square(U.T @ Z).sum(axis=0)
    return communality


def _supports(problem: Problem, seeds: BoolArray, owners: IndexArray) -> FloatArray:
    """Gains of the best columns other than the seed's own, beyond what chance gives the best."""
    n, n_columns = problem.Z.shape
    squares = largest_squares(correlations(problem.Z, seeds), owners, SUPPORT_COLUMNS)
    gains = -0.5 * n * np.log(np.maximum(1 - squares, 0.05))
    by_chance = chi2.isf((np.arange(SUPPORT_COLUMNS) + 0.5) / max(n_columns, SUPPORT_COLUMNS), 1)
    excess: FloatArray = np.cumsum(gains - by_chance / 2, axis=1).max(axis=1)
    return excess


def _class_information(problem: Problem, groups: BoolArray) -> FloatArray:
    """`class_information`, negative for groups that are less common in the class."""
    information, more_common = class_information(problem.in_class, groups)
    return np.where(more_common, information, -information)


def class_information(in_class: BoolArray, groups: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Log likelihood ratio of different rates of a group inside and outside the class.

    And whether the rate inside is at least that outside.
    """
    n, n_class = len(in_class), int(in_class.sum())
    inside = groups[:, in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    information = (
        log_rates(inside, n_class)
        + log_rates(outside, n - n_class)
        - log_rates(inside + outside, n)
    )
    return information, inside * (n - n_class) >= outside * n_class


def log_rates(successes: IndexArray, trials: int) -> FloatArray:
    """Log likelihood of numbers of successes at their own rates; at most 0."""
    share = successes / max(trials, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(successes > 0, successes * np.log(share), 0.0)
        no = np.where(successes < trials, (trials - successes) * np.log1p(-share), 0.0)
    return yes + no


def _leaders(seeds: BoolArray, support: FloatArray) -> IndexArray:
    """Positions of the best supported seeds that are unlike each other."""
    order = np.argsort(-support, kind="stable")[:COMPARED_SEEDS]
    sets = seeds[order].astype(np.float32)
    sizes = sets.sum(axis=1)
    alive, leaders = np.ones(len(order), dtype=bool), []
    for place in range(len(order)):
        if alive[place]:
            leaders.append(order[place])
            shared = sets @ sets[place]
            alive &= shared <= LEADER_OVERLAP * (sizes + sizes[place] - shared)
            if len(leaders) == LEADERS:
                break
    return np.array(leaders, dtype=np.intp)


def _slices(count: int) -> list[slice]:
    return [slice(first, first + SETS_PER_TASK) for first in range(0, count, SETS_PER_TASK)]


def _kth_largest(values: Float32Array, k: int) -> Float32Array:
    kth: Float32Array = np.partition(values, -k, axis=1)[:, -k][:, None]
    return kth
