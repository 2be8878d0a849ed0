"""What each pattern of a network adds to the scores of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._estimators._decision import decided_classes
from bicneuron._estimators._filling import Filling
from bicneuron._estimators._soft_scaling import SoftScaling
from bicneuron.explanation import ExplainedNeuron, ScoredRows
from bicneuron.network._hidden import columns_in_use, outputs
from bicneuron.network._patterns import Pattern


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
