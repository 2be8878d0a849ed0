"""The standard perceptron."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, pack_blocks
from bicneuron._core._perceptron import train_primal
from bicneuron._shared._compat import Interval, StrOptions
from bicneuron.neurons._blocks import check_no_overflow
from bicneuron.neurons._perceptron import BasePerceptron, linear_scores, whole


@dataclass(kw_only=True, eq=False, repr=False)
class OnlinePerceptron(BasePerceptron):
    """Linear neuron trained online: ``w += learning_rate * sign * x`` on each mistake.

    The weights start at zero. Training ends after ``max_iter`` epochs or after an epoch without
    a mistake, when the weights would not change any more.

    Parameters
    ----------
    learning_rate : float, default=0.1
        The step (paper: beta). The weights start at zero, so up to rounding it only scales the
        scores.
    max_iter : int, default=20
        Largest number of epochs.
    fit_intercept : bool, default=True
        Learn a bias too, by ``b += learning_rate * sign``.
    class_weight : dict of label to weight or "balanced", default=None
        By what the step of a row is multiplied: the weight of its class, "balanced" being
        ``n_samples / (n_classes * rows of the class)``. Beyond two classes, as in scikit-learn,
        the rest weighs 1. It has little effect without an intercept.
    shuffle : bool, default=True
        Visit the rows in a new order in each epoch; after 100 the orders repeat. Without, the
        result is that of `sklearn.linear_model.Perceptron` with ``tol=None``, ``shuffle=False``
        and the same ``max_iter`` and ``eta0``.
    average : bool, default=False
        Use the mean of the weights after each visit to a row, over all visits [1]_, instead of the
        last weights.
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
    coef_ : float64 array of shape (1, n_features) or (n_classes, n_features)
        Weights; beyond two classes, of each class against the rest.
    intercept_ : float64 array of shape (1,) or (n_classes,)
        Biases.
    n_iter_ : int
        Number of epochs that ran, the largest over the problems.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : array of str, if the input has column names

    Notes
    -----
    Values of ``X`` whose products overflow (beyond about 1e150) raise a ValueError that asks to
    scale ``X``; values whose products underflow (below about 1e-160) count as zero.

    References
    ----------
    .. [1] Y. Freund and R. E. Schapire, "Large margin classification using the perceptron
       algorithm", Machine Learning 37, 1999.

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
    max_iter: int = 20
    fit_intercept: bool = True
    class_weight: Any = None
    shuffle: bool = True
    average: bool = False
    tie: str = "mistake"
    random_state: Any = None

    def _fit_signs(self, X: FloatArray, signs: FloatArray, seed: int) -> None:
        blocks = pack_blocks([whole(X)] * len(signs))
        weights, self.intercept_, n_epochs = self._train(
            X, blocks, signs.ravel(), [seed] * len(signs)
        )
        self.coef_ = weights.reshape(len(signs), -1)
        self.n_iter_ = int(n_epochs.max())

    def _fit_chunk(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        weights, intercepts, n_epochs = self._train(X, blocks, signs, seeds)
        spans = pairwise(blocks.column_starts.tolist())
        for b, (n_iter, (start, stop)) in enumerate(zip(n_epochs.tolist(), spans, strict=True)):
            yield {
                "coef_": weights[None, start:stop].copy(),
                "intercept_": intercepts[b : b + 1].copy(),
                "n_iter_": n_iter,
                "n_features_in_": stop - start,
            }

    def _train(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> tuple[FloatArray, FloatArray, IndexArray]:
        weights, intercepts, n_epochs = train_primal(
            X,
            blocks,
            signs,
            self._orders(blocks.row_starts, seeds),
            self.max_iter,
            float(self.learning_rate),
            bool(self.fit_intercept),
            bool(self.average),
            self.tie == "mistake",
        )
        check_no_overflow(weights, X)
        return weights, intercepts, n_epochs

    def _scores(self, X: FloatArray) -> FloatArray:
        all_columns = [np.arange(X.shape[1])] * len(self.coef_)
        return linear_scores(X, all_columns, self.coef_, self.intercept_)

    def _block_scores(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        weights = [neuron.coef_[0] for neuron in neurons]
        intercepts = np.concatenate([np.empty(0), *(neuron.intercept_ for neuron in neurons)])
        return linear_scores(X, columns, weights, intercepts)
