"""How much each column of a table counts in the patterns of a model."""

from collections.abc import Sequence

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.patterns._pattern import Pattern


def column_importance(patterns: Sequence[Pattern], n_columns: int) -> FloatArray:
    """Shares of the columns of a table in some patterns.

    The share of each pattern is divided among its columns in proportion to the sizes of their
    weights. The share of a pattern is that of its strength, or nothing if that is negative; the
    neurons of a classifier, which solve one binary problem each, have equal shares.

    Parameters
    ----------
    patterns : sequence of Pattern
        Of one model.
    n_columns : int
        Of the table.

    Returns
    -------
    importance : array of shape (n_columns,)
        Not negative; the sum is 1, or 0 without patterns.
    """
    importance = np.zeros(n_columns)
    for share, pattern in zip(_pattern_shares(patterns), patterns, strict=True):
        importance[pattern.columns] += share * _shares(np.abs(pattern.weights), pattern.shape[1])
    return importance


def _pattern_shares(patterns: Sequence[Pattern]) -> FloatArray:
    strengths = np.array([pattern.strength for pattern in patterns])
    if any(pattern.neuron is not None and not len(pattern.neuron.weight) for pattern in patterns):
        strengths[:] = 1.0
    return _shares(np.maximum(np.nan_to_num(strengths), 0.0), len(patterns))


def _shares(sizes: FloatArray, length: int) -> FloatArray:
    """Sizes divided by their sum; equal shares where there are none, or all are 0."""
    total = float(sizes.sum())
    return sizes / total if total > 0 else np.full(length, 1 / max(length, 1))
