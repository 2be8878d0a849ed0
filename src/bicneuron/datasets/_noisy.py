"""Classes that overlap by design: a linear score with logistic noise."""

from numbers import Integral, Real

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm
from sklearn.utils import check_random_state, check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray


def make_noisy_linear(
    n_samples: int = 800,
    n_features: int = 8,
    *,
    bayes_error: float = 0.25,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, IndexArray]:
    """Normal columns and labels from a linear score with logistic noise.

    No classifier has an expected error below ``bayes_error``, which the sign of the score reaches.
    A model that memorises its rows fails here.

    Parameters
    ----------
    n_samples : int, default=800
        Rows.
    n_features : int, default=8
        Columns, independent and standard normal.
    bayes_error : float, default=0.25
        Share of rows on which the best rule errs, between 0 and 0.5 (both excluded).
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same rows on each call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    >>> from bicneuron.datasets import make_noisy_linear
    >>> X, y = make_noisy_linear(random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((800, 8), [0, 1])
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    check_scalar(n_features, "n_features", Integral, min_val=1)
    check_scalar(
        bayes_error, "bayes_error", Real, min_val=0, max_val=0.5, include_boundaries="neither"
    )
    random = check_random_state(random_state)
    direction = random.standard_normal(n_features)
    direction /= np.linalg.norm(direction)
    X = random.standard_normal((n_samples, n_features))
    chance = expit(_slope(bayes_error) * (X @ direction))
    return X, (random.uniform(size=n_samples) < chance).astype(np.intp)


def _slope(bayes_error: float) -> float:
    """Slope at which a standard normal score with logistic noise has this Bayes error."""

    def excess(log_slope: float) -> float:
        slope = np.exp(log_slope)
        error, _ = quad(lambda score: 2 * norm.pdf(score) * expit(-slope * score), 0, np.inf)
        return float(error - bayes_error)

    return float(np.exp(brentq(excess, -20.0, 20.0)))
