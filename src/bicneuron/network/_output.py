"""The output layer of a network, and its self-test on rows that its neurons have not seen."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._linear_models import Ridge, ridge, spectrum
from bicneuron._shared._calibration import calibrate, probabilities
from bicneuron.network._hidden import HiddenNeuron
from bicneuron.network._patterns import outputs

# Penalties as a share of (rows x neurons), the size of the Gram matrix's diagonal sum.
PENALTIES = 10.0 ** np.arange(-6.0, 2.1, 0.25)


class SelfTest(NamedTuple):
    """Which neurons do best, and scores of rows by neurons that have not seen them."""

    kept: BoolArray
    scores: FloatArray


class TestedLayer(NamedTuple):
    """Neurons, the typical sizes of their scores, their outputs and the self-test of them."""

    trained: Sequence[HiddenNeuron]
    typical: FloatArray
    hidden: FloatArray
    test: SelfTest


def tested_layer(
    trained: Sequence[HiddenNeuron],
    Z: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    folds: IndexArray,
) -> TestedLayer:
    """Outputs of the neurons on some rows, and the choice that the self-test makes of them."""
    hidden = outputs([unit.neuron for unit in trained], [unit.pair.columns for unit in trained], Z)
    typical = np.median(np.abs(hidden), axis=0)
    typical[typical == 0] = 1.0
    hidden /= typical
    np.tanh(hidden, out=hidden)
    test = self_test(
        hidden,
        signs,
        weights,
        folds,
        np.array([unit.fold for unit in trained]),
        _choices(trained),
    )
    return TestedLayer(trained, typical, hidden, test)


def _choices(trained: Sequence[HiddenNeuron]) -> list[BoolArray]:
    """Candidates of the self-test: all neurons, or those of one kind."""
    kind = np.array([unit.kind for unit in trained])
    kinds = np.unique(kind)
    return [kind >= 0, *([kind == k for k in kinds] if len(kinds) > 1 else [])]


def fit_output(H: FloatArray, signs: FloatArray, weights: FloatArray) -> Ridge:
    """Ridge regression on the hidden layer; its penalty has the smallest leave-one-out error."""
    return ridge(spectrum(H, weights), signs, PENALTIES * H.size)


def self_test(
    H: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    folds: IndexArray,
    fold_of: IndexArray,
    choices: Sequence[BoolArray],
) -> SelfTest:
    """Find the neurons that do best on rows that they have not seen.

    Each was trained without one fold. So the neurons of a fold, with an output layer fitted on the
    other rows, are a smaller network that has not seen the fold.
    """
    tested = np.full((len(choices), *signs.shape), np.nan)
    for fold in range(folds.max() + 1):
        out, neurons = folds == fold, np.flatnonzero(fold_of == fold)
        if not out.any() or out.all():  # no row to score, or none to fit an output layer on
            continue
        seen, unseen = H[np.ix_(~out, neurons)], H[np.ix_(out, neurons)]
        for place, choice in enumerate(choices):
            kept = np.flatnonzero(choice[neurons])
            if len(kept):
                output = fit_output(seen.take(kept, axis=1), signs[~out], weights[~out])
                tested[place, out] = unseen.take(kept, axis=1) @ output.coef + output.intercept
    known = ~np.isnan(tested).any(axis=(0, 2))
    if not known.any():
        return SelfTest(choices[0], tested[0])
    errors = np.mean((signs - np.clip(tested, -1, 1))[:, known] ** 2, axis=2)
    shares = weights[known] / weights[known].sum()
    means = errors @ shares
    best = int(np.argmin(means))
    return SelfTest(choices[best], tested[best])


class LabelDoubt(NamedTuple):
    """Doubt in the labels of rows, by scores of neurons that have not seen them.

    The probability that the label is another one, if all classes were equally common (else all rows
    of a rare class would be in doubt), NaN where there is no score; and where another is likelier.
    """

    chances: FloatArray
    contradicted: BoolArray


def label_doubt(scores: FloatArray, signs: FloatArray, exclusive: bool) -> LabelDoubt:
    """Compare labels with scores of rows that were not seen."""
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
    return 1.0 / sizes[encoded]
