"""Value and threshold of each neuron, measured on all training rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._core._ranking import best_thresholds, label_aucs, rank_sum_aucs
from bicneuron._estimators._decision import ScoreClassifier
from bicneuron._estimators._scaled_matrix import ScaledMatrix
from bicneuron.contrast import ContrastivePair
from bicneuron.neurons import decide


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


def evaluate(
    selection: Any,
    recalibrate: bool,
    Z: ScaledMatrix,
    y: AnyArray,
    positive: BoolArray,
    pairs: Sequence[ContrastivePair],
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
