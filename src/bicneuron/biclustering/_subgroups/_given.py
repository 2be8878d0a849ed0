"""Groups of other tools: their rows are given, and their columns and axes are made as of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import observed_residue
from bicneuron._core._two_normals import two_normals
from bicneuron._shared._workers import one_blas_thread
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._blocks import CELLS_AT_ONCE, BlockTable
from bicneuron.biclustering._subgroups._estimator import PreparedPart, SubgroupBiclustering
from bicneuron.biclustering._subgroups._list import best_cut, correlation_weights
from bicneuron.biclustering._subgroups._passes import Residuals
from bicneuron.biclustering._subgroups._strength import (
    FEWEST_MEMBERS,
    MAX_COLUMNS,
    MIN_COLUMNS,
    held_out_gains,
)
from bicneuron.biclustering._subgroups._table import MOST_ROWS, backgrounds, spaced
from bicneuron.patterns import Axis, Pattern

# Score of a row that was given beyond the cut of its group, but lies on the other side of it.
JUST_BEYOND = 1e-6
NO_COLUMNS = np.empty(0, np.intp)
CAUTION = (
    "The groups were given: p is only valid if the outcome had no part in making them; if it may "
    "have had, replicate tests them in other rows."
)
CAUTION_ALONE = (
    "The groups were given, perhaps by a look at these rows: replicate tests them in other rows."
)


class GivenGroup(NamedTuple):
    """Rows and columns that were given; all rows False stands for those that the columns split."""

    name: str
    rows: BoolArray
    columns: IndexArray = NO_COLUMNS


@dataclass(kw_only=True, eq=False, repr=False)
class GivenSubgroups(SubgroupBiclustering):
    """Groups whose rows were given instead of found; see `bicneuron.Findings.from_groups`.

    A group without columns has those in which its rows differ clearly. One without rows has those
    with a high mean in its columns: two normal densities cut it in two. Rows of the training table
    carry what they were given, and others what the axis says.

    Refitted to a part of the rows, columns are chosen anew: given ones may have been chosen by a
    look at the others.
    """

    is_given = True

    def fit_groups(self, X: Any, groups: Sequence[GivenGroup], **known: Any) -> Self:
        """Fit these groups; those with fewer than three rows on a side are left out."""
        self._given = groups
        self.fit(X, **known)
        return self

    def _mine(
        self, X: Any, y: Any, strata: Any = None, covariates: Any = None
    ) -> tuple[list[Pattern], int]:
        again = [GivenGroup(pattern.name, own) for pattern, own in self._like]
        given = self.__dict__.pop("_given", again)
        if not given:
            raise ValueError("no groups were given; use bicneuron.Findings.from_groups.")
        every = np.ones(X.shape[0], dtype=bool)
        prepared = self._part_of(X, {None: every}, strata, covariates)
        given = [_with_rows(one, prepared.table) for one in given]
        given = [one for one in given if has_two_sides(one.rows)]
        with one_blas_thread():
            return self._described(prepared, given), len(given)

    def _described(self, prepared: PreparedPart, given: list[GivenGroup]) -> list[Pattern]:
        """Each group without the components without which it is strongest."""
        table, learnt, part, _, standard, order = prepared
        searched = standard[np.ix_(order.rows, order.columns)]
        removed = backgrounds(searched, part.n_components)
        self._keep_components(removed, np.arange(table.shape[1])[part.columns][order.columns])
        scores, groups = table.sums(self._components), np.array([one.rows for one in given])
        some = np.argsort(learnt.rows, kind="stable")[:MOST_ROWS]
        inside = groups[:, part.rows][:, order.rows] if given else groups
        best: list[Pattern] = []
        for background in removed if given else ():
            residuals = Residuals(table, some, scores[:, : len(background.components)])
            Z = background.remove(searched)
            kind, whole = _kinds.Shift(Z, Z), np.ones(len(Z), dtype=bool)
            strengths = held_out_gains(kind, Z, inside, whole) * (len(scores) / len(Z))
            strengths += _kinds.log_rates(groups.sum(axis=1), len(scores))
            squared, linear, _ = residuals.shift(groups, np.arange(table.shape[1]))
            gains = _kinds.shift_gains(squared, len(scores))
            least = kind.least_gain(len(order.columns)) + 1.0
            least += 0.5 * np.log(len(scores)) if len(scores) > MOST_ROWS else 0.0
            for k, one in enumerate(given):
                if len(best) > k and strengths[k] <= best[k].strength:
                    continue
                columns = _columns(one.columns, gains[k], least)
                pattern = _pattern(one, columns, gains[k], linear[k], residuals, strengths[k])
                best[k : k + 1] = [pattern]
        return best

    def _unfitted(self, like: Sequence[tuple[Pattern, BoolArray]] = ()) -> Self:
        copy = super()._unfitted(like)
        copy.set_params(kinds=self.kinds)
        return copy

    def _scored(self, X: Any, **known: Any) -> FloatArray:
        scores, rows = super()._scored(X, **known), self._given_rows(X)
        for own, pattern in zip(scores.T, self.patterns_, strict=True):
            inside = np.isin(rows, pattern.rows)
            own[inside] = np.maximum(own[inside], JUST_BEYOND)
            outside = (rows >= 0) & ~inside
            own[outside] = np.minimum(own[outside], 0.0)
        return scores

    def _given_rows(self, X: Any) -> IndexArray:
        """The row of the training table that each row is, -1 for others; copies keep their own."""
        if np.array_equal(self._fingerprint_of(X).rows, self._fingerprint.rows):
            return np.arange(X.shape[0])
        return self.training_rows(X)

    def summary(self) -> str:
        """The answer, and on what it depends."""
        evidence = [one.evidence for one in self.patterns_ if one.evidence is not None]
        is_tied = any(one.family_p_value is not None for one in evidence)
        return f"{super().summary()}\n{CAUTION if is_tied else CAUTION_ALONE}"


def has_two_sides(rows: BoolArray) -> bool:
    """True if enough rows are in a group, and enough are not."""
    return FEWEST_MEMBERS <= int(rows.sum()) <= len(rows) - FEWEST_MEMBERS


def _with_rows(one: GivenGroup, table: BlockTable) -> GivenGroup:
    """The group with the rows of high values, if only its columns were given."""
    if one.rows.any():
        return one
    factors = np.zeros((1, table.shape[1]))
    factors[0, one.columns] = 1 / len(one.columns)
    values = table.sums(factors)[:, 0]
    return one._replace(rows=values > two_normals(values).cut)


def _columns(given: IndexArray, gains: FloatArray, least: float) -> IndexArray:
    """Columns that were given, but for constant ones, or those that differ clearly."""
    if (gains[given] > 0).any():
        return given[gains[given] > 0]
    count = min(max(int(np.sum(gains > least)), MIN_COLUMNS), MAX_COLUMNS)
    return np.sort(np.argsort(-gains, kind="stable")[:count])


def _pattern(
    one: GivenGroup,
    columns: IndexArray,
    gains: FloatArray,
    linear: FloatArray,
    residuals: Residuals,
    strength: float,
) -> Pattern:
    """Describe a group in the user's table."""
    table, (effects, deviation) = residuals.table, residuals.background
    factors, rows = linear[columns] / deviation[columns], np.flatnonzero(one.rows)
    none = np.zeros(len(columns))
    axis = Axis(factors, none, none, effects[:, columns] @ factors, -np.inf)
    parts = [axis.values(Z, residuals.scores[these]) for these, Z in table.by_rows(columns)]
    cut, scale = best_cut(np.concatenate(parts), one.rows)
    some = rows[spaced(len(rows), max(CELLS_AT_ONCE // len(columns), 1))]
    return Pattern(
        rows=rows,
        columns=columns,
        msr=observed_residue(table.values(some, columns)),
        kind=_kinds.Shift.name,
        strength=float(strength),
        weights=correlation_weights(gains[columns], linear[columns], len(one.rows)),
        axis=axis._replace(cut=cut, scale=scale),
        name=one.name,
    )
