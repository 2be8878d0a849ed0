"""One neuron for each contrastive pair: seeds, training, scores on all rows."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._sparse import Part, ScaledSparse
from bicneuron._decision import ScoreClassifier
from bicneuron.contrast import ContrastivePair
from bicneuron.perceptron import OnlinePerceptron

NO_ROWS = np.empty(0, np.intp)

LITTLE_ENDIAN = np.dtype("<i8")


class Candidate(NamedTuple):
    """A pair with the neuron trained on it, its value on the training set and its threshold."""

    pair: ContrastivePair
    neuron: Any
    score: float
    threshold: float


class MovedNeuron(ScoreClassifier):
    """A fitted neuron with another threshold, for scorers."""

    def __init__(self, neuron: Any, threshold: float) -> None:
        self.neuron = neuron
        self.threshold = threshold
        self.classes_ = neuron.classes_

    def __getattr__(self, name: str) -> Any:
        return getattr(self.neuron, name)

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Scores that are positive above the threshold."""
        scores: FloatArray = self.neuron.decision_function(X) - self.threshold
        return scores


def pair_seed(root: int, pair: ContrastivePair) -> int:
    """Seed that depends on the root and the pair alone, not on what other pairs there are."""
    rows, columns = (
        np.asarray(indices, LITTLE_ENDIAN).tobytes() for indices in (pair.anchor_rows, pair.columns)
    )
    key = root.to_bytes(8, "little", signed=True) + rows + b"|" + columns
    return int.from_bytes(blake2b(key, digest_size=4).digest(), "little") >> 1


def fit_neurons(
    neuron: Any, Z: FloatArray, y: AnyArray, pairs: Sequence[ContrastivePair], seeds: list[int]
) -> list[Any]:
    """Train a copy of ``neuron`` on the rows and columns of each pair, with its own seed."""
    blocks = [(pair.rows, pair.columns) for pair in pairs]
    if isinstance(Z, ScaledSparse):
        return [
            trained
            for part in Z.parts(blocks)
            for trained in fit_neurons(
                neuron,
                Z[np.ix_(part.rows, part.columns)],
                y[part.rows],
                [pair.within(part.rows, part.columns) for pair in pairs[part.items]],
                seeds[part.items],
            )
        ]
    if hasattr(neuron, "fit_blocks"):
        fitted: list[Any] = neuron.fit_blocks(Z, y, blocks, seeds)
        return fitted
    return [
        seeded(neuron, seed).fit(Z[np.ix_(rows, columns)], y[rows])
        for (rows, columns), seed in zip(blocks, seeds, strict=True)
    ]


def decide(neurons: Sequence[Any], Z: FloatArray, columns: Sequence[IndexArray]) -> FloatArray:
    """Scores of all rows, one line for each neuron, which sees its columns."""
    if isinstance(Z, ScaledSparse):
        rows = np.arange(len(Z))
        parts = Z.parts([(rows, some) for some in columns])
        return np.vstack([_decide_part(neurons, Z, columns, part) for part in parts])
    if hasattr(neurons[0], "decide_blocks"):
        blocks = [(NO_ROWS, some) for some in columns]
        scores: FloatArray = neurons[0].decide_blocks(Z, neurons, blocks)
        return scores
    return np.array(
        [
            neuron.decision_function(Z[:, some])
            for neuron, some in zip(neurons, columns, strict=True)
        ],
        dtype=np.float64,
    )


def _decide_part(
    neurons: Sequence[Any], Z: ScaledSparse, columns: Sequence[IndexArray], part: Part
) -> FloatArray:
    inside = [np.searchsorted(part.columns, some) for some in columns[part.items]]
    blocks = Z.row_blocks(part.columns)
    return np.hstack([decide(neurons[part.items], block, inside) for block in blocks])


def seeded(neuron: Any, seed: int) -> Any:
    """A copy whose every ``random_state``, in a pipeline too, is the seed."""
    copy = clone(neuron)
    keys = [key for key in copy.get_params() if key.split("__")[-1] == "random_state"]
    return copy.set_params(**dict.fromkeys(keys, seed))


def unfitted(neuron: Any, against_the_rest: bool) -> Any:
    """A copy of what is to be trained; None is the standard perceptron."""
    if neuron is None:
        return OnlinePerceptron()
    copy = clone(neuron)
    if not is_classifier(copy):
        raise TypeError(f"neuron is a {type(copy).__name__}, which is not a classifier.")
    if against_the_rest:
        refuse_label_weights(copy)
    return copy


def refuse_label_weights(neuron: Any) -> None:
    """Refuse weights of labels that the neuron will not be given."""
    if isinstance(getattr(neuron, "class_weight", None), dict):
        raise ValueError(
            f"{type(neuron).__name__} has class_weight={neuron.class_weight!r}, but it is trained "
            'on one class against the rest, not on these labels; use "balanced" or None.'
        )


def slices(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Consecutive parts of at most ``size`` items."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
