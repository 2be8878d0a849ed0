"""The kernel perceptron."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, pack_blocks, unpack_blocks
from bicneuron._core._gram import flat_gram_starts, linear_grams, rbf_gram, rbf_grams
from bicneuron._core._perceptron import train_dual
from bicneuron._shared._compat import Interval, StrOptions
from bicneuron.neurons._blocks import check_no_overflow
from bicneuron.neurons._perceptron import BasePerceptron, linear_scores, whole

_CHUNK_ROWS = 1024  # rows scored at once, which bounds the Gram matrix against the support


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(BasePerceptron):
    """Perceptron in the space of a kernel, without bias: ``alpha += 1`` on each mistake.

    The score of ``x`` is the sum of ``alpha_i * sign_i * k(x, x_i)`` over the training rows. All
    ``alpha`` start at zero. Training ends after ``max_iter`` epochs or after an epoch without a
    mistake.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
        ``"rbf"`` is ``exp(-|x - x'|^2 / (2 * bandwidth^2))``.
    bandwidth : float, default=0.1
        Width of the RBF kernel (paper: sigma).
    max_iter : int, default=20
        Largest number of epochs.
    shuffle : bool, default=True
        Visit the rows in a new order in each epoch; after 100 the orders repeat.
    average : bool, default=False
        Keep the mean of ``alpha`` as it stands after each visit to a row, over all visits of the
        epochs that ran [1]_, instead of the last ``alpha``.
    tie : {"mistake", "negative"}, default="mistake"
        Meaning of a score of exactly zero in training: a mistake for both classes, as in
        scikit-learn, or a prediction of the negative class, as in the paper's text, which makes
        it a mistake for the positive class only.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Sorted labels.
    support_ : intp array of shape (n_support,)
        Training rows with a nonzero ``alpha``, in any problem.
    support_vectors_ : float64 array of shape (n_support, n_features)
        Those rows.
    dual_coef_ : float64 array of shape (1, n_support) or (n_classes, n_support)
        ``alpha * sign`` of those rows; beyond two classes, of each class against the rest.
    n_iter_ : int
        Number of epochs that ran, the largest over the problems.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : array of str, if the input has column names

    Notes
    -----
    Training needs the Gram matrix: memory grows with the square of the number of rows.

    The RBF kernel takes any finite ``X``: rows too far apart have kernel 0. With the linear
    kernel, values whose products overflow (beyond about 1e150) raise a ValueError that asks to
    scale ``X``, and values whose products underflow (below about 1e-160) count as zero.

    References
    ----------
    .. [1] Y. Freund and R. E. Schapire, "Large margin classification using the perceptron
       algorithm", Machine Learning 37, 1999.

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
    max_iter: int = 20
    shuffle: bool = True
    average: bool = False
    tie: str = "mistake"
    random_state: Any = None

    def _fit_signs(self, X: FloatArray, signs: FloatArray, seed: int) -> None:
        n_problems, n_rows = signs.shape
        alphas, n_epochs = self._train(
            X,
            self._grams(X, pack_blocks([whole(X)])),
            np.zeros(n_problems, dtype=np.intp),
            np.arange(n_problems + 1) * n_rows,
            signs.ravel(),
            [seed] * n_problems,
        )
        dual_coef = alphas.reshape(signs.shape) * signs
        self.support_ = np.flatnonzero(dual_coef.any(axis=0))
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = dual_coef[:, self.support_]
        self.n_iter_ = int(n_epochs.max())

    def _fit_chunk(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        alphas, n_epochs = self._train(
            X,
            self._grams(X, blocks),
            flat_gram_starts(blocks.row_starts),
            blocks.row_starts,
            signs,
            seeds,
        )
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

    def _train(
        self,
        X: FloatArray,
        grams: FloatArray,
        gram_starts: IndexArray,
        row_starts: IndexArray,
        signs: FloatArray,
        seeds: Sequence[int],
    ) -> tuple[FloatArray, IndexArray]:
        alphas, n_epochs = train_dual(
            grams,
            gram_starts,
            row_starts,
            signs,
            self._orders(row_starts, seeds),
            self.max_iter,
            bool(self.average),
            self.tie == "mistake",
        )
        check_no_overflow(alphas, X)
        return alphas, n_epochs

    def _grams(self, X: FloatArray, blocks: Blocks) -> FloatArray:
        if self.kernel == "linear":
            return linear_grams(X, blocks)
        return rbf_grams(X, blocks, float(self.bandwidth))

    def _gram(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        if X.shape[1] != Y.shape[1]:
            raise ValueError(f"support_vectors_ has {Y.shape[1]} columns, not {X.shape[1]}.")
        return rbf_gram(X, Y, float(self.bandwidth))

    def _scores(self, X: FloatArray) -> FloatArray:
        if self.kernel == "linear":
            weights = self._weights()
            all_columns = [np.arange(X.shape[1])] * len(weights)
            return linear_scores(X, all_columns, weights, np.zeros(len(weights)))
        scores = np.empty((len(self.dual_coef_), len(X)))
        for start in range(0, len(X), _CHUNK_ROWS):
            rows = slice(start, start + _CHUNK_ROWS)
            gram = self._gram(X[rows], self.support_vectors_)
            # einsum, because the bits of a matrix product may depend on the threads of BLAS
            scores[:, rows] = np.einsum("cs,ns->cn", self.dual_coef_, gram)
        return scores

    def _block_scores(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        if self.kernel == "linear":
            weights = [neuron._weights()[0] for neuron in neurons]
            return linear_scores(X, columns, weights, np.zeros(len(neurons)))
        scores = np.empty((len(neurons), len(X)))
        for b, (neuron, some) in enumerate(zip(neurons, columns, strict=True)):
            scores[b] = neuron._scores(np.take(X, some, axis=1))[0]
        return scores

    def _weights(self) -> FloatArray:
        """Weights of the linear kernel: the support is summed up once, not for every row."""
        weights: FloatArray = np.einsum("cs,sj->cj", self.dual_coef_, self.support_vectors_)
        return weights
