"""Base class of deterministic two-class neurons that are trained on small blocks."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import join
from bicneuron._core._neuron_scores import NeuronColumns
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import fit_context
from bicneuron._shared._estimators import ScoreClassifier
from bicneuron.neurons._blocks import BlockSequence, check_columns


class LocalNeuron(ScoreClassifier):
    """A deterministic neuron for two classes, trained quickly on many small blocks of a matrix."""

    n_features_in_: int

    @abstractmethod
    def _learn(self, X: FloatArray, encoded: IndexArray, counts: FloatArray | None) -> None:
        """Set the fitted attributes."""

    @abstractmethod
    def _scores(self, X: FloatArray) -> FloatArray:
        """Scores of rows that were checked."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of two classes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Numbers, columns of about the same scale; NaN is a missing value.
        y : array-like of shape (n_rows,)
            Two classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Count of each row: 2 is the same as to repeat a row, 0 as to leave it out.
            Both classes have equal weight in any case.

        Returns
        -------
        self : object
        """
        X, y = check_numbers(self, X, y)
        check_classification_targets(y)
        counts = None
        if sample_weight is not None:
            counts = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
            X, y, counts = X[counts > 0], y[counts > 0], counts[counts > 0]
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: {type(self).__name__} takes two "
                f"classes, but y has {len(self.classes_)} class(es)"
                f"{'' if counts is None else ' with a positive sample_weight'}."
            )
        self._learn(X, encoded, counts)
        return self

    def fit_blocks(
        self, X: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
    ) -> list[Self]:
        """Fit one copy to each block ``(rows, columns)`` of ``X``, without checking the input.

        Copy ``b`` is bit for bit what ``fit(X[np.ix_(rows, columns)], y[rows])`` makes of a clone.
        Every block has both classes of ``y``. ``seeds`` have no effect on a deterministic neuron.
        """
        classes, encoded = np.unique(y, return_inverse=True)
        neurons = []
        for rows, columns in blocks:
            neuron = copy(self)
            neuron.n_features_in_, neuron.classes_ = len(columns), classes
            neuron._learn(X[rows[:, None], columns], encoded[rows], None)
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

    @abstractmethod
    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Score all rows of ``X`` by neurons of `fit_blocks`, without checking the input."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags


def packed_columns(
    X: FloatArray, columns: Sequence[IndexArray], widths: Sequence[int]
) -> NeuronColumns:
    """The columns of many neurons in flat arrays, for the kernels."""
    starts, flat = join(columns)
    check_columns(X, flat)
    if np.diff(starts).tolist() != list(widths):
        raise ValueError("a neuron and its columns differ in number.")
    used, places = np.unique(flat, return_inverse=True)
    return NeuronColumns(used, places.astype(np.intp), starts)
