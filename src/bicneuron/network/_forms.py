"""Neurons of candidates: their forms, and their outputs for rows that they have not seen."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._sorting import EQUAL
from bicneuron.network._candidates import Candidates
from bicneuron.network._choice import Labels, single_losses
from bicneuron.network._contrasts import BELL, BELL_SLACK, LINE, LINE_SLACK, Contrasts
from bicneuron.neurons import GaussianNeuron, KernelNeuron, fit_neurons

KERNEL, JOINT = 2, 3
# Forms that any candidate may have.
SIMPLE = (LINE, BELL)
# The penalties of kernels are large: whole classes of a small table are easily learned by heart.
NEURONS = (
    GaussianNeuron(slack=LINE_SLACK, shared_variance=True),
    GaussianNeuron(slack=BELL_SLACK),
    KernelNeuron(alpha=0.5),
    KernelNeuron("linear", alpha=30.0),
)
# Kernels, and lines whose weights are fitted together, are for whole classes with at least so many
# columns, and are trained on at most so many rows of a side.
KERNEL_COLUMNS, KERNEL_ROWS = 5, 256
# Scores of this many times the median one are where tanh begins to flatten.
SOFTNESS = 2.0


class Outputs(NamedTuple):
    """Standardised outputs of candidates for rows that they have not seen.

    They are positive for rows that speak for the target; before that ``tanh(score / typical)``.
    """

    values: FloatArray
    forms: IndexArray
    typical: FloatArray
    mean: FloatArray
    deviation: FloatArray


def unseen_scores(
    Z: FloatArray, candidates: Candidates, folds: IndexArray
) -> dict[int, FloatArray]:
    """Scores of rows by candidates of each form that have not seen them."""
    n_rows, n_columns = Z.shape
    forms = [LINE, BELL, KERNEL] if n_rows >= n_columns else [LINE, JOINT]
    raw = {form: np.full((n_rows, len(candidates.sides)), np.nan) for form in forms}
    whole = candidates.is_whole & (candidates.most_columns >= min(KERNEL_COLUMNS, n_columns))
    for fold in range(-1, folds.max(initial=-1) + 1):
        out = folds == fold
        if not out.any():
            continue
        seen = ~out if fold >= 0 else np.ones(n_rows, dtype=bool)
        contrasts = candidates.contrasts(Z, seen)
        for form in forms:
            columns = form_columns(contrasts, candidates, form)
            if form in SIMPLE:
                raw[form][out] = contrasts.scores(Z[out], form, columns)
                continue
            for place in np.flatnonzero(whole).tolist():
                side = np.where(seen, candidates.sides[place], 0)
                neuron = fit_neuron(Z, side, columns[place], form)
                raw[form][out, place] = neuron.decision_function(Z[np.ix_(out, columns[place])])
    return raw


def best_outputs(
    raw: Mapping[int, FloatArray], forms: Sequence[int], candidates: Candidates, labels: Labels
) -> Outputs:
    """Outputs of candidates, each in the form that predicts best alone, of those that are given."""
    first, *others = (_standardised(raw[form], form, candidates.signs) for form in forms)
    best = first._replace(values=np.asfortranarray(first.values))
    least = single_losses(first.values, labels, candidates.targets)
    for other in others:
        able = np.flatnonzero(~np.isnan(other.values).any(axis=0))
        losses = single_losses(other.values[:, able], labels, candidates.targets[able])
        better = losses < (1.0 - EQUAL) * least[able]
        least[able[better]] = losses[better]
        for kept, new in zip(best, other, strict=True):
            kept[..., able[better]] = new[..., able[better]]
    return best


def form_columns(contrasts: Contrasts, candidates: Candidates, form: int) -> list[IndexArray]:
    """The columns of each candidate; a kernel has those of a line."""
    return contrasts.columns(form if form in SIMPLE else LINE, candidates.most_columns)


def fit_neuron(Z: FloatArray, side: Any, columns: IndexArray, form: int) -> Any:
    """Fit a neuron to the carriers and the rows that they are held against."""
    rows = np.flatnonzero(side)
    if form not in SIMPLE:
        chosen = []
        for own in (np.flatnonzero(side < 0), np.flatnonzero(side > 0)):
            places = np.linspace(0, len(own) - 1, min(len(own), KERNEL_ROWS))  # evenly spaced
            chosen.append(own[places.astype(np.intp)])
        rows = np.sort(np.concatenate(chosen))
    signs = np.where(np.asarray(side) > 0, 1.0, -1.0)
    return fit_neurons(NEURONS[form], Z, signs, [(rows, columns)], [0])[0]


def _standardised(scores: FloatArray, form: int, signs: FloatArray) -> Outputs:
    typical = SOFTNESS * np.median(np.abs(scores), axis=0)
    typical[typical == 0] = 1.0  # NaN where there is no such form
    values = signs * np.tanh(scores / typical)
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    deviation[deviation < 1e-9] = 1.0
    forms = np.full(len(signs), form)
    return Outputs((values - mean) / deviation, forms, typical, mean, deviation)
