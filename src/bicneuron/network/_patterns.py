"""The pattern: what a network is made of."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron.biclustering import Evidence
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
        Centroids of the rows of the two sides that the neuron was trained on, on columns after soft
        scaling.
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


def centroid(block: FloatArray) -> FloatArray:
    """Mean of each column over the rows that have it; 0, the mean of all rows, where none does."""
    means: FloatArray = block.mean(axis=0)
    if np.isnan(means).any():
        observed = ~np.isnan(block)
        sums = np.where(observed, block, 0.0).sum(axis=0)
        means = sums / np.maximum(observed.sum(axis=0), 1)
    return means


def radius(block: FloatArray, one: FloatArray, other: FloatArray) -> float:
    """Largest distance of the rows of a pair, apart from those that have none of its columns."""
    distances = distance(block, one, other)
    return float(distances[np.isfinite(distances)].max(initial=0.0))


def distance(A: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Root mean square distance, per column, of each row to the nearer of two centres.

    Over the columns that the row has; infinite if it has none, or if squares overflow.
    """
    with np.errstate(over="ignore"):
        to_one, to_other = _mean_square(A - one), _mean_square(A - other)
    nearer: FloatArray = np.sqrt(np.minimum(to_one, to_other))
    return nearer


def _mean_square(differences: FloatArray) -> FloatArray:
    means: FloatArray = np.mean(differences**2, axis=1)
    some = np.isnan(means)
    if some.any():
        observed = ~np.isnan(differences[some])
        counts = observed.sum(axis=1)
        sums = np.where(observed, differences[some], 0.0) ** 2
        means[some] = np.where(counts > 0, sums.sum(axis=1) / np.maximum(counts, 1), np.inf)
    return means
