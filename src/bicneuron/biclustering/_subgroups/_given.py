"""Groups of other tools: their rows are given, and their columns and axes are made as of others."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._two_normals import two_normals
from bicneuron._shared._workers import one_blas_thread
from bicneuron.biclustering._subgroups import _kinds, _list, _strength, _table
from bicneuron.biclustering._subgroups._blocks import BlockTable
from bicneuron.biclustering._subgroups._estimator import SubgroupBiclustering
from bicneuron.biclustering._subgroups._passes import Residuals
from bicneuron.patterns import Pattern

# Score of a row that was given, but lies beyond the cut of its group.
JUST_INSIDE = 1e-6
NO_COLUMNS = np.empty(0, np.intp)
TIED = "p is only valid if the outcome had no part in making them"
COLUMNS = "evidence of columns only if these rows had no part in choosing them"
ALONE = "these rows may have had a part in making them"
WAY = "replicate tests them in other rows"


class GivenGroup(NamedTuple):
    """Rows and columns that were given; if no row is, the columns split all rows in two."""

    name: str
    rows: BoolArray
    columns: IndexArray = NO_COLUMNS


@dataclass(kw_only=True, eq=False, repr=False)
class GivenSubgroups(SubgroupBiclustering):
    """Groups whose rows were given instead of found; see `bicneuron.Findings.from_groups`.

    A group without columns has those in which its rows differ clearly; one without rows has those
    whose mean of its columns is high. Refitted to a part of the rows, columns are chosen anew:
    given ones may have been chosen by a look at the others. The strength of a group has no cost of
    naming its rows, which nobody searched for.
    """

    is_given = True

    def _mine(
        self, X: Any, y: Any, strata: Any = None, covariates: Any = None
    ) -> tuple[list[Pattern], int]:
        again = [GivenGroup(pattern.name, own) for pattern, own in self._like]
        given = self.__dict__.pop("_given", again)
        self._has_columns = any(len(one.columns) for one in given)
        if not given:
            raise ValueError("no groups were given; use bicneuron.Findings.from_groups.")
        (n_rows, n_columns), every = X.shape, np.ones(X.shape[0], dtype=bool)
        table, learnt, part, _, searched, order = self._part_of(
            X, {None: every}, strata, covariates
        )
        given = [one for own in given if has_two_sides((one := _with_rows(own, table)).rows)]
        groups = np.array([one.rows for one in given]).reshape(-1, n_rows)
        inside = groups[:, part.rows][:, order.rows]
        some = np.argsort(learnt.rows, kind="stable")[: _table.MOST_ROWS]
        found: list[Pattern] = []
        with one_blas_thread():
            removed = _table.backgrounds(searched, part.n_components)
            places = np.arange(n_columns)[part.columns][order.columns]
            self._components = _table.components_of(removed, places, n_columns)
            scores = table.sums(self._components)
            for background in removed if given else ():  # each group where it is strongest
                residuals = Residuals(table, some, scores[:, : len(background.components)])
                Z = background.remove(searched)
                kind = _kinds.Shift(Z, Z)
                strengths = _strength.held_out_gains(kind, Z, inside, every[: len(Z)])
                strengths *= n_rows / len(Z)
                task = _table.SearchTask(Z, every, False, 0, n_rows)
                squared, linear, _ = residuals.shift(groups, np.arange(n_columns))
                gains = _kinds.shift_gains(squared, n_rows)
                least = kind.least_gain(len(order.columns)) + 1.0
                least += 0.5 * np.log(n_rows) if n_rows > _table.MOST_ROWS else 0.0
                origin = _strength.Origin(task, kind, 0)
                for k, one in enumerate(given):
                    if len(found) == k or strengths[k] > found[k].strength:
                        facts = gains[k], least, linear[k], float(strengths[k])
                        found[k : k + 1] = [_pattern(one, *facts, residuals, origin)]
        return found, len(given)

    def _scored(self, X: Any, **known: Any) -> FloatArray:
        """Scores whose signs are, for rows of the training table, those that were given."""
        scores, rows = super()._scored(X, **known), np.arange(X.shape[0])
        if not np.array_equal(self._fingerprint_of(X).rows, self._fingerprint.rows):
            rows = self.training_rows(X)  # of copies, the first
        for own, pattern in zip(scores.T, self.patterns_, strict=True):
            inside = np.isin(rows, pattern.rows)
            own[inside] = np.maximum(own[inside], JUST_INSIDE)
            outside = (rows >= 0) & ~inside
            own[outside] = np.minimum(own[outside], 0.0)
        return scores

    def summary(self) -> str:
        """The answer, and on what it depends."""
        evidence = [one.evidence for one in self.patterns_ if one.evidence is not None]
        told = [TIED if any(one.family_p_value is not None for one in evidence) else ALONE]
        told += [COLUMNS] if self._has_columns else []
        return f"{super().summary()}\nThe groups were given: {', and '.join(told)}; {WAY}."


def has_two_sides(rows: BoolArray) -> bool:
    """True if enough rows are in a group, and enough are not."""
    return _strength.FEWEST_MEMBERS <= int(rows.sum()) <= len(rows) - _strength.FEWEST_MEMBERS


def _with_rows(one: GivenGroup, table: BlockTable) -> GivenGroup:
    """The group with the rows of a high mean, if only its columns were given."""
    if one.rows.any():
        return one
    factors = np.zeros((1, table.shape[1]))
    factors[0, one.columns] = 1 / len(one.columns)
    means = table.sums(factors)[:, 0]
    return one._replace(rows=means > two_normals(means).cut)


def _pattern(
    one: GivenGroup,
    gains: FloatArray,
    least: float,
    linear: FloatArray,
    strength: float,
    residuals: Residuals,
    origin: _strength.Origin,
) -> Pattern:
    """Describe a group in the columns that were given and vary, or in which it differs clearly."""
    columns = one.columns[gains[one.columns] > 0]
    if not len(columns):
        count = min(max(int(np.sum(gains > least)), _strength.MIN_COLUMNS), _strength.MAX_COLUMNS)
        columns = np.sort(np.argsort(-gains, kind="stable")[:count])
    n_rows, size, (effects, deviation) = len(one.rows), len(columns), residuals.background
    weights = _list.correlation_weights(gains[columns], linear[columns], n_rows)
    factors = _strength.AxisFactors(linear[columns], np.zeros(size), weights)
    found = np.flatnonzero(one.rows), np.arange(size), strength, origin, factors
    copies, signs = [*columns[:, None]], [np.ones(1)] * size  # each is its only copy
    order = _table.CanonicalOrder(np.arange(n_rows), columns, copies, signs)
    user = _list.UserTable(residuals.table, residuals.scores, order)
    background = _table.Background(effects[:, columns], deviation[columns])
    group = _strength.ScoredGroup(one.rows, *found)
    return replace(_list.subgroup_of(group, None, background, user, ()), name=one.name)
