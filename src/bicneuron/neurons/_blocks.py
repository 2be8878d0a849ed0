"""Neurons on many blocks of one matrix: one protocol for training and scoring them.

A block is the submatrix of some rows and some columns. Any scikit-learn classifier can be trained
on blocks one after the other; a neuron that follows `BlockNeuron` is trained on all of them at
once, many times faster.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone, is_classifier

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._scaling import Chunk, ScaledMatrix, ScaledSparse
from bicneuron._sklearn._seed import seeded
from bicneuron.neurons._online_perceptron import OnlinePerceptron
from bicneuron.neurons._problems import BlockSequence


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
    neuron: Any, Z: ScaledMatrix, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
) -> list[Any]:
    """Train a copy of ``neuron`` on each block ``(rows, columns)``, each with its own seed."""
    if isinstance(Z, ScaledSparse):
        return [
            fitted
            for chunk in Z.chunks(blocks)
            for fitted in fit_neurons(
                neuron,
                Z[np.ix_(chunk.rows, chunk.columns)],
                y[chunk.rows],
                [
                    (np.searchsorted(chunk.rows, rows), np.searchsorted(chunk.columns, columns))
                    for rows, columns in blocks[chunk.blocks]
                ],
                seeds[chunk.blocks],
            )
        ]
    if isinstance(neuron, BlockNeuron):
        return neuron.fit_blocks(Z, y, blocks, seeds)
    return [
        seeded(neuron, seed).fit(Z[np.ix_(rows, columns)], y[rows])
        for (rows, columns), seed in zip(blocks, seeds, strict=True)
    ]


def decide(neurons: Sequence[Any], Z: ScaledMatrix, columns: Sequence[IndexArray]) -> FloatArray:
    """Scores of all rows by each neuron in its own columns, of shape (n_neurons, n_rows)."""
    if isinstance(Z, ScaledSparse):
        rows = np.arange(len(Z))
        chunks = Z.chunks([(rows, some) for some in columns])
        return np.vstack([_decide_chunk(neurons, Z, columns, chunk) for chunk in chunks])
    if isinstance(neurons[0], BlockNeuron):
        return neurons[0].decide_blocks(Z, neurons, columns)
    return np.array(
        [
            neuron.decision_function(Z[:, some])
            for neuron, some in zip(neurons, columns, strict=True)
        ],
        dtype=np.float64,
    )


def _decide_chunk(
    neurons: Sequence[Any], Z: ScaledSparse, columns: Sequence[IndexArray], chunk: Chunk
) -> FloatArray:
    inside = [np.searchsorted(chunk.columns, some) for some in columns[chunk.blocks]]
    return np.hstack(
        [decide(neurons[chunk.blocks], rows, inside) for rows in Z.row_chunks(chunk.columns)]
    )


def unfitted(neuron: Any, against_the_rest: bool) -> Any:
    """A copy of the neuron to train; None is the standard perceptron."""
    if neuron is None:
        return OnlinePerceptron()
    copy = clone(neuron)
    if not is_classifier(copy):
        raise TypeError(f"neuron is a {type(copy).__name__}, which is not a classifier.")
    if against_the_rest:
        refuse_label_weights(copy)
    return copy


def refuse_label_weights(neuron: Any) -> None:
    """Refuse class weights by label where the neuron sees True and False instead."""
    if isinstance(getattr(neuron, "class_weight", None), dict):
        raise ValueError(
            f"{type(neuron).__name__} has class_weight={neuron.class_weight!r}, but it is trained "
            'on one class against the rest, not on these labels; use "balanced" or None.'
        )
