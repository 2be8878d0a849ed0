"""The trained neuron of a pattern."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._estimators import Linear, linear_weights
from bicneuron._shared._scaling import Scaling, SoftScaling


@dataclass(frozen=True, eq=False)
class TrainedNeuron:
    """A neuron on the columns of a pattern, and what turns its score into that of the pattern.

    Parameters
    ----------
    estimator : fitted classifier
        Fitted on the columns of the pattern as the model scales them.
    centroids : float64 array of shape (2, n_columns)
        Centroids of the two sides that it was trained on: rows and contrast rows, scaled.
    sign : {1, -1}, default=1
        1 if positive scores of the estimator speak for the class of the pattern's rows.
    threshold : float, default=0.0
        Subtracted from the estimator's own score.
    typical_score : float, default=1.0
        Median absolute score on the training rows; the output of the neuron in a network is
        ``tanh(score / typical_score)``.
    target : int, default=0
        Number of the class, or label, that it separates in a network.
    weight : float64 array of shape (n_targets,), default=empty
        Of the output, in each score of a network.
    radius : float, default=inf
        Root mean square distance, per column, within which a row counts as near the pattern.
    scaling : Scaling, SoftScaling or None, default=None
        Of the columns, where a score is explained; a model keeps that of all columns.
    fill : float64 array of shape (n_columns,), default=empty
        Scaled values in the place of missing ones, where a score is explained, unless the
        estimator takes these itself.
    """

    estimator: Any
    centroids: FloatArray
    sign: int = 1
    threshold: float = 0.0
    typical_score: float = 1.0
    target: int = 0
    weight: FloatArray = field(default_factory=lambda: np.empty(0))
    radius: float = np.inf
    scaling: Scaling | SoftScaling | None = None
    fill: FloatArray = field(default_factory=lambda: np.empty(0))

    @cached_property
    def linear(self) -> Linear | None:
        """Its weights on scaled columns, or None if it is not linear."""
        return linear_weights(self.estimator, self.centroids)
