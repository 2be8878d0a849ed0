"""Probabilities of a single neuron, from scores of rows that its copies have not seen."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._scaling import ScaledMatrix
from bicneuron.classifier._problems import MultiClass
from bicneuron.contrast import ContrastivePair
from bicneuron.neurons._blocks import decide, fit_neurons
from bicneuron.neurons._calibration import calibrate

N_FOLDS = 5


class LogOdds(NamedTuple):
    """Log odds of the positive class are ``slope * score + offset``."""

    slope: float
    offset: float

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probability of the positive class."""
        chances: FloatArray = expit(self.slope * scores + self.offset)
        return chances


def log_odds_of_unseen(
    fitted: Any,
    threshold: float,
    Z: ScaledMatrix,
    y: AnyArray,
    pair: ContrastivePair | None,
    weights: FloatArray,
    neuron: Any,
    seed: int,
) -> LogOdds:
    """Fit log odds to scores of rows by neurons that were not trained on them.

    Rows outside the pair are scored by the neuron itself, those of the pair by copies that were
    trained without a fifth of them.

    Parameters
    ----------
    fitted : fitted classifier
        The neuron that decides.
    threshold : float
        Is subtracted from scores.
    Z, y : training rows and their labels
    pair : ContrastivePair or None
        What the neuron was trained on; None is all rows and columns.
    weights : array of shape (n_rows,)
    neuron : classifier
        To be trained.
    seed : int
        Of folds and copies.
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
    known = ~np.isnan(scores)
    unit = float(np.std(scores[known])) if known.any() else 0.0
    unit = unit if unit > 0 else 1.0  # scores of a perceptron have no unit
    signs = np.where(positive, 1.0, -1.0)[:, None]
    relative = (scores[:, None] - threshold) / unit
    slope, shifts = calibrate(relative, signs, weights, False)
    return LogOdds(slope / unit, slope * float(shifts[0]))


def _deal_folds(positive: AnyArray, seed: int) -> AnyArray:
    """Fold of each row; both classes are dealt out evenly."""
    order = np.random.default_rng(seed).permutation(len(positive))
    order = order[np.argsort(positive[order], kind="stable")]
    folds = np.empty(len(positive), dtype=np.intp)
    folds[order] = np.arange(len(positive)) % N_FOLDS
    return folds


def class_probabilities(
    positive: FloatArray, n_classes: int, multi_class: MultiClass
) -> FloatArray:
    """Probability of each class, from those of the positive side of each binary problem.

    Parameters
    ----------
    positive : array of shape (n_rows, n_problems)
    n_classes : int
    multi_class : {"ovr", "ovo"}
        Each class against the rest: divided by their sum. Each pair of classes: the mean of the
        probabilities of a class against each other one, divided by their sum.
    """
    if n_classes == 2:
        return np.hstack([1.0 - positive, positive])
    if multi_class == "ovr":
        shares = positive
    else:
        shares = np.zeros((len(positive), n_classes))
        for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
            shares[:, i] += 1.0 - positive[:, k]
            shares[:, j] += positive[:, k]
    total = shares.sum(axis=1, keepdims=True)
    equal = np.full_like(shares, 1.0 / n_classes)
    chances: FloatArray = np.divide(shares, total, out=equal, where=total > 0)
    return chances
