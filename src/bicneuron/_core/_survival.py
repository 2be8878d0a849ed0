"""Survival: the product-limit estimate (Kaplan and Meier 1958), log-rank and Cox's model."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray

TINY = 1e-12
N_STEPS, MOST_LOG_RATIO = 50, 20.0  # of Newton; a ratio beyond it is infinite
QUANTILE = 1.959963984540054  # of the normal distribution, for intervals of 95 %


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
    return np.asarray(score / np.sqrt(np.maximum(variance, TINY)))


class LogRank(NamedTuple):
    """What each row contributes to the log-rank statistic of any group; see `_permuted_sums`."""

    scores: FloatArray
    spread: FloatArray
    pull: FloatArray


def log_rank(time: FloatArray, event: BoolArray) -> LogRank:
    """Events less expected ones of each row, and what its stay at risk adds to the variance."""
    times, n_events = np.unique(time[event], return_counts=True)
    at_risk = n_at_risk(time, times)
    # A single row at risk has its event in any case.
    share = n_events * (at_risk - n_events) / np.maximum(at_risk - 1, 1)
    until = np.searchsorted(times, time, side="right")
    hazard, spread, pull = (
        np.append(0.0, np.cumsum(one))[until]
        for one in (n_events / at_risk, share / at_risk, share / at_risk**2)
    )
    return LogRank(event - hazard, spread, pull)


class HazardRatio(NamedTuple):
    """How many times as often rows inside have events, with its interval of 95 %."""

    ratio: float
    low: float
    high: float


def hazard_ratio(
    time: FloatArray, event: BoolArray, inside: BoolArray, strata: IndexArray
) -> HazardRatio | None:
    """Cox's model of two sides, ties after Efron; None without a finite maximum."""
    parts = [
        _risk_sets(time[own], event[own], inside[own])
        for own in (strata == stratum for stratum in np.unique(strata))
    ]
    n_inside, n_outside, of_inside = np.concatenate(parts, axis=1)
    log_ratio = 0.0
    for _ in range(N_STEPS):
        grown = np.exp(log_ratio) * n_inside
        share = grown / (grown + n_outside)
        information = float(np.sum(share * (1 - share)))
        step = float(np.sum(of_inside - share)) / max(information, TINY)
        log_ratio += float(np.clip(step, -1.0, 1.0))
        if abs(log_ratio) > MOST_LOG_RATIO or information < TINY:
            return None
    error = QUANTILE / np.sqrt(information)
    ends = np.exp([log_ratio, log_ratio - error, log_ratio + error])
    return HazardRatio(*ends.tolist())


def _risk_sets(time: FloatArray, event: BoolArray, inside: BoolArray) -> FloatArray:
    """For each event: rows at risk inside and outside, and its share of the events inside."""
    times, which, n_events = np.unique(time[event], return_inverse=True, return_counts=True)
    n_inside = np.bincount(which, inside[event], minlength=len(times))
    in_order = np.argsort(which, kind="stable")
    which = which[in_order]
    # Of events at one time, each leaves after a part of the others (Efron).
    first = np.searchsorted(which, which)
    gone = (np.arange(len(which)) - first) / n_events[which]
    own, others = (n_at_risk(time[side], times)[which] for side in (inside, ~inside))
    left = gone * n_inside[which], gone * (n_events - n_inside)[which]
    return np.array([own - left[0], others - left[1], (n_inside / n_events)[which]])
