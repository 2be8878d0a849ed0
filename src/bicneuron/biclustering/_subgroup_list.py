"""From the groups that a search ends with to a ranked list of distinct ones."""

from functools import cache
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.special import gammaln
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroup_search import (
    AXIS_SIZES,
    Problem,
    class_information,
    column_gains,
    correlations,
    log_rates,
)

# Each row is placed on axes whose columns and weights were computed without its fold.
N_FOLDS = 10
# Columns that an axis of a fold has at least, whatever their gains.
MIN_COLUMNS = 3
# Largest number of columns of a group.
MAX_COLUMNS = 500
# Groups scored at once: independent of n_jobs.
GROUPS_PER_TASK = 64
# By how much of it a group pays for columns that do not make up for the choice of its rows.
CHOICE_PENALTY = 0.3
# Two groups are the same beyond this Jaccard index of their rows.
SAME_GROUP = 0.75
# Where groups overlap by half of the smaller one, the rows in which they differ count if they are
# at least this many and this share of the group, and split from it by this many nats more than the
# same share of a normal axis would.
FEW_ROWS, FEW_SHARE, CLEAR_SPLIT = 4, 0.2, 5.0
# Rows outside the class that a group may have: this share of its rate inside.
OUTSIDE_SHARE = 1 / 3


class ScoredGroup(NamedTuple):
    """A group with its evidence.

    Parameters
    ----------
    carriers : bool array of shape (n_rows,)
        All rows of the group, of whatever class.
    rows : array of intp
        Those in the class.
    columns : array of intp
    directions : array of shape (n_columns,)
        +1 where the group is higher than the other rows, -1 where it is lower.
    strength : float
        Evidence in nats.
    """

    carriers: BoolArray
    rows: IndexArray
    columns: IndexArray
    directions: IndexArray
    strength: float


def score_groups(problem: Problem, groups: BoolArray) -> list[ScoredGroup]:
    """Evidence for each group that belongs to the class, strongest first."""
    information, more_common = class_information(problem.in_class, groups)
    n, n_class = len(problem.Z), int(problem.in_class.sum())
    inside = groups[:, problem.in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    kept = more_common & (inside >= max(FEW_ROWS, problem.fewest - 1))
    kept &= outside * n_class <= OUTSIDE_SHARE * inside * (n - n_class)
    groups, information = groups[kept], information[kept]
    if not problem.labelled:
        information = np.zeros(len(groups))
    gains = Parallel(n_jobs=problem.n_jobs, require="sharedmem")(
        delayed(held_out_gains)(problem.Z, groups[first : first + GROUPS_PER_TASK])
        for first in range(0, len(groups), GROUPS_PER_TASK)
    )
    scored = [
        _with_columns(problem, group, gain)
        for group, gain in zip(
            groups,
            np.concatenate([np.empty(0), *(some.mean(axis=1) for some in gains)])
            + log_rates(groups.sum(axis=1), n)
            + information,
            strict=True,
        )
    ]
    return sorted(scored, key=lambda group: -group.strength)


def _with_columns(problem: Problem, group: BoolArray, evidence: float) -> ScoredGroup:
    """Add the columns of a group, and what its rows cost that columns do not make up for."""
    n, size = len(group), int(group.sum())
    correlation = correlations(problem.Z, group[None])[0]
    gains = column_gains(correlation, n)
    ranked = np.argsort(-gains, kind="stable")
    count = int(np.sum(gains > problem.least_gain + 1.0))
    columns = np.sort(ranked[: min(max(count, MIN_COLUMNS), MAX_COLUMNS)])
    choices = gammaln(n + 1) - gammaln(size + 1) - gammaln(n - size + 1)
    surplus = float(np.sum(gains[columns] - problem.least_gain) - choices)
    return ScoredGroup(
        group,
        np.flatnonzero(group & problem.in_class),
        columns,
        np.where(correlation[columns] > 0, 1, -1),
        float(evidence) + CHOICE_PENALTY * min(surplus, 0.0),
    )


def held_out_gains(Z: Float32Array, groups: BoolArray) -> FloatArray:
    """Gain of each group on axes that were made without the rows that are placed on them.

    Parameters
    ----------
    Z : float32 array of shape (n_rows, n_columns)
    groups : bool array of shape (n_groups, n_rows)

    Returns
    -------
    gains : array of shape (n_groups, n_axis_sizes)
    """
    n, n_columns = Z.shape
    folds = np.arange(n) % N_FOLDS
    least_gain = float(np.log(n_columns)) - 1.0
    least = np.sqrt(max(1.0 - np.exp(-2.0 * least_gain / n), 0.0))
    counts = [min(MIN_COLUMNS, n_columns), *(min(size, n_columns) for size in AXIS_SIZES)]
    axes = np.zeros((len(groups), len(AXIS_SIZES), n))
    for fold in range(min(N_FOLDS, n)):
        out = folds == fold
        weights = _weights_without(Z, groups, out)
        sizes = np.abs(weights)
        ranked = np.partition(sizes, [n_columns - count for count in sorted(set(counts))], axis=1)
        few = ranked[:, n_columns - counts[0]][:, None]
        for a, count in enumerate(counts[1:]):
            kept = (sizes >= ranked[:, n_columns - count][:, None]) & (
                (sizes > least) | (sizes >= few)
            )
            axes[:, a, out] = np.where(kept, weights, np.float32(0)) @ Z[out].T
    return gains_of_groups(axes, groups)


def _weights_without(Z: Float32Array, groups: BoolArray, out: BoolArray) -> Float32Array:
    """Correlations of groups with columns over the rows that are not left out."""
    rest = Z[~out]
    n = len(rest)
    members = groups[:, ~out].astype(np.float32)
    sizes = members.sum(axis=1, keepdims=True)
    sums = rest.sum(axis=0)
    spread = np.maximum(np.square(rest).sum(axis=0) - sums**2 / n, 1e-3)
    scale = np.sqrt(spread * np.maximum(sizes * (1 - sizes / n), 1e-3))
    weights: Float32Array = np.clip((members @ rest - sizes / n * sums) / scale, -0.99, 0.99)
    return weights.astype(np.float32)


def distinct_groups(problem: Problem, scored: list[ScoredGroup], most: int) -> list[ScoredGroup]:
    """The strongest groups of which each adds rows to the others, at most this many.

    Groups that only add to or take from a stronger one fill up the list, if their rows differ.
    """
    splits = _Splits(problem.Z)
    listed: list[ScoredGroup] = []
    for group in scored:
        if len(listed) == most:
            return listed
        if all(splits.are_distinct(group.rows, other.rows) for other in listed):
            listed.append(group)
    for group in scored:
        if len(listed) == most:
            break
        if all(_jaccard(group.rows, other.rows) <= 0.5 for other in listed):
            listed.append(group)
    return listed


class _Splits:
    """Whether parts of groups split from the rest of their group; each is computed once."""

    def __init__(self, Z: Float32Array) -> None:
        self._Z = Z
        self._known: dict[tuple[bytes, bytes], float] = {}

    def are_distinct(self, rows: IndexArray, stronger: IndexArray) -> bool:
        """Whether a group differs from a stronger one by rows that are groups themselves."""
        shared = np.intersect1d(rows, stronger, assume_unique=True)
        if _jaccard(rows, stronger) > SAME_GROUP:
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
                np.ascontiguousarray(block, np.float32), np.isin(rows, group)[None]
            )
            self._known[key] = float(gains.mean()) - _normal_split(len(rows), len(group))
        return self._known[key]


@cache
def _normal_split(n_rows: int, size: int) -> float:
    """Gain of the highest values of a normal axis."""
    axis = -norm.ppf((np.arange(n_rows) + 0.5) / n_rows)
    return float(gains_of_groups(axis[None, None], (np.arange(n_rows) < size)[None])[0, 0])


def _jaccard(a: IndexArray, b: IndexArray) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)
