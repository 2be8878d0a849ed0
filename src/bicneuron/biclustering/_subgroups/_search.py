"""Search for groups of rows that differ in some columns, in every class and of every kind.

A group is a set of rows. Each column has a gain for it, in nats, by its kind (`_kinds`).
The axis of a group is a sum over its best columns, and the rows of the next group are the best
split of that axis. The search

1. **seeds** groups from single columns, keeps **leaders**, those with the strongest support in
   other columns that are unlike each other;
2. starts from these, from the clusters of hierarchical trees, from sets of columns and, with
   labels, from rows with the same value in a column;
3. **alternates** between columns and rows until the rows stay the same, for several numbers of
   columns.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import chi2

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import best_splits
from bicneuron._shared._steps import tell_step
from bicneuron.biclustering._subgroups._coexpression import coexpressed_groups
from bicneuron.biclustering._subgroups._column_sets import shifted_sets
from bicneuron.biclustering._subgroups._kinds import (
    Coexpressed,
    GroupKind,
    Shift,
    Tight,
    normal_scores,
)
from bicneuron.biclustering._subgroups._rates import class_information
from bicneuron.biclustering._subgroups._strength import (
    Labelled,
    ScoredGroup,
    score_groups,
)
from bicneuron.biclustering._subgroups._table import (
    LEAST_STRENGTH,
    SEED_ROWS,
    Background,
    SearchTask,
    distinct_sets,
    spaced,
)
from bicneuron.biclustering._subgroups._trees import tree_clusters
from bicneuron.biclustering._subgroups._value_groups import value_groups

# Sizes of groups: the smallest number and share, the largest share of the class, and the share of
# the other rows that may be carriers.
MIN_ROWS, MIN_SHARE, MAX_SHARE, OTHER_SHARE = 3, 0.05, 0.6, 0.1
# Tight groups whose parts are looked at, too.
DIVIDED = 10
# Columns that an axis has at least, whatever their gains.
MIN_AXIS_COLUMNS = 8
# Size and first place, as shares of a class in the order of a column, of tight seeds.
WINDOWS = ((0.15, 0.05), (0.15, 0.15), (0.15, 0.7), (0.15, 0.8), (0.3, 0.08), (0.3, 0.62))
# Splits, and columns that windows are taken from, at most: groups have several columns.
SPLITS, WINDOW_OWNERS = 4000, 2000
# Columns, other than its own, that the support of a seed counts.
SUPPORT_COLUMNS = 8
# Seeds that are compared for leaders, leaders, and those that go through all axis sizes.
COMPARED_SEEDS, LEADERS, FINALISTS = 2000, 100, 80
# Leaders of groups that start from a value of a column.
VALUE_LEADERS = 20
# Leaders overlap by no larger Jaccard index.
LEADER_OVERLAP = 0.6
MAX_SWEEPS = 8
# Columns on the axis that parts of a group are taken from, and their shares of its rows.
PART_COLUMNS, PART_SHARES = 30, (0.6, 0.7, 0.8, 0.9)
# Row sets that are looked at together, to save memory.
SETS_AT_ONCE = 512


class Seeds(NamedTuple):
    """Groups to start from, each with its support by columns other than its own."""

    groups: BoolArray
    support: FloatArray


def search_classes(
    table: FloatArray,
    removed: list[Background],
    classes: list[tuple[Any, BoolArray]],
    labelled: bool,
    kinds: list[str],
    n_jobs: int | None,
) -> tuple[list[Labelled], int]:
    """Scored groups of all classes, with the label of each, and the number of seeds."""
    searches = [(label, in_class, labelled) for label, in_class in classes]
    if labelled:
        searches.insert(0, (None, np.ones(len(table), dtype=bool), False))
    possible = [
        (label, in_class, uses_class, limits)
        for label, in_class, uses_class in searches
        if (limits := _limits(in_class)) is not None
    ]
    if not possible or not table.shape[1]:
        return [], 0
    pools = {None: np.ones(len(table), dtype=bool), **{label: rows for label, rows, *_ in possible}}
    sizes = min(limits[0] for *_, limits in possible), max(limits[1] for *_, limits in possible)
    prepared = [
        _prepared(table, background, place, kinds, pools, sizes, n_jobs)
        for place, background in enumerate(removed)
        if not place or Shift.name in kinds
    ]
    n_seeds = sum(len(one.seeds.groups) for one in prepared if one.seeds is not None)
    works = [
        (label, SearchTask(one.Z, in_class, uses_class, *limits, LEAST_STRENGTH), one, kind)
        for kind in reversed(kinds)  # those that take longest first
        for one in prepared
        if one.place == 0 or kind == Shift.name
        for label, in_class, uses_class, limits in possible
    ]
    found = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(_search_class)(task, one, kind, label) for label, task, one, kind in works
    )
    labels = [label for label, *_ in works]
    scored: list[Labelled] = []
    tell_step(0, len(labels))
    for done, (label, (groups, n_started)) in enumerate(zip(labels, found, strict=True)):
        scored += [(label, group) for group in groups]
        n_seeds += n_started
        tell_step(done + 1, len(labels))
    return scored, n_seeds


class Prepared(NamedTuple):
    """A table without one background, and what the searches of all classes share."""

    Z: Float32Array
    place: int
    shift: Shift
    tight: Tight
    seeds: Seeds | None
    clusters: Mapping[Any, BoolArray]

    def clusters_of(self, label: Any, task: SearchTask) -> BoolArray:
        """Clusters of all rows and of one class that have the size of a group."""
        both = np.concatenate([self.clusters[pool] for pool in dict.fromkeys([None, label])])
        sizes = both.sum(axis=1)
        fitting: BoolArray = both[(sizes >= task.fewest) & (sizes <= task.most)]
        return fitting


def _prepared(
    table: FloatArray,
    background: Background,
    place: int,
    kinds: list[str],
    pools: dict[Any, BoolArray],
    sizes: tuple[int, int],
    n_jobs: int | None,
) -> Prepared:
    """Remove a background, and make starts."""
    Z = background.remove(table) if place else np.ascontiguousarray(table, np.float32)
    scores = normal_scores(Z)
    shift = Shift(Z, scores)
    seeds, clusters = None, {}
    if kinds != [Coexpressed.name]:
        clusters = dict(
            zip(pools, tree_clusters(Z, [*pools.values()], *sizes, n_jobs), strict=True)
        )
        if Shift.name in kinds:
            seeds = shifted_seeds(shift, Z, *sizes, n_jobs)
    return Prepared(Z, place, shift, Tight(Z, scores), seeds, clusters)


def _search_class(
    task: SearchTask,
    prepared: Prepared,
    kind: str,
    label: Any,
) -> tuple[list[ScoredGroup], int]:
    """Groups of one class and kind without one background, and the number of further seeds."""
    shift, tight = prepared.shift, prepared.tight
    if kind == Coexpressed.name:
        return coexpressed_groups(task)
    others = prepared.clusters_of(label, task)
    if kind == Shift.name:
        others = np.concatenate([others, shifted_sets(task), _value_leaders(task, shift)])
        found = find_groups(task, shift, prepared.seeds, others)
        return score_groups(task, shift, prepared.place, found), 0
    windows = tight_seeds(tight, task)
    groups = scored_with_parts(task, tight, find_groups(task, tight, windows, others))
    return groups, len(windows.groups)


def _limits(in_class: BoolArray) -> tuple[int, int] | None:
    """Fewest and most rows of a group, or None if the class is too small to have any."""
    n, n_class = len(in_class), int(in_class.sum())
    fewest = max(MIN_ROWS, round(MIN_SHARE * n_class))
    most = min(round(MAX_SHARE * n_class) + int(OTHER_SHARE * (n - n_class)), n - fewest)
    return None if most < fewest or n_class < fewest else (fewest, most)


def scored_with_parts(task: SearchTask, kind: Tight, groups: BoolArray) -> list[ScoredGroup]:
    """Tight groups with their evidence, and parts of the strongest: splits are too generous."""
    scored = score_groups(task, kind, 0, groups)
    if not scored:
        return []
    best = np.array([group.carriers for group in scored[:DIVIDED]])
    return scored + score_groups(task, kind, 0, smaller_groups(task, kind, best))


def shifted_seeds(
    kind: Shift, Z: Float32Array, fewest: int, most: int, n_jobs: int | None
) -> Seeds:
    """The best splits of columns, in both directions."""
    everything = np.ones(len(Z), dtype=bool)
    by_column = np.asarray(Z.T, np.float64)
    both = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(best_splits)(sign * by_column[some], everything, False, fewest, most)
        for sign in (1, -1)
        for some in _slices(len(by_column))
    )
    sets, gains = (np.concatenate(parts) for parts in zip(*both, strict=True))
    kept = np.sort(np.argsort(-gains, kind="stable")[:SPLITS])
    sets = sets[kept]
    rows = spaced(len(Z), SEED_ROWS)
    return Seeds(sets, _supports(kind, Z[rows], sets[:, rows], kept % Z.shape[1], n_jobs))


def tight_seeds(kind: Tight, task: SearchTask) -> Seeds:
    """Rows of the class that are neighbours in the order of a column."""
    rows = np.flatnonzero(task.in_class)
    rows = rows[spaced(len(rows), SEED_ROWS)]
    A = task.Z[rows]
    order = np.argsort(A, axis=0, kind="stable").T
    owners = spaced(A.shape[1], WINDOW_OWNERS)
    sets = []
    for share, first in WINDOWS:
        size = min(max(task.fewest, round(share * len(rows))), len(rows))
        start = min(int(first * len(rows)), len(rows) - size)
        sets.append(_places(order[owners], start, size, len(rows)))
    windows = np.concatenate(sets)
    groups = np.zeros((len(windows), len(task.Z)), dtype=bool)
    groups[:, rows] = windows
    return Seeds(groups, _supports(kind, A, windows, np.tile(owners, len(WINDOWS))))


def _places(order: IndexArray, start: int, size: int, n_rows: int) -> BoolArray:
    """Sets of the rows at some places of each order."""
    sets = np.zeros((len(order), n_rows), dtype=bool)
    np.put_along_axis(sets, order[:, start : start + size], True, axis=1)
    return sets


def _supports(
    kind: GroupKind,
    Z: Float32Array,
    groups: BoolArray,
    owners: IndexArray,
    n_jobs: int | None = None,
) -> FloatArray:
    """Support of seeds by columns other than those that they come from."""
    support = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_support)(kind, Z, groups[some], owners[some]) for some in _slices(len(groups))
    )
    return np.concatenate([np.empty(0), *support])


def _support(kind: GroupKind, Z: Float32Array, groups: BoolArray, owners: IndexArray) -> FloatArray:
    """Gains of the best columns other than the seed's own, beyond what chance gives the best."""
    n_columns = Z.shape[1]
    gains = kind.best_gains(Z, groups, owners, SUPPORT_COLUMNS)
    shares = (np.arange(SUPPORT_COLUMNS) + 0.5) / max(n_columns, SUPPORT_COLUMNS)
    by_chance = chi2.isf(shares, kind.degrees) / 2
    excess: FloatArray = np.cumsum(gains - by_chance, axis=1).max(axis=1)
    return excess


def find_groups(
    task: SearchTask, kind: GroupKind, seeds: Seeds | None, others: BoolArray
) -> BoolArray:
    """Distinct groups that the search ends with, from the leaders of seeds and other groups."""
    n = len(task.Z)
    start = distinct_sets(others)
    if seeds is not None:
        support = seeds.support
        if task.labelled:
            support = support + class_information(task.in_class, seeds.groups)
        leaders = seeds.groups[_leaders(seeds.groups, support, LEADERS)]
        start = distinct_sets(np.concatenate([leaders, others]))
    found: dict[bytes, BoolArray] = {}
    moves = Moves(task, kind)
    for place in range(len(kind.axis_sizes)):
        groups = start
        for sweep in range(MAX_SWEEPS):
            if not len(groups):
                break
            after, values = moves.of(groups, place)
            same = (after == groups).all(axis=1)
            done = same | (sweep == MAX_SWEEPS - 1)
            if sweep >= 2:
                found.update((group.tobytes(), group) for group in after[done])
                after, values = after[~done], values[~done]
            if sweep == 1 and place == 0:
                best = np.argsort(-values, kind="stable")[:FINALISTS]
                start = distinct_sets(np.concatenate([after[best], others]))
            groups = distinct_sets(after)
    return np.array(list(found.values()), dtype=bool).reshape(-1, n)


def _leaders(seeds: BoolArray, support: FloatArray, most: int) -> IndexArray:
    """Positions of the best supported seeds that are unlike each other, at most this many."""
    order = np.argsort(-support, kind="stable")[:COMPARED_SEEDS]
    sets = seeds[order].astype(np.float32)
    sizes = sets.sum(axis=1)
    alive, leaders = np.ones(len(order), dtype=bool), []
    for place in range(len(order)):
        if alive[place]:
            leaders.append(order[place])
            shared = sets @ sets[place]
            alive &= shared <= LEADER_OVERLAP * (sizes + sizes[place] - shared)
            if len(leaders) == most:
                break
    return np.array(leaders, dtype=np.intp)


def _value_leaders(task: SearchTask, kind: Shift) -> BoolArray:
    """The groups with the most evidence that rows with the same value lead to."""
    groups, evidence = value_groups(task, kind)
    return groups[_leaders(groups, evidence, VALUE_LEADERS)]


class Moves:
    """Steps of the search: columns from rows, then rows from columns."""

    def __init__(self, task: SearchTask, kind: GroupKind) -> None:
        self._task = task
        self._kind = kind
        # Numbers of columns on the axes of a group; next group and value of its split by number.
        self._counts: dict[bytes, list[int]] = {}
        self._known: dict[tuple[bytes, int], tuple[BoolArray, float]] = {}

    def of(self, groups: BoolArray, place: int) -> tuple[BoolArray, FloatArray]:
        """Groups that follow, with one of the sizes of an axis, and values of their splits."""
        keys = [group.tobytes() for group in groups]
        new = np.array([self._step(key, place) not in self._known for key in keys])
        for some in _slices(int(new.sum())):
            self._take(groups[new][some], place)
        steps = [self._known[self._step(key, place)] for key in keys]
        after, values = zip(*steps, strict=True)
        return np.array(after), np.array(values)

    def _step(self, key: bytes, place: int) -> tuple[bytes, int]:
        counts = self._counts.get(key)
        return key, -1 if counts is None else counts[place]

    def _take(self, groups: BoolArray, place: int) -> None:
        task, kind = self._task, self._kind
        fit = kind.fit(task.Z, groups)
        kept = [*fit.best_columns(kind.axis_sizes, MIN_AXIS_COLUMNS)]
        axes = kind.bounded(fit.axes(kept[place], task.Z))
        splits = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)
        counts = np.array([columns.sum(axis=1) for columns in kept]).T
        for group, own, after, value in zip(groups, counts.tolist(), *splits, strict=True):
            self._counts[group.tobytes()] = own
            self._known[group.tobytes(), own[place]] = after, float(value)


def smaller_groups(task: SearchTask, kind: GroupKind, groups: BoolArray) -> BoolArray:
    """Parts of groups: the rows that are clearest on their axis."""
    fit = kind.fit(task.Z, groups)
    kept = next(fit.best_columns((PART_COLUMNS,), MIN_AXIS_COLUMNS))
    axes = np.where(groups, fit.axes(kept, task.Z), -np.inf)
    order = np.argsort(-axes, axis=1, kind="stable")
    sizes = groups.sum(axis=1)
    parts = [np.empty((0, len(task.Z)), dtype=bool)]
    for share in PART_SHARES:
        for rows, size in zip(order, np.round(share * sizes).astype(int).tolist(), strict=True):
            if size >= task.fewest:
                parts.append(np.zeros((1, len(task.Z)), dtype=bool))
                parts[-1][0, rows[:size]] = True
    return distinct_sets(np.concatenate(parts))


def _slices(count: int) -> list[slice]:
    return [slice(first, first + SETS_AT_ONCE) for first in range(0, count, SETS_AT_ONCE)]
