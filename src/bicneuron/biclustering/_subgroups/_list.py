"""From scored groups to a ranked list of distinct ones."""

from functools import cache
from typing import Any

import numpy as np
from scipy.stats import norm

from bicneuron._core._arrays import Float32Array, IndexArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroups._kinds import KINDS, Coexpressed, GroupKind, Shift
from bicneuron.biclustering._subgroups._strength import Labelled, ScoredGroup, held_out_gains

# Two groups are the same beyond this Jaccard index of their rows.
SAME_GROUP = 0.75
# Where groups overlap by half of the smaller one, the rows in which they differ count if they are
# at least this many and this share of the group, and split from it by this many nats more than the
# same share of a normal axis would.
FEW_ROWS, FEW_SHARE, CLEAR_SPLIT = 4, 0.2, 5.0
# The smaller side of a split is listed if it has this share of the strength of the other.
AS_STRONG = 0.9
# A group that is this many times stronger as another kind is no shift.
SHIFT_PREFERRED = 2.0


def ranked_groups(scored: list[Labelled], most: int) -> list[Labelled]:
    """Distinct groups, strongest first, at most this many; the strongest of each kind are kept."""
    listed: list[Labelled] = []
    for label in dict.fromkeys(label for label, _ in scored):
        for kind in KINDS:
            own = [g for k, g in scored if k == label and g.origin.kind.name == kind]
            if own and not isinstance(own[0].origin.kind, Coexpressed):
                # More than fit: some are listed as another kind.
                own = distinct_groups(own, own[0].origin.kind, 2 * most)
            listed += [(label, group) for group in own]
    listed = sorted(_once(listed), key=lambda item: -item[1].strength)
    names = [group.origin.kind.name for _, group in listed]
    reserved = most // (2 * len(set(names))) if names else 0
    kept = {
        place
        for kind in set(names)
        for place in [k for k, name in enumerate(names) if name == kind][:reserved]
    }
    for place in range(len(listed)):
        if len(kept) >= most:
            break
        kept.add(place)
    return [listed[place] for place in sorted(kept)]


def _once(groups: list[Labelled]) -> list[Labelled]:
    """Each set of rows, or the rest without it, as one kind: a shift, if none is much stronger."""

    def preference(item: Labelled) -> float:
        strength = item[1].strength
        return -strength * SHIFT_PREFERRED if isinstance(item[1].origin.kind, Shift) else -strength

    kept: dict[Any, list[ScoredGroup]] = {}
    for label, group in sorted(groups, key=preference):
        listed = kept.setdefault(label, [])
        if not any(are_same(group.rows, other.rows) for other in listed):
            _add(group, listed)
    return [(label, group) for label, listed in kept.items() for group in listed]


def _add(group: ScoredGroup, listed: list[ScoredGroup]) -> None:
    """Append a group, unless it is the rest of one: of the two sides of a split, keep the smaller.

    A reader would name the 44 patients that differ, and not all other rows.
    """
    for place, other in enumerate(listed):
        if _is_rest_of(group, other):
            is_smaller = len(group.rows) < len(other.rows)
            if is_smaller and group.strength >= AS_STRONG * other.strength:
                listed[place] = group
            return
    listed.append(group)


def distinct_groups(scored: list[ScoredGroup], kind: GroupKind, most: int) -> list[ScoredGroup]:
    """The strongest groups of one kind of which each adds rows to the others, at most this many.

    Weak groups, and those that only add to or take from a stronger one, fill up the list if their
    rows differ.
    """
    scored = sorted(scored, key=lambda group: -group.strength)
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
            _jaccard(group.rows, other.rows) <= 0.5 and not _is_rest_of(group, other)
            for other in listed
        ):
            listed.append(group)
    return sorted(listed, key=lambda group: -group.strength)


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
    return _jaccard(a, b) > SAME_GROUP


def _is_rest_of(group: ScoredGroup, stronger: ScoredGroup) -> bool:
    """True if a group is the rest of the class without a stronger one: the same split."""
    rest = np.flatnonzero(group.origin.task.in_class & ~stronger.carriers)
    return are_same(group.rows, rest)


def _jaccard(a: IndexArray, b: IndexArray) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)
