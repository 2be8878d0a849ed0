"""Is a score tied to a class or to an outcome, within strata, with whole patients exchanged?"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._survival import cox_scores
from bicneuron.significance._known import units_by_class, units_of, within_strata

# Statistic of each column of scores of units, of shape (n_units, n_axes); the larger, the clearer.
Statistic = Callable[[FloatArray], FloatArray]
TINY = 1e-12


class Tie(NamedTuple):
    """A question about scores of rows."""

    rows: IndexArray
    units: IndexArray
    strata: IndexArray
    order: IndexArray
    statistic: Statistic

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


def tie_to_class(y: Any, anchor: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Are scores higher in a class, or, if none is named, do they differ between classes?"""
    labels = _checked(y, "y2", n_rows)
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


def tie_to_outcome(outcome: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Are scores tied to a number or, of a pair of times and events, to survival?"""
    if not isinstance(outcome, tuple):
        return tie_to_number(outcome, strata, groups, n_rows)
    if len(outcome) != 2:
        raise ValueError("outcome has to be a number for each row, or a pair of time and event.")
    return tie_to_survival(*outcome, strata, groups, n_rows)


def tie_to_number(outcome: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Do scores rise or fall with a number, by ranks?"""
    values = _numbers(outcome, "outcome", n_rows)
    rows, units, of_strata = units_of(~np.isnan(values), strata, groups, n_rows)
    of_units = values[rows[np.unique(units, return_index=True)[1]]]
    changes = np.bincount(units, values[rows] != of_units[units]) > 0
    means = np.bincount(units, values[rows]) / np.bincount(units)
    of_units = np.where(changes, means, of_units)  # means of equal values may differ in a last bit
    centred = within_strata(rankdata(of_units)[:, None], of_strata)
    if not centred.any():
        raise ValueError("outcome has one value, so that nothing can be tied to it.")

    def statistic(S: FloatArray) -> FloatArray:
        ranked = within_strata(rankdata(S, axis=0), of_strata)
        return np.abs(_correlations(ranked, centred)[:, 0])

    return Tie(rows, units, of_strata, np.lexsort((of_units, of_strata)), statistic)


def tie_to_survival(time: Any, event: Any, strata: Any, groups: Any, n_rows: int) -> Tie:
    """Do rows with high scores have events earlier or later, by the score test of Cox's model?"""
    times, events = _numbers(time, "time", n_rows), _numbers(event, "event", n_rows)
    is_known = ~(np.isnan(times) | np.isnan(events))
    wrong = np.flatnonzero(is_known & ~np.isin(events, (0, 1)))
    if len(wrong):
        raise ValueError(f"event is {events[wrong[0]]:g} in row {wrong[0]}; give 1 or 0.")
    negative = np.flatnonzero(is_known & (times < 0))
    if len(negative):
        raise ValueError(
            f"time is {times[negative[0]]:g} in row {negative[0]}; it is never negative."
        )
    rows, units, of_strata = units_of(is_known, strata, groups, n_rows)
    # Of several times of a patient the last.
    in_order = np.lexsort((events[rows], times[rows], units))
    last = rows[in_order[np.flatnonzero(np.diff(units[in_order], append=-1))]]
    of_time, has_event = times[last], events[last] > 0
    if not has_event.any():
        raise ValueError("event is 0 in all rows: without an event, nothing can be tied to time.")

    def statistic(S: FloatArray) -> FloatArray:
        return np.abs(cox_scores(S, of_time, has_event, of_strata))

    order = np.lexsort((has_event, of_time, of_strata))
    return Tie(rows, units, of_strata, order, statistic)


def _correlations(S: FloatArray, y: FloatArray) -> FloatArray:
    """Correlation of each centred column of S with each of y, of shape (n_axes, n_labels)."""
    sizes = np.outer(np.linalg.norm(S, axis=0), np.linalg.norm(y, axis=0))
    return np.asarray((S.T @ y) / np.maximum(sizes, TINY))


def _checked(values: Any, name: str, n_rows: int) -> AnyArray:
    checked: AnyArray = column_or_1d(values)
    if len(checked) != n_rows:
        raise ValueError(f"{name} has {len(checked)} values for {n_rows} rows; give one for each.")
    return checked


def _numbers(values: Any, name: str, n_rows: int) -> FloatArray:
    checked = _checked(values, name, n_rows)
    try:
        return np.asarray(checked, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} has values that are not numbers.") from None
