"""One axis as a flat hump: a uniform density with normal edges."""

from math import erf, erfc
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._jit import kernel

# Shares of the variance that the edges have where a fit starts.
EDGES = np.array([0.02, 0.08, 0.2, 0.4, 0.7])
# Rounds of steps; a round in which none makes the values more likely halves the steps.
N_ROUNDS = 25
# Of the deviation of the axis: steps of centre and width, and the least width and edge. The edge
# changes by a factor.
STEP, LEAST_WIDTH, LEAST_EDGE, LOG_STEP = 0.15, 0.05, 0.02, 0.3
SQRT_2, SQRT_2_PI, TINY = np.sqrt(2.0), np.sqrt(2 * np.pi), 1e-300


class FlatHump(NamedTuple):
    """The flat hump that describes an axis best."""

    likelihood: float
    parameters: FloatArray

    def draw(self, random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        """Random values of the hump."""
        centre, width, edge = self.parameters.tolist()
        flat = centre + width * (random.random(shape) - 0.5)
        values: FloatArray = flat + edge * random.standard_normal(shape)
        return values

    def likelihoods_as_it_is(self, X: FloatArray) -> FloatArray:
        """Log-likelihood of each column under this hump."""
        return np.array([flat_likelihood(x, self.parameters) for x in np.ascontiguousarray(X.T)])

    def likelihoods(self, X: FloatArray, enough: FloatArray) -> FloatArray:
        """Best log-likelihood of a flat hump for each column, or one that is above ``enough``."""
        return _fit_all(np.ascontiguousarray(X.T), EDGES, enough)[0]


def fit_flat_hump(values: FloatArray) -> FlatHump:
    """Fit a flat hump to an axis, by steps in one parameter at a time."""
    likelihoods, parameters = _fit_all(values[None], EDGES, np.array([np.inf]))
    return FlatHump(float(likelihoods[0]), parameters[0])


@kernel
def _fit_all(S: FloatArray, edges: FloatArray, enough: FloatArray) -> tuple[FloatArray, FloatArray]:
    n_axes, n_rows = S.shape
    likelihoods, parameters = np.full(n_axes, -np.inf), np.zeros((n_axes, 3))
    trial = np.empty(3)
    for axis in range(n_axes):
        s, now = S[axis], parameters[axis]
        mean = s.sum() / n_rows
        variation = 0.0
        for i in range(n_rows):
            variation += (s[i] - mean) ** 2
        deviation = np.sqrt(variation / n_rows)
        best = -np.inf
        for share in edges:
            trial[0] = mean
            trial[1] = np.sqrt(12.0 * (1.0 - share)) * deviation
            trial[2] = np.sqrt(share) * deviation
            best = _keep_better(s, trial, now, best)
        size = 1.0
        for _ in range(N_ROUNDS):
            if best > enough[axis]:
                break
            before = best
            for k in range(3):
                for sign in (-1.0, 1.0):
                    trial = now.copy()
                    if k == 2:
                        trial[2] = now[2] * np.exp(sign * LOG_STEP * size)
                    else:
                        trial[k] = now[k] + sign * STEP * size * deviation
                    trial[1] = max(trial[1], LEAST_WIDTH * deviation)
                    trial[2] = max(trial[2], LEAST_EDGE * deviation)
                    best = _keep_better(s, trial, now, best)
            if best == before:
                size /= 2.0
        likelihoods[axis] = best
    return likelihoods, parameters


@kernel
def _keep_better(s: FloatArray, trial: FloatArray, now: FloatArray, best: float) -> float:
    """Take a trial over if it makes the values more likely; return the larger likelihood."""
    value = flat_likelihood(s, trial)
    if value > best:
        now[:] = trial
        return value
    return best


@kernel
def flat_likelihood(s: FloatArray, parameters: FloatArray) -> float:
    """Log-likelihood of one flat hump, of centre, width and edge."""
    centre, width, edge = parameters[0], parameters[1], parameters[2]
    scale = 1.0 / (SQRT_2 * edge)
    factor = 0.5 * SQRT_2_PI / width
    total = 0.0
    for i in range(len(s)):
        # The hump is symmetric; beyond its centre the tails are small, and differ by little.
        distance = abs(s[i] - centre)
        outer, inner = (distance + width / 2) * scale, (distance - width / 2) * scale
        share = erfc(inner) - erfc(outer) if inner > 0 else erf(outer) - erf(inner)
        total += np.log(max(factor * share, TINY))
    return total
