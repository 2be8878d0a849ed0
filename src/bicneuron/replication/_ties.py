"""Is a score tied to a class, a number or survival, within strata, with patients exchanged?"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._survival import cox_scores
from bicneuron.outcomes import Survival, as_outcome
from bicneuron.significance._known import units_by_class, units_of, within_strata

TINY = 1e-12


class Tie(NamedTuple):
    """A question about scores of rows; of units, shape (n_units, n_axes), each has a statistic."""

    rows: IndexArray
    units: IndexArray
    strata: IndexArray
    order: IndexArray
    statistic: Callable[[FloatArray], FloatArray]  # the larger, the clearer

    def of_units(self, S: FloatArray) -> FloatArray:
        """Mean score of the rows of each unit, of shape (n_units, n_axes)."""
        S = S[self.rows]
        if len(self.strata) == len(self.rows):
            return S
        sums = np.zeros((len(self.strata), S.shape[1]))
        np.add.at(sums, self.units, S)
        return np.asarray(sums / np.bincount(self.units)[:, None])

    def p_values(
        self, own: FloatArray, drawn: FloatArray, random: np.random.Generator
    ) -> tuple[float, float]:
        """P against labels in another order alone, and against these and random columns."""
        of_units = self.of_units(own[:, None])
        scores = of_units[:, 0]
        by_score = np.lexsort((scores, self.strata))
        exchanged = np.empty((len(scores), drawn.shape[1]))  # other orders within strata
        for stratum in np.unique(self.strata):
            inside = by_score[self.strata[by_score] == stratum]
            places = self.order[self.strata[self.order] == stratum]
            draws = np.repeat(scores[inside][:, None], drawn.shape[1], axis=1)
            exchanged[places] = random.permuted(draws, axis=0)
        observed = float(self.statistic(of_units)[0])
        by_labels = p_value(observed, self.statistic(exchanged))
        by_columns = p_value(observed, self.statistic(self.of_units(drawn)))
        return by_labels, max(by_labels, by_columns)


def p_value(observed: float, null: FloatArray) -> float:
    """Share of values at least as large as the observed one, which is among them."""
    as_large = null >= observed - 1e-9 * abs(observed)
    return float((1 + np.count_nonzero(as_large)) / (1 + len(null)))


def tie_to(y: Any, anchor: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Are scores higher in a class, or tied to numbers or to survival?"""
    outcome = as_outcome(y)
    if outcome is None:
        return tie_to_class(y, anchor, strata, groups, n_rows)
    if len(outcome) != n_rows:
        raise ValueError(f"y2 has {len(outcome)} values for {n_rows} rows; give one for each.")
    rows, units, of_strata = units_of(outcome.is_known, strata, groups, n_rows)
    values = outcome.of_units(rows, units)
    statistic = _of_survival if isinstance(values, Survival) else _of_numbers
    order = np.lexsort((values.order, of_strata))
    return Tie(rows, units, of_strata, order, partial(statistic, values, of_strata))


def _of_numbers(outcome: Any, strata: IndexArray, S: FloatArray) -> FloatArray:
    """Do scores rise or fall with a number, by ranks?"""
    centred, ranked = (
        within_strata(rankdata(one, axis=0), strata) for one in (outcome.values[:, None], S)
    )
    return np.abs(_correlations(ranked, centred)[:, 0])


def _of_survival(outcome: Any, strata: IndexArray, S: FloatArray) -> FloatArray:
    """Do rows with high scores have events earlier or later, by the score test of Cox's model?"""
    return np.abs(cox_scores(S, outcome.time, outcome.event, strata))


def tie_to_class(y: Any, anchor: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Are scores higher in a class, or, if none is named, do they differ between classes?"""
    labels: AnyArray = column_or_1d(y)
    if len(labels) != n_rows:
        raise ValueError(f"y2 has {len(labels)} values for {n_rows} rows; give one for each.")
    own = units_by_class(groups, labels.astype(str), n_rows)
    is_known = np.array([one is not None and one == one for one in labels.tolist()], dtype=bool)
    rows, units, of_strata = units_of(is_known, strata, own, n_rows)
    first = rows[np.unique(units, return_index=True)[1]]
    classes, numbers = np.unique(labels[first].astype(str), return_inverse=True)
    is_class = numbers[:, None] == np.arange(len(classes))
    centred = within_strata(is_class.astype(np.float64), of_strata)
    if len(classes) < 2 or not centred.any():
        where = "" if strata is None else " in every stratum"
        raise ValueError(
            f"y2 has one class{where}: nothing can be tied to it. Give rows of two, or no y2."
        )
    named = np.flatnonzero(classes == str(anchor))

    def statistic(S: FloatArray) -> FloatArray:
        found = _correlations(within_strata(S, of_strata), centred)
        return np.asarray(found[:, named[0]] if len(named) else np.abs(found).max(axis=1))

    return Tie(rows, units, of_strata, np.lexsort((numbers, of_strata)), statistic)


def _correlations(S: FloatArray, y: FloatArray) -> FloatArray:
    """Correlation of each centred column of S with each of y, of shape (n_axes, n_labels)."""
    sizes = np.outer(np.linalg.norm(S, axis=0), np.linalg.norm(y, axis=0))
    return np.asarray((S.T @ y) / np.maximum(sizes, TINY))
