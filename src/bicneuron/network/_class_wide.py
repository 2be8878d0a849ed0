"""Class-wide neurons: each class against all others, in the columns that tell it most clearly.

Drawn pairs sample the columns, so they miss the few columns that tell in a table of many others.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._scaling import filled
from bicneuron.network._contrasts import LINE, LINE_SLACK, fit_contrasts
from bicneuron.network._draws import MAX_COLUMNS, Side, paired
from bicneuron.network._hidden import MIN_SIDE_ROWS, HiddenNeuron
from bicneuron.network._targets import Targets
from bicneuron.neurons import GaussianNeuron, fit_neurons

LINE_NEURON = GaussianNeuron(slack=LINE_SLACK, shared_variance=True)


def class_wide_neurons(
    Z: FloatArray, targets: Targets, folds: IndexArray, rows: IndexArray, kind: int
) -> list[HiddenNeuron]:
    """Train one neuron for each target without each fold, on some of the rows."""
    complete, trained = filled(Z), []
    for fold in range(folds.max() + 1):
        seen = rows[folds[rows] != fold]
        signs = targets.signs[seen].T
        sizes = (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
        known = np.flatnonzero(np.minimum(*sizes) >= MIN_SIDE_ROWS)
        contrasts = fit_contrasts(Z[seen], signs[known])
        columns_each = contrasts.columns(LINE, np.full(len(known), MAX_COLUMNS))
        for target, columns in zip(known.tolist(), columns_each, strict=True):
            own, others = seen[signs[target] > 0], seen[signs[target] < 0]
            side = Side(*targets.names_of(target), target, own, others)
            pair = paired(complete, side, own, others, columns, len(others) / len(own))
            block = np.concatenate([own, others]), columns
            neuron = fit_neurons(LINE_NEURON, Z, targets.signs[:, target], [block], [fold])[0]
            parts = pair, own, others, neuron, target, side.other_label, fold, kind
            trained.append(HiddenNeuron(*parts))
    return trained
