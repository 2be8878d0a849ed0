"""The search of `BicNeuronClassifier`: presets, folds and scores of all settings on one of them.

One search serves all cuts of the dendrograms, pairs that several cuts have in common are made and
trained once, and the neurons of the largest ratio serve every smaller one. The steps are the
functions that `fit` calls.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, product
from math import inf
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._checks import check_classes
from bicneuron._shared._workers import resolve_data
from bicneuron.biclustering import CoherentBiclustering, ContrastBiclustering
from bicneuron.classifier import _problems
from bicneuron.classifier._steps import pair_with_contrast, shares_of, train_pairs
from bicneuron.exceptions import FewerFoldsWarning
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern, ranking

CUT, RATIO = "miner__cut_distance", "max_ratio"
# Parameters that can be searched, in the order of ``cv_results_``.
AXES = ("miner__search", "miner__max_residue", CUT, "neuron", "anchor", RATIO)


class Preset(NamedTuple):
    """Parameters, and values of those that are searched."""

    fixed: dict[str, Any]
    grid: dict[str, tuple[Any, ...]]


# Without a search, or of what a search by a mapping leaves out.
USUAL = {
    "miner": CoherentBiclustering(),
    "neuron": OnlinePerceptron(),
    "anchor": "minority",
    "max_ratio": 0.9,
    "recalibrate": False,
}
PRESETS = {
    "best": Preset(
        {
            "miner": CoherentBiclustering(max_columns=128, max_seeds=50),
            "max_rows": 256,
            "recalibrate": True,
        },
        {
            "miner__search": ("grow",),
            "miner__max_residue": (0.1, 0.3, 1.0),
            CUT: (0.5, 1.0, 2.0),
            "neuron": (
                OnlinePerceptron(average=True),
                KernelPerceptron(bandwidth=0.5, average=True),
            ),
            "anchor": ("both",),
            RATIO: (0.9, inf),
        },
    ),
    "paper": Preset(
        {},
        {
            "miner__search": ("grow",),
            "miner__max_residue": (0.02,),
            CUT: (0.5, 0.8, 1.0, 1.5),
            "neuron": (OnlinePerceptron(),),
            "anchor": ("minority",),
            RATIO: (0.1, 0.3, 0.5, 0.7, 0.9),
        },
    ),
    # Groups of a class that differ from their contrast are better local pairs than coherent ones.
    "local": Preset(
        {
            "miner": ContrastBiclustering(max_columns=_problems.MAX_COLUMNS, max_seeds=30),
            "max_rows": 256,
            "recalibrate": True,
        },
        {
            CUT: (1.0, 2.0),
            "neuron": (OnlinePerceptron(average=True), KernelNeuron()),
            "anchor": ("both",),
            RATIO: (inf,),
        },
    ),
}


def grid_axes(search: Any, given: Mapping[str, Any], base: Any) -> dict[str, list[Any]]:
    """Values of each parameter that can be searched; a given one is not, in a preset."""
    known = base.get_params()
    if isinstance(search, str):
        grid = {**PRESETS[search].grid, **{name: (given[name],) for name in AXES if name in given}}
    else:
        grid = dict(search)
        for name in grid:
            if name not in AXES:
                raise ValueError(f"search has {name!r}; it may have {', '.join(AXES)}.")
            if name not in known:
                raise ValueError(
                    f"search has {name!r}, but {type(base.miner).__name__} has no such parameter."
                )
    axes = {name: list(grid.get(name, (known[name],))) for name in AXES if name in known}
    for name, values in axes.items():
        if not values:
            raise ValueError(f"search has no value of {name!r}; give at least one.")
    return axes


def grid_results(axes: Mapping[str, list[Any]], values: FloatArray) -> dict[str, Any]:
    """Results as in `GridSearchCV`, from scores and shares of shape (n_splits, n_points, 3)."""
    scores, row_shares, column_shares = np.moveaxis(values, -1, 0)
    params = [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
    mean = scores.mean(axis=0)
    finite = np.isfinite(mean)
    spread = np.full(len(mean), np.nan)
    spread[finite] = scores[:, finite].std(axis=0)
    results: dict[str, Any] = {"params": params}
    for name in axes:
        column = np.empty(len(params), dtype=object)
        column[:] = [point[name] for point in params]
        results[f"param_{name}"] = column
    for split, line in enumerate(scores):
        results[f"split{split}_test_score"] = line
    results["mean_test_score"] = mean
    results["std_test_score"] = spread
    results["rank_test_score"] = 1 + np.array([np.sum(mean > score) for score in mean])
    results["mean_row_share"] = row_shares.mean(axis=0)
    results["mean_column_share"] = column_shares.mean(axis=0)
    return results


def inner_splits(
    cv: Any,
    X: FloatArray,
    y: AnyArray,
    groups: Any,
    problems: Sequence[_problems.BinaryProblem],
    seed: int,
) -> list[tuple[IndexArray, IndexArray]]:
    """Training and test rows of each inner fold; refuse folds that lack a class."""
    classes, _ = check_classes(y)
    if isinstance(cv, Integral):
        n_splits = int(cv)
        units = np.arange(len(y)) if groups is None else np.asarray(groups)
        sizes = [len(np.unique(units[y == label])) for label in classes]
        smallest, label = min(sizes), classes.tolist()[int(np.argmin(sizes))]
        unit = "rows" if groups is None else "groups"
        if smallest < 2:
            raise ValueError(
                f"cv={n_splits} is not possible: class {label!r} has {smallest} {unit}, and "
                "an inner cross-validation needs two; use search=None."
            )
        if smallest < n_splits:
            warnings.warn(
                f"cv={n_splits} becomes {smallest}, the {unit} of class {label!r}.",
                FewerFoldsWarning,
                stacklevel=5,
            )
            n_splits = smallest
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        cv = kind(n_splits, shuffle=True, random_state=seed)
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    for k, (train, test) in enumerate(splits):
        missing = np.setdiff1d(classes, y[train]).tolist()
        if missing:
            raise ValueError(
                f"inner split {k} has no training row of class {missing[0]!r}; use fewer folds "
                "or another cv."
            )
        for problem in problems:
            if not len(problem.rows(y[test])):
                raise ValueError(
                    f"inner split {k} has no test row of {problem}; use fewer folds, another "
                    'cv or multi_class="ovr".'
                )
    return splits


def path_scores(
    base: Any,
    axes: dict[str, list[Any]],
    searched: dict[str, Any],
    X: FloatArray,
    y: AnyArray,
    split: tuple[IndexArray, IndexArray],
) -> FloatArray:
    """Scores on the test rows, and shares of the selected pairs: -inf and NaN without a pair."""
    (X, y), (train, test) = resolve_data(X, y), split
    model = base._at(searched)
    seed = model.random_state
    data = _problems.prepare(X, y, model.max_rows, seed, train)
    model._set_data(data)
    problems = _problems.binary_problems(data.classes, model.multi_class)
    anchors = [
        [_problems.anchor_classes(anchor, problem, *data.by_size) for anchor in axes["anchor"]]
        for problem in problems
    ]
    labels = list(dict.fromkeys(chain(*chain(*anchors))))
    mined = _problems.mine_path(model.miner, model.scale, data, labels, axes[CUT], seed)
    Z = data.scaling.apply(data.X)  # after mining, to limit peak memory
    if model._local:
        mined = {
            label: [_problems.localised(Z, data.y, found) for found in path]
            for label, path in mined.items()
        }
    scores = []
    for problem, choices in zip(problems, anchors, strict=True):
        rows, block, sides = _problems.problem_rows(problem, Z, data.y)
        path_of = {
            label: [_problems.within_rows(rows, found) for found in mined[label]]
            for label in set(chain(*choices))
        }
        tested = test[problem.rows(y[test])]
        unseen = {"X": X[tested], "y": problem.labels(y[tested])}
        binary = model._binary_copy(problem)
        measure = partial(_measure, sizes=data.used_sizes, **unseen)
        known = block, sides, path_of, len(data.classes), measure
        scores.append(_problem_scores(binary, axes, choices, *known))
    return np.array(scores)


def _problem_scores(
    binary: Any,
    axes: dict[str, list[Any]],
    anchors: list[list[Any]],
    Z: FloatArray,
    y: AnyArray,
    path_of: dict[Any, list[list[Pattern]]],
    n_classes: int,
    measure: Callable[[Any], tuple[float, ...]],
) -> FloatArray:
    """Scores and shares of one problem, of shape (n_cuts, n_neurons, n_anchors, n_ratios, 3)."""
    shape = [len(axes[name]) for name in (CUT, "neuron", "anchor", RATIO)]
    values = np.full((*shape, 3), (-np.inf, np.nan, np.nan))
    # Distinct pairs that some ratio keeps, and their positions for each class and cut.
    pairs: list[Pattern] = []
    places: dict[Any, list[list[int]]] = {}
    for label, path in path_of.items():
        numbers: dict[Pattern, int] = {}
        cuts = [[numbers.setdefault(found, len(numbers)) for found in at_cut] for at_cut in path]
        possible = pair_with_contrast(Z, y, {label: list(numbers)}, binary)
        some = [k for k, pair in enumerate(possible) if pair.msr_ratio <= max(axes[RATIO])]
        place_of = {number: place for place, number in enumerate(some, len(pairs))}
        pairs += [possible[number] for number in some]
        places[label] = [[place_of[k] for k in at_cut if k in place_of] for at_cut in cuts]
    for n, neuron in enumerate(axes["neuron"]):
        binary.neuron = neuron
        unfitted = binary._unfitted_neuron(n_classes)
        trained = train_pairs(unfitted, Z, y, pairs, binary.random_state, binary)
        for cut, (a, labels) in product(range(shape[0]), enumerate(anchors)):
            found = [k for label in labels for k in places[label][cut]]
            for t, max_ratio in enumerate(axes[RATIO]):
                ranked = ranking([pairs[k] for k in found], max_ratio)
                kept = [found[k] for k in ranked]
                if kept:
                    binary._set_trained([pairs[k] for k in kept], trained.take(kept))
                    values[cut, n, a, t] = measure(binary)
    return values


def _measure(model: Any, X: FloatArray, y: AnyArray, sizes: Mapping[Any, int]) -> tuple[float, ...]:
    """Balanced accuracy on unseen rows, and shares of the selected pair."""
    right = model.predict(X) == y  # with groups a test fold may lack a class
    score = float(np.mean([np.mean(right[y == label]) for label in np.unique(y)]))
    return score, *shares_of(model.selected_pair_, sizes, X.shape[1])
