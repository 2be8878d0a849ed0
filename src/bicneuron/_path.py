"""Scores of many settings of a `BicNeuronClassifier` on one split, sharing all that they can."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer

from bicneuron._classifier import BicNeuronClassifier
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._scaling import minmax_scaling
from bicneuron._core._sparse import scaled, scaling_of
from bicneuron._mining import among, anchor_classes, mined_matrix, rename_rows
from bicneuron._multiclass import binary_problems
from bicneuron._neurons import Candidate
from bicneuron._workers import received
from bicneuron.biclustering import Bicluster
from bicneuron.contrast import ContrastivePair


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
    model._scaling = scaling_of(minmax_scaling, X_train)
    problems = binary_problems(model.classes_, model.multi_class)
    anchors = [
        [
            anchor_classes(anchor, problem, model.classes_, model._class_sizes)
            for anchor in axes["anchors"]
        ]
        for problem in problems
    ]
    mined = {
        label: _mined_path(model, X_train, y_train, label, axes["cut_distances"])
        for label in dict.fromkeys(chain(*chain(*anchors)))
    }
    Z = scaled(X_train, model._scaling)  # not before: mining needs the room
    X_test, y_test = X[test], y[test]
    scores = []
    for problem, choices in zip(problems, anchors, strict=True):
        rows, asked = problem.rows(y_train), problem.rows(y_test)
        path_of = {
            label: [among(rows, found) for found in mined[label]] for label in set(chain(*choices))
        }
        score = partial(_score, scoring, X=X_test[asked], y=problem.labels(y_test[asked]))
        part, sides = model._part(problem), problem.labels(y_train[rows])
        scores.append(
            _problem_scores(
                part, axes, choices, Z if len(rows) == len(Z) else Z[rows], sides, path_of, score
            )
        )
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
    # What is found at several cuts is paired and trained once.
    numbered = {label: _numbered(path) for label, path in path_of.items()}
    pairs = {
        label: part._pair_with_contrast(Z, y, {label: found})
        for label, (found, _) in numbered.items()
    }
    for n, neuron in enumerate(axes["neurons"]):
        part.neuron = neuron
        trained = {
            label: _trained(part, Z, y, some, max(axes["max_ratios"]))
            for label, some in pairs.items()
        }
        for cut, (a, labels) in product(range(shape[0]), enumerate(anchors)):
            candidates = [
                trained[label][number]
                for label in labels
                for number in numbered[label][1][cut]
                if number in trained[label]
            ]
            candidates.sort(key=lambda candidate: candidate.pair.criterion)
            for t, max_ratio in enumerate(axes["max_ratios"]):
                kept = [c for c in candidates if c.pair.msr_ratio <= max_ratio]
                if kept:
                    part._select(kept[: part.max_pairs])
                    scores[cut, n, a, t] = score(part)
    return scores


def _numbered(path: list[list[Bicluster]]) -> tuple[list[Bicluster], list[list[int]]]:
    """Distinct biclusters of a path, and which of them are found at each cut."""
    numbers: dict[Bicluster, int] = {}
    cuts = [[numbers.setdefault(found, len(numbers)) for found in cut] for cut in path]
    return list(numbers), cuts


def _trained(
    part: BicNeuronClassifier,
    Z: FloatArray,
    y: AnyArray,
    pairs: list[ContrastivePair],
    max_ratio: float,
) -> dict[int, Candidate]:
    """The pairs that some ratio keeps, by their numbers, with their neurons."""
    kept = [k for k, pair in enumerate(pairs) if pair.msr_ratio <= max_ratio]
    trained = part._train_neurons(Z, y, [pairs[k] for k in kept], part.random_state)
    return dict(zip(kept, trained, strict=True))


def _mined_path(
    model: BicNeuronClassifier,
    X: FloatArray,
    y: AnyArray,
    label: Any,
    cut_distances: Sequence[float],
) -> list[list[Bicluster]]:
    """Biclusters of one class at each cut, with rows of the training set."""
    rows = np.flatnonzero(y == label)
    path = (
        clone(model.miner)
        .set_params(random_state=model.random_state)
        .mine_path(mined_matrix((model.scale, model._scaling), X, rows), cut_distances)
    )
    return [rename_rows(found, rows.take) for found, _ in path]


def _score(scoring: Any, model: BicNeuronClassifier, X: FloatArray, y: AnyArray) -> float:
    if scoring != "label_auc":
        return float(get_scorer(scoring)(model, X, y))
    # With groups a test part may lack a class, which metrics.label_auc refuses.
    right = model.predict(X) == y
    return float(np.mean([np.mean(right[y == label]) for label in np.unique(y)]))
