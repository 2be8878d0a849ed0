"""The pattern: what a network is made of."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron.biclustering._evidence import Evidence
from bicneuron.contrast import ContrastivePair


@dataclass(frozen=True, eq=False)
class Pattern:
    """A contrastive pair, the neuron trained on it and its weight in the network.

    Parameters
    ----------
    pair : ContrastivePair
        Rows and columns of the training set.
    neuron : fitted classifier
        Fitted on the columns of the pair after soft scaling.
    target : int
        Number of the class, or label, that the neuron separates.
    contrast_class : label
        Class of the contrast rows.
    typical_score : float
        Median absolute score of the neuron on the training rows. Its output is
        ``tanh(score / typical_score)``.
    weight : float64 array of shape (n_targets,)
        Of the output, in each score.
    contribution : float
        Its share of the variation of the scores on the training rows, between 0 and 1.
    anchor_centroid, contrast_centroid : float64 arrays of shape (n_columns_of_the_pair,)
        Centroids of the two sides, on columns after soft scaling.
    radius : float
        Root mean square distance, per column, within which a row counts as near the pair.
    evidence : Evidence or None, default=None
        What tests said about it.
    """

    pair: ContrastivePair
    neuron: Any
    target: int
    contrast_class: Any
    typical_score: float
    weight: FloatArray
    contribution: float
    anchor_centroid: FloatArray
    contrast_centroid: FloatArray
    radius: float
    evidence: Evidence | None = None

    @property
    def ranked_columns(self) -> IndexArray:
        """Columns of the pair, ranked by the distance between the centroids of its two sides."""
        apart = np.abs(self.anchor_centroid - self.contrast_centroid)
        ordered: IndexArray = self.pair.columns[np.argsort(-apart, kind="stable")]
        return ordered

    def is_near(self, block: FloatArray) -> BoolArray:
        """Whether rows, scaled, on the columns of the pair, lie no farther than its own rows do."""
        # The same memory layout as where the radius was computed: its farthest row stays near.
        block = np.ascontiguousarray(block)
        return distance(block, self.anchor_centroid, self.contrast_centroid) <= self.radius


def distance(A: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Root mean square distance, per column, of each row to the nearer of two centres."""
    to_one = np.mean((A - one) ** 2, axis=1)
    to_other = np.mean((A - other) ** 2, axis=1)
    nearer: FloatArray = np.sqrt(np.minimum(to_one, to_other))
    return nearer
