"""The neuron of a network: kernel ridge regression on the signs of two classes."""

from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._compat import Interval, StrOptions, fit_context
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._decision import BinaryClassifier
from bicneuron._validation import check_numbers

# Squared distances up to this share of the largest squared norm are rounding: equal rows.
ROUNDING = 1e-12


class KernelNeuron(BinaryClassifier):
    """A smooth neuron for a few rows: balanced kernel ridge regression on the signs.

    Unlike a perceptron it has one solution, whatever the order of the rows, and noise in the labels
    is smoothed, not memorised.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
        ``1 + exp(-|x - x'|^2 / (width * m))``, where m is the median squared distance between the
        training rows, or ``1 + x . x'``. The constant takes the place of an intercept.
    width : float, default=1.0
        Of the RBF kernel, in median squared distances.
    alpha : float, default=0.3
        Penalty; larger is smoother. Both classes count the same, whatever their sizes.

    Attributes
    ----------
    classes_ : array of shape (2,)
    support_vectors_ : float64 array of shape (n_rows, n_columns)
        Training rows (RBF).
    dual_coef_ : float64 array of shape (n_rows,)
        Their weights (RBF).
    scale_ : float
        ``width * m`` (RBF).
    coef_ : float64 array of shape (n_columns,)
        Weights of the columns (linear).
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> from bicneuron.network import KernelNeuron
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> KernelNeuron(width=0.5).fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": [StrOptions({"rbf", "linear"})],
        "width": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        kernel: Literal["rbf", "linear"] = "rbf",
        *,
        width: float = 1.0,
        alpha: float = 0.3,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.alpha = alpha

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Solve for the weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Finite numbers, columns of about the same scale.
        y : array-like of shape (n_rows,)
            Two classes.

        Returns
        -------
        self : object
        """
        X, y = check_numbers(self, X, y)
        check_classification_targets(y)
        self.classes_, encoded, sizes = np.unique(y, return_inverse=True, return_counts=True)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: KernelNeuron takes two classes, but y "
                f"has {len(self.classes_)} class(es)."
            )
        self._solve(X, encoded, sizes)
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
            neuron.classes_, encoded, sizes = np.unique(
                y[rows], return_inverse=True, return_counts=True
            )
            neuron._solve(X[rows[:, None], columns], encoded, sizes)
            neurons.append(neuron)
        return neurons

    def _solve(self, X: FloatArray, encoded: IndexArray, sizes: IndexArray) -> None:
        signs = 2.0 * encoded - 1.0
        weights = len(X) / (2.0 * sizes[encoded])
        gram = self._gram(X)
        gram[np.diag_indices_from(gram)] += self.alpha / weights
        duals: FloatArray = np.linalg.solve(gram, signs)
        self.intercept_ = float(duals.sum())
        if self.kernel == "rbf":
            self.support_vectors_, self.dual_coef_ = X, duals
        else:
            self.coef_ = X.T @ duals

    def _gram(self, X: FloatArray) -> FloatArray:
        if self.kernel == "linear":
            linear: FloatArray = X @ X.T
            return linear + 1.0
        products = X @ X.T
        squares = products.diagonal()
        distances = squares[:, None] + squares - 2.0 * products
        apart = distances[distances > ROUNDING * squares.max()]
        self.scale_ = self.width * (float(np.median(apart)) if len(apart) else 1.0)
        return 1.0 + np.exp(np.maximum(distances, 0.0) / -self.scale_)

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; positive speaks for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,)
        """
        check_is_fitted(self)
        return self._scores(check_numbers(self, X, reset=False))

    def decide_blocks(
        self,
        X: FloatArray,
        neurons: Sequence[Self],
        blocks: Sequence[tuple[IndexArray, IndexArray]],
    ) -> FloatArray:
        """Score all rows of ``X`` by the neurons of `fit_blocks`, without checking the input."""
        scores = np.empty((len(neurons), len(X)))
        for b, (neuron, (_, columns)) in enumerate(zip(neurons, blocks, strict=True)):
            scores[b] = neuron._scores(np.take(X, columns, axis=1))
        return scores

    def _scores(self, X: FloatArray) -> FloatArray:
        scores: FloatArray
        if self.kernel == "linear":
            scores = X @ self.coef_
        else:
            near = _rbf(X, self.support_vectors_, self.scale_)
            scores = near @ self.dual_coef_
        return scores + self.intercept_


def _rbf(A: FloatArray, B: FloatArray, scale: float) -> FloatArray:
    """``exp(-|a - b|^2 / scale)`` for all rows a and b: one product of widened matrices."""
    wide_a = np.column_stack([A, np.einsum("ij,ij->i", A, A), np.ones(len(A))])
    wide_b = np.column_stack([-2.0 * B, np.ones(len(B)), np.einsum("ij,ij->i", B, B)])
    values: FloatArray = wide_a @ (wide_b / -scale).T
    return np.exp(values, out=values)
