"""How much the rest of the data contradicts the label of each row."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._estimators._calibration import calibrate, probabilities


class LabelDoubt(NamedTuple):
    """What scores of rows that were not seen say of their labels.

    Parameters
    ----------
    chances : float64 array of shape (n_rows, n_targets)
        Probability that the label is another one, if all classes were equally common: else rows
        of a rare class would all be in doubt. NaN where there is no score.
    contradicted : bool array of shape (n_rows, n_targets)
        Whether another label is likelier.
    """

    chances: FloatArray
    contradicted: BoolArray


def label_doubt(scores: FloatArray, signs: FloatArray, exclusive: bool) -> LabelDoubt:
    """Compare labels with scores of rows that were not seen.

    Parameters
    ----------
    scores, signs : arrays of shape (n_rows, n_targets)
        Scores may be NaN where they are not known.
    exclusive : bool
        Whether the targets are classes of which each row has one, more than two of them; all
        targets of a row are then equally in doubt.
    """
    if exclusive:
        slope, shifts = calibrate(scores, signs, _balanced(signs.argmax(axis=1)), True)
        chances = probabilities(scores + shifts, slope, True)
        own = chances[signs > 0]
        contradicted = own < chances.max(axis=1)
        return LabelDoubt(
            *(
                np.repeat(each[:, None], signs.shape[1], axis=1)
                for each in (1.0 - own, contradicted)
            )
        )
    doubts = np.empty_like(scores)
    for target in range(signs.shape[1]):
        one = scores[:, [target]]
        is_true = signs[:, target] > 0
        slope, shifts = calibrate(one, signs[:, [target]], _balanced(is_true), False)
        chance = probabilities(one + shifts, slope, False)[:, 0]
        doubts[:, target] = np.where(is_true, 1.0 - chance, chance)
    return LabelDoubt(doubts, doubts > 0.5)


def _balanced(classes: AnyArray) -> FloatArray:
    """Weights that give each class the same sum."""
    _, encoded, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    weights: FloatArray = 1.0 / sizes[encoded]
    return weights
