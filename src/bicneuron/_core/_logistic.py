"""Logistic regression on a few columns, and what further columns would add to it."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray

MAX_STEPS, TOLERANCE = 25, 1e-9
# Longest step of a coefficient, and smallest variance of a row: where the columns separate the
# classes, steps would become huge.
LONGEST_STEP, LEAST_VARIANCE = 3.0, 1e-4
# A column of whose variance less is its own says nothing new.
LEAST_OWN = 1e-3
TINY = 1e-9
# Log odds beyond these are as good as certain.
LARGEST_ODDS = 30.0


def chance_of(log_odds: FloatArray) -> FloatArray:
    """Probabilities from log odds."""
    chances: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -LARGEST_ODDS, LARGEST_ODDS)))
    return chances


class Logistic(NamedTuple):
    """Log odds are ``intercept + H @ coef``."""

    intercept: float
    coef: FloatArray

    def log_odds(self, H: FloatArray) -> FloatArray:
        """Log odds of rows."""
        values: FloatArray = self.intercept + H @ self.coef
        return values


def fit_logistic(H: FloatArray, is_true: BoolArray, weights: FloatArray, ridge: float) -> Logistic:
    """Fit by Newton's method."""
    A = np.column_stack([np.ones(len(H)), H])
    penalty = np.full(A.shape[1], ridge)
    penalty[0] = 0.0
    coef = np.zeros(A.shape[1])
    for _ in range(MAX_STEPS):
        chances = chance_of(A @ coef)
        variances = weights * np.maximum(chances * (1 - chances), LEAST_VARIANCE)
        slope = A.T @ (weights * (is_true - chances)) - penalty * coef
        curvature = (A * variances[:, None]).T @ A
        curvature[np.diag_indices_from(curvature)] += penalty + TINY
        step = np.clip(np.linalg.solve(curvature, slope), -LONGEST_STEP, LONGEST_STEP)
        coef = coef + step
        if np.abs(step).max() < TOLERANCE:
            break
    return Logistic(float(coef[0]), coef[1:])


class ScoreTest(NamedTuple):
    """What columns would add to a fit; arrays of shape (n_columns,)."""

    statistic: FloatArray
    sign: FloatArray


def score_test(
    H: FloatArray, taken: FloatArray, fit: Logistic, is_true: BoolArray, weights: FloatArray
) -> ScoreTest:
    """Test each column of ``H`` for what it adds to a fit on the columns ``taken``."""
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
    return ScoreTest(statistic, np.sign(slope))
