"""One axis as a single hump, which may be skewed and light- or heavy-tailed.

The density is the sinh-arcsinh normal of Jones and Pewsey (2009): a value x is
place + scale sinh((arcsinh(u) + skew) / tail), with u standard normal.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray

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


class _Terms(NamedTuple):
    """Log-likelihood of each column, its gradient, and the outer products of those of rows."""

    value: FloatArray
    gradient: FloatArray
    information: FloatArray


def hump_terms(X: FloatArray, parameters: FloatArray) -> _Terms:
    """Log-likelihood of single humps, with derivatives."""
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
    return _Terms(each.sum(axis=0), slopes.sum(axis=0), information)


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
        better = terms.value > value
        parameters[:, better] = trial[:, better]
        value[better] = terms.value[better]
        gradient[better] = terms.gradient[better]
        information[better] = terms.information[better]
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
        values: FloatArray = place + np.exp(log_scale) * np.sinh(bent)
        return values

    def likelihoods_as_it_is(self, X: FloatArray) -> FloatArray:
        """Log-likelihood of each column under this hump."""
        return hump_terms(X, self.parameters[:, None]).value

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
