"""From scores to probabilities: slope and shifts fitted to scores of rows that were not seen."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax

from bicneuron._core._arrays import FloatArray

SLOPES = (1e-2, 1e3)  # scores times a number in this range are log odds
# Log odds beyond these are certain, and differences between infinite ones would not be numbers.
LARGEST_ODDS = 1e300
# Rows of each other class that every class is taken to have: separable classes are not certain.
PSEUDO_ROWS = 0.5
# Evaluations of the loss: a dozen are enough, but where all scores are equal steps are too short.
MAX_EVALUATIONS = 500
NEWTON_STEPS = 4  # after that: it ends about 1e-6 away, where the last bits of scores decide


class Calibration(NamedTuple):
    """Log odds are ``slope * (scores + shifts)``."""

    slope: float
    shifts: FloatArray


def calibrate(
    scores: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    exclusive: bool,
    *,
    shifted: bool = True,
) -> Calibration:
    """Slope and shifts of least log loss on scores of rows that were not seen."""
    known = ~np.isnan(scores).any(axis=1)
    if not known.any():
        return Calibration(1.0, np.zeros(scores.shape[1]))
    scores = scores[known]
    weights = weights[known, None] / weights[known].sum()
    chances = _smoothed(signs[known], exclusive)

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        slope, offsets = parameters[0], parameters[1:]
        log_odds = slope * scores + offsets
        if exclusive:
            logs = log_softmax(log_odds, axis=1)
            value, excess = -np.sum(weights * chances * logs), weights * (np.exp(logs) - chances)
        else:
            value = np.sum(weights * (np.logaddexp(0.0, log_odds) - chances * log_odds))
            excess = weights * (expit(log_odds) - chances)
        return float(value), np.concatenate([[np.sum(excess * scores)], excess.sum(axis=0)])

    n_targets = scores.shape[1]
    start = np.concatenate([[1.0], np.zeros(n_targets)])
    bounds = [SLOPES, *[(None, None) if shifted else (0.0, 0.0)] * n_targets]
    options = {"ftol": 1e-12, "gtol": 1e-8, "maxfun": MAX_EVALUATIONS}
    with np.errstate(over="ignore", invalid="ignore"):  # steps from scores beyond 1e150
        at = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
        free = np.append(SLOPES[0] < at[0] < SLOPES[1], np.full(n_targets, shifted))
        for _ in range(NEWTON_STEPS if free.any() else 0):
            gradient = loss(at)[1]
            curvature = _curvature(scores, at, weights, exclusive)[np.ix_(free, free)]
            if not np.isfinite(curvature).all():
                break
            trial = at.copy()
            trial[free] -= np.linalg.lstsq(curvature, gradient[free], rcond=1e-12)[0]
            is_in_bounds = SLOPES[0] <= trial[0] <= SLOPES[1]
            if not (is_in_bounds and np.abs(loss(trial)[1]).max() < np.abs(gradient).max()):
                break
            at = trial
    slope, offsets = float(at[0]), at[1:]
    if exclusive:
        offsets = offsets - offsets.mean()  # a constant added to all classes changes nothing
    return Calibration(slope, offsets / slope)


def _curvature(
    scores: FloatArray, parameters: FloatArray, weights: FloatArray, exclusive: bool
) -> FloatArray:
    """Second derivatives of the loss by slope and offsets."""
    chances = probabilities(scores + parameters[1:] / parameters[0], parameters[0], exclusive)
    spread = weights * chances
    if exclusive:
        between = np.diag(spread.sum(axis=0)) - spread.T @ chances
        by_slope = spread * (scores - (chances * scores).sum(axis=1, keepdims=True))
    else:
        between = np.diag((spread * (1.0 - chances)).sum(axis=0))
        by_slope = spread * (1.0 - chances) * scores
    edge = by_slope.sum(axis=0)
    return np.block([[np.sum(by_slope * scores), edge], [edge[:, None], between]])


def _smoothed(signs: FloatArray, exclusive: bool) -> FloatArray:
    """Probabilities to fit: nearly 1 for the class of a row, the nearer the more rows it has."""
    is_true = signs > 0
    n_true = is_true.sum(axis=0)
    if exclusive:
        n_classes, sizes = signs.shape[1], (is_true @ n_true)[:, None]
    else:
        n_classes, sizes = 2, np.where(is_true, n_true, len(signs) - n_true)
    other = PSEUDO_ROWS / (sizes + n_classes * PSEUDO_ROWS)
    return np.asarray(np.where(is_true, 1.0 - (n_classes - 1) * other, other), np.float64)


def probabilities(scores: FloatArray, slope: float, exclusive: bool) -> FloatArray:
    """Probability of each target, from scores of shape (n_rows, n_targets)."""
    with np.errstate(over="ignore"):
        log_odds = np.clip(slope * scores, -LARGEST_ODDS, LARGEST_ODDS)
    return np.asarray(np.exp(log_softmax(log_odds, axis=1)) if exclusive else expit(log_odds))
