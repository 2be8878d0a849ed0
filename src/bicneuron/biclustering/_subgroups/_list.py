"""From scored groups to a ranked list of distinct ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import Any, TypeVar

import numpy as np
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, Float32Array, IndexArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroups._kinds import KINDS, Coexpressed, GroupKind, Shift
from bicneuron.biclustering._subgroups._rates import class_information
from bicneuron.biclustering._subgroups._strength import (
    FEWEST_MEMBERS,
    Labelled,
    ScoredGroup,
    held_out_gains,
)

# Two groups are the same beyond this Jaccard index of their rows.
SAME_GROUP = 0.75
# Where groups overlap by half of the smaller one, the rows in which they differ count if they are
# at least this many and this share of the group, and split from it by this many nats more than the
# same share of a normal axis would.
FEW_ROWS, FEW_SHARE, CLEAR_SPLIT = 4, 0.2, 5.0
# The smaller side of a split is listed if it has this share of the strength of the other.
AS_STRONG = 0.9
# A group that is as common in other classes is ranked by this part of its strength.
UNTIED = 0.15
# A group that is this many times stronger as another kind is not a shift.
SHIFT_PREFERRED = 2.0
# Strengths are sums in float32, whose last bits differ between processors: those that differ by
# less, or by this part of the larger, are equal. The two halves of a split are as strong.
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


def _fewest_rows(group: ScoredGroup) -> tuple[int, list[int]]:
    """Key of equal groups: the smallest, and among these the one with the first rows."""
    return len(group.rows), group.rows.tolist()


def _strongest_first(groups: Sequence[ScoredGroup]) -> list[ScoredGroup]:
    return largest_first(groups, lambda group: group.strength, _fewest_rows)


def ranked_groups(
    scored: list[Labelled], in_class: Mapping[Any, BoolArray], labels: list[Any], most: int
) -> list[Labelled]:
    """Distinct groups of these classes, strongest first, at most this many."""
    without_labels = [group for label, group in scored if label is None and None not in in_class]
    scored = [(label, group) for label, group in scored if label in in_class]

    def is_of_listed(group: ScoredGroup) -> bool:
        return _with_class(group, in_class)[0] in labels

    for of_kind in _by_kind(without_labels):
        scored += [_with_class(group, in_class) for group in _distinct(of_kind, most, is_of_listed)]
    listed: list[Labelled] = []
    for label in labels:
        own = [group for k, group in scored if k == label]
        if label is not None:
            is_wide = [is_class_wide(group, in_class[label]) for group in own]
            wide = list(compress(own, is_wide))
            listed += [(label, _strongest_first(wide)[0])] if wide else []
            own = [group for group, leave_out in zip(own, is_wide, strict=True) if not leave_out]
        for of_kind in _by_kind(own):
            listed += [(label, group) for group in _distinct(of_kind, most)]
    listed = largest_first(
        _once(listed), lambda one: _rank(one[1]), lambda one: _fewest_rows(one[1])
    )
    return [listed[place] for place in sorted(_places(listed, most))]


def _by_kind(groups: list[ScoredGroup]) -> Iterator[list[ScoredGroup]]:
    for kind in KINDS:
        of_kind = [group for group in groups if group.origin.kind.name == kind]
        if of_kind:
            yield of_kind


def _distinct(
    groups: list[ScoredGroup], most: int, wanted: Callable[[ScoredGroup], bool] = bool
) -> list[ScoredGroup]:
    """Distinct groups of one kind, more than fit: some are listed as another kind."""
    kind = groups[0].origin.kind
    if isinstance(kind, Coexpressed):
        return groups
    return distinct_groups(groups, kind, 2 * most, wanted)


def _places(listed: list[Labelled], most: int) -> set[int]:
    """Places in the list that are kept: the first, and the first few of each class and kind."""
    kept: set[int] = set()
    for names in (
        [label for label, _ in listed],
        [group.origin.kind.name for _, group in listed],
    ):
        reserved = most // (2 * max(len(set(names)), 1))
        for name in dict.fromkeys(names):
            kept.update([place for place, own in enumerate(names) if own == name][:reserved])
    for place in range(len(listed)):
        if len(kept) >= most:
            break
        kept.add(place)
    return kept


def _with_class(group: ScoredGroup, in_class: Mapping[Any, BoolArray]) -> Labelled:
    """A group that was found without labels, as one of the class that it tells most about."""
    members = {label: int(group.carriers[mask].sum()) for label, mask in in_class.items()}
    information = {
        label: float(class_information(in_class[label], group.carriers[None])[0])
        for label, count in members.items()
        if count >= min(FEWEST_MEMBERS, max(members.values()))
    }
    label = max(information, key=information.__getitem__)
    mask = in_class[label]
    task = group.origin.task._replace(in_class=mask)
    return label, group._replace(
        rows=np.flatnonzero(group.carriers & mask),
        origin=group.origin._replace(task=task),
    )


def _rank(group: ScoredGroup) -> float:
    """Number by which groups are ranked: the strength, or a part of it if others carry it too."""
    in_class = group.origin.task.in_class
    if in_class.all() or group.strength <= 0:
        return group.strength
    inside, outside = group.carriers[in_class].mean(), group.carriers[~in_class].mean()
    return group.strength * max(1.0 - float(outside / inside), UNTIED)


def is_class_wide(group: ScoredGroup, in_class: BoolArray) -> bool:
    """True if a group is its class, up to a few rows."""
    return are_same(np.flatnonzero(group.carriers), np.flatnonzero(in_class))


def _once(groups: list[Labelled]) -> list[Labelled]:
    """Each set of rows, or the rest without it, as one kind: a shift, if none is much stronger."""

    def preference(item: Labelled) -> float:
        strength = item[1].strength
        return strength * SHIFT_PREFERRED if isinstance(item[1].origin.kind, Shift) else strength

    kept: dict[Any, list[ScoredGroup]] = {}
    for label, group in largest_first(groups, preference, lambda item: _fewest_rows(item[1])):
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


def distinct_groups(
    scored: list[ScoredGroup],
    kind: GroupKind,
    most: int,
    wanted: Callable[[ScoredGroup], bool] = bool,
) -> list[ScoredGroup]:
    """The strongest groups of one kind of which each adds rows to the others, at most this many."""
    scored = largest_first(
        scored,
        lambda group: group.strength,
        lambda group: (not wanted(group), *_fewest_rows(group)),
    )
    splits: dict[int, _Splits] = {}
    listed: list[ScoredGroup] = []
    for group in scored:
        if len(listed) == most:
            return listed
        if group.strength < 0:
            break
        task, _, background = group.origin
        split = splits.setdefault(background, _Splits(kind, task.Z))
        if all(
            split.are_distinct(group.rows, other.rows) or _is_rest_of(group, other)
            for other in listed
        ):
            _add(group, listed)
    for group in scored:
        if len(listed) == most:
            break
        if all(
            not _overlap_more(group.rows, other.rows, 0.5) and not _is_rest_of(group, other)
            for other in listed
        ):
            listed.append(group)
    return _strongest_first(listed)


class _Splits:
    """Tests of parts of groups against the rest of their group; each is computed once."""

    def __init__(self, kind: GroupKind, Z: Float32Array) -> None:
        self._kind = kind
        self._Z = Z
        self._known: dict[tuple[bytes, bytes], float] = {}

    def are_distinct(self, rows: IndexArray, stronger: IndexArray) -> bool:
        """True if a group differs from a stronger one by rows that are groups themselves."""
        shared = np.intersect1d(rows, stronger, assume_unique=True)
        if are_same(rows, stronger):
            return False
        if len(shared) < 0.5 * min(len(rows), len(stronger)):
            return True
        distinct = False
        if len(stronger) - len(shared) >= max(FEW_ROWS, FEW_SHARE * len(stronger)):
            if self._excess(stronger, shared) <= CLEAR_SPLIT:
                return False
            distinct = True
        if len(rows) - len(shared) >= max(FEW_ROWS, FEW_SHARE * len(rows)):
            others = np.setdiff1d(np.arange(len(self._Z)), stronger, assume_unique=True)
            if self._excess(others, np.setdiff1d(rows, stronger)) <= CLEAR_SPLIT:
                return False
            distinct = True
        return distinct

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
            gains = held_out_gains(
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


def are_same(a: IndexArray, b: IndexArray) -> bool:
    """True if two sets of rows are one group."""
    return _overlap_more(a, b, SAME_GROUP)


def _is_rest_of(group: ScoredGroup, stronger: ScoredGroup) -> bool:
    """True if a group is the rest of the class without a stronger one: the same split."""
    rest = np.flatnonzero(group.origin.task.in_class & ~stronger.carriers)
    return are_same(group.rows, rest)


def _overlap_more(a: IndexArray, b: IndexArray, than: float) -> bool:
    """True if the shared rows are more than a share of all rows of two sets."""
    fewer, more = sorted((len(a), len(b)))
    if fewer <= than * more:  # most pairs of sets: their sizes alone tell
        return False
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (fewer + more - shared) > than
