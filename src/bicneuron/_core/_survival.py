"""The product-limit estimate of survival (Kaplan and Meier 1958) and the score test of Cox."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray

TINY = 1e-12


class SurvivalCurve(NamedTuple):
    """Share of rows without an event, as a function of time."""

    times: FloatArray
    shares: FloatArray


def survival_curve(time: FloatArray, event: BoolArray) -> SurvivalCurve:
    """Estimate survival; a row that is last seen at the time of an event is at risk then."""
    times, n_events = np.unique(time[event], return_counts=True)
    shares = np.cumprod(1.0 - n_events / n_at_risk(time, times))
    return SurvivalCurve(np.append(0.0, times), np.append(1.0, shares))


def n_at_risk(time: FloatArray, moments: FloatArray) -> IndexArray:
    """Number of rows without an event before each moment that are still seen at it."""
    n_gone: IndexArray = np.searchsorted(np.sort(time), moments, side="left")
    return len(time) - n_gone


def cox_scores(S: FloatArray, time: FloatArray, event: BoolArray, strata: IndexArray) -> FloatArray:
    """Standardised score of each column of S; positive if high values have events early."""
    score, variance = np.zeros(S.shape[1]), np.zeros(S.shape[1])
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        rows = rows[np.argsort(-time[rows], kind="stable")]
        of_rows, late_first = S[rows], -time[rows]
        n_at_risk = np.searchsorted(late_first, late_first, side="right")[:, None]
        means = np.cumsum(of_rows, axis=0)[n_at_risk[:, 0] - 1] / n_at_risk
        squares = np.cumsum(of_rows**2, axis=0)[n_at_risk[:, 0] - 1] / n_at_risk
        died = event[rows]
        score += (of_rows - means)[died].sum(axis=0)
        variance += (squares - means**2)[died].sum(axis=0)
    standardised: FloatArray = score / np.sqrt(np.maximum(variance, TINY))
    return standardised
