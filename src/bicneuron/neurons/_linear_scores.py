"""Scores of linear neurons, and the check that scores are finite."""

from collections.abc import Iterable, Sequence

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import join
from bicneuron._core._perceptron import decide_primal
from bicneuron.neurons._problems import check_columns


def linear_scores(
    X: FloatArray,
    columns: Sequence[IndexArray],
    weights: Iterable[FloatArray],
    intercepts: FloatArray,
) -> FloatArray:
    """Scores of linear neurons, each in its own columns, of shape (n_neurons, n_samples)."""
    starts, all_columns = join(columns)
    check_columns(X, all_columns)
    all_weights = np.concatenate([np.empty(0), *weights])
    if len(all_weights) != len(all_columns) or intercepts.shape != (len(columns),):
        raise ValueError("weights, intercepts and columns differ in number.")
    return decide_primal(X, starts, all_columns, all_weights, intercepts)


def check_no_overflow(values: FloatArray, X: FloatArray) -> None:
    """Refuse weights or scores that are not finite, and say how large ``X`` is."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"the scores overflow: X holds absolute values up to {largest(X):.3g}. Scale X."
        )


def largest(X: FloatArray) -> float:
    """The largest absolute value; missing ones do not count."""
    return float(np.fmax.reduce(np.abs(X), axis=None, initial=0.0))
