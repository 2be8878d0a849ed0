"""From scored groups to a ranked list of distinct ones, as patterns of the user's table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import compress
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import observed_residue
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroups import _kinds, _strength
from bicneuron.biclustering._subgroups._blocks import CELLS_AT_ONCE, BlockTable
from bicneuron.biclustering._subgroups._strength import Labelled, ScoredGroup
from bicneuron.biclustering._subgroups._table import Background, CanonicalOrder, spaced
from bicneuron.patterns import Axis, Pattern

# Two groups are the same beyond this Jaccard index of their rows.
SAME_GROUP = 0.75
# Where groups overlap by half of the smaller one, the rows in which they differ count if they are
# so many, such a share of the group, and split from it by so many nats more than a normal axis.
FEW_ROWS, FEW_SHARE, CLEAR_SPLIT = 4, 0.2, 5.0
# The smaller side of a split is listed if it has this share of the strength of the other.
AS_STRONG = 0.9
# A group that is as common in other classes is ranked by this part of its strength.
UNTIED = 0.15
# A group that is this many times stronger as another kind is not a shift.
SHIFT_PREFERRED = 2.0
# A child shares at least this much of its rows with its parent.
CHILD_SHARE = 0.8
# Values on an axis, in its deviations, that differ by less are equal: its weights are float32.
SAME_VALUE = 1e-5
# Strengths that differ by less, or by this part of the larger, are equal: they are sums in float32.
SAME_STRENGTH = 1e-5
Item = TypeVar("Item")


def largest_first(
    items: Sequence[Item], value: Callable[[Item], float], key: Callable[[Item], Any]
) -> list[Item]:
    """Items by value, the largest first; equal ones by a key."""
    runs: list[list[Item]] = []
    for item in sorted(items, key=lambda item: -value(item)):
        before = value(runs[-1][-1]) if runs else 0.0
        if runs and before - value(item) <= SAME_STRENGTH * max(1.0, abs(before)):
            runs[-1].append(item)
        else:
            runs.append([item])
    return [item for run in runs for item in (sorted(run, key=key) if len(run) > 1 else run)]


def fewest_rows(group: ScoredGroup) -> tuple[int, list[int]]:
    """Key of equal groups: the smallest, and among these the one with the first rows."""
    return len(group.rows), group.rows.tolist()


def ranked_groups(
    scored: list[Labelled], in_class: Mapping[Any, BoolArray], labels: list[Any], most: int
) -> list[Labelled]:
    """Distinct groups of these classes, strongest first, at most this many."""
    without_labels = [group for label, group in scored if label is None and None not in in_class]
    scored = [(label, group) for label, group in scored if label in in_class]
    found = _distinct(without_labels, most, lambda one: with_class(one, in_class)[0] in labels)
    scored += [with_class(group, in_class) for group in found]
    listed: list[Labelled] = []
    for label in labels:
        own = [group for k, group in scored if k == label]
        if label is not None:
            class_rows = np.flatnonzero(in_class[label])
            is_wide = [are_same(np.flatnonzero(group.carriers), class_rows) for group in own]
            wide = largest_first(list(compress(own, is_wide)), attrgetter("strength"), fewest_rows)
            listed += [(label, group) for group in wide[:1]]
            own = list(compress(own, np.logical_not(is_wide)))
        listed += [(label, group) for group in _distinct(own, most)]
    listed = largest_first(_once(listed), lambda one: rank(one[1]), lambda one: fewest_rows(one[1]))
    return [listed[place] for place in sorted(_places(listed, most))]


def _distinct(
    groups: list[ScoredGroup], most: int, wanted: Callable[[ScoredGroup], bool] = bool
) -> list[ScoredGroup]:
    """Distinct groups of each kind, more than fit: some are listed as another kind."""
    found: list[ScoredGroup] = []
    for name in _kinds.KINDS:
        of_kind = [group for group in groups if group.origin.kind.name == name]
        if name == _kinds.Coexpressed.name:
            found += of_kind
        elif of_kind:
            found += _distinct_of_kind(of_kind, 2 * most, wanted)
    return found


def _places(listed: list[Labelled], most: int) -> set[int]:
    """Places in the list that are kept: the first, and the first few of each class and kind."""
    kept: set[int] = set()
    for names in ([label for label, _ in listed], [one.origin.kind.name for _, one in listed]):
        reserved = most // (2 * max(len(set(names)), 1))
        for name in dict.fromkeys(names):
            kept.update([place for place, own in enumerate(names) if own == name][:reserved])
    others = [place for place in range(len(listed)) if place not in kept]
    return kept.union(others[: max(most - len(kept), 0)])


def with_class(group: ScoredGroup, in_class: Mapping[Any, BoolArray]) -> Labelled:
    """A group that was found without labels, as one of the class that it tells most about."""
    members = {label: int(group.carriers[mask].sum()) for label, mask in in_class.items()}
    information = {
        label: float(_kinds.class_information(in_class[label], group.carriers[None])[0])
        for label, count in members.items()
        if count >= min(_strength.FEWEST_MEMBERS, max(members.values()))
    }
    label = max(information, key=information.__getitem__)
    mask = in_class[label]
    task = group.origin.task._replace(in_class=mask)
    rows = np.flatnonzero(group.carriers & mask)
    return label, group._replace(rows=rows, origin=group.origin._replace(task=task))


def rank(group: ScoredGroup) -> float:
    """Number by which groups are ranked: the strength, or a part of it if others carry it too."""
    in_class = group.origin.task.in_class
    if in_class.all() or group.strength <= 0:
        return group.strength
    inside, outside = group.carriers[in_class].mean(), group.carriers[~in_class].mean()
    return group.strength * max(1.0 - float(outside / inside), UNTIED)


def _once(groups: list[Labelled]) -> list[Labelled]:
    """Each set of rows, or the rest without it, as one kind: a shift, if none is much stronger."""

    def preference(item: Labelled) -> float:
        is_shift = isinstance(item[1].origin.kind, _kinds.Shift)
        return item[1].strength * (SHIFT_PREFERRED if is_shift else 1.0)

    kept: dict[Any, list[ScoredGroup]] = {}
    for label, group in largest_first(groups, preference, lambda item: fewest_rows(item[1])):
        listed = kept.setdefault(label, [])
        if not any(are_same(group.rows, other.rows) for other in listed):
            _add(group, listed)
    return [(label, group) for label, listed in kept.items() for group in listed]


def _add(group: ScoredGroup, listed: list[ScoredGroup]) -> None:
    """Append a group, unless it is the rest of one; keep the smaller side of a split."""
    for place, other in enumerate(listed):
        if _is_rest_of(group, other):
            is_smaller = len(group.rows) < len(other.rows)
            if is_smaller and group.strength >= AS_STRONG * other.strength:
                listed[place] = group
            return
    listed.append(group)


def _distinct_of_kind(
    scored: list[ScoredGroup], most: int, wanted: Callable[[ScoredGroup], bool]
) -> list[ScoredGroup]:
    """The strongest groups of one kind of which each adds rows to the others, at most this many."""
    scored = largest_first(
        scored, attrgetter("strength"), lambda group: (not wanted(group), *fewest_rows(group))
    )
    splits: dict[int, _Splits] = {}
    listed: list[ScoredGroup] = []
    for group in scored:
        if len(listed) == most:
            return listed
        if group.strength < 0:
            break
        split = splits.setdefault(group.origin.background, _Splits(group.origin))
        if all(
            split.are_distinct(group.rows, other.rows) or _is_rest_of(group, other)
            for other in listed
        ):
            _add(group, listed)
    for group in scored:
        if len(listed) == most:
            break
        if all(
            not are_same(group.rows, other.rows, 0.5) and not _is_rest_of(group, other)
            for other in listed
        ):
            listed.append(group)
    return largest_first(listed, attrgetter("strength"), fewest_rows)


class _Splits:
    """Tests of parts of groups against the rest of their group; each is computed once."""

    def __init__(self, origin: _strength.Origin) -> None:
        self._Z, self._kind = origin.task.Z, cast(_kinds.GroupKind, origin.kind)
        self._known: dict[tuple[bytes, bytes], float] = {}

    def are_distinct(self, rows: IndexArray, stronger: IndexArray) -> bool:
        """True if a group differs from a stronger one by rows that are groups themselves."""
        if are_same(rows, stronger):
            return False
        shared = np.intersect1d(rows, stronger, assume_unique=True)
        if len(shared) < 0.5 * min(len(rows), len(stronger)):
            return True
        others = np.setdiff1d(np.arange(len(self._Z)), stronger, assume_unique=True)
        clear = [
            self._excess(within, part) > CLEAR_SPLIT
            for whole, within, part in (
                (stronger, stronger, shared),
                (rows, others, np.setdiff1d(rows, stronger)),
            )
            if len(whole) - len(shared) >= max(FEW_ROWS, FEW_SHARE * len(whole))
        ]
        return bool(clear) and all(clear)

    def _excess(self, rows: IndexArray, group: IndexArray) -> float:
        """Gain of a group within some rows alone, beyond that of a split of a normal axis."""
        key = rows.tobytes(), group.tobytes()
        if key not in self._known:
            if len(group) < 3 or len(rows) - len(group) < 3:
                return -np.inf
            block = self._Z[rows]
            block = block - block.mean(axis=0)
            deviation = block.std(axis=0)
            block = np.where(deviation > 0.1, block / np.maximum(deviation, 0.1), 0)
            gains = _strength.held_out_gains(
                self._kind,
                np.ascontiguousarray(block, np.float32),
                np.isin(rows, group)[None],
                np.ones(len(rows), dtype=bool),
            )
            self._known[key] = float(gains[0]) - _normal_split(len(rows), len(group))
        return self._known[key]


@cache
def _normal_split(n_rows: int, size: int) -> float:
    """Gain of the highest values of a normal axis."""
    axis = -norm.ppf((np.arange(n_rows) + 0.5) / n_rows)
    return float(gains_of_groups(axis[None, None], (np.arange(n_rows) < size)[None])[0, 0])


def _is_rest_of(group: ScoredGroup, stronger: ScoredGroup) -> bool:
    """True if a group is the rest of the class without a stronger one: the same split."""
    rest = np.flatnonzero(group.origin.task.in_class & ~stronger.carriers)
    return are_same(group.rows, rest)


def are_same(a: IndexArray, b: IndexArray, than: float = SAME_GROUP) -> bool:
    """True if two sets of rows are one group: the shared rows are more than a share of all."""
    fewer, more = sorted((len(a), len(b)))
    if fewer <= than * more:  # most pairs of sets: their sizes alone tell
        return False
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (fewer + more - shared) > than


class UserTable(NamedTuple):
    """The table in the user's order, scores of rows on components, and the order of the search."""

    table: BlockTable
    scores: FloatArray
    order: CanonicalOrder


def subgroup_of(
    group: ScoredGroup,
    label: Any,
    background: Background,
    user: UserTable,
    stronger: Sequence[Pattern],
) -> Pattern:
    """Describe a group in the user's table."""
    carriers = np.zeros(user.table.shape[0], dtype=bool)
    carriers[user.order.rows[group.carriers]] = True
    members = np.sort(user.order.rows[group.rows])
    columns, weights, axis = _axis(group, carriers, background, user)
    some = members[spaced(len(members), max(CELLS_AT_ONCE // len(columns), 1))]
    # Of stronger groups of the same class that include most of the rows, the smallest.
    around = [
        (len(other.rows), place)
        for place, other in enumerate(stronger)
        if other.anchor_class == label
        and len(other.rows) > len(members)
        and len(np.intersect1d(members, other.rows)) >= CHILD_SHARE * len(members)
    ]
    return Pattern(
        rows=members,
        columns=columns,
        msr=observed_residue(user.table.values(some, columns)),
        anchor_class=label,
        kind=group.origin.kind.name,
        strength=group.strength,
        parent=min(around)[1] if around else None,
        weights=weights,
        axis=axis,
    )


def chosen(patterns: Sequence[Pattern], places: Sequence[int]) -> list[Pattern]:
    """Patterns at some places, in this order; parents that are not among them are forgotten."""
    place_of: dict[int | None, int] = {old: new for new, old in enumerate(places)}
    return [replace(patterns[old], parent=place_of.get(patterns[old].parent)) for old in places]


def axis_factors(group: ScoredGroup) -> _strength.AxisFactors:
    """Factors of the columns of a group by the table in which it was found."""
    (task, kind, _), chosen = group.origin, group.columns
    if isinstance(kind, _kinds.Coexpressed):
        weights = kind.correlations(task.Z[np.ix_(np.flatnonzero(group.carriers), chosen)])
        square = _kinds.ratio_factors(len(weights))[0]
        return _strength.AxisFactors(np.zeros(len(weights)), np.full(len(weights), square), weights)
    fit = kind.fit(task.Z, group.carriers[None])
    squares = np.zeros(len(chosen)) if fit.squares is None else fit.squares[0, chosen]
    linear = fit.linear[0, chosen].astype(np.float64)
    weights = correlation_weights(fit.gains[0, chosen], linear, len(task.Z))
    return _strength.AxisFactors(linear, squares.astype(np.float64), weights)


def correlation_weights(gains: FloatArray, linear: FloatArray, n_rows: int) -> FloatArray:
    """Gains of columns as a correlation: for a shift it is the correlation itself."""
    weights = np.sqrt(-np.expm1(-2.0 * gains.astype(np.float64) / n_rows))
    return np.where(linear >= 0, weights, -weights)


def _axis(
    group: ScoredGroup, carriers: BoolArray, background: Background, user: UserTable
) -> tuple[IndexArray, FloatArray, Axis]:
    """Sorted columns of a group, their correlations with it, and its axis."""
    chosen, order = group.columns, user.order
    linear, squares, weights = axis_factors(group) if group.factors is None else group.factors
    linear = linear / background.deviation[chosen]
    common = np.zeros(len(chosen))
    if isinstance(group.origin.kind, _kinds.Coexpressed):
        factor = _kinds.ratio_factors(len(weights))[1]
        common = np.sqrt(factor) * np.where(weights >= 0, 1.0, -1.0)
    # Copies of a column share its factors.
    columns = np.concatenate([order.copies[k] for k in chosen.tolist()])
    sign = np.concatenate([order.signs[k] for k in chosen.tolist()])
    counts = np.array([len(order.copies[k]) for k in chosen.tolist()])
    share = np.repeat(1.0 / counts, counts)
    sorting = np.argsort(columns, kind="stable")
    columns = columns[sorting]

    def spread(values: FloatArray, signs: FloatArray) -> FloatArray:
        return (np.repeat(values, counts) * signs)[sorting]

    axis = Axis(
        linear=spread(linear, sign * share),
        squares=spread(squares, share),
        common=spread(common, sign * share),
        removed=background.components[:, chosen] @ linear,
        floor=-np.inf,
    )
    blocks = user.table.by_rows(columns)
    values = np.concatenate([axis.values(Z, user.scores[rows]) for rows, Z in blocks])
    if squares.any():
        axis = axis._replace(floor=float(_kinds.bounded_below(values).min()))
        values = np.maximum(values, axis.floor)
    cut, scale = best_cut(values, carriers)
    return columns, spread(weights, sign), axis._replace(cut=cut, scale=scale)


def best_cut(values: FloatArray, carriers: BoolArray) -> tuple[float, float]:
    """Value that separates carriers from other rows best, and the deviation within both."""
    inside, outside = values[carriers], values[~carriers]
    within = np.sum((inside - inside.mean()) ** 2) + np.sum((outside - outside.mean()) ** 2)
    scale = float(np.sqrt(within / len(values))) or 1.0
    order = np.argsort(-values, kind="stable")
    mistakes = len(inside) + np.cumsum(np.where(carriers[order], -1, 1))
    # A cut is between values that differ, by more than rounding.
    gaps = values[order[:-1]] - values[order[1:]]
    possible = np.flatnonzero(gaps > SAME_VALUE * scale)
    if not len(possible):
        possible = np.array([int(np.argmax(gaps))])
    best = int(possible[np.argmin(mistakes[possible])])
    return float((values[order[best]] + values[order[best + 1]]) / 2), scale
