"""What the neurons of a network share: the estimator's methods, for one problem and for blocks."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._compat import fit_context
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._decision import BinaryClassifier
from bicneuron._validation import check_numbers

BlockSequence = Sequence[tuple[IndexArray, IndexArray]]


class LocalNeuron(BinaryClassifier):
    """A neuron without chance, which is quick to train on many small blocks of one matrix."""

    n_features_in_: int

    @abstractmethod
    def _learn(self, X: FloatArray, encoded: IndexArray) -> None:
        """Set the fitted attributes; ``encoded`` is 1 for rows of ``classes_[1]``, else 0."""

    @abstractmethod
    def _scores(self, X: FloatArray) -> FloatArray:
        """Scores of rows that were checked."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the rows of two classes.

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
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: {type(self).__name__} takes two "
                f"classes, but y has {len(self.classes_)} class(es)."
            )
        self._learn(X, encoded)
        return self

    def fit_blocks(
        self, X: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
    ) -> list[Self]:
        """Fit one copy to each block ``(rows, columns)`` of ``X``, without checking the input.

        Copy ``b`` is bit for bit what ``fit(X[np.ix_(rows, columns)], y[rows])`` makes of a clone.
        Nothing is drawn, so that ``seeds`` do not matter.
        """
        neurons = []
        for rows, columns in blocks:
            neuron = copy(self)
            neuron.n_features_in_ = len(columns)
            neuron.classes_, encoded = np.unique(y[rows], return_inverse=True)
            neuron._learn(X[rows[:, None], columns], encoded)
            neurons.append(neuron)
        return neurons

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
        self, X: FloatArray, neurons: Sequence[Self], blocks: BlockSequence
    ) -> FloatArray:
        """Score all rows of ``X`` by the neurons of `fit_blocks`, without checking the input."""
        scores = np.empty((len(neurons), len(X)))
        for b, (neuron, (_, columns)) in enumerate(zip(neurons, blocks, strict=True)):
            scores[b] = neuron._scores(np.take(X, columns, axis=1))
        return scores
