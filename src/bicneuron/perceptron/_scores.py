"""Scores of linear neurons, and what happens when a score leaves the range of float64."""

from collections.abc import Iterable

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._perceptron import decide_primal
from bicneuron.perceptron._problems import BlockSequence, pack_problems


def linear_scores(
    X: FloatArray, blocks: BlockSequence, weights: Iterable[FloatArray], intercepts: FloatArray
) -> FloatArray:
    """Scores of one linear neuron per block, of shape (n_blocks, n_samples)."""
    packed = pack_problems(X, blocks)
    flat = np.concatenate([np.empty(0), *weights])
    if len(flat) != len(packed.columns) or intercepts.shape != (len(blocks),):
        raise ValueError("weights, intercepts and columns differ in number.")
    return decide_primal(X, packed.column_starts, packed.columns, flat, intercepts)


def check_no_overflow(values: FloatArray, X: FloatArray) -> None:
    """Refuse weights or scores that are not finite, and say how large ``X`` is."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"the scores overflow: X holds absolute values up to {np.abs(X).max():.3g}. Scale X."
        )
