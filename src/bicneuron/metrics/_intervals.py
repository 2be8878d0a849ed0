"""Intervals of shares and of areas under ROC curves that are never empty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import binomtest, norm, rankdata

from bicneuron._core._arrays import BoolArray, FloatArray

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows with its 95 % interval (Wilson 1927)."""

    count: int
    total: int
    value: float
    low: float
    high: float


class Area(NamedTuple):
    """An area under a ROC curve with its 95 % interval."""

    value: float
    low: float
    high: float


def share(count: int, total: int) -> Share:
    """``count`` of ``total`` rows, with Wilson's interval; of none it is all of 0 to 1."""
    if not total:
        return Share(count, total, float("nan"), 0.0, 1.0)
    interval = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return Share(count, total, count / total, float(interval.low), float(interval.high))


def mean_of_shares(shares: Sequence[Share]) -> Area:
    """Mean of independent shares, with the interval of Zou and Donner (2008)."""
    values, low, high = (
        np.array([getattr(one, name) for one in shares]) for name in ("value", "low", "high")
    )
    mean, n = float(values.mean()), len(shares)
    below = float(np.sqrt(np.sum((values - low) ** 2))) / n
    above = float(np.sqrt(np.sum((high - values) ** 2))) / n
    return Area(mean, max(0.0, mean - below), min(1.0, mean + above))


def area_under_curve(scores: FloatArray, positive: BoolArray) -> Area:
    """Area under the ROC curve, with the interval of DeLong, DeLong and Clarke-Pearson (1988)."""
    inside, outside = scores[positive], scores[~positive]
    m, n = len(inside), len(outside)
    ranks = rankdata(np.concatenate([inside, outside]))
    # Share of the other class that each row beats, ties counting half.
    won = (ranks[:m] - rankdata(inside)) / n
    lost = 1.0 - (ranks[m:] - rankdata(outside)) / m
    area = float(won.mean())
    variance = sum(float(part.var(ddof=1)) / len(part) for part in (won, lost) if len(part) > 1)
    if variance == 0 or not 0 < area < 1:
        n_pairs = min(m, n)
        limits = binomtest(round(area * n_pairs), n_pairs).proportion_ci(CONFIDENCE, "exact")
        return Area(area, min(area, float(limits.low)), max(area, float(limits.high)))
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * np.sqrt(variance) / (area * (1 - area))
    low, high = (float(expit(logit(area) + sign * half)) for sign in (-1, 1))
    return Area(area, low, high)
