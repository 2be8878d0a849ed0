"""From scores of a neuron to log odds."""

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._calibration import LARGEST_ODDS, calibrate, unit_of
from bicneuron._shared._checks import by_size
from bicneuron._shared._scaled_matrix import ScaledMatrix
from bicneuron.neurons import decide, fit_neurons
from bicneuron.patterns import Pattern

N_FOLDS = 5


def calibrate_neuron(
    fitted: Any,
    threshold: float,
    Z: ScaledMatrix,
    y: AnyArray,
    pair: Pattern | None,
    weights: FloatArray,
    neuron: Any,
    seed: int,
    *,
    shifted: bool,
) -> tuple[float, float]:
    """Slope and shift that turn scores into log odds, from rows the neuron was not trained on.

    Rows outside the pair are scored by the neuron itself, those of the pair by copies that were
    trained without a fifth of them.
    """
    positive = y == np.unique(y)[1]
    rows, columns = (np.arange(len(y)), np.arange(Z.shape[1])) if pair is None else pair.block
    scores = decide([fitted], Z, [columns])[0]
    scores[rows] = np.nan
    folds = _deal_folds(positive[rows], seed)
    for fold in range(N_FOLDS):
        unseen, seen = rows[folds == fold], rows[folds != fold]
        if len(unseen) and len(np.unique(positive[seen])) == 2:
            (copy,) = fit_neurons(neuron, Z, y, [(seen, columns)], [seed])
            scores[unseen] = decide([copy], Z[unseen], [columns])[0]
    unit = unit_of(scores[~np.isnan(scores)])
    signs = np.where(positive, 1.0, -1.0)[:, None]
    relative = (scores[:, None] - threshold) / unit
    slope, shifts = calibrate(relative, signs, weights, False, shifted=shifted)
    # Finite also where scores are so small that the quotient is not: infinity times 0 is NaN.
    return min(slope / unit, LARGEST_ODDS), unit * float(shifts[0])


def _deal_folds(positive: AnyArray, seed: int) -> AnyArray:
    """Fold of each row; both classes are dealt out evenly."""
    order = np.random.default_rng(seed).permutation(len(positive))
    order = order[np.argsort(by_size(positive[order])[1], kind="stable")]
    folds = np.empty(len(positive), dtype=np.intp)
    folds[order] = np.arange(len(positive)) % N_FOLDS
    return folds


def log_odds_line(scores: FloatArray, positive: BoolArray) -> tuple[float, float]:
    """Slope and offset that turn scores, which have no unit, into log odds."""
    unit = unit_of(scores)
    # The weak penalty keeps the slope finite where a threshold separates the sides.
    model = LogisticRegression(C=100, class_weight="balanced", solver="newton-cholesky")
    with warnings.catch_warnings():
        # Of a side that is all but separated: the penalty decides then, however far the steps went.
        warnings.simplefilter("ignore")
        model.fit(scores[:, None] / unit, positive)
    return float(model.coef_[0, 0] / unit), float(model.intercept_[0])
