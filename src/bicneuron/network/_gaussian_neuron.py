"""A neuron that a person can read: one bell curve for each class and column."""

from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._compat import Interval, fit_context
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._decision import BinaryClassifier
from bicneuron._validation import check_numbers


class GaussianNeuron(BinaryClassifier):
    """Compare a row with the mean and the spread of two classes, column by column.

    The score is the mean over the columns of twice the log ratio of two normal densities,

        (x - m0)^2 / v0 - (x - m1)^2 / v1 + log(v0 / v1),

    so that each column's part can be read off (`column_scores`). Nothing is trained beyond means
    and variances, and the sizes of the classes do not matter.

    Parameters
    ----------
    slack : float, default=0.05
        Added to the variances, in squared units of the columns, which should be standardised.

    Attributes
    ----------
    classes_ : array of shape (2,)
    means_, variances_ : float64 arrays of shape (2, n_columns)
        Of each class; the variances with ``slack``.
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> from bicneuron.network import GaussianNeuron
    >>> X = [[0.0, 1.0], [0.2, 0.0], [2.0, 0.0], [2.2, 1.0]]
    >>> neuron = GaussianNeuron().fit(X, [0, 0, 1, 1])
    >>> neuron.predict([[0.1, 0.5], [1.9, 0.5]]).tolist()
    [0, 1]
    >>> neuron.column_scores([[1.9, 0.5]]).round(1).tolist()
    [[53.3, 0.0]]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "slack": [Interval(Real, 0, None, closed="neither")]
    }

    def __init__(self, *, slack: float = 0.05) -> None:
        self.slack = slack

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Take means and variances.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Two classes.

        Returns
        -------
        self : object
        """
        X, y = check_numbers(self, X, y)
        check_classification_targets(y)
        if len(np.unique(y)) != 2:
            raise ValueError(
                "Only binary classification is supported: GaussianNeuron takes two classes, but y "
                f"has {len(np.unique(y))} class(es)."
            )
        self._describe(X, y)
        return self

    def fit_blocks(
        self,
        X: FloatArray,
        y: AnyArray,
        blocks: Sequence[tuple[IndexArray, IndexArray]],
        seeds: Sequence[int],
    ) -> list[Self]:
        """Fit one copy to each block ``(rows, columns)`` of ``X``, without checking the input.

        Copy ``b`` is bit for bit what ``fit(X[np.ix_(rows, columns)], y[rows])`` makes of a clone.
        Nothing is drawn, so that ``seeds`` do not matter.
        """
        neurons = []
        for rows, columns in blocks:
            neuron = copy(self)
            neuron.n_features_in_ = len(columns)
            neuron._describe(X[rows[:, None], columns], y[rows])
            neurons.append(neuron)
        return neurons

    def _describe(self, X: FloatArray, y: AnyArray) -> None:
        self.classes_ = np.unique(y)
        sides = [X[y == label] for label in self.classes_]
        self.means_ = np.array([side.mean(axis=0) for side in sides])
        self.variances_ = np.array([side.var(axis=0) for side in sides]) + self.slack

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; positive speaks for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,)
        """
        scores: FloatArray = self.column_scores(X).mean(axis=1)
        return scores

    def column_scores(self, X: Any) -> FloatArray:
        """What each column says; the score is their mean.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows, n_columns)
        """
        check_is_fitted(self)
        return self._column_scores(check_numbers(self, X, reset=False))

    def decide_blocks(
        self,
        X: FloatArray,
        neurons: Sequence[Self],
        blocks: Sequence[tuple[IndexArray, IndexArray]],
    ) -> FloatArray:
        """Score all rows of ``X`` by the neurons of `fit_blocks`, without checking the input."""
        return np.array(
            [
                neuron._column_scores(X[:, columns]).mean(axis=1)
                for neuron, (_, columns) in zip(neurons, blocks, strict=True)
            ]
        )

    def _column_scores(self, X: FloatArray) -> FloatArray:
        (m0, m1), (v0, v1) = self.means_, self.variances_
        scores: FloatArray = (X - m0) ** 2 / v0 - (X - m1) ** 2 / v1 + np.log(v0 / v1)
        return scores
