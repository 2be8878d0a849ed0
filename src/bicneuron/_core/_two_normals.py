"""One axis as two groups: two normal densities, and splits of its sorted values."""

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
# Of the densities that may differ in spread: where fits start, how many steps they take, the
# smallest share of a group, and the largest ratio of variances.
UNEQUAL_STARTS = (0.5, 0.2, 0.8)
N_UNEQUAL_STEPS = 40
LEAST_UNEQUAL_SHARE = 0.03
LARGEST_RATIO = 9.0
CERTAIN = 1e-9
# A split has at least this share of the rows above it, and at most that.
LEAST_ABOVE, MOST_ABOVE = 0.03, 0.8
TINY = 1e-12


class TwoNormals(NamedTuple):
    """Two normal densities with one spread.

    Parameters
    ----------
    low, high : float
        Their means.
    spread : float
        Standard deviation within both.
    """

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
    """Fit two normal densities with one spread by expectation maximisation, from four starts.

    Parameters
    ----------
    values : array of shape (n_rows,)
        They are sorted first: the order of the rows does not matter, to the last bit.
    """
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
    means: FloatArray = (weights * s).sum(axis=0) / (weights.sum(axis=0) + TINY)
    return means


def two_normals_likelihood(X: FloatArray) -> FloatArray:
    """Best log-likelihood of two normal densities, which may differ in spread, for each column.

    Constants that all normal densities share are left out.

    Parameters
    ----------
    X : array of shape (n_rows, n_axes)
    """
    best = np.full(X.shape[1], -np.inf)
    least = LEAST_SPREAD * X.std(axis=0)
    for start in UNEQUAL_STARTS:
        inside = np.clip((np.quantile(X, 1 - start, axis=0) < X) * 1.0, CERTAIN, 1 - CERTAIN)
        total = np.zeros_like(X)
        for _ in range(N_UNEQUAL_STEPS):
            outside = 1 - inside
            n_inside, n_outside = inside.sum(axis=0), outside.sum(axis=0)
            share = np.clip(n_inside / len(X), LEAST_UNEQUAL_SHARE, 1 - LEAST_UNEQUAL_SHARE)
            from_high = X - (inside * X).sum(axis=0) / n_inside
            from_low = X - (outside * X).sum(axis=0) / n_outside
            of_high = (inside * from_high**2).sum(axis=0) / n_inside
            of_low = (outside * from_low**2).sum(axis=0) / n_outside
            high = np.sqrt(np.maximum(of_high, of_low / LARGEST_RATIO)) + least
            low = np.sqrt(np.maximum(of_low, of_high / LARGEST_RATIO)) + least
            log_high = np.log(share / high) - 0.5 * (from_high / high) ** 2
            log_low = np.log((1 - share) / low) - 0.5 * (from_low / low) ** 2
            total = np.logaddexp(log_high, log_low)
            inside = np.clip(np.exp(log_high - total), CERTAIN, 1 - CERTAIN)
        best = np.maximum(best, total.sum(axis=0))
    return best


def split_gains(S: FloatArray) -> FloatArray:
    """How much better the best split into high rows and the rest describes each axis than none.

    With q the share of the rows above the split and w that of the variance within both sides, the
    gain is n (q log q + (1 - q) log(1 - q)) - n / 2 log w: two normal densities with one spread
    against one, each row counted to its side.

    Parameters
    ----------
    S : array of shape (n_rows, n_axes)
        Sorted within columns, ascending.

    Returns
    -------
    gains : array of shape (n_axes,)
        In nats.
    """
    n = len(S)
    centred = S[::-1] - S.mean(axis=0)
    above = np.arange(1, n)[:, None]
    between = np.cumsum(centred, axis=0)[:-1] ** 2 * (1 / above + 1 / (n - above))
    variation = np.maximum((centred**2).sum(axis=0), np.finfo(float).tiny)
    within = np.maximum(1 - between / variation, TINY)
    q = above / n
    gains = n * (q * np.log(q) + (1 - q) * np.log(1 - q)) - 0.5 * n * np.log(within)
    allowed = (above[:, 0] >= max(2, LEAST_ABOVE * n)) & (above[:, 0] <= MOST_ABOVE * n)
    best: FloatArray = gains[allowed].max(axis=0)
    return best
