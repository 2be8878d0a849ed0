"""Weighted ridge and logistic regression.

Ridge regression has leave-one-out predictions in closed form. With features
H = U diag(sqrt(e)) V', centred and multiplied by the roots of the weights, the fitted values are
U diag(e / (e + penalty)) U' t. So one decomposition serves every penalty. The leave-one-out error
of a row is its residual divided by 1 - its leverage.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray

# Directions with less than this share of the largest variance are dropped: eigenvalues that small
# are rounding errors of the Gram matrix.
MIN_EIGENVALUE_SHARE = 1e-12
# Leverages are capped here. A row that determines its own fitted value has leverage 1, and its
# leave-one-out error would be 0 / 0.
MAX_LEVERAGE = 1.0 - 1e-9
MAX_STEPS, TOLERANCE = 25, 1e-9
# Longest step of a coefficient, and smallest variance of a row: where the columns separate the
# classes, steps would become huge.
LONGEST_STEP, LEAST_VARIANCE = 3.0, 1e-4
# A column of whose variance less is its own says nothing new.
LEAST_OWN = 1e-3
TINY = 1e-9
# Log odds beyond these are as good as certain.
LARGEST_ODDS = 30.0


class Spectrum(NamedTuple):
    """Decomposition of weighted features: the weights, their means, U, e and the loadings."""

    weights: FloatArray
    centre: FloatArray
    left: FloatArray
    values: FloatArray
    loadings: FloatArray


class Ridge(NamedTuple):
    """A linear map, and its leave-one-out predictions of the training rows."""

    coef: FloatArray
    intercept: FloatArray
    penalty: float
    left_out: FloatArray


def spectrum(H: FloatArray, weights: FloatArray) -> Spectrum:
    """Decompose ``H``, which is overwritten, by the smaller of its two Gram matrices."""
    centre = weights @ H / weights.sum()
    centred = np.subtract(H, centre, out=H)
    centred *= np.sqrt(weights)[:, None]
    wide = H.shape[0] < H.shape[1]
    values, vectors = np.linalg.eigh(centred @ centred.T if wide else centred.T @ centred)
    kept = values > MIN_EIGENVALUE_SHARE * max(values[-1], MIN_EIGENVALUE_SHARE)
    values, vectors = values[kept], vectors[:, kept]
    if wide:
        return Spectrum(weights, centre, vectors, values, centred.T @ (vectors / values))
    loadings = vectors / np.sqrt(values)
    return Spectrum(weights, centre, centred @ loadings, values, loadings)


def ridge(features: Spectrum, targets: FloatArray, penalties: FloatArray) -> Ridge:
    """Fit ``targets`` with the penalty of the smallest leave-one-out error."""
    total = features.weights.sum()
    level = features.weights @ targets / total
    roots = np.sqrt(features.weights)[:, None]
    centred = roots * (targets - level)
    projected = features.left.T @ centred
    squares = features.left**2
    best_error, best_penalty, left_out = np.inf, float(penalties[0]), targets
    for penalty in penalties.tolist():
        shrunk = features.values / (features.values + penalty)
        residual = centred - features.left @ (shrunk[:, None] * projected)
        leverage = np.minimum(squares @ shrunk + features.weights / total, MAX_LEVERAGE)
        residual /= (1.0 - leverage)[:, None]
        error = float(np.mean(residual**2))
        if error < best_error:
            best_error, best_penalty, left_out = error, penalty, targets - residual / roots
    shrunk = features.values / (features.values + best_penalty)
    coef = features.loadings @ (shrunk[:, None] * projected)
    return Ridge(coef, level - features.centre @ coef, best_penalty, left_out)


def chance_of(log_odds: FloatArray) -> FloatArray:
    """Probabilities from log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -LARGEST_ODDS, LARGEST_ODDS))))


class Logistic(NamedTuple):
    """Log odds are ``intercept + H @ coef``."""

    intercept: float
    coef: FloatArray

    def log_odds(self, H: FloatArray) -> FloatArray:
        """Log odds of rows."""
        return np.asarray(self.intercept + H @ self.coef)


def fit_logistic(H: FloatArray, is_true: BoolArray, weights: FloatArray, ridge: float) -> Logistic:
    """Fit by Newton's method."""
    A = np.column_stack([np.ones(len(H)), H])
    penalty = np.full(A.shape[1], ridge)
    penalty[0] = 0.0
    coef = np.zeros(A.shape[1])
    diagonal = np.diag_indices(len(coef))
    for _ in range(MAX_STEPS):
        chances = chance_of(A @ coef)
        variances = weights * np.maximum(chances * (1 - chances), LEAST_VARIANCE)
        slope = A.T @ (weights * (is_true - chances)) - penalty * coef
        curvature = (A * variances[:, None]).T @ A
        curvature[diagonal] += penalty + TINY
        step = np.clip(np.linalg.solve(curvature, slope), -LONGEST_STEP, LONGEST_STEP)
        coef = coef + step
        if np.abs(step).max() < TOLERANCE:
            break
    return Logistic(float(coef[0]), coef[1:])


def score_test(
    H: FloatArray, taken: FloatArray, fit: Logistic, is_true: BoolArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What each column of ``H`` adds to a fit on the columns ``taken``, and in which direction."""
    A = np.column_stack([np.ones(len(H)), taken])
    chances = chance_of(fit.log_odds(taken))
    variances = weights * np.maximum(chances * (1 - chances), LEAST_VARIANCE)
    weighed = (A * variances[:, None]).T
    curvature = weighed @ A
    curvature[np.diag_indices_from(curvature)] += TINY
    own = H - A @ np.linalg.solve(curvature, weighed @ H)
    slope = own.T @ (weights * (is_true - chances))
    size = np.square(own).T @ variances
    is_new = size > LEAST_OWN * (np.square(H).T @ variances) + TINY
    statistic = np.where(is_new, np.square(slope) / np.maximum(size, TINY), 0.0)
    return statistic, np.sign(slope)
