"""The output layer of a network, and its self-test on rows that its neurons have not seen."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._linear_models import Ridge, ridge, spectrum
from bicneuron._shared._calibration import calibrate, probabilities
from bicneuron.network._hidden import HiddenNeuron
from bicneuron.network._patterns import outputs
from bicneuron.network._targets import N_FOLDS

# Penalties as a share of (rows x neurons), the size of the Gram matrix's diagonal sum.
PENALTIES = 10.0 ** np.arange(-6.0, 2.1, 0.25)
# Standard errors of the loss by which class-wide neurons have to be better than none.
MARGIN = 2.5
LEAST_CHANCE = 1e-12


class Layer(NamedTuple):
    """Outputs of neurons, their rows, and the fold of rows that each neuron has not seen."""

    outputs: FloatArray
    signs: FloatArray
    weights: FloatArray
    folds: IndexArray
    fold_of: IndexArray

    def unseen_scores(self, choice: BoolArray) -> FloatArray:
        """Scores of rows by chosen neurons that have not seen them; NaN where there are none."""
        H, signs, weights, folds, fold_of = self
        scores = np.full(signs.shape, np.nan)
        for fold in range(folds.max() + 1):
            out, kept = folds == fold, np.flatnonzero((fold_of == fold) & choice)
            # There must be rows to score, rows to fit an output layer on, and neurons.
            if out.any() and not out.all() and len(kept):
                seen, unseen = (np.ascontiguousarray(H[np.ix_(r, kept)]) for r in (~out, out))
                output = ridge(spectrum(seen, weights[~out]), signs[~out], PENALTIES * seen.size)
                scores[out] = unseen @ output.coef + output.intercept
        return scores


class SelfTest(NamedTuple):
    """Which neurons do best, and scores of rows by neurons that have not seen them."""

    kept: BoolArray
    scores: FloatArray


def tested_layer(
    trained: Sequence[HiddenNeuron],
    Z: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    folds: IndexArray,
    class_wide: int,
    exclusive: bool,
) -> tuple[FloatArray, FloatArray, SelfTest]:
    """Typical sizes of scores of neurons, their outputs, and the self-test of them.

    Kinds of drawn neurons are below ``class_wide``.
    """
    hidden = outputs([unit.neuron for unit in trained], [unit.pair.columns for unit in trained], Z)
    typical = np.array([np.median(np.abs(one)) for one in hidden.T])
    typical[typical == 0] = 1.0
    hidden /= typical
    np.tanh(hidden, out=hidden)
    fold_of, kind = np.array([(unit.fold, unit.kind) for unit in trained]).T
    is_drawn = kind < class_wide
    layer = Layer(hidden, signs, weights, folds, fold_of)
    kinds = np.unique(kind[is_drawn])
    # All drawn neurons, or those of one kind.
    choices = [is_drawn, *([kind == k for k in kinds] if len(kinds) > 1 else [])]
    test = with_class_wide(layer, is_drawn, self_test(layer, choices), exclusive)
    return typical, hidden, test


def output_layer(
    trained: Sequence[HiddenNeuron], Z: FloatArray, *known: Any
) -> tuple[list[HiddenNeuron], FloatArray, FloatArray, Ridge, FloatArray]:
    """Neurons that the self-test keeps, how much their outputs vary, the layer, and its scores."""
    typical, hidden, test = tested_layer(trained, Z, *known)
    kept = np.flatnonzero(test.kept).tolist()
    hidden[:, : len(kept)] = hidden[:, kept]
    hidden = hidden[:, : len(kept)]  # in its place: new memory for it would leave a gap
    spread, penalties = hidden.std(axis=0), PENALTIES * hidden.size
    features = spectrum(hidden, known[1])
    del hidden  # as large as the features, of which squares are made
    fitted = ridge(features, known[0], penalties)
    return [trained[k] for k in kept], typical[kept], spread, fitted, test.scores


def self_test(layer: Layer, choices: Sequence[BoolArray]) -> SelfTest:
    """Find the neurons that do best on rows that they have not seen.

    Each was trained without one fold. So the neurons of a fold, with an output layer fitted on the
    other rows, are a smaller network that has not seen the fold.
    """
    tested = np.stack([layer.unseen_scores(choice) for choice in choices])
    known = ~np.isnan(tested).any(axis=(0, 2))
    if not known.any():
        return SelfTest(choices[0], tested[0])
    errors = np.mean((layer.signs - np.clip(tested, -1, 1))[:, known] ** 2, axis=2)
    shares = layer.weights[known] / layer.weights[known].sum()
    best = int(np.argmin(errors @ shares))
    return SelfTest(choices[best], tested[best])


def _clearly_best(scores: FloatArray, layer: Layer, exclusive: bool) -> int:
    """Which of three choices has the least log loss; 0 unless it is clearly less than the first's.

    Scores of the first two by half of the drawn neurons may follow.
    """
    known = ~np.isnan(scores).any(axis=(0, 2))
    if not known.any():
        return 0
    signs, weights, losses = layer.signs[known], layer.weights[known], []
    for some in scores[:, known]:
        slope, shifts = calibrate(some, signs, weights, exclusive)
        chances = probabilities(some + shifts, slope, exclusive)
        right = np.where(signs > 0, chances, 1.0 if exclusive else 1.0 - chances)
        losses.append(-np.log(np.maximum(right, LEAST_CHANCE)).sum(axis=1))
    for place, half in enumerate(losses[3:]):
        if (half - losses[place]) @ weights > 0:
            losses[place] -= (1.0 - 1.0 / N_FOLDS) * (half - losses[place])
    best = int(np.argmin([some @ weights for some in losses[:3]]))
    gains = (losses[0] - losses[best]) * weights
    return best if gains.sum() > MARGIN * gains.std() * np.sqrt(len(gains)) else 0


def with_class_wide(layer: Layer, is_drawn: BoolArray, test: SelfTest, exclusive: bool) -> SelfTest:
    """Add class-wide neurons to drawn ones, or keep them alone, where that is clearly better.

    The self-test has a fifth of the drawn neurons. The loss falls about with the inverse of their
    number, so that half of the fifth shows how much all of them have yet to gain.
    """
    mixed, alone = test.kept | ~is_drawn, ~is_drawn
    is_first = np.cumsum(test.kept) <= test.kept.sum() / 2
    if is_drawn.all():
        return test
    scores, best = [test.scores], 0
    # Halves speak for drawn neurons, and are not needed where these are as good without.
    for some in [(mixed, alone), (test.kept & is_first, test.kept & is_first | alone)]:
        scores += [layer.unseen_scores(choice) for choice in some]
        best = _clearly_best(np.stack(scores), layer, exclusive)
        if best == 0:
            return test
    return SelfTest((test.kept, mixed, alone)[best], scores[best])


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
        of_rows = (1.0 - own, own < chances.max(axis=1))
        return LabelDoubt(*(np.repeat(one[:, None], signs.shape[1], axis=1) for one in of_rows))
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
