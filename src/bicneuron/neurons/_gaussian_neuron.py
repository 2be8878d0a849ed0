"""A readable neuron: one normal density per class and column."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._neuron_scores import gaussian_scores
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval
from bicneuron.neurons._blocks import LocalNeuron, check_no_overflow, largest, packed_columns


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianNeuron(LocalNeuron):
    """Compare a row with the mean and the spread of two classes, column by column.

    The score is the mean over the columns of twice the log ratio of two normal densities,

        (x - m0)^2 / v0 - (x - m1)^2 / v1 + log(v0 / v1),

    so that `column_scores` gives what each column adds. Only means and variances are fitted, and
    the sizes of the classes have no effect.

    Values may be missing (NaN): means and variances are those of the other values, and a missing
    value adds 0 to the mean, so that the score of a row is the nearer to 0 the less is known of it.
    A column in which one of the classes has no value adds nothing to any score.

    Each of the two quotients is at most 1e150. Training values whose squares overflow (beyond about
    1e150) raise a ValueError that asks to scale ``X``.

    Parameters
    ----------
    slack : float, default=0.5
        Added to the variances, in squared units of the columns. Standardise the columns first.
    shared_variance : bool, default=False
        Give both classes the variance within them, so that the score is linear in the columns:
        a straight line instead of a bell.

    Attributes
    ----------
    classes_ : array of shape (2,)
    means_, variances_ : float64 arrays of shape (2, n_columns)
        Of each class; the variances with ``slack``.
    n_features_in_, feature_names_in_ : int, and array of str if the input has column names

    Examples
    --------
    >>> from bicneuron.neurons import GaussianNeuron
    >>> X = [[0.0, 1.0], [0.2, 0.0], [2.0, 0.0], [2.2, 1.0]]
    >>> neuron = GaussianNeuron().fit(X, [0, 0, 1, 1])
    >>> neuron.predict([[0.1, 0.5], [1.9, 0.5]]).tolist()
    [0, 1]
    >>> neuron.column_scores([[1.9, 0.5]]).round(1).tolist()
    [[6.3, 0.0]]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "slack": [Interval(Real, 0, None, closed="neither")],
        "shared_variance": ["boolean"],
    }

    slack: float = 0.5
    shared_variance: bool = False

    def _learn(self, X: FloatArray, encoded: IndexArray) -> None:
        sides = [X[encoded == side] for side in (0, 1)]
        with np.errstate(over="ignore", invalid="ignore"):
            self.means_ = np.array([side.mean(axis=0) for side in sides])
            self.variances_ = np.array([side.var(axis=0) for side in sides]) + self.slack
            if np.isnan(self.means_).any():
                known = ~np.any([np.isnan(side).all(axis=0) for side in sides], axis=0)
                self.means_, self.variances_ = np.zeros((2, len(known))), np.ones((2, len(known)))
                for k, side in enumerate(sides):
                    cells, ones = np.ma.masked_invalid(side[:, known]), np.ones(len(side))
                    mean = np.ma.average(cells, axis=0, weights=ones)
                    spread = np.ma.average((cells - mean) ** 2, axis=0, weights=ones)
                    self.means_[k, known], self.variances_[k, known] = mean, spread + self.slack
            # Four times the largest value: a masked array would hide that its square overflows.
            check_no_overflow(np.append(self.variances_, np.square(4.0 * largest(X))), X)
        if self.shared_variance:
            sizes = np.array([(~np.isnan(side)).sum(axis=0) for side in sides])
            shares = sizes / np.maximum(sizes.sum(axis=0), 1e-300)
            # Where a class has no value, both variances are 1 and the column says nothing.
            is_known = (sizes > 0).all(axis=0)
            within = np.where(is_known, (shares * self.variances_).sum(axis=0), self.variances_)
            self.variances_ = np.broadcast_to(within, self.variances_.shape).copy()

    def _scores(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.decide_blocks(X, [self], [np.arange(X.shape[1])])[0])

    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Score all rows of ``X`` by neurons of `fit_blocks`, without checking the input."""
        packed = packed_columns(X, columns, [neuron.means_.shape[1] for neuron in neurons])
        means = np.hstack([neuron.means_ for neuron in neurons])
        variances = np.hstack([neuron.variances_ for neuron in neurons])
        if means.shape != variances.shape:
            raise ValueError("means_ and variances_ of a neuron differ in number.")
        return gaussian_scores(X, packed, means, variances)

    def column_scores(self, X: Any) -> FloatArray:
        """Score of each column; the score of a row is their mean.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows, n_columns)
            0 where a value is missing.
        """
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False)
        (m0, m1), (v0, v1) = self.means_, self.variances_
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            far_0, far_1 = (X - m0) ** 2 / v0, (X - m1) ** 2 / v1
            ratio = v0 / v1
            level = np.where((ratio > 0) & (ratio < np.inf), np.log(ratio), np.log(v0) - np.log(v1))
        scores = np.minimum(far_0, FARTHEST) - np.minimum(far_1, FARTHEST) + level
        return np.where(np.isnan(X), 0.0, scores)
