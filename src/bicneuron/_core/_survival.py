"""The product-limit estimate of survival (Kaplan and Meier 1958)."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray


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
