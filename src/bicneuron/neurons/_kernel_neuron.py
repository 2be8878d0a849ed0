"""The neuron of a network: kernel ridge regression on the signs of two classes."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._neuron_scores import linear_scores, pack_support, rbf_scores
from bicneuron._shared._compat import Interval, StrOptions
from bicneuron.neurons._blocks import LocalNeuron, check_no_overflow, packed_columns

# Squared distances up to this share of the largest squared norm are rounding: equal rows.
ROUNDING = 1e-12
# Where the sizes of the dual weights add up to more, single precision does not do.
LARGEST_DUALS = 1e3
# Nor where the largest squared distances of support vectors are so many squared widths.
LARGEST_REACH = 1e7
LARGEST_PENALTY = 1e300
# Rounding errors of the sum of squares and products that a squared distance is computed from, in
# squared widths, are at most this.
SMALL_ERROR = 1e-6
FLOAT = np.finfo(np.float64)


@dataclass(eq=False, repr=False)
class KernelNeuron(LocalNeuron):
    """A smooth neuron for a few rows: balanced kernel ridge regression on the signs.

    Unlike a perceptron it has one solution, independent of the order of the rows, and it smooths
    noise in the labels instead of memorising it.

    Values may be missing (NaN). The squared distance of a row to a support vector is then taken
    over the columns that the row has, and multiplied by the ratio of all columns to these; the
    score of a row without any value is 0. In a linear neuron, and in the rows it is trained on, a
    missing value is replaced by ``centre_``.

    Training values whose products overflow (beyond about 1e150), and rows whose linear score does,
    raise a ValueError that asks to scale ``X``.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
        ``1 + exp(-|x - x'|^2 / (width * m))``, where m is the median squared distance between the
        training rows, or ``1 + x . x'``. The constant takes the place of an intercept.
    width : float, default=0.5
        Of the RBF kernel, in median squared distances.
    alpha : float, default=0.1
        Penalty; larger is smoother. Both classes have equal weight, whatever their sizes.

    Attributes
    ----------
    classes_ : array of shape (2,)
    support_vectors_ : float64 array of shape (n_rows, n_columns)
        Training rows (RBF).
    dual_coef_ : float64 array of shape (n_rows,)
        Their weights (RBF).
    squared_width_ : float
        ``width * m`` (RBF).
    coef_ : float64 array of shape (n_columns,)
        Weights of the columns (linear).
    intercept_ : float
    centre_ : float64 array of shape (n_columns,)
        Half way between the means of both classes.
    n_features_in_, feature_names_in_ : int, and array of str if the input has column names

    Examples
    --------
    >>> from bicneuron.neurons import KernelNeuron
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> KernelNeuron().fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": [StrOptions({"rbf", "linear"})],
        "width": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
    }

    kernel: Literal["rbf", "linear"] = "rbf"
    _: KW_ONLY
    width: float = 0.5
    alpha: float = 0.1

    def _learn(self, X: FloatArray, encoded: IndexArray) -> None:
        signs = np.where(encoded == 1, 1.0, -1.0)
        weights = len(X) / (2.0 * np.bincount(encoded)[encoded])
        with np.errstate(over="ignore", invalid="ignore"):
            self.centre_ = weights @ X / weights.sum()
            if np.isnan(self.centre_).any():
                observed = ~np.isnan(X)
                sides = [np.where(encoded == side, weights, 0.0) for side in (0, 1)]
                totals = np.array([side @ observed for side in sides])
                sums = np.array([side @ np.where(observed, X, 0.0) for side in sides])
                means = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
                self.centre_ = means.sum(axis=0) / np.maximum((totals > 0).sum(axis=0), 1)
                check_no_overflow(self.centre_, X)
                X = np.where(np.isnan(X), self.centre_, X)
            gram = self._gram(X)
            check_no_overflow(gram, X)
            gram.flat[:: len(gram) + 1] += np.minimum(self.alpha / weights, LARGEST_PENALTY)
        try:
            duals = np.linalg.solve(gram, signs)
        except np.linalg.LinAlgError:  # of a singular matrix the smallest ones
            duals = np.linalg.lstsq(gram, signs)[0]
        self.intercept_ = float(duals.sum())
        if self.kernel == "rbf":
            self.support_vectors_, self.dual_coef_ = X, duals
        else:
            self.coef_ = X.T @ duals

    def _gram(self, X: FloatArray) -> FloatArray:
        products: FloatArray = X @ X.T
        if self.kernel == "linear":
            return products + 1.0
        squares = products.diagonal()
        distances = squares[:, None] + squares - 2.0 * products
        apart = distances[distances > ROUNDING * squares.max()]
        # The median, in half of the time of `numpy.median`.
        middle = [(len(apart) - 1) // 2, len(apart) // 2]
        typical = float(np.partition(apart, middle)[middle].mean()) if len(apart) else 1.0
        # Not 0 or infinite, whatever the width.
        self.squared_width_ = float(np.clip(self.width * typical, FLOAT.tiny, FLOAT.max))
        return 1.0 + np.exp(np.maximum(distances, 0.0) / -self.squared_width_)

    def _scores(self, X: FloatArray) -> FloatArray:
        if self.kernel == "linear":
            return np.asarray(_linear_scores(X, [self], [np.arange(X.shape[1])])[0])
        near = _rbf(X, self.support_vectors_, self.squared_width_)
        scores: FloatArray = near @ self.dual_coef_ + self.intercept_
        scores[np.isnan(X).all(axis=1)] = 0.0
        return scores

    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Score all rows of ``X`` by neurons of `fit_blocks`, without checking the input.

        Those of RBF neurons have single precision, in a third of the time, where that suffices.
        """
        scores = np.empty((len(neurons), len(X)))
        groups: dict[Any, list[int]] = {}
        for place, neuron in enumerate(neurons):
            if neuron.kernel == "linear":
                groups.setdefault(_linear_scores, []).append(place)
                continue
            reach = np.square(np.ptp(neuron.support_vectors_, axis=0)).sum()
            is_narrow = neuron.squared_width_ < reach / LARGEST_REACH
            if is_narrow or np.abs(neuron.dual_coef_).sum() >= LARGEST_DUALS:
                scores[place] = neuron._scores(X[:, columns[place]])
            else:
                groups.setdefault(_rbf_scores, []).append(place)
        for score, places in groups.items():
            scores[places] = score(X, [neurons[k] for k in places], [columns[k] for k in places])
        return scores


def _linear_scores(
    X: FloatArray, neurons: Sequence[KernelNeuron], columns: Sequence[IndexArray]
) -> FloatArray:
    coefs = np.concatenate([neuron.coef_ for neuron in neurons])
    intercepts = np.array([neuron.intercept_ for neuron in neurons])
    centres = np.concatenate([neuron.centre_ for neuron in neurons])
    if centres.shape != coefs.shape:
        raise ValueError("coef_ and centre_ of a neuron differ in number.")
    packed = packed_columns(X, columns, [len(neuron.coef_) for neuron in neurons])
    scores = linear_scores(X, packed, coefs, centres, intercepts)
    check_no_overflow(scores, X)
    return scores


def _rbf_scores(
    X: FloatArray, neurons: Sequence[KernelNeuron], columns: Sequence[IndexArray]
) -> FloatArray:
    vectors = [neuron.support_vectors_ for neuron in neurons]
    duals = [neuron.dual_coef_ for neuron in neurons]
    n_vectors = [*map(len, vectors)]
    if n_vectors != [*map(len, duals)]:
        raise ValueError("support_vectors_ and dual_coef_ of a neuron differ in number.")
    packed = packed_columns(X, columns, [some.shape[1] for some in vectors])
    support = pack_support(
        np.concatenate([some.ravel() for some in vectors]),
        np.concatenate(duals),
        np.array(n_vectors),
        packed.starts,
        np.array([neuron.squared_width_ for neuron in neurons]),
        np.array([neuron.intercept_ for neuron in neurons]),
    )
    return rbf_scores(X, packed, support)


def _rbf(A: FloatArray, B: FloatArray, squared_width: float) -> FloatArray:
    """``exp(-|a - b|^2 / squared_width)`` for all rows a and b: one product of widened matrices."""
    observed = ~np.isnan(A)
    filled = A if observed.all() else np.where(observed, A, 0.0)
    near: FloatArray
    with np.errstate(over="ignore", invalid="ignore"):
        if filled is A:
            wide_a = np.column_stack([A, np.einsum("ij,ij->i", A, A), np.ones(len(A))])
            wide_b = np.column_stack([-2.0 * B, np.ones(len(B)), np.einsum("ij,ij->i", B, B)])
            near = wide_a @ (wide_b / -squared_width).T
            np.exp(near, out=near)
        else:
            ratio = A.shape[1] / np.maximum(observed.sum(axis=1), 1)
            squares = np.square(filled).sum(axis=1)[:, None] + observed @ np.square(B).T
            distances = np.maximum(squares - 2.0 * filled @ B.T, 0.0)
            near = np.exp(ratio[:, None] * distances / -squared_width)
        sizes = np.square(filled).sum(axis=1) + np.square(B).sum(axis=1).max(initial=0.0)
        for i in np.flatnonzero(~(FLOAT.eps * sizes / squared_width <= SMALL_ERROR)).tolist():
            some = observed[i]
            distance = np.square(B[:, some] - A[i, some]).sum(axis=1)
            near[i] = np.exp(len(some) / max(int(some.sum()), 1) * distance / -squared_width)
    return near
