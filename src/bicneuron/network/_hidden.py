"""The hidden layer: one pair drawn per slot, and the neuron trained on it."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._scaling import filled
from bicneuron._shared._workers import one_blas_thread, resolve_data, share_data
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.network._draws import TRIES, Side, distinct, whole_pair
from bicneuron.network._patterns import centroid, radius
from bicneuron.network._targets import N_FOLDS, Targets
from bicneuron.neurons import fit_neurons
from bicneuron.patterns import Pattern, TrainedNeuron

# Neurons trained per task: independent of n_jobs.
NEURONS_PER_TASK = 50
# Rows of either side that a neuron is trained again on, at least.
MIN_SIDE_ROWS = 2


class Design(NamedTuple):
    """How pairs are drawn, as by `draw_coherent`, how many, and the neurons that are trained."""

    draw: Callable[..., Pattern | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    contrast_size: float


class HiddenNeuron(NamedTuple):
    """A pair and its neuron before the output layer, with the rows that it was trained on."""

    pair: Pattern
    anchor_rows: IndexArray
    contrast_rows: IndexArray
    neuron: Any
    target: int
    contrast_class: Any
    fold: int
    kind: int

    @property
    def block(self) -> tuple[IndexArray, IndexArray]:
        """Rows and columns that the neuron was trained on."""
        return np.concatenate([self.anchor_rows, self.contrast_rows]), self.pair.columns


def train_hidden_layer(
    Z: FloatArray,
    targets: Targets,
    folds: IndexArray,
    design: Design,
    seed: int,
    n_jobs: int | None,
) -> list[HiddenNeuron]:
    """Draw pairs and train a neuron on each; that of slot k depends on the seed and k alone."""
    sides = targets.sides()
    slots = range(design.n_neurons)
    data = share_data(Z, targets.signs, folds)
    tasks = Parallel(n_jobs=n_jobs)(
        delayed(_train_slots)(*data, sides, design, seed, slots[first : first + NEURONS_PER_TASK])
        for first in range(0, len(slots), NEURONS_PER_TASK)
    )
    found = [trained for task in tasks for trained in task]
    places = distinct([trained.pair if trained else None for trained in found])
    if places:
        return [found[place] for place in places]
    warnings.warn(
        f"no contrastive pair in {len(slots) * TRIES} draws; the network is one neuron on all "
        "columns.",
        NoContrastivePairWarning,
        stacklevel=5,
    )
    side, kind, complete = sides[0], design.neuron_kinds[0], filled(Z)
    pair = whole_pair(complete, side, np.random.default_rng(seed))
    seen = Z if takes_missing(kind) else complete
    neuron = fit_neurons(kind, seen, targets.signs[:, side.target], [pair.block], [seed])[0]
    return [_hidden_neuron(pair, side, neuron, -1, 0)]


def _train_slots(
    Z: FloatArray,
    signs: FloatArray,
    folds: IndexArray,
    sides: Sequence[Side],
    design: Design,
    seed: int,
    slots: Sequence[int],
) -> list[HiddenNeuron | None]:
    Z, signs, folds = resolve_data(Z, signs, folds)
    complete = filled(Z)
    seen = {
        fold: [side.without(np.flatnonzero(folds == fold)) for side in sides]
        for fold in {slot % N_FOLDS for slot in slots}
    }
    names = [repr(kind) for kind in design.neuron_kinds]
    first_like = [names.index(name) for name in names]  # equal kinds are tested as one
    drawn: dict[int, HiddenNeuron] = {}
    # One thread, because sums over threads may differ in their last bits.
    with one_blas_thread():
        for slot in slots:
            fold, turn = slot % N_FOLDS, slot // N_FOLDS
            found = _draw(complete, seen[fold], design, np.random.default_rng([seed, slot]))
            if found is not None:
                drawn[slot] = _hidden_neuron(*found, None, fold, first_like[turn % len(names)])
        neurons = _fit(Z, signs, design.neuron_kinds, drawn)
    return [drawn[slot]._replace(neuron=neurons[slot]) if slot in drawn else None for slot in slots]


def _hidden_neuron(pair: Pattern, side: Side, neuron: Any, fold: int, kind: int) -> HiddenNeuron:
    rows = pair.rows, pair.contrast_rows
    return HiddenNeuron(pair, *rows, neuron, side.target, side.other_label, fold, kind)


def _fit(
    Z: FloatArray, signs: FloatArray, neuron_kinds: Sequence[Any], units: Mapping[int, HiddenNeuron]
) -> dict[int, Any]:
    """Fit neurons, seeded by their keys; those of one kind and target are fitted in one batch."""
    alike: dict[tuple[int, int], list[int]] = {}
    for key, unit in units.items():
        alike.setdefault((unit.kind, unit.target), []).append(key)
    fitted: dict[int, Any] = {}
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for (kind, target), keys in alike.items():
            neuron = neuron_kinds[kind]
            table = Z if takes_missing(neuron) else filled(Z)
            blocks = [units[key].block for key in keys]
            neurons = fit_neurons(neuron, table, signs[:, target], blocks, keys)
            fitted.update(zip(keys, neurons, strict=True))
    return fitted


def _draw(
    Z: FloatArray, sides: Sequence[Side], design: Design, rng: np.random.Generator
) -> tuple[Pattern, Side] | None:
    """Draw a pair; return it with its side, or None where there is none."""
    for _ in range(TRIES):
        side = sides[int(rng.integers(len(sides)))]
        if len(side.rows) and len(side.others):
            pair = design.draw(Z, side, design.contrast_size, rng)
            if pair is not None:
                return pair, side
    return None


def retrain(
    Z: FloatArray,
    signs: FloatArray,
    neuron_kinds: Sequence[Any],
    trained: Sequence[HiddenNeuron],
    left_out: BoolArray,
) -> list[HiddenNeuron]:
    """Train neurons again on the rows of their pairs that are not left out, if enough remain."""
    changed = {}
    for k, unit in enumerate(trained):
        anchor, contrast = (
            rows[~left_out[rows, unit.target]] for rows in (unit.anchor_rows, unit.contrast_rows)
        )
        is_less = len(anchor) < len(unit.anchor_rows) or len(contrast) < len(unit.contrast_rows)
        if is_less and min(len(anchor), len(contrast)) >= MIN_SIDE_ROWS:
            changed[k] = unit._replace(anchor_rows=anchor, contrast_rows=contrast)
    neurons = _fit(Z, signs, neuron_kinds, changed)
    return [
        changed[k]._replace(neuron=neurons[k]) if k in changed else unit
        for k, unit in enumerate(trained)
    ]


def as_pattern(
    Z: FloatArray,
    trained: HiddenNeuron,
    positive: Any,
    typical_score: float,
    weight: FloatArray,
    share: float,
) -> Pattern:
    """The pattern of a neuron, with the region of its rows; its target is ``positive``."""
    pair = trained.pair
    anchor, contrast = (
        Z[np.ix_(rows, pair.columns)] for rows in (trained.anchor_rows, trained.contrast_rows)
    )
    centroids = np.array([centroid(anchor), centroid(contrast)])
    return replace(
        pair,
        contrast_class=trained.contrast_class,
        strength=float(share),
        weights=centroids[0] - centroids[1],
        neuron=TrainedNeuron(
            estimator=trained.neuron,
            centroids=centroids,
            sign=1 if pair.anchor_class == positive else -1,
            typical_score=float(typical_score),
            target=trained.target,
            weight=weight,
            radius=radius(np.vstack([anchor, contrast]), *centroids),
        ),
    )
