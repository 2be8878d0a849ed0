"""Steps 2, 3 and 5 as functions of plain values; `fit` and the path both call them.

Step 1, mining, is in `_mining`. Step 4, the ranking of pairs, is `bicneuron.patterns.rank_pairs`.
Step 6 takes the neuron with the best score.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import get_scorer, get_scorer_names

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._core._ranking import best_thresholds, label_aucs, rank_sum_aucs
from bicneuron._shared._decision import ScoreClassifier
from bicneuron._shared._scaled_matrix import ScaledMatrix, dense
from bicneuron._shared._seed import seeded
from bicneuron.classifier._mining import half
from bicneuron.neurons import decide, fit_neurons
from bicneuron.patterns import Pattern, contrastive_pairs

# Pairs per training task, and scores held at once by a task: independent of n_jobs.
PAIRS_PER_TASK = 256
SCORES_PER_TASK = 2**17

LITTLE_ENDIAN = np.dtype("<i8")


class TrainedNeurons(NamedTuple):
    """The neurons of some pairs; element k of each belongs to pair k.

    Parameters
    ----------
    estimators : list of fitted classifiers
    scores : array of shape (n_pairs,)
        Value of each neuron on all training rows.
    thresholds : array of shape (n_pairs,)
        Score above which each neuron predicts the positive class.
    """

    estimators: list[Any]
    scores: FloatArray
    thresholds: FloatArray

    def take(self, places: Sequence[int]) -> "TrainedNeurons":
        """The neurons of the pairs at some places, in this order."""
        some = list(places)
        return TrainedNeurons(
            [self.estimators[k] for k in some], self.scores[some], self.thresholds[some]
        )


def pair_with_contrast(
    Z: ScaledMatrix,
    y: AnyArray,
    biclusters: dict[Any, list[Pattern]],
    *,
    local: bool,
    n_jobs: int | None,
) -> list[Pattern]:
    """Steps 2 and 3: pair the biclusters of each class with the nearest rows of the other side.

    The contrast of ``local`` biclusters, which have equally many rows, is half of the other side.
    """
    pairs = []
    for label, found in biclusters.items():
        if found:
            pool = np.flatnonzero(y != y[found[0].rows[0]])
            pairs += contrastive_pairs(
                Z,
                found,
                pool,
                anchor_class=label,
                contrast_size=half(len(pool)) / len(found[0].rows) if local else 1.0,
                n_jobs=n_jobs,
            )
    return pairs


def check_selection(selection: Any) -> None:
    """Refuse a ``selection`` that cannot measure a neuron."""
    named = isinstance(selection, str) and (
        selection in {"label_auc", "score_auc", *get_scorer_names()}
    )
    if not named and not callable(selection):
        raise ValueError(
            f"selection={selection!r} is neither 'label_auc', 'score_auc', the name of a "
            "scikit-learn scorer nor a scorer."
        )


def train_pairs(
    neuron: Any,
    Z: ScaledMatrix,
    y: AnyArray,
    pairs: Sequence[Pattern],
    seed: int,
    *,
    selection: Any,
    recalibrate: bool,
    n_jobs: int | None,
) -> TrainedNeurons:
    """Step 5: train one neuron on the rows and columns of each pair; measure it on all rows."""
    positive = y == np.unique(y)[1]
    trained = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(fit_neurons)(
            neuron,
            Z,
            y,
            [pair.block for pair in some],
            [pair_seed(seed, pair) for pair in some],
        )
        for some in _slices(pairs, PAIRS_PER_TASK)
    )
    neurons = [fitted for some in trained for fitted in some]
    size = max(1, SCORES_PER_TASK // len(y))
    measured = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_evaluate)(selection, recalibrate, Z, y, positive, *some)
        for some in zip(_slices(pairs, size), _slices(neurons, size), strict=True)
    )
    nothing = np.empty(0)
    scores = np.concatenate([nothing, *(scores for scores, _ in measured)])
    thresholds = np.concatenate([nothing, *(thresholds for _, thresholds in measured)])
    return TrainedNeurons(neurons, scores, thresholds)


def _evaluate(
    selection: Any,
    recalibrate: bool,
    Z: ScaledMatrix,
    y: AnyArray,
    positive: BoolArray,
    pairs: Sequence[Pattern],
    neurons: Sequence[Any],
) -> tuple[FloatArray, FloatArray]:
    """Value of ``selection`` and threshold of each neuron; ``positive`` rows should score > 0."""
    decided = decide(neurons, Z, [pair.columns for pair in pairs])
    thresholds = best_thresholds(decided, positive) if recalibrate else np.zeros(len(pairs))
    if selection == "label_auc":
        return label_aucs(decided, positive, thresholds), thresholds
    if selection == "score_auc":
        return rank_sum_aucs(decided, positive), thresholds
    scorer = get_scorer(selection)
    try:
        scores = np.array(
            [
                scorer(
                    ShiftedNeuron(neuron, threshold) if threshold else neuron, Z[:, pair.columns], y
                )
                for neuron, pair, threshold in zip(neurons, pairs, thresholds, strict=True)
            ],
            dtype=np.float64,
        )
    except AttributeError as error:  # most neurons have no predict_proba
        lacking = str(error).rpartition(": ")[2].rstrip(".")
        raise ValueError(
            f"selection={selection!r} cannot measure {type(neurons[0]).__name__}, which has no "
            f"{lacking}; choose another selection or neuron."
        ) from error
    if np.isnan(scores).any():
        raise ValueError(f"selection={selection!r} returned nan for a neuron")
    return scores, thresholds


class ShiftedNeuron(ScoreClassifier):
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


def train_fallback(
    neuron: Any, Z: ScaledMatrix, y: AnyArray, seed: int, recalibrate: bool
) -> tuple[Any, float]:
    """Train one neuron on all rows and columns instead of steps 2 to 6; find its threshold."""
    matrix = dense(Z)
    fitted = seeded(neuron, seed).fit(matrix, y)
    if not recalibrate:
        return fitted, 0.0
    scores = fitted.decision_function(matrix)[None]
    return fitted, float(best_thresholds(scores, y == np.unique(y)[1])[0])


def centroids_of(Z: ScaledMatrix, y: AnyArray, pair: Pattern | None) -> FloatArray:
    """Centroids of anchor and contrast or, without a pair, of the second and the first class."""
    if pair is None:
        sides = [dense(Z[y == label]) for label in np.unique(y)[::-1]]
    else:
        sides = [Z[np.ix_(rows, pair.columns)] for rows in (pair.rows, pair.contrast_rows)]
    return np.array([side.mean(axis=0) for side in sides])


def shares_of(
    pair: Pattern | None, class_sizes: Mapping[Any, int], n_columns: int
) -> tuple[float, float]:
    """Share of the rows of its class, and of all columns, that a pair has; 1 without a pair."""
    if pair is None:
        return 1.0, 1.0
    size = class_sizes[pair.anchor_class]
    return len(pair.rows) / size, len(pair.columns) / n_columns


def pair_seed(root: int, pair: Pattern) -> int:
    """Seed that depends on the root and the pair alone, not on the other pairs."""
    rows, columns = (
        np.asarray(indices, LITTLE_ENDIAN).tobytes() for indices in (pair.rows, pair.columns)
    )
    key = root.to_bytes(8, "little", signed=True) + rows + b"|" + columns
    return int.from_bytes(blake2b(key, digest_size=4).digest(), "little") >> 1


def _slices(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Consecutive slices of at most ``size`` items."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
