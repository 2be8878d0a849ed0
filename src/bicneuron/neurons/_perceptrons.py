"""The perceptron, and the perceptron in the space of a kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, unpack_blocks
from bicneuron._core._perceptron import gram_matrices, rbf_gram, train_dual, train_primal
from bicneuron._shared._compat import Interval, StrOptions
from bicneuron.neurons._blocks import check_no_overflow
from bicneuron.neurons._perceptron import BasePerceptron

_CHUNK_ROWS = 1024  # rows scored at once, which bounds the Gram matrix against the support


@dataclass(kw_only=True, eq=False, repr=False)
class OnlinePerceptron(BasePerceptron):
    """Linear neuron trained online: ``w += learning_rate * sign * x`` on each mistake.

    The weights start at zero. Training ends after ``max_iter`` epochs or after an epoch without
    a mistake, when the weights would not change any more. With ``shuffle=False`` the result is that
    of `sklearn.linear_model.Perceptron` with ``tol=None``, ``shuffle=False`` and the same
    ``max_iter`` and ``eta0``.

    Parameters
    ----------
    {parameters}
    learning_rate : float, default=0.1
        The step (paper: beta). The weights start at zero, so up to rounding it only scales the
        scores.
    fit_intercept : bool, default=True
        Learn a bias too, by ``b += learning_rate * sign``.
    class_weight : dict of label to weight or "balanced", default=None
        By what the step of a row is multiplied: the weight of its class, "balanced" being
        ``n_samples / (n_classes * rows of the class)``. Beyond two classes, as in scikit-learn,
        the rest weighs 1. It has little effect without an intercept.

    Attributes
    ----------
    coef_ : float64 array of shape (1, n_features) or (n_classes, n_features)
        Weights; beyond two classes, of each class against the rest.
    intercept_ : float64 array of shape (1,) or (n_classes,)
        Biases.
    {attributes}

    Notes
    -----
    Values of ``X`` whose products overflow (beyond about 1e150) raise a ValueError that asks to
    scale ``X``; values whose products underflow (below about 1e-160) count as zero.

    {references}

    Examples
    --------
    >>> from bicneuron.neurons import OnlinePerceptron
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> neuron = OnlinePerceptron(random_state=0).fit(X, ["no", "no", "no", "yes"])
    >>> neuron.predict(X).tolist()
    ['no', 'no', 'no', 'yes']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BasePerceptron._parameter_constraints,
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    learning_rate: float = 0.1
    fit_intercept: bool = True
    class_weight: Any = None

    def _train(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        orders = self._orders(blocks.row_starts, seeds)
        rule = self._rule(self.learning_rate, self.fit_intercept)
        weights, intercepts, n_epochs = train_primal(X, blocks, signs, orders, rule)
        check_no_overflow(weights, X)
        for b, (start, stop) in enumerate(pairwise(blocks.column_starts.tolist())):
            yield {
                "coef_": weights[None, start:stop].copy(),
                "intercept_": intercepts[b : b + 1].copy(),
                "n_iter_": int(n_epochs[b]),
                "n_features_in_": stop - start,
            }

    def _joined(self, fits: Sequence[dict[str, Any]], signs: FloatArray) -> dict[str, Any]:
        names = "coef_", "intercept_"
        return {name: np.concatenate([fit[name] for fit in fits]) for name in names}

    def _linear(self) -> tuple[FloatArray, FloatArray]:
        return self.coef_, self.intercept_


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(BasePerceptron):
    """Perceptron in the space of a kernel, without bias: ``alpha += 1`` on each mistake.

    The score of ``x`` is the sum of ``alpha_i * sign_i * k(x, x_i)`` over the training rows. All
    ``alpha`` start at zero. Training ends after ``max_iter`` epochs or after an epoch without a
    mistake.

    Parameters
    ----------
    {parameters}
    kernel : {"rbf", "linear"}, default="rbf"
        ``"rbf"`` is ``exp(-|x - x'|^2 / (2 * bandwidth^2))``.
    bandwidth : float, default=0.1
        Width of the RBF kernel (paper: sigma).

    Attributes
    ----------
    support_ : intp array of shape (n_support,)
        Training rows with a nonzero ``alpha``, in any problem.
    support_vectors_ : float64 array of shape (n_support, n_features)
        Those rows.
    dual_coef_ : float64 array of shape (1, n_support) or (n_classes, n_support)
        ``alpha * sign`` of those rows; beyond two classes, of each class against the rest.
    {attributes}

    Notes
    -----
    Training needs the Gram matrix: memory grows with the square of the number of rows.

    The RBF kernel takes any finite ``X``: rows too far apart have kernel 0. With the linear
    kernel, values whose products overflow (beyond about 1e150) raise a ValueError that asks to
    scale ``X``, and values whose products underflow (below about 1e-160) count as zero.

    {references}

    Examples
    --------
    >>> from bicneuron.neurons import KernelPerceptron
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> neuron = KernelPerceptron(bandwidth=0.5, random_state=0).fit(X, [0, 1, 1, 0])
    >>> neuron.predict(X).tolist()
    [0, 1, 1, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BasePerceptron._parameter_constraints,
        "kernel": [StrOptions({"rbf", "linear"})],
        "bandwidth": [Interval(Real, 0, None, closed="neither")],
    }

    kernel: str = "rbf"
    bandwidth: float = 0.1

    def _train(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        bandwidth = 0.0 if self.kernel == "linear" else float(self.bandwidth)
        grams, orders = gram_matrices(X, blocks, bandwidth), self._orders(blocks.row_starts, seeds)
        alphas, n_epochs = train_dual(grams, blocks.row_starts, signs, orders, self._rule())
        check_no_overflow(alphas, X)
        dual_coef = alphas * signs
        for b, (rows, columns) in enumerate(unpack_blocks(blocks)):
            block_coef = dual_coef[blocks.row_starts[b] : blocks.row_starts[b + 1]]
            support = np.flatnonzero(block_coef)
            yield {
                "support_": support,
                "support_vectors_": X[rows[support][:, None], columns],
                "dual_coef_": block_coef[None, support],
                "n_iter_": int(n_epochs[b]),
                "n_features_in_": len(columns),
            }

    def _joined(self, fits: Sequence[dict[str, Any]], signs: FloatArray) -> dict[str, Any]:
        every = np.concatenate([fit["support_"] for fit in fits])
        rows, first = np.unique(every, return_index=True)
        dual_coef = 0.0 * signs
        for own, fit in zip(dual_coef, fits, strict=True):
            own[fit["support_"]] = fit["dual_coef_"][0]
        vectors = np.concatenate([fit["support_vectors_"] for fit in fits])[first]
        return {"support_": rows, "support_vectors_": vectors, "dual_coef_": dual_coef[:, rows]}

    def _linear(self) -> tuple[FloatArray, FloatArray]:
        # The support is summed up once, not for every row.
        weights = np.einsum("cs,sj->cj", self.dual_coef_, self.support_vectors_)
        return weights, np.zeros(len(weights))

    def _problem_scores(self, X: FloatArray) -> FloatArray:
        if self.kernel == "linear":
            return super()._problem_scores(X)
        vectors = self.support_vectors_
        if X.shape[1] != vectors.shape[1]:
            raise ValueError(f"support_vectors_ has {vectors.shape[1]} columns, not {X.shape[1]}.")
        scores = np.empty((len(self.dual_coef_), len(X)))
        for start in range(0, len(X), _CHUNK_ROWS):
            rows = slice(start, start + _CHUNK_ROWS)
            gram = rbf_gram(X[rows], vectors, float(self.bandwidth))
            # einsum, because the bits of a matrix product may depend on the threads of BLAS
            scores[:, rows] = np.einsum("cs,ns->cn", self.dual_coef_, gram)
        return scores

    def _block_scores(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        if self.kernel == "linear":
            return super()._block_scores(X, neurons, columns)
        scores = np.empty((len(neurons), len(X)))
        for score, neuron, some in zip(scores, neurons, columns, strict=True):
            score[:] = neuron._scores(np.take(X, some, axis=1))
        return scores
