"""From the groups that searches end with to a ranked list of distinct ones."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroup_evidence import (
    GROUPS_PER_TASK,
    MIN_COLUMNS,
    held_out_gains,
)
from bicneuron.biclustering._subgroup_kinds import Coexpressed, Kind
from bicneuron.biclustering._subgroup_search import Problem, class_information, log_rates

# Weaker groups are not reported.
LEAST_STRENGTH = -15.0
# Largest number of columns of a group.
MAX_COLUMNS = 500
# Two groups are the same beyond this Jaccard index of their rows.
SAME_GROUP = 0.75
# Where groups overlap by half of the smaller one, the rows in which they differ count if they are
# at least this many and this share of the group, and split from it by this many nats more than the
# same share of a normal axis would.
FEW_ROWS, FEW_SHARE, CLEAR_SPLIT = 4, 0.2, 5.0
# Rows outside the class that a group may have: this share of its rate inside.
OUTSIDE_SHARE = 1 / 3


class Searched(NamedTuple):
    """Where groups were found: a table, a class and a kind.

    Parameters
    ----------
    problem : Problem
    kind : Kind or Coexpressed
    background : int
        Which background was removed from the table.
    """

    problem: Problem
    kind: Kind | Coexpressed
    background: int


class ScoredGroup(NamedTuple):
    """A group with its evidence.

    Parameters
    ----------
    carriers : bool array of shape (n_rows,)
        All rows of the group, of whatever class.
    rows : array of intp
        Those in the class.
    columns : array of intp
    strength : float
        Evidence in nats.
    searched : Searched
    """

    carriers: BoolArray
    rows: IndexArray
    columns: IndexArray
    strength: float
    searched: Searched


def belongs_to_class(problem: Problem, groups: BoolArray) -> BoolArray:
    """Which groups have enough rows in the class and few enough outside."""
    n, n_class = len(problem.Z), int(problem.in_class.sum())
    inside = groups[:, problem.in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    belongs: BoolArray = outside * n_class <= OUTSIDE_SHARE * inside * (n - n_class)
    belongs &= inside >= max(FEW_ROWS, problem.fewest - 1)
    return belongs


def score_groups(
    problem: Problem, kind: Kind, background: int, groups: BoolArray
) -> list[ScoredGroup]:
    """Evidence for each group that belongs to the class, strongest first."""
    searched = Searched(problem, kind, background)
    groups = groups[belongs_to_class(problem, groups)]
    sizes = groups[:, problem.in_class].sum(axis=1)
    groups = groups[sizes <= kind.max_share * problem.in_class.sum()]
    if not len(groups):
        return []
    columns, named = [], []
    views = kind.views(problem.Z)
    for first in range(0, len(groups), GROUPS_PER_TASK):
        some = groups[first : first + GROUPS_PER_TASK]
        seen = [kind.fit(view, some).gains for view in views]
        for group, gains, least in zip(some, seen[0], np.min(seen, axis=0), strict=True):
            columns.append(_columns(kind, gains))
            surplus = least[columns[-1]] - kind.least_gain(len(gains))
            named.append(column_evidence(problem, group, surplus))
    worth = np.flatnonzero(np.array(named) >= LEAST_STRENGTH)
    groups = groups[worth]
    split = held_out_gains(kind, problem.Z, groups, problem.in_class, problem.n_jobs)
    split += known_rates(problem, groups)
    scored = [
        ScoredGroup(
            group,
            np.flatnonzero(group & problem.in_class),
            columns[place],
            min(told, named[place]),
            searched,
        )
        for place, group, told in zip(worth.tolist(), groups, split.tolist(), strict=True)
        if told >= LEAST_STRENGTH
    ]
    return sorted(scored, key=lambda group: -group.strength)


def column_evidence(problem: Problem, group: BoolArray, surplus: FloatArray) -> float:
    """What columns say beyond the cost of naming them, less the cost of naming the rows."""
    n, size = int(problem.in_class.sum()), int(np.sum(group & problem.in_class))
    names = gammaln(n + 1) - gammaln(size + 1) - gammaln(n - size + 1)
    return float(np.sum(surplus, dtype=np.float64) - names)


def known_rates(problem: Problem, groups: BoolArray) -> FloatArray:
    """What a group tells about the class, less what naming its rows costs; in nats."""
    inside = groups[:, problem.in_class].sum(axis=1)
    cost = log_rates(inside, int(problem.in_class.sum()))
    if not problem.labelled:
        return cost
    return cost + class_information(problem.in_class, groups)[0]


def _columns(kind: Kind, gains: FloatArray) -> IndexArray:
    """Columns of a group, sorted."""
    count = int(np.sum(gains > kind.least_gain(len(gains)) + 1.0))
    ranked = np.argsort(-gains, kind="stable")
    return np.sort(ranked[: min(max(count, MIN_COLUMNS), MAX_COLUMNS)])


def distinct_groups(scored: list[ScoredGroup], kind: Kind, most: int) -> list[ScoredGroup]:
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
        problem, _, background = group.searched
        told = splits.setdefault(background, _Splits(kind, problem.Z))
        if all(
            told.are_distinct(group.rows, other.rows) and not _is_rest_of(group, other)
            for other in listed
        ):
            listed.append(group)
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
    """Whether parts of groups split from the rest of their group; each is computed once."""

    def __init__(self, kind: Kind, Z: Float32Array) -> None:
        self._kind = kind
        self._Z = Z
        self._known: dict[tuple[bytes, bytes], float] = {}

    def are_distinct(self, rows: IndexArray, stronger: IndexArray) -> bool:
        """Whether a group differs from a stronger one by rows that are groups themselves."""
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
    """Whether two sets of rows are one group."""
    return _jaccard(a, b) > SAME_GROUP


def _is_rest_of(group: ScoredGroup, stronger: ScoredGroup) -> bool:
    """Whether a group is what a stronger one leaves of the class: that is the same split."""
    rest = np.flatnonzero(group.searched.problem.in_class & ~stronger.carriers)
    return are_same(group.rows, rest)


def _jaccard(a: IndexArray, b: IndexArray) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)
