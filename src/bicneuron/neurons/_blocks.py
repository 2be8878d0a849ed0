"""Neurons on many blocks, submatrices of one matrix: training and scoring all of them at once."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import join
from bicneuron._core._neuron_scores import NeuronColumns
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import fit_context
from bicneuron._shared._estimators import ScoreClassifier, seeded

BlockSequence: TypeAlias = Sequence[tuple[IndexArray, IndexArray]]


def fit_neurons(
    neuron: Any, Z: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
) -> list[Any]:
    """Train a copy of a neuron on each of many blocks of one matrix.

    Parameters
    ----------
    neuron : classifier
        Not changed. One with ``fit_blocks``, as all neurons of this package have, is trained on
        all blocks at once, any other scikit-learn classifier on one after the other.
    Z : float64 array of shape (n_rows, n_columns), C order
        Scaled data.
    y : array of shape (n_rows,)
        Labels of two classes.
    blocks : sequence of (rows, columns)
        Pairs of intp arrays; each block has rows of both classes.
    seeds : sequence of int
        The ``random_state`` of each copy, if the neuron has this parameter.

    Returns
    -------
    list of fitted classifiers
        One per block, fitted on its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.neurons import OnlinePerceptron, decide, fit_neurons
    >>> Z, y = np.array([[0.0, 1.0], [0.2, 0.0], [0.8, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> rows, columns = np.arange(4), [np.array([0]), np.array([0, 1])]
    >>> neurons = fit_neurons(OnlinePerceptron(), Z, y, [(rows, some) for some in columns], [1, 2])
    >>> decide(neurons, Z, columns) > 0
    array([[False, False,  True,  True],
           [False, False,  True,  True]])
    """
    if hasattr(neuron, "fit_blocks"):
        return [*neuron.fit_blocks(Z, y, blocks, seeds)]
    return [
        seeded(neuron, seed).fit(Z[np.ix_(rows, columns)], y[rows])
        for (rows, columns), seed in zip(blocks, seeds, strict=True)
    ]


def decide(neurons: Sequence[Any], Z: FloatArray, columns: Sequence[IndexArray]) -> FloatArray:
    """Score all rows of a matrix by each of many neurons, in its own columns.

    Parameters
    ----------
    neurons : sequence of fitted classifiers
        All of one type, as `fit_neurons` returns them.
    Z : float64 array of shape (n_rows, n_columns), C order
        Scaled as the data that they were trained on.
    columns : sequence of intp arrays
        The columns of each neuron.

    Returns
    -------
    float64 array of shape (n_neurons, n_rows)
        A score > 0 speaks for ``classes_[1]`` of the neuron.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.neurons import GaussianNeuron, decide
    >>> Z = np.array([[0.0, 1.0], [0.2, 0.0], [2.0, 1.0], [2.2, 0.0]])
    >>> neuron = GaussianNeuron().fit(Z[:, [0]], [0, 0, 1, 1])
    >>> decide([neuron], Z, [np.array([0])]) > 0
    array([[False, False,  True,  True]])
    """
    if hasattr(neurons[0], "decide_blocks"):
        return np.asarray(neurons[0].decide_blocks(Z, neurons, columns))
    pairs = zip(neurons, columns, strict=True)
    return np.array([one.decision_function(Z[:, some]) for one, some in pairs], np.float64)


def check_columns(X: FloatArray, columns: IndexArray) -> None:
    """Refuse columns that ``X`` lacks: a kernel would read beyond the array."""
    n_columns = X.shape[1]
    if ((columns < 0) | (columns >= n_columns)).any():
        raise ValueError(f"blocks name columns outside 0..{n_columns - 1}, the columns of X.")


def check_no_overflow(values: FloatArray, X: FloatArray) -> None:
    """Refuse weights or scores that are not finite; the message says how large ``X`` is."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"the scores overflow: X holds absolute values up to {largest(X):.3g}. Scale X."
        )


def largest(X: FloatArray) -> float:
    """The largest absolute value; missing ones do not count."""
    return float(np.fmax.reduce(np.abs(X), axis=None, initial=0.0))


class BlockNeuron(ScoreClassifier):
    """A neuron that scores rows; subclasses have `fit_blocks` and `decide_blocks`, too."""

    n_features_in_: int

    @abstractmethod
    def _scores(self, X: FloatArray) -> FloatArray:
        """Scores of rows that were checked, as `decision_function` gives them."""

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; positive speaks for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,), or (n_rows, n_classes) beyond two classes
        """
        check_is_fitted(self)
        return self._scores(check_numbers(self, X, reset=False))


class LocalNeuron(BlockNeuron):
    """A deterministic neuron for two classes, trained quickly on many small blocks of a matrix."""

    @abstractmethod
    def _learn(self, X: FloatArray, encoded: IndexArray) -> None:
        """Set the fitted attributes."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the rows of two classes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Numbers, columns of about the same scale; NaN is a missing value.
        y : array-like of shape (n_rows,)
            Two classes, which have equal weight.

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
        """Fit a copy to each block, bit for bit as `fit` to its submatrix; see `fit_neurons`."""
        classes, encoded = np.unique(y, return_inverse=True)
        neurons = []
        for rows, columns in blocks:
            neuron = copy(self)
            neuron.n_features_in_, neuron.classes_ = len(columns), classes
            neuron._learn(X[rows[:, None], columns], encoded[rows])
            neurons.append(neuron)
        return neurons

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
