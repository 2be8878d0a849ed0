"""Groups from which the search starts: splits of columns, clusters of trees, and common values.

In columns of yes and no a group may be a part of the many rows that say yes, which no column alone
splits off. But these rows have a little of each of its other columns: many weak columns, together,
lead to the group (`value_groups`).
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from scipy.stats import chi2

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import best_splits
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds, _table
from bicneuron.biclustering._subgroups._table import SearchTask, spaced

# Size and first place, as shares of a class in the order of a column, of tight seeds.
WINDOWS = ((0.15, 0.05), (0.15, 0.15), (0.15, 0.7), (0.15, 0.8), (0.3, 0.08), (0.3, 0.62))
# Shares of the rows in seeds of small groups.
EXTREMES = (0.01, 0.03)
# Splits, and columns that windows or rows with a common value are taken from, at most: groups have
# several columns.
SPLITS, OWNERS = 4000, 2000
# Columns, other than its own, that the support of a seed counts.
SUPPORT_COLUMNS = 8
# Seeds that are compared for leaders, which overlap by no larger Jaccard index.
COMPARED_SEEDS, LEADER_OVERLAP = 2000, 0.6
# Columns that trees are built on, and components that choose them.
TREE_COLUMNS, TREE_COMPONENTS = (500, 2000), 20
# Columns on the axis of rows with a common value, all with the same weight: most of them are there
# by chance. Sweeps, and groups whose evidence is computed with rates.
VALUE_COLUMNS, VALUE_SWEEPS, VALUES_JUDGED = 20, 2, 1000


class Seeds(NamedTuple):
    """Groups to start from, each with its support by columns other than its own."""

    groups: BoolArray
    support: FloatArray

    def leaders(self, most: int) -> BoolArray:
        """The best supported groups that are unlike each other, at most this many."""
        return self.groups[self.places_of_leaders(most)]

    def places_of_leaders(self, most: int, compared: int = COMPARED_SEEDS) -> IndexArray:
        """Places of the leaders, the best supported first."""
        order = np.argsort(-self.support, kind="stable")[:compared]
        sets = self.groups[order].astype(np.float32)
        sizes = sets.sum(axis=1)
        alive = np.ones(len(order), dtype=bool)
        leaders: list[int] = []
        for place in range(len(order)):
            if alive[place] and len(leaders) < most:
                leaders.append(order[place])
                shared = sets @ sets[place]
                alive &= shared <= LEADER_OVERLAP * (sizes + sizes[place] - shared)
        return np.array(leaders, dtype=np.intp)


def shifted_seeds(
    kind: _kinds.Shift, Z: Float32Array, fewest: int, most: int, n_jobs: int | None
) -> Seeds:
    """The best splits of columns, in both directions."""
    everything = np.ones(len(Z), dtype=bool)
    by_column = np.ascontiguousarray(Z.T, np.float64)  # the layout of other axes
    both = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(best_splits)(sign * by_column[some], everything, False, fewest, most)
        for sign in (1, -1)
        for some in slices(len(by_column), _table.SETS_AT_ONCE)
    )
    sets, gains = (np.concatenate(parts) for parts in zip(*both, strict=True))
    kept = np.sort(np.argsort(-gains, kind="stable")[:SPLITS])
    sets = sets[kept]
    rows = spaced(len(Z), _table.SEED_ROWS)
    return Seeds(sets, _supports(kind, Z[rows], sets[:, rows], kept % Z.shape[1], n_jobs))


def extreme_seeds(kind: _kinds.Shift, Z: Float32Array, fewest: int, n_jobs: int | None) -> Seeds:
    """The few highest, or lowest, rows of columns: a small group is no split of a column alone."""
    order = np.argsort(Z, axis=0, kind="stable").T
    owners = spaced(len(order), OWNERS)
    sets = []
    for share in EXTREMES:
        size = min(max(fewest, round(share * len(Z))), len(Z))
        for some in (slice(0, size), slice(len(Z) - size, len(Z))):
            sets.append(np.zeros((len(owners), len(Z)), dtype=bool))
            np.put_along_axis(sets[-1], order[owners, some], True, axis=1)
    groups = np.concatenate(sets)
    return Seeds(groups, _supports(kind, Z, groups, np.tile(owners, len(sets)), n_jobs))


def tight_seeds(kind: _kinds.Tight, task: SearchTask) -> Seeds:
    """Rows of the class that are neighbours in the order of a column."""
    rows = np.flatnonzero(task.in_class)
    rows = rows[spaced(len(rows), _table.SEED_ROWS)]
    A = task.Z[rows]
    order = np.argsort(A, axis=0, kind="stable").T
    owners = spaced(A.shape[1], OWNERS)
    sets = []
    for share, first in WINDOWS:
        size = min(max(task.fewest, round(share * len(rows))), len(rows))
        start = min(int(first * len(rows)), len(rows) - size)
        sets.append(np.zeros((len(owners), len(rows)), dtype=bool))
        np.put_along_axis(sets[-1], order[owners, start : start + size], True, axis=1)
    windows = np.concatenate(sets)
    groups = np.zeros((len(windows), len(task.Z)), dtype=bool)
    groups[:, rows] = windows
    return Seeds(groups, _supports(kind, A, windows, np.tile(owners, len(WINDOWS))))


def _supports(
    kind: _kinds.GroupKind,
    Z: Float32Array,
    groups: BoolArray,
    owners: IndexArray,
    n_jobs: int | None = None,
) -> FloatArray:
    """Support of seeds by columns other than those that they come from."""
    support = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_support)(kind, Z, groups[some], owners[some])
        for some in slices(len(groups), _table.SETS_AT_ONCE)
    )
    return np.concatenate([np.empty(0), *support])


def _support(
    kind: _kinds.GroupKind, Z: Float32Array, groups: BoolArray, owners: IndexArray
) -> FloatArray:
    """Gains of the best columns other than the seed's own, beyond what chance gives the best."""
    gains = kind.best_gains(Z, groups, owners, SUPPORT_COLUMNS)
    return beyond_chance(gains, Z.shape[1], kind.degrees)


def beyond_chance(gains: FloatArray, n_columns: int, degrees: int) -> FloatArray:
    """Gains of the best columns beyond those of the best by chance, of as many as say most."""
    count = gains.shape[1]
    shares = (np.arange(count) + 0.5) / max(n_columns, count)
    by_chance = chi2.isf(shares, degrees) / 2
    return np.asarray(np.cumsum(gains - by_chance, axis=1).max(axis=1))


def tree_clusters(
    Z: Float32Array, pools: list[BoolArray], fewest: int, most: int, n_jobs: int | None
) -> list[BoolArray]:
    """Clusters of Ward trees of some pools of rows, neither too small nor too large."""
    order, sizes = np.arange(Z.shape[1]), dict.fromkeys(min(n, Z.shape[1]) for n in TREE_COLUMNS)
    if len(sizes) > 1:
        leading = _table.leading_components(Z[spaced(len(Z), _table.MOST_ROWS)], TREE_COMPONENTS)[1]
        order = np.argsort(-np.square(leading).sum(axis=0), kind="stable")
    columns = [np.sort(order[:size]) for size in sizes]
    found = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_clusters)(Z, pool[spaced(len(pool), _table.MOST_ROWS)], own, fewest, most)
        for pool, own in product(map(np.flatnonzero, pools), columns)
    )
    step = len(columns)
    return [np.concatenate(found[k : k + step]) for k in range(0, len(found), step)]


def _clusters(
    Z: Float32Array, rows: IndexArray, columns: IndexArray, fewest: int, most: int
) -> BoolArray:
    A = Z[np.ix_(rows, columns)].astype(np.float64)
    products = A @ A.T
    squares = np.diag(products)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0.0))
    tree = linkage(squareform(distances, checks=False), "ward")
    members = [[row] for row in rows.tolist()]
    for left, right, *_ in tree:
        members.append(members[int(left)] + members[int(right)])
    kept = [own for own in members[len(rows) :] if fewest <= len(own) <= most]
    clusters = np.zeros((len(kept), len(Z)), dtype=bool)
    for cluster, own in zip(clusters, kept, strict=True):
        cluster[own] = True
    return clusters


def value_groups(task: SearchTask, kind: _kinds.Shift) -> Seeds:
    """Groups that rows of the class with the same value in a column lead to, and their evidence."""
    if not task.labelled:
        return Seeds(np.empty((0, len(task.Z)), dtype=bool), np.empty(0))
    chosen = spaced(len(kind.common), OWNERS)
    differs = kind.differs[:, chosen].T > 0
    groups = np.concatenate([differs, ~differs]) & task.in_class
    owners = np.tile(kind.common[chosen], 2)
    sizes = groups.sum(axis=1)
    possible = (sizes >= task.fewest) & (sizes < task.in_class.sum())
    groups, owners = groups[possible], owners[possible]
    evidence = np.empty(len(groups))
    for some in slices(len(groups), _table.SETS_AT_ONCE):
        correlation = _kinds.correlations(task.Z, groups[some])
        # The column that a group comes from tells nothing new.
        np.put_along_axis(correlation, owners[some, None], np.float32(0), axis=1)
        for _ in range(VALUE_SWEEPS):
            sizes = np.abs(correlation)
            place = max(sizes.shape[1] - VALUE_COLUMNS, 0)
            least = np.partition(sizes, place, axis=1)[:, place][:, None]
            signs = np.where(sizes >= least, np.sign(correlation), np.float32(0))
            axes = np.asarray(signs @ task.Z.T, np.float64)
            splits = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)
            groups[some] = splits[0]
            correlation = _kinds.correlations(task.Z, groups[some])
        gains = _kinds.shift_gains(np.square(correlation), len(task.Z))
        evidence[some] = _evidence(task, kind, groups[some], gains)
    groups = _table.distinct_sets(groups[np.argsort(-evidence, kind="stable")[:VALUES_JUDGED]])
    judged = [
        _evidence(task, kind, groups[some], kind.column_gains(task.Z, groups[some])[1])
        for some in slices(len(groups), _table.SETS_AT_ONCE)
    ]
    return Seeds(groups, np.concatenate([np.empty(0), *judged]))


def _evidence(
    task: SearchTask, kind: _kinds.Shift, groups: BoolArray, gains: FloatArray
) -> FloatArray:
    """Gains of the columns that would be reported, less what it costs to name them and the rows."""
    least = kind.least_gain(task.Z.shape[1])
    evidence: FloatArray = np.where(gains > least + 1.0, gains - least, 0.0).sum(axis=1)
    for rows in (task.in_class, ~task.in_class):
        evidence -= _kinds.log_choices(int(rows.sum()), groups[:, rows].sum(axis=1))
    return evidence
