"""The output layer, and the self-test of a network on rows that its neurons have not seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._least_squares import Ridge, forward_selection, ridge, spectrum

# Penalties as a share of (rows x neurons), the size of the Gram matrix's diagonal sum.
PENALTIES = 10.0 ** np.arange(-6.0, 2.1, 0.25)

# Given outputs of some neurons, signs, weights and which neurons these are, gives the places of
# those that are used.
Choice = Callable[[FloatArray, FloatArray, FloatArray, IndexArray], IndexArray]


class SelfTest(NamedTuple):
    """The best choice of neurons, and scores of rows by neurons that have not seen them."""

    choice: Choice
    scores: FloatArray


def fit_output(H: FloatArray, signs: FloatArray, weights: FloatArray) -> Ridge:
    """Ridge regression on the hidden layer; its penalty has the smallest leave-one-out error."""
    return ridge(spectrum(H, weights), signs, PENALTIES * H.size)


def self_test(
    H: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    folds: IndexArray,
    fold_of: IndexArray,
    choices: Sequence[Choice],
    *,
    prefer_early: bool = False,
) -> SelfTest:
    """Find the choice of neurons that does best on rows that they have not seen.

    Each neuron was trained without one fold of the rows. So the neurons of a fold, with an output
    layer fitted on the other rows, are a smaller network that has not seen the fold, and no neuron
    has to be trained twice. (Leave-one-out errors of the output layer alone are optimistic:
    a hidden neuron has already seen the label of the row that is left out.)

    Parameters
    ----------
    H : array of shape (n_rows, n_neurons)
        Hidden layer.
    signs : array of shape (n_rows, n_targets)
    weights : array of shape (n_rows,)
    folds : array of shape (n_rows,)
        Fold of each row; -1 for rows that are never left out.
    fold_of : array of shape (n_neurons,)
        The fold that each neuron was trained without.
    choices : sequence of callables
        The candidates; the first of equally good ones is taken.
    prefer_early : bool, default=False
        Take the first choice within one standard error of the best.

    Returns
    -------
    SelfTest
        ``scores`` has the shape of ``signs``, with NaN for rows that could not be tested.
    """
    tested = _held_out_scores(H, signs, weights, folds, fold_of, choices)
    known = ~np.isnan(tested).any(axis=(0, 2))
    if not known.any():
        return SelfTest(choices[0], tested[0])
    errors = np.mean((signs - np.clip(tested, -1, 1))[:, known] ** 2, axis=2)
    shares = weights[known] / weights[known].sum()
    means = errors @ shares
    best = int(np.argmin(means))
    if prefer_early:
        excess = errors - errors[best]
        spread = (excess - (excess @ shares)[:, None]) * shares
        doubt = np.sqrt(np.sum(spread**2, axis=1))
        best = int(np.argmax(means - means[best] <= doubt))
    return SelfTest(choices[best], tested[best])


def best_patterns(
    H: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    neurons: IndexArray,
    owner: IndexArray,
    most: int,
) -> IndexArray:
    """At most this many of the neurons, by forward selection."""
    return forward_selection(H, signs, weights, owner[neurons], most)


def all_of_kind(
    H: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    neurons: IndexArray,
    of_kind: BoolArray,
) -> IndexArray:
    """All neurons of a kind."""
    return np.flatnonzero(of_kind[neurons])


def _held_out_scores(
    H: FloatArray,
    signs: FloatArray,
    weights: FloatArray,
    folds: IndexArray,
    fold_of: IndexArray,
    choices: Sequence[Choice],
) -> FloatArray:
    """Scores by the neurons of each choice, of shape (n_choices, n_rows, n_targets)."""
    scores = np.full((len(choices), *signs.shape), np.nan)
    for fold in range(folds.max() + 1):
        tested, neurons = folds == fold, np.flatnonzero(fold_of == fold)
        if not tested.any() or tested.all():  # no row to score, or none to fit an output layer on
            continue
        seen, unseen = H[np.ix_(~tested, neurons)], H[np.ix_(tested, neurons)]
        for place, choice in enumerate(choices):
            kept = choice(seen, signs[~tested], weights[~tested], neurons)
            if len(kept):
                output = fit_output(seen.take(kept, axis=1), signs[~tested], weights[~tested])
                scores[place, tested] = unseen.take(kept, axis=1) @ output.coef + output.intercept
    return scores
