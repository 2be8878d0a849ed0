"""The patterns that a network is made of, their outputs and contributions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._estimators._checks import takes_missing
from bicneuron._estimators._decision import decided_classes
from bicneuron._estimators._filling import Filling
from bicneuron._estimators._scaled_matrix import ScaledMatrix, filled
from bicneuron._estimators._scaling import SoftScaling
from bicneuron.biclustering import Evidence
from bicneuron.contrast import ContrastivePair
from bicneuron.explanation import ExplainedNeuron, ScoredRows
from bicneuron.neurons import decide


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
        Results of tests of it.
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
        """True for rows, scaled, on the columns of the pair, no farther from it than its own."""
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


def outputs(units: Sequence[Any], Z: ScaledMatrix, used: IndexArray | None = None) -> FloatArray:
    """Raw outputs of neurons, of shape (n_rows, n_neurons), in Fortran order.

    Each of ``units``, a `Pattern` or what becomes one, has a pair and a neuron. ``Z`` has all
    columns, or those that are ``used``, in ascending order.
    """
    columns = [unit.pair.columns for unit in units]
    if used is not None:
        columns = [np.searchsorted(used, some) for some in columns]
    neurons = [unit.neuron for unit in units]
    kinds = [type(neuron) for neuron in neurons]
    if len(set(kinds)) == 1:
        return _decide(neurons, Z, columns).T
    scores = np.empty((len(units), len(Z)))
    for kind in dict.fromkeys(kinds):
        places = [k for k, other in enumerate(kinds) if other is kind]
        scores[places] = _decide([neurons[k] for k in places], Z, [columns[k] for k in places])
    return scores.T


def _decide(neurons: Sequence[Any], Z: ScaledMatrix, columns: Sequence[IndexArray]) -> FloatArray:
    return decide(neurons, Z if takes_missing(neurons[0]) else filled(Z), columns)


def columns_in_use(patterns: Sequence[Pattern]) -> IndexArray:
    """Columns used by any neuron, in ascending order."""
    return np.unique(np.concatenate([pattern.pair.columns for pattern in patterns]))


def score_contributions(
    patterns: Sequence[Pattern],
    scaling: SoftScaling,
    filling: Filling,
    X: FloatArray,
    scores: FloatArray,
    probabilities: FloatArray,
    intercept: FloatArray,
    *,
    classes: Sequence[Any],
    features: Sequence[str],
    rows: Sequence[Any],
) -> ScoredRows:
    """Split the score of each row, that of its predicted class, into contributions of patterns."""
    two = len(classes) == 2
    predicted = decided_classes(scores[:, 0] if two else scores)
    target = np.zeros_like(predicted) if two else predicted
    typical = np.array([pattern.typical_score for pattern in patterns])
    weights = np.array([pattern.weight for pattern in patterns]).T[target]
    used = columns_in_use(patterns)
    Z = filling.take(used).apply(scaling.take(used).apply(X, used))
    raw = outputs(patterns, Z, used)
    estimates = np.full(X.shape, np.nan)
    estimates[:, used] = np.where(np.isnan(X[:, used]), scaling.take(used).undo(Z), np.nan)
    contributions = weights * np.tanh(raw / typical)
    # tanh is applied to the score as a whole: each column keeps its share of it. At a score of 0
    # the factor is the slope of tanh there, which is huge where typical scores are tiny.
    with np.errstate(over="ignore"):
        slopes = np.divide(contributions, raw, out=weights / typical, where=raw != 0)
    every_row = np.arange(len(X))
    return ScoredRows(
        neurons=[
            ExplainedNeuron(
                number=number,
                neuron=pattern.neuron,
                columns=pattern.pair.columns,
                scaling=scaling.take(pattern.pair.columns),
                centroids=np.array([pattern.anchor_centroid, pattern.contrast_centroid]),
                threshold=0.0,
                fill=np.zeros(len(pattern.pair.columns)),
                anchor_class=pattern.pair.anchor_class,
                contrast_class=pattern.contrast_class,
                is_pair=True,
            )
            for number, pattern in enumerate(patterns)
        ],
        X=X,
        estimates=estimates,
        contributions=contributions,
        factors=np.nan_to_num(slopes),
        biases=intercept[target],
        scores=scores[every_row, target],
        predicted=predicted,
        probabilities=probabilities[every_row, predicted],
        classes=classes,
        features=features,
        rows=rows,
        list_all=False,
    )
