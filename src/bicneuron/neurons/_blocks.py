"""Neurons on many blocks of one matrix: one protocol for training and scoring them.

A block is the submatrix of some rows and some columns. Any scikit-learn classifier can be trained
on blocks one after the other; a neuron that follows `BlockNeuron` is trained on all of them at
once, many times faster.
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._estimators import seeded

BlockSequence: TypeAlias = Sequence[tuple[IndexArray, IndexArray]]


@runtime_checkable
class BlockNeuron(Protocol):
    """A neuron that trains copies of itself on many blocks and scores rows by many copies."""

    def fit_blocks(
        self, X: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
    ) -> list[Any]:
        """One fitted copy per block, equal to a seeded clone fitted to the block."""

    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Any], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Scores of shape (n_neurons, n_rows), equal to ``decision_function`` of each neuron."""


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
    if isinstance(neuron, BlockNeuron):
        return neuron.fit_blocks(Z, y, blocks, seeds)
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
    if isinstance(neurons[0], BlockNeuron):
        return neurons[0].decide_blocks(Z, neurons, columns)
    return np.array(
        [
            neuron.decision_function(Z[:, some])
            for neuron, some in zip(neurons, columns, strict=True)
        ],
        dtype=np.float64,
    )


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
