"""One axis as two normal densities with a valley between them, as two separate groups have."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._jit import kernel

# Shares of the higher group from which fits start, and the largest ratio of the two variances. Fits
# of equal variances, tried beside these, made 10 % of heavy-tailed gradients groups, and not 3 %.
STARTS = np.array([0.5, 0.2, 0.8, 0.08])
LARGEST_RATIO = 9.0
N_STEPS = 40
# Nats by which a step must make the values more likely, or it is the last one.
TOLERANCE = 1e-2
# A group has at least this share of the rows, and this spread as a share of that of the axis.
LEAST_SHARE, LEAST_SPREAD = 0.03, 0.02
CERTAIN = 1e-9
MOST_FACTORS = 500
# Places between the two means at which the density is compared with that at the means.
N_PLACES = 60


class TwoGroups(NamedTuple):
    """Two normal densities: share and mean of the higher one, mean of the lower, both spreads."""

    share: float
    high: float
    low: float
    high_spread: float
    low_spread: float


def two_groups_likelihood(S: FloatArray, needed: FloatArray | None = None) -> FloatArray:
    """Best log-likelihood of each sorted axis, or -inf where no fit has a valley.

    A fit ends where it would stay below ``needed``, even with all its steps as long as the last.
    """
    if needed is None:
        needed = np.full(len(S), -np.inf)
    axes = np.ascontiguousarray(S)
    return np.array([_best_pair(s, least)[0] for s, least in zip(axes, needed, strict=True)])


def best_pair(s: FloatArray) -> TwoGroups:
    """The best two normal densities with a valley or, if no fit has one, the best at all."""
    return TwoGroups(*_best_pair(np.ascontiguousarray(s), -np.inf)[1].tolist())


@kernel
def _best_pair(s: FloatArray, needed: float) -> tuple[float, FloatArray]:
    """Best likelihood of a pair with a valley, and that pair or, if there is none, any other."""
    n_rows = len(s)
    best, best_of_all = -np.inf, -np.inf
    inside, fitted, pair = np.empty(n_rows), np.empty(5), np.empty(5)
    for start in STARTS:
        n_high = min(max(int(start * n_rows + 0.5), 2), n_rows - 2)
        likelihood = _fit(s, n_high, needed, inside, fitted)
        if likelihood > best and has_valley(fitted):
            best = likelihood
            pair = fitted.copy()
        elif best == -np.inf and likelihood > best_of_all:
            best_of_all = likelihood
            pair = fitted.copy()
    return best, pair


@kernel
def _fit(
    s: FloatArray, n_high: int, needed: float, inside: FloatArray, fitted: FloatArray
) -> float:
    """Expectation maximisation from the highest rows; ``fitted``: share, means and spreads."""
    n_rows = len(s)
    mean = s.sum() / n_rows
    variation = 0.0
    for i in range(n_rows):
        variation += (s[i] - mean) ** 2
        inside[i] = CERTAIN if i < n_rows - n_high else 1.0 - CERTAIN
    least = LEAST_SPREAD**2 * variation / n_rows
    likelihood, before, gained = -np.inf, -np.inf, np.inf
    for _ in range(N_STEPS):
        n_inside, of_high, of_low = 0.0, 0.0, 0.0
        for i in range(n_rows):
            n_inside += inside[i]
            of_high += inside[i] * s[i]
            of_low += (1.0 - inside[i]) * s[i]
        high, low = of_high / n_inside, of_low / (n_rows - n_inside)
        high_squares, low_squares = 0.0, 0.0
        for i in range(n_rows):
            high_squares += inside[i] * (s[i] - high) ** 2
            low_squares += (1.0 - inside[i]) * (s[i] - low) ** 2
        high_own, low_own = high_squares / n_inside, low_squares / (n_rows - n_inside)
        high_variance = max(high_own, low_own / LARGEST_RATIO) + least
        low_variance = max(low_own, high_own / LARGEST_RATIO) + least
        share = min(max(n_inside / n_rows, LEAST_SHARE), 1.0 - LEAST_SHARE)
        high_log = np.log(share) - 0.5 * np.log(high_variance)
        low_log = np.log(1.0 - share) - 0.5 * np.log(low_variance)
        likelihood, product = 0.0, 1.0  # one logarithm for many factors between 1 and 2
        for i in range(n_rows):
            a = high_log - 0.5 * (s[i] - high) ** 2 / high_variance
            b = low_log - 0.5 * (s[i] - low) ** 2 / low_variance
            smaller = np.exp(-abs(a - b))
            likelihood += max(a, b)
            product *= 1.0 + smaller
            if i % MOST_FACTORS == 0 or i == n_rows - 1:
                likelihood += np.log(product)
                product = 1.0
            of_row = 1.0 / (1.0 + smaller) if a > b else smaller / (1.0 + smaller)
            inside[i] = min(max(of_row, CERTAIN), 1.0 - CERTAIN)
        fitted[0], fitted[1], fitted[2] = share, high, low
        fitted[3], fitted[4] = np.sqrt(high_variance), np.sqrt(low_variance)
        slower, gained = likelihood - before < gained, likelihood - before
        is_hopeless = slower and likelihood + N_STEPS * gained < needed
        if is_hopeless or gained < TOLERANCE:
            break
        before = likelihood
    return likelihood


@kernel
def has_valley(fitted: FloatArray) -> bool:
    """True if the density of both groups is lower somewhere between their means than at both."""
    high, low = fitted[1], fitted[2]
    if not low < high:
        return False
    lowest = np.inf
    ends = np.inf
    for place in range(N_PLACES + 1):
        value = low + (high - low) * place / N_PLACES
        density = fitted[0] / fitted[3] * np.exp(-0.5 * ((value - high) / fitted[3]) ** 2) + (
            1.0 - fitted[0]
        ) / fitted[4] * np.exp(-0.5 * ((value - low) / fitted[4]) ** 2)
        lowest = min(lowest, density)
        if place in (0, N_PLACES):
            ends = min(ends, density)
    return bool(lowest < (1.0 - 1e-6) * ends)
