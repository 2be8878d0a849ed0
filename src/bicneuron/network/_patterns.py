"""The patterns that a network is made of, their outputs and contributions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._scaling import filled, observed_means
from bicneuron.neurons import decide
from bicneuron.patterns import Pattern, TrainedNeuron

NEURONS_AT_ONCE = 64  # whose outputs are held twice


def is_near(neuron: TrainedNeuron, block: FloatArray) -> BoolArray:
    """True for rows, scaled, on the columns of a pattern, no farther from it than its own."""
    # The same memory layout as where the radius was computed: its farthest row stays near.
    return distance(np.ascontiguousarray(block), *neuron.centroids) <= neuron.radius


def centroid(block: FloatArray) -> FloatArray:
    """Mean of each column over the rows that have it; 0, the mean of all rows, where none does."""
    means: FloatArray = block.mean(axis=0)
    return observed_means(block) if np.isnan(means).any() else means


def radius(block: FloatArray, one: FloatArray, other: FloatArray) -> float:
    """Largest distance of the rows of a pair, apart from those that have none of its columns."""
    distances = distance(block, one, other)
    return float(distances[np.isfinite(distances)].max(initial=0.0))


def distance(A: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """Root mean square distance of rows to the nearer of two centres; infinite without values."""
    with np.errstate(over="ignore"):
        to_one, to_other = _mean_square(A - one), _mean_square(A - other)
    return np.sqrt(np.minimum(to_one, to_other))


def _mean_square(differences: FloatArray) -> FloatArray:
    means: FloatArray = np.mean(differences**2, axis=1)
    some = np.isnan(means)
    if some.any():
        observed = ~np.isnan(differences[some])
        counts = observed.sum(axis=1)
        sums = np.where(observed, differences[some], 0.0) ** 2
        means[some] = np.where(counts > 0, sums.sum(axis=1) / np.maximum(counts, 1), np.inf)
    return means


def trained_neurons(patterns: Sequence[Pattern]) -> list[TrainedNeuron]:
    """The neurons of the patterns of a network, all of which have one."""
    return [pattern.neuron for pattern in patterns if pattern.neuron is not None]


def pattern_outputs(
    patterns: Sequence[Pattern], Z: FloatArray, used: IndexArray | None = None
) -> FloatArray:
    """Raw outputs of the neurons of patterns; see `outputs`."""
    neurons = [neuron.estimator for neuron in trained_neurons(patterns)]
    return outputs(neurons, [pattern.columns for pattern in patterns], Z, used)


def outputs(
    neurons: Sequence[Any],
    columns: Sequence[IndexArray],
    Z: FloatArray,
    used: IndexArray | None = None,
) -> FloatArray:
    """Raw outputs of neurons, in Fortran order; ``Z`` has all columns or those ``used``."""
    if used is not None:
        columns = [np.searchsorted(used, some) for some in columns]
    kinds = [type(neuron) for neuron in neurons]
    scores = np.empty((len(neurons), len(Z)))
    for kind in dict.fromkeys(kinds):
        alike = [k for k, other in enumerate(kinds) if other is kind]
        for some in gen_batches(len(alike), NEURONS_AT_ONCE):
            own = [neurons[k] for k in alike[some]]
            table = Z if takes_missing(own[0]) else filled(Z)
            scores[alike[some]] = decide(own, table, [columns[k] for k in alike[some]])
    return scores.T
