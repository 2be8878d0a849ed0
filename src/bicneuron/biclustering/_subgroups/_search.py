"""Search for groups of rows that differ in some columns, in every class and of every kind.

Each column has a gain for a group, in nats, by its kind (`_kinds`). The axis of a group is a sum
over its best columns, and the rows of the next group are the best split of that axis. The
search alternates between columns and rows until the rows stay the same.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray
from bicneuron._core._splits import best_splits
from bicneuron._shared._steps import tell_step
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds, _starts, _strength, _table
from bicneuron.biclustering._subgroups._column_sets import coexpressed_groups, shifted_sets
from bicneuron.biclustering._subgroups._kinds import Shift, Tight

# Sizes of groups: the smallest number, the largest share of the class, and the share of the other
# rows that may be carriers.
MIN_ROWS, MAX_SHARE, OTHER_SHARE = 3, 0.6, 0.1
# The smallest share of the class, and that of large classes: groups of so many rows are seen there.
MIN_SHARE, MIN_SHARE_LARGE, MANY_ROWS = 0.05, 0.005, 75
# Columns that an axis has at least, whatever their gains.
MIN_AXIS_COLUMNS = 8
# Leaders of seeds and of groups that start from a value, and groups that go through all axis sizes.
LEADERS, VALUE_LEADERS, SMALL_LEADERS, FINALISTS = 100, 20, 40, 80
MAX_SWEEPS = 8
# Tight groups whose parts are looked at, too; columns on the axis that parts are taken from, and
# their shares of the rows of the group.
DIVIDED, PART_COLUMNS, PART_SHARES = 10, 30, (0.6, 0.7, 0.8, 0.9)


def search_classes(
    table: FloatArray,
    removed: list[_table.Background],
    classes: list[tuple[Any, BoolArray]],
    labelled: bool,
    kinds: list[str],
    like: BoolArray | None,
    n_jobs: int | None,
    in_all: Mapping[Any, int],
) -> tuple[list[_strength.Labelled], int]:
    """Scored groups of all classes, with the label of each, and the number of seeds.

    Of a large table some rows are given, and how many each class has in all.
    """
    everything = np.ones(len(table), dtype=bool)
    searches = [(label, in_class, labelled) for label, in_class in classes]
    if labelled:
        searches.insert(0, (None, everything, False))
    possible = [
        (*one, limits)
        for one in searches
        if (limits := size_limits(one[1], in_all.get(one[0]))) is not None
    ]
    if not possible or not table.shape[1]:
        return [], 0
    pools = {None: everything, **{label: rows for label, rows, *_ in possible}}
    sizes = min(limits[0] for *_, limits in possible), max(limits[1] for *_, limits in possible)
    prepared = [
        _prepared(table, background, place, kinds, pools, sizes, bool(in_all), n_jobs)
        for place, background in enumerate(removed)
        if not place or Shift.name in kinds
    ]
    n_seeds = sum(len(one.seeds.groups) for one in prepared if one.seeds is not None)
    works = [
        (label, _table.SearchTask(one.Z, in_class, uses_class, *limits, like), one, kind)
        for kind in reversed(kinds)  # those that take longest first
        for one in prepared
        if one.place == 0 or kind == Shift.name
        for label, in_class, uses_class, limits in possible
    ]
    found = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(_search_class)(task, one, kind, label) for label, task, one, kind in works
    )
    scored: list[_strength.Labelled] = []
    tell_step(0, len(works))
    for done, ((label, *_), (groups, n_started)) in enumerate(zip(works, found, strict=True)):
        scored += [(label, group) for group in groups]
        n_seeds += n_started
        tell_step(done + 1, len(works))
    return scored, n_seeds


class Prepared(NamedTuple):
    """A table without one background, and what the searches of all classes share."""

    Z: Float32Array
    place: int
    shift: Shift
    tight: Tight
    seeds: _starts.Seeds | None
    small: BoolArray
    clusters: Mapping[Any, BoolArray]


def _prepared(
    table: FloatArray,
    background: _table.Background,
    place: int,
    kinds: list[str],
    pools: dict[Any, BoolArray],
    sizes: tuple[int, int],
    is_part: bool,
    n_jobs: int | None,
) -> Prepared:
    """Remove a background, and make starts."""
    Z = background.remove(table) if place else np.ascontiguousarray(table, np.float32)
    scores = _kinds.normal_scores(Z)
    shift = Shift(Z, scores)
    seeds, small, clusters = None, np.empty((0, len(Z)), dtype=bool), {}
    if kinds != [_kinds.Coexpressed.name]:
        found = _starts.tree_clusters(Z, [*pools.values()], *sizes, n_jobs)
        clusters = dict(zip(pools, found, strict=True))
        if Shift.name in kinds:
            seeds = _starts.shifted_seeds(shift, Z, *sizes, n_jobs)
            if is_part:
                small = _starts.extreme_seeds(shift, Z, sizes[0], n_jobs).leaders(SMALL_LEADERS)
    return Prepared(Z, place, shift, Tight(Z, scores), seeds, small, clusters)


def _search_class(
    task: _table.SearchTask, prepared: Prepared, kind: str, label: Any
) -> tuple[list[_strength.ScoredGroup], int]:
    """Groups of one class and kind without one background, and the number of further seeds."""
    shift, tight = prepared.shift, prepared.tight
    if kind == _kinds.Coexpressed.name:
        return coexpressed_groups(task)
    others = np.concatenate([prepared.clusters[pool] for pool in dict.fromkeys([None, label])])
    sizes = others.sum(axis=1)
    others = others[(sizes >= task.fewest) & (sizes <= task.most)]
    if kind == Shift.name:
        valued = _starts.value_groups(task, shift).leaders(VALUE_LEADERS)
        others = np.concatenate([others, shifted_sets(task), valued, prepared.small])
        assert prepared.seeds is not None
        found = find_groups(task, shift, prepared.seeds, others)
        return _strength.score_groups(task, shift, prepared.place, found), 0
    windows = _starts.tight_seeds(tight, task)
    groups = scored_with_parts(task, tight, find_groups(task, tight, windows, others))
    return groups, len(windows.groups)


def size_limits(in_class: BoolArray, in_all: int | None = None) -> tuple[int, int] | None:
    """Fewest and most rows of a group, or None if the class is too small to have any.

    ``in_class`` may be those of a part of the table, which has so many rows of the class in all.
    """
    n, n_class = len(in_class), int(in_class.sum())
    least = MANY_ROWS / max(n_class if in_all is None else in_all, 1)
    fewest = max(MIN_ROWS, round(min(max(least, MIN_SHARE_LARGE), MIN_SHARE) * n_class))
    most = min(round(MAX_SHARE * n_class) + int(OTHER_SHARE * (n - n_class)), n - fewest)
    return None if most < fewest or n_class < fewest else (fewest, most)


def scored_with_parts(
    task: _table.SearchTask, kind: Tight, groups: BoolArray
) -> list[_strength.ScoredGroup]:
    """Tight groups with their evidence, and parts of the strongest: splits are too generous."""
    scored = _strength.score_groups(task, kind, 0, groups)
    if not scored:
        return []
    best = np.array([group.carriers for group in scored[:DIVIDED]])
    fit = kind.fit(task.Z, best)
    kept = next(fit.best_columns((PART_COLUMNS,), MIN_AXIS_COLUMNS))
    axes = np.where(best, fit.axes(kept, task.Z), -np.inf)
    # Parts are the rows that are clearest on the axis of their group.
    ranks = np.argsort(np.argsort(-axes, axis=1, kind="stable"), axis=1)
    sizes = np.round(np.outer(PART_SHARES, best.sum(axis=1)))[:, :, None]
    parts = _table.distinct_sets((ranks < sizes)[(sizes >= task.fewest)[:, :, 0]])
    return scored + _strength.score_groups(task, kind, 0, parts)


def find_groups(
    task: _table.SearchTask, kind: _kinds.GroupKind, seeds: _starts.Seeds, others: BoolArray
) -> BoolArray:
    """Distinct groups that the search ends with, from the leaders of seeds and other groups."""
    if task.labelled:
        information = _kinds.class_information(task.in_class, seeds.groups)
        seeds = seeds._replace(support=seeds.support + information)
    start = _table.distinct_sets(np.concatenate([seeds.leaders(LEADERS), others]))
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
                start = _table.distinct_sets(np.concatenate([after[best], others]))
            groups = _table.distinct_sets(after)
    return np.array(list(found.values()), dtype=bool).reshape(-1, len(task.Z))


class Moves:
    """Steps of the search: columns from rows, then rows from columns."""

    def __init__(self, task: _table.SearchTask, kind: _kinds.GroupKind) -> None:
        self._task = task
        self._kind = kind
        # Numbers of columns on the axes of a group; next group and value of its split by number.
        self._counts: dict[bytes, list[int]] = {}
        self._known: dict[tuple[bytes, int], tuple[BoolArray, float]] = {}

    def of(self, groups: BoolArray, place: int) -> tuple[BoolArray, FloatArray]:
        """Groups that follow, with one of the sizes of an axis, and values of their splits."""
        keys = [group.tobytes() for group in groups]
        new = np.array([self._step(key, place) not in self._known for key in keys])
        task, kind = self._task, self._kind
        for some in slices(int(new.sum()), _table.SETS_AT_ONCE):
            fit = kind.fit(task.Z, groups[new][some])
            kept = [*fit.best_columns(kind.axis_sizes, MIN_AXIS_COLUMNS)]
            axes = kind.bounded(fit.axes(kept[place], task.Z))
            splits = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)
            counts = np.array([columns.sum(axis=1) for columns in kept]).T.tolist()
            for group, own, after, value in zip(groups[new][some], counts, *splits, strict=True):
                self._counts[group.tobytes()] = own
                self._known[group.tobytes(), own[place]] = after, float(value)
        steps = [self._known[self._step(key, place)] for key in keys]
        all_after, values = zip(*steps, strict=True)
        return np.array(all_after), np.array(values)

    def _step(self, key: bytes, place: int) -> tuple[bytes, int]:
        counts = self._counts.get(key)
        return key, -1 if counts is None else counts[place]
