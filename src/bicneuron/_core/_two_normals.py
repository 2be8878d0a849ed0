"""One axis as two groups: two normal densities with one spread."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray

# Shares of the higher group from which the fit of two densities starts.
STARTS = (0.5, 0.3, 0.15, 0.07)
N_STEPS = 60
# Nats by which a step must make the values more likely, or it is the last one.
TOLERANCE = 1e-3
# A group has at least, and at most, this share of the rows.
LEAST_SHARE = 0.02
# Smallest spread within groups, as a share of that of the axis: values may be equal.
LEAST_SPREAD = 1e-3
TINY = 1e-12


class TwoNormals(NamedTuple):
    """Two normal densities with one spread."""

    low: float
    high: float
    spread: float

    @property
    def cut(self) -> float:
        """The value that is as likely in both groups, whatever their sizes."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """Distance of the means, in standard deviations within both."""
        return (self.high - self.low) / self.spread


def two_normals(values: FloatArray) -> TwoNormals:
    """Fit two normal densities with one spread by expectation maximisation, from four starts."""
    s = np.sort(values)[:, None]
    deviation = float(s.std())
    if deviation == 0:
        return TwoNormals(float(s[0, 0]), float(s[0, 0]), 1.0)
    # One column for each start.
    inside = (s > np.quantile(s, 1 - np.array(STARTS))) * 1.0
    outside = 1 - inside
    share, spread = np.array(STARTS), np.full(len(STARTS), deviation / 2)
    high, low = _mean(s, inside), _mean(s, outside)
    likelihood = np.full(len(STARTS), -np.inf)
    for _ in range(N_STEPS):
        of_high = np.log(share) - 0.5 * ((s - high) / spread) ** 2
        of_low = np.log(1 - share) - 0.5 * ((s - low) / spread) ** 2
        total = np.logaddexp(of_high, of_low)
        before, likelihood = likelihood, total.sum(axis=0) - len(s) * np.log(spread)
        if np.abs(likelihood - before).max() < TOLERANCE:
            break
        inside = np.exp(of_high - total)
        outside = 1 - inside
        share = np.clip(inside.sum(axis=0) / len(s), LEAST_SHARE, 1 - LEAST_SHARE)
        high, low = _mean(s, inside), _mean(s, outside)
        squares = (inside * (s - high) ** 2 + outside * (s - low) ** 2).sum(axis=0)
        spread = np.sqrt(squares / len(s)) + LEAST_SPREAD * deviation
    best = int(np.argmax(likelihood))
    return TwoNormals(float(low[best]), float(high[best]), float(spread[best]))


def _mean(s: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray((weights * s).sum(axis=0) / (weights.sum(axis=0) + TINY))
