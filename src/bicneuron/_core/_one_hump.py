"""One axis as a single hump: skewed and light- or heavy-tailed, or flat with normal edges.

The density of the first is the sinh-arcsinh normal of Jones and Pewsey (2009): a value x is
place + scale sinh((arcsinh(u) + skew) / tail), with u standard normal.
"""

from math import erf, erfc
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._jit import kernel

# Bounds of place, log scale, skew and log tail, on an axis with a standard deviation of 1.
LOWEST, HIGHEST = (-9.0, -4.0, -3.0, -1.5), (9.0, 3.0, 3.0, 1.5)
# Skews from which a fit starts.
SKEWS = (0.0, 0.5, -0.5)
N_FIRST_STEPS = 60
# Steps of fits to draws, after which those end that are above what is enough.
ROUNDS = (2, 4, 8, 16)
SMALLEST_STEP = 1e-7
# A step is shortened by a larger damping, until it makes values more likely.
LESS_DAMPING, MORE_DAMPING = 0.2, 5.0
# sinh of more overflows when squared.
LARGEST = 30.0
# Shares of the variance that the edges have where a fit starts.
EDGES = np.array([0.02, 0.08, 0.2, 0.4, 0.7])
# Rounds of steps; a round in which none makes the values more likely halves the steps.
N_ROUNDS = 25
# Of the deviation of the axis: steps of centre and width, and the least width and edge. The edge
# changes by a factor.
STEP, LEAST_WIDTH, LEAST_EDGE, LOG_STEP = 0.15, 0.05, 0.02, 0.3
SQRT_2, SQRT_2_PI, TINY = np.sqrt(2.0), np.sqrt(2 * np.pi), 1e-300


def hump_terms(X: FloatArray, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log-likelihood of each column, its gradient, and the outer products of those of rows."""
    place, log_scale, skew, log_tail = parameters
    tail = np.exp(log_tail)
    z = (X - place) * np.exp(-log_scale)
    u, r = np.arcsinh(z), 1 + z * z
    bent = np.clip(tail * u - skew, -LARGEST, LARGEST)
    sinh, cosh = np.sinh(bent), np.cosh(bent)
    by_bent = sinh / cosh - sinh * cosh
    by_z = by_bent * tail / np.sqrt(r) - z / r
    each = log_tail - log_scale + np.log(cosh / np.sqrt(r)) - 0.5 * sinh**2
    slopes = np.stack(
        [-by_z * np.exp(-log_scale), -z * by_z - 1, -by_bent, 1 + by_bent * tail * u], axis=-1
    )
    information = np.matmul(slopes.transpose(1, 2, 0), slopes.transpose(1, 0, 2))
    return each.sum(axis=0), slopes.sum(axis=0), information


def fit_humps(X: FloatArray, start: FloatArray, n_steps: int) -> tuple[FloatArray, FloatArray]:
    """Best log-likelihood and parameters of one hump for each column, by damped scoring."""
    lowest, highest = np.array(LOWEST)[:, None], np.array(HIGHEST)[:, None]
    parameters, damping = start.copy(), np.ones(X.shape[1])
    value, gradient, information = hump_terms(X, parameters)
    for _ in range(n_steps):
        damped = information + damping[:, None, None] * np.eye(4)
        step = np.linalg.solve(damped, gradient[..., None])[..., 0].T
        trial = np.clip(parameters + step, lowest, highest)
        if np.abs(trial - parameters).max(initial=0.0) < SMALLEST_STEP:
            break
        terms = hump_terms(X, trial)
        better = terms[0] > value
        parameters[:, better] = trial[:, better]
        for known, new in zip((value, gradient, information), terms, strict=True):
            known[better] = new[better]
        damping *= np.where(better, LESS_DAMPING, MORE_DAMPING)
    return value, parameters


class Hump(NamedTuple):
    """The single hump that describes an axis best."""

    likelihood: float
    parameters: FloatArray

    def draw(self, random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        """Random values of the hump."""
        place, log_scale, skew, log_tail = self.parameters.tolist()
        bent = (np.arcsinh(random.standard_normal(shape)) + skew) * np.exp(-log_tail)
        return np.asarray(place + np.exp(log_scale) * np.sinh(bent))

    def likelihoods_as_it_is(self, X: FloatArray) -> FloatArray:
        """Log-likelihood of each column under this hump."""
        return hump_terms(X, self.parameters[:, None])[0]

    def likelihoods(self, X: FloatArray, enough: FloatArray) -> FloatArray:
        """Best log-likelihood of one hump for each column, or one that is above ``enough``.

        Fits start from this hump.
        """
        values, places = np.empty(X.shape[1]), np.arange(X.shape[1])
        start = np.repeat(self.parameters[:, None], X.shape[1], axis=1)
        for n_steps in ROUNDS:
            values[places], start = fit_humps(X[:, places], start, n_steps)
            goes_on = values[places] <= enough[places]
            places, start = places[goes_on], start[:, goes_on]
        return values


def best_hump(values: FloatArray) -> Hump:
    """Fit one hump to an axis of standard deviation 1, from several skews."""
    start = np.zeros((4, len(SKEWS)))
    start[2] = SKEWS
    value, parameters = fit_humps(np.repeat(values[:, None], 3, axis=1), start, N_FIRST_STEPS)
    best = int(np.argmax(value))
    return Hump(float(value[best]), parameters[:, best])


class FlatHump(NamedTuple):
    """The flat hump that describes an axis best."""

    likelihood: float
    parameters: FloatArray

    def draw(self, random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        """Random values of the hump."""
        centre, width, edge = self.parameters.tolist()
        flat = centre + width * (random.random(shape) - 0.5)
        return np.asarray(flat + edge * random.standard_normal(shape))

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
        for k in range(len(now)):
            now[k] = trial[k]
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
