"""Scores of many settings of a `BicNeuronClassifier` on one split, with shared intermediate steps.

One search serves all cuts of the dendrograms, pairs that several cuts have in common are made and
trained once, and the neurons of the largest ratio serve every smaller one. The steps are the
functions that `fit` calls.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._scaled_matrix import ScaledMatrix, scaled
from bicneuron._shared._workers import resolve_data
from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._mining import anchor_classes, localised, mine_path, within_rows
from bicneuron.classifier._problems import binary_problems
from bicneuron.classifier._steps import pair_with_contrast, shares_of, train_pairs
from bicneuron.classifier._training_data import prepare, problem_rows
from bicneuron.patterns import Pattern
from bicneuron.patterns._pairing import ranking


def path_scores(
    base: BicNeuronClassifier,
    axes: dict[str, list[Any]],
    searched: dict[str, Any],
    scoring: Any,
    X: FloatArray,
    y: AnyArray,
    split: tuple[IndexArray, IndexArray],
) -> FloatArray:
    """Scores on the test rows, and shares of rows and columns of the pairs that were selected.

    The shape is (n_problems, n_cuts, n_neurons, n_anchors, n_ratios, 3). Where no pair survived,
    the score is -inf and the shares are NaN.
    """
    (X, y), (train, test) = resolve_data(X, y), split
    model = clone(base).set_params(**searched)
    seed = model.random_state
    data = prepare(X[train], y[train], model.max_rows, seed)
    model._set_data(data)
    problems = binary_problems(data.classes, model.multi_class)
    anchors = [
        [anchor_classes(anchor, problem, *data.by_size) for anchor in axes["anchors"]]
        for problem in problems
    ]
    view = model.scale, data.scaling
    labels = list(dict.fromkeys(chain(*chain(*anchors))))
    mined = mine_path(model.miner, view, data.X, data.y, labels, axes["cut_distances"], seed)
    Z = scaled(data.X, data.scaling)  # after mining, to limit peak memory
    if model.local:
        mined = {
            label: [localised(Z, data.y, found) for found in path] for label, path in mined.items()
        }
    X_test, y_test = X[test], y[test]
    scores = []
    for problem, choices in zip(problems, anchors, strict=True):
        rows, block, sides = problem_rows(problem, Z, data.y)
        path_of = {
            label: [within_rows(rows, found) for found in mined[label]]
            for label in set(chain(*choices))
        }
        tested = problem.rows(y_test)
        score = partial(_score, scoring, X=X_test[tested], y=problem.labels(y_test[tested]))
        binary = model._binary_copy(problem)
        shares = partial(shares_of, class_sizes=data.used_sizes, n_columns=data.X.shape[1])
        scores.append(
            _problem_scores(
                *(binary, axes, choices, block, sides, path_of, len(data.classes), score, shares)
            )
        )
    return np.array(scores)


def _problem_scores(
    binary: BicNeuronClassifier,
    axes: dict[str, list[Any]],
    anchors: list[list[Any]],
    Z: ScaledMatrix,
    y: AnyArray,
    path_of: dict[Any, list[list[Pattern]]],
    n_classes: int,
    score: Callable[[BicNeuronClassifier], float],
    shares: Callable[[Pattern | None], tuple[float, float]],
) -> FloatArray:
    """Scores and shares of one problem, of shape (n_cuts, n_neurons, n_anchors, n_ratios, 3)."""
    shape = [len(axes[name]) for name in ("cut_distances", "neurons", "anchors", "max_ratios")]
    values = np.full((*shape, 3), (-np.inf, np.nan, np.nan))
    pairs, places = _distinct_pairs(binary, Z, y, path_of, max(axes["max_ratios"]))
    for n, neuron in enumerate(axes["neurons"]):
        binary.neuron = neuron
        trained = train_pairs(
            binary._unfitted_neuron(n_classes),
            *(Z, y, pairs, binary.random_state),
            **binary._training,
        )
        for cut, (a, labels) in product(range(shape[0]), enumerate(anchors)):
            found = [k for label in labels for k in places[label][cut]]
            for t, max_ratio in enumerate(axes["max_ratios"]):
                ranked = ranking([pairs[k] for k in found], max_ratio, binary.max_pairs)
                kept = [found[k] for k in ranked]
                if kept:
                    binary._set_trained([pairs[k] for k in kept], trained.take(kept))
                    values[cut, n, a, t] = score(binary), *shares(binary.selected_pair_)
    return values


def _distinct_pairs(
    binary: BicNeuronClassifier,
    Z: ScaledMatrix,
    y: AnyArray,
    path_of: dict[Any, list[list[Pattern]]],
    max_ratio: float,
) -> tuple[list[Pattern], dict[Any, list[list[int]]]]:
    """Distinct pairs that some ratio keeps, and their positions for each class and cut."""
    kept: list[Pattern] = []
    places: dict[Any, list[list[int]]] = {}
    for label, path in path_of.items():
        numbers: dict[Pattern, int] = {}
        cuts = [[numbers.setdefault(found, len(numbers)) for found in cut] for cut in path]
        pairs = pair_with_contrast(Z, y, {label: list(numbers)}, **binary._pairing)
        place_of = {}
        for number, pair in enumerate(pairs):
            if pair.msr_ratio <= max_ratio:
                place_of[number] = len(kept)
                kept.append(pair)
        places[label] = [[place_of[k] for k in cut if k in place_of] for cut in cuts]
    return kept, places


def _score(scoring: Any, model: BicNeuronClassifier, X: FloatArray, y: AnyArray) -> float:
    if scoring != "label_auc":
        return float(get_scorer(scoring)(model, X, y))
    # With groups a test fold may lack a class, which metrics.label_auc refuses.
    right = model.predict(X) == y
    return float(np.mean([np.mean(right[y == label]) for label in np.unique(y)]))
