"""Strength of groups: each row is judged by what was learnt without it."""

from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._table import LEAST_STRENGTH, SearchTask

# Largest number of columns of a group.
MAX_COLUMNS = 500
# Rows of the class that a group has at least; with fewer than the second number it must be this
# strong to be reported, because chance makes many small groups.
FEWEST_MEMBERS, FEW_MEMBERS, STRONG = 3, 5, 10.0
# Rows outside the class that a group may have: this share of its rate inside.
OUTSIDE_SHARE = 1 / 3
# Each row is placed on axes whose columns and factors were computed without its fold.
N_FOLDS = 10
# Columns that an axis of a fold has at least, whatever their gains.
MIN_COLUMNS = 3
# The gain is at most this many times that without the strongest column, which may be chance.
ONE_COLUMN = 1.5
# Jaccard index with groups that are searched again, at least; parts of a group may be more alike.
ALIKE = 0.3
# Groups that are looked at together, to save memory.
GROUPS_AT_ONCE = 64


class Origin(NamedTuple):
    """The table, the class and the kind in which a group was found."""

    task: SearchTask
    kind: _kinds.GroupKind | _kinds.Coexpressed
    background: int


class AxisFactors(NamedTuple):
    """Factors of the columns of a group on its axis, and their correlations with the group."""

    linear: FloatArray
    squares: FloatArray
    weights: FloatArray


class ScoredGroup(NamedTuple):
    """A group with its evidence, and its axis if that is known from the whole of a large table."""

    carriers: BoolArray
    rows: IndexArray
    columns: IndexArray
    strength: float
    origin: Origin
    factors: AxisFactors | None = None


# Label of the class, and the group.
Labelled = tuple[Any, ScoredGroup]


def score_groups(
    task: SearchTask, kind: _kinds.GroupKind, background: int, groups: BoolArray
) -> list[ScoredGroup]:
    """Evidence for each group that belongs to the class, strongest first."""
    origin = Origin(task, kind, background)
    groups = groups[belongs_to_class(task, groups)]
    if task.like is not None:
        shared = groups.astype(np.float32) @ task.like.T
        either = groups.sum(axis=1)[:, None] + task.like.sum(axis=1) - shared
        groups = groups[(shared >= ALIKE * either).any(axis=1)]
    sizes = groups[:, task.in_class].sum(axis=1)
    groups = groups[sizes <= kind.max_share * task.in_class.sum()]
    if not len(groups):
        return []
    columns, named = [], []
    exact = task.Z.astype(np.float64)  # sums of float32 values differ between processors
    for some in slices(len(groups), GROUPS_AT_ONCE):
        both = kind.column_gains(exact, groups[some])
        for group, gains, least in zip(groups[some], *both, strict=True):
            count = int(np.sum(gains > kind.least_gain(len(gains)) + 1.0))
            ranked = np.argsort(-gains, kind="stable")
            columns.append(np.sort(ranked[: min(max(count, MIN_COLUMNS), MAX_COLUMNS)]))
            surplus = least[columns[-1]] - kind.least_gain(len(gains))
            # Beyond the cost of naming the columns, and less that of naming the rows.
            named.append(float(np.sum(surplus, dtype=np.float64) - naming_cost(task, group)))
    worth = np.flatnonzero(np.array(named) >= LEAST_STRENGTH)
    groups = groups[worth]
    split = held_out_gains(kind, task.Z, groups, task.in_class)
    split += known_rates(task, groups)
    scored = []
    for place, group, gain in zip(worth.tolist(), groups, split.tolist(), strict=True):
        rows, strength = np.flatnonzero(group & task.in_class), min(gain, named[place])
        if gain >= LEAST_STRENGTH and (len(rows) >= FEW_MEMBERS or strength >= STRONG):
            scored.append(ScoredGroup(group, rows, columns[place], strength, origin))
    return sorted(scored, key=lambda group: -group.strength)


def naming_cost(task: SearchTask, group: BoolArray) -> float:
    """Cost of naming the rows of a group, in nats."""
    return sum(
        float(_kinds.log_choices(int(rows.sum()), int(np.sum(group & rows))))
        for rows in (task.in_class, ~task.in_class)
    )


def belongs_to_class(task: SearchTask, groups: BoolArray) -> BoolArray:
    """True for groups with enough rows in the class and few enough outside."""
    n, n_class = len(task.Z), int(task.in_class.sum())
    inside = groups[:, task.in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    belongs: BoolArray = outside * n_class <= OUTSIDE_SHARE * inside * (n - n_class)
    belongs &= inside >= max(FEWEST_MEMBERS, task.fewest - 1)
    return belongs


def known_rates(task: SearchTask, groups: BoolArray) -> FloatArray:
    """Information of a group about the class, less the cost of naming its rows; in nats."""
    inside = groups[:, task.in_class].sum(axis=1)
    cost = _kinds.log_rates(inside, int(task.in_class.sum()))
    if not task.labelled:
        return cost
    return cost + _kinds.class_information(task.in_class, groups)


def held_out_gains(
    kind: _kinds.GroupKind, Z: Float32Array, groups: BoolArray, among: BoolArray
) -> FloatArray:
    """Gain of each group, on axes that were made without the rows that are placed on them."""
    least = [np.empty(0)]
    for some in slices(len(groups), GROUPS_AT_ONCE):
        own = groups[some]
        axes, without = np.zeros((2, len(own), len(kind.axis_sizes), len(Z)))
        for fold in range(min(N_FOLDS, len(Z))):
            out = np.arange(len(Z)) % N_FOLDS == fold
            fit = kind.fit(Z[~out], own[:, ~out])
            strongest = fit.of_columns(np.argmax(fit.order, axis=1), Z[out])
            for a, kept in enumerate(fit.best_columns(kind.axis_sizes, MIN_COLUMNS)):
                axes[:, a, out] = fit.axes(kept, Z[out])
                without[:, a, out] = axes[:, a, out] - strongest
        judged = np.ascontiguousarray(own[:, among])
        gains, fewer = (
            gains_of_groups(np.ascontiguousarray(kind.bounded(values)[:, :, among]), judged)
            for values in (axes, without)
        )
        least.append(np.minimum(gains.mean(axis=1), ONE_COLUMN * fewer.mean(axis=1)))
    return np.concatenate(least)


def n_facts(values: FloatArray) -> int:
    """Number of columns, where columns of two values that exclude each other count as one.

    A column of words becomes one of 0 and 1 for each word; the rows with a word share all of them.
    """
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    has_two = ((values == low) | (values == high) | np.isnan(values)).all(axis=0)
    sets: list[BoolArray] = []  # rows with a word, for each column of words
    for own in (values == high)[:, has_two].T:
        place = next((k for k, one in enumerate(sets) if not (one & own).any()), None)
        if place is None:
            sets.append(own.copy())
        else:
            sets[place] |= own
    return len(sets) + int(np.sum(~has_two))
