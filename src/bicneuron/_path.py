"""Scores of many settings of a `BicNeuronClassifier` on one split, sharing all that they can."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer

from bicneuron._classifier import BicNeuronClassifier, among
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._multiclass import binary_problems
from bicneuron._workers import received
from bicneuron.biclustering import Bicluster
from bicneuron.contrast import rank_pairs


def path_scores(
    base: BicNeuronClassifier,
    axes: dict[str, list[Any]],
    search: str,
    max_residue: float,
    scoring: Any,
    X: FloatArray,
    y: AnyArray,
    split: tuple[IndexArray, IndexArray],
) -> FloatArray:
    """Scores on the test rows, of shape (n_problems, n_cuts, n_neurons, n_anchors, n_ratios)."""
    (X, y), (train, test) = received(X, y), split
    model = clone(base).set_params(miner__search=search, miner__max_residue=max_residue)
    X_train, y_train = model._check_training_data(X[train], y[train])
    X_train, y_train = model._thin_out(X_train, y_train, model.random_state)
    Z = model._normalise(X_train)
    problems = binary_problems(model.classes_, model.multi_class)
    anchors = [
        [model.set_params(anchor=anchor)._anchor_classes(problem) for anchor in axes["anchors"]]
        for problem in problems
    ]
    mined = {
        label: _mined_path(model, X_train, Z, y_train, label, axes["cut_distances"])
        for label in dict.fromkeys(chain(*chain(*anchors)))
    }
    X_test, y_test = X[test], y[test]
    scores = []
    for problem, choices in zip(problems, anchors, strict=True):
        rows, asked = problem.rows(y_train), problem.rows(y_test)
        path_of = {
            label: [among(rows, found) for found in mined[label]] for label in set(chain(*choices))
        }
        score = partial(_score, scoring, X=X_test[asked], y=problem.labels(y_test[asked]))
        part, sides = model._part(problem), problem.labels(y_train[rows])
        scores.append(_problem_scores(part, axes, choices, Z[rows], sides, path_of, score))
    return np.array(scores)


def _problem_scores(
    part: BicNeuronClassifier,
    axes: dict[str, list[Any]],
    anchors: list[list[Any]],
    Z: FloatArray,
    y: AnyArray,
    path_of: dict[Any, list[list[Bicluster]]],
    score: Callable[[BicNeuronClassifier], float],
) -> FloatArray:
    """Scores of one problem, of shape (n_cuts, n_neurons, n_anchors, n_ratios)."""
    shape = [len(axes[name]) for name in ("cut_distances", "neurons", "anchors", "max_ratios")]
    scores = np.full(shape, -np.inf)
    for cut in range(shape[0]):
        pairs = {
            label: rank_pairs(
                part._pair_with_contrast(Z, y, {label: path[cut]}), max(axes["max_ratios"])
            )
            for label, path in path_of.items()
        }
        for n, neuron in enumerate(axes["neurons"]):
            part.neuron = neuron
            trained = {
                label: part._train_neurons(Z, y, some, part.random_state)
                for label, some in pairs.items()
            }
            for a, labels in enumerate(anchors):
                candidates = [candidate for label in labels for candidate in trained[label]]
                candidates.sort(key=lambda candidate: candidate.pair.criterion)
                for t, max_ratio in enumerate(axes["max_ratios"]):
                    kept = [c for c in candidates if c.pair.msr_ratio <= max_ratio]
                    if kept:
                        part._select(kept[: part.max_pairs])
                        scores[cut, n, a, t] = score(part)
    return scores


def _mined_path(
    model: BicNeuronClassifier,
    X: FloatArray,
    Z: FloatArray,
    y: AnyArray,
    label: Any,
    cut_distances: Sequence[float],
) -> list[list[Bicluster]]:
    """Biclusters of one class at each cut, with rows of the training set."""
    rows = np.flatnonzero(y == label)
    path = (
        clone(model.miner)
        .set_params(random_state=model.random_state)
        .mine_path(model._mined_matrix(X, Z, rows), cut_distances)
    )
    return [[Bicluster(rows[b.rows], b.columns, b.msr) for b in found] for found, _ in path]


def _score(scoring: Any, model: BicNeuronClassifier, X: FloatArray, y: AnyArray) -> float:
    if scoring != "label_auc":
        return float(get_scorer(scoring)(model, X, y))
    # With groups a test part may lack a class, which metrics.label_auc refuses.
    right = model.predict(X) == y
    return float(np.mean([np.mean(right[y == label]) for label in np.unique(y)]))
