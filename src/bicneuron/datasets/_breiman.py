"""Two normal problems.

They are those of L. Breiman, "Bias, variance, and arcing classifiers", technical report 460,
Statistics Department, University of California, Berkeley, 1996.
"""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray


def make_twonorm(
    n_samples: int = 7400,
    n_features: int = 20,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, IndexArray]:
    """Two unit normal clouds on either side of the origin.

    Class 1 is N(+a, I) and class 0 is N(-a, I), where every coordinate of a is
    2 / sqrt(n_features). The sign of the row sum is the best rule and errs on 2.3 % of the rows.

    Parameters
    ----------
    n_samples : int, default=7400
        Rows, half of each class; class 0 has one more if the number is odd.
    n_features : int, default=20
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same rows on each call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,)
        0 or 1, in random order.

    Examples
    --------
    >>> from bicneuron.datasets import make_twonorm
    >>> X, y = make_twonorm(100, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 20), 50)
    """
    y, noise = _labels_and_noise(n_samples, n_features, random_state)
    centre = 2 / np.sqrt(n_features)
    return noise + np.where(y == 1, centre, -centre)[:, None], y


def make_ringnorm(
    n_samples: int = 7400,
    n_features: int = 20,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, IndexArray]:
    """Make a unit normal cloud inside a wide one; no plane separates them well.

    Class 1 is N(a, I), where every coordinate of a is 2 / sqrt(n_features), and class 0 is the
    wide one, N(0, 4I).

    Parameters
    ----------
    n_samples : int, default=7400
    n_features : int, default=20
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    X, y
        As in `make_twonorm`.

    Examples
    --------
    >>> from bicneuron.datasets import make_ringnorm
    >>> X, y = make_ringnorm(2000, random_state=0)
    >>> bool(X[y == 0].std() > 1.5 * X[y == 1].std())
    True
    """
    y, noise = _labels_and_noise(n_samples, n_features, random_state)
    is_narrow = (y == 1)[:, None]
    return np.where(is_narrow, noise + 2 / np.sqrt(n_features), 2 * noise), y


def _labels_and_noise(
    n_samples: int, n_features: int, random_state: int | np.random.RandomState | None
) -> tuple[IndexArray, FloatArray]:
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    check_scalar(n_features, "n_features", Integral, min_val=1)
    random = check_random_state(random_state)
    y = random.permutation(np.arange(n_samples) % 2)
    return y, random.standard_normal((n_samples, n_features))
