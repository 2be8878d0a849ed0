"""One hash per fit, to compare two revisions: models must stay bit for bit the same.

    python -m benchmarks.model_hashes > before.txt
    python -m benchmarks.model_hashes > after.txt
    diff before.txt after.txt

Names of parts (tables, miners, neurons, classifiers, networks, tests) choose some of them. A hash
covers what a model has learned and what it says about rows. Hashes depend on the floating-point
unit and on library versions: compare them on one machine, do not store them.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import SpectralBiclustering, SpectralCoclustering
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

import bicneuron.datasets
from benchmarks._matrices import SHAPES, matrix, planted
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterFeatures,
    BiclusterSelector,
    ChengChurchBiclustering,
    CoherentBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
    SubgroupBiclustering,
)
from bicneuron.classifier import BicNeuronClassifier
from bicneuron.classifier._search import PRESETS
from bicneuron.datasets import load_worked_example, make_subgroups
from bicneuron.explanation import PatternContribution
from bicneuron.network import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern
from bicneuron.significance import column_evidence, significance_test, with_evidence
from bicneuron.significance._find_groups import judged_groups

MAX_ROWS, MAX_COLUMNS = 300, 500
CUT_DISTANCES = (0.5, 1.0, 1.5)
EXPLAINED_ROWS = 5
KINDS = ("shift", "tight", "coexpressed")

Result = tuple[str, list[Any]]
Table = tuple[str, Any, np.ndarray]


def digest(*values: Any) -> str:
    """Hash of arrays, numbers, text and collections of them, in this order."""
    content = blake2b(digest_size=8)
    for array in map(np.ascontiguousarray, flat(values)):
        if array.dtype == object:
            array = array.astype(str)
        content.update(f"{array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return content.hexdigest()


def flat(value: Any) -> Iterator[Any]:
    """Arrays, numbers and text in a value; of objects the values of the fields, not their names."""
    if isinstance(value, Mapping):
        yield from flat([*value.items()])
    elif isinstance(value, Pattern):
        yield from flat(content(value))
    elif isinstance(value, PatternContribution):
        yield from flat([getattr(value, field.name) for field in fields(value)[1:]])
    elif is_dataclass(value):
        yield from flat([getattr(value, field.name) for field in fields(value)])
    elif hasattr(value, "toarray"):
        yield value.toarray()
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield len(value)
        for one in value:
            yield from flat(one)
    else:
        yield "None" if value is None else value


def content(pattern: Pattern) -> list[Any]:
    """Values of a pattern that a search decides: of a pair, a group or a bicluster."""
    rows, columns, msr = pattern.rows, pattern.columns, pattern.msr
    if len(pattern.contrast_rows):
        numbers = pattern.msr_ratio, pattern.criterion
        return [pattern.anchor_class, rows, pattern.contrast_rows, columns, *numbers]
    if pattern.axis is None:
        return [rows, columns, msr]
    about = pattern.anchor_class, pattern.kind, pattern.directions, pattern.strength
    evidence = [] if pattern.evidence is None else [pattern.evidence]
    return [rows, columns, msr, *about, pattern.parent, pattern.weights, pattern.axis, *evidence]


def paper_tables() -> Iterator[Table]:
    """Eight tables of the paper (or generated ones of their shapes), planted ones, four classes."""
    for name in SHAPES:
        X, y, label = matrix(name)
        rows = np.random.default_rng(0).permutation(len(X))[:MAX_ROWS]
        yield label, np.ascontiguousarray(X[rows, :MAX_COLUMNS]), y[rows]
    for shape in ((80, 40), (60, 300)):
        yield f"planted {shape}", *planted(*shape)
    X, y = planted(90, 30)
    yield "three classes", X, np.where(X[:, 5] > 0.5, 2, y)


def other_tables() -> Iterator[Table]:
    """Small tables of all kinds: complete, with missing cells, sparse, with text as labels."""
    X, y = planted(80, 30)
    yield "complete", X, y
    missing = X.copy()
    missing[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    yield "missing cells", missing, y
    yield "sparse", csr_array(np.where(X > 0.5, X, 0.0)), y
    yield "three classes", X, np.array(["a", "b", "c"])[np.where(X[:, 5] > 0.5, 2, y > 0)]
    for kind in ("shift", "two_shifts"):
        table = make_subgroups(kind, shift=3.0, n_columns=120, random_state=0)
        yield f"group {kind}", table.X, table.y


def several_labels(X: np.ndarray) -> np.ndarray:
    """Three labels per row, as zeros and ones."""
    return np.stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0.5, X[:, 3] > -0.5], axis=1).astype(int)


def generated_tables() -> Iterator[Result]:
    yield "worked example", [load_worked_example(return_X_y=True)]
    for name in sorted(bicneuron.datasets.__all__):
        if name.startswith("make_"):
            yield name, [getattr(bicneuron.datasets, name)(random_state=0)]


def miners() -> Iterator[tuple[str, Any]]:
    yield "coherent, grow", CoherentBiclustering(max_seeds=100)
    yield "coherent, prune", CoherentBiclustering(search="prune", max_seeds=100)
    yield (
        "coherent, added rows",
        CoherentBiclustering(add_rows=True, merge=False, max_residue=0.1, max_seeds=60),
    )
    yield "contrast", ContrastBiclustering(max_seeds=50)
    yield "contrast, one column", ContrastBiclustering(max_columns=1, contrast_size=1.0)
    yield "difference", DifferenceBiclustering(max_residue=0.1)
    yield "Cheng and Church", ChengChurchBiclustering(max_residue=0.3, n_biclusters=4)
    yield "Cheng and Church, mirror", ChengChurchBiclustering(n_biclusters=3, mirror=True)
    yield "Di-RAPOCC", DiRAPOCCBiclustering(max_residue=1.0, min_difference=0.0)
    yield "SDC", SDCBiclustering(max_columns=5)
    yield "information", InformationCoclustering(n_init=3)
    yield "adapted", AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0))
    spectral = SpectralBiclustering(n_clusters=(3, 2), method="log", random_state=0)
    yield "adapted, checkerboard", AdaptedBiclustering(estimator=spectral)
    yield "groups", SubgroupBiclustering()
    yield "groups, all kinds", SubgroupBiclustering(kinds=KINDS, n_patterns=8)
    yield "groups, one kind", SubgroupBiclustering(kinds="shift", standardize=False)


def mined(miner: Any, X: Any, y: Any) -> list[Any]:
    """Values of a fitted miner: its biclusters, and the memberships of rows."""
    miner = seeded(miner).fit(X, y)
    values = [miner.patterns_, miner.n_seeds_, miner.biclusters_]
    if hasattr(miner, "transform") and not (isinstance(X, csr_array) and not miner.standardize):
        values.append(miner.transform(X))
    return values


def results_of_miners() -> Iterator[Result]:
    """Biclusters with and without labels, and the features and columns chosen by them."""
    for table, X, y in other_tables():
        for name, miner in miners():
            if miner.uses_labels:
                yield f"{table}: {name}", attempt(mined, miner, X, y)
            if not get_tags(miner).target_tags.required:
                yield f"{table}: {name}, no labels", attempt(mined, miner, X, None)
    X, y = planted(80, 30)
    for name, miner in [("contrast", ContrastBiclustering()), ("default", None)]:
        for output in ("match", "share", "residue"):
            for labels, target in [("one label", y), ("several labels", several_labels(X))]:
                features = BiclusterFeatures(miner=miner, output=output).fit(X, target)
                yield (
                    f"features {output}: {name}, {labels}",
                    [features.transform(X), features.patterns_, features.profiles_],
                )
        selector = BiclusterSelector(miner=miner).fit(X, y)
        yield f"selector: {name}", [selector.scores_, selector.get_support()]


def neurons() -> Iterator[tuple[str, Any]]:
    yield "Gaussian", GaussianNeuron()
    yield "kernel, rbf", KernelNeuron()
    yield "kernel, linear", KernelNeuron("linear", alpha=0.5)
    yield "kernel perceptron", KernelPerceptron(bandwidth=1.0)
    yield "kernel perceptron, average", KernelPerceptron(kernel="linear", average=True)
    yield "perceptron", OnlinePerceptron()
    yield "perceptron, average", OnlinePerceptron(average=True, class_weight="balanced")


def trained(neuron: Any, X: Any, y: Any) -> list[Any]:
    """Scores and labels of a fitted neuron."""
    neuron = seeded(neuron).fit(X, y)
    values = [neuron.decision_function(X), neuron.predict(X)]
    if hasattr(neuron, "column_scores"):
        values.append(neuron.column_scores(X))
    return values


def results_of_neurons() -> Iterator[Result]:
    for table, X, y in other_tables():
        for name, neuron in neurons():
            yield f"{table}: {name}", attempt(trained, neuron, X[:, :6], y)


def paper_classifiers() -> Iterator[tuple[str, Any]]:
    """Models that are fitted to the tables of the paper."""
    for cut_distance in CUT_DISTANCES:
        for search in ("grow", "prune"):
            miner = CoherentBiclustering(cut_distance=cut_distance, search=search, max_seeds=300)
            yield f"{search} cut {cut_distance}", BicNeuronClassifier(search=None, miner=miner)
    added = CoherentBiclustering(add_rows=True, max_residue=0.1, max_seeds=200)
    both = {"anchor": "both", "neuron": KernelPerceptron(), "recalibrate": True, "max_ratio": 10.0}
    yield "added rows, both classes", BicNeuronClassifier(None, miner=added, **both)
    for scale in ("anchor", "minmax"):
        miner = CoherentBiclustering(cut_distance=0.3, max_residue=0.01, max_seeds=300)
        yield f"scale {scale}", BicNeuronClassifier(None, miner=miner, scale=scale, max_ratio=10.0)
    yield "contrast", BicNeuronClassifier(search=None, miner=ContrastBiclustering(), max_ratio=10.0)
    grid = {"miner__cut_distance": (0.5, 1.0), "max_ratio": (0.5, 10.0)}
    yield "path", BicNeuronClassifier(grid, miner=CoherentBiclustering(max_seeds=100), cv=2)


def other_classifiers() -> Iterator[tuple[str, Any]]:
    """Every option of the classifiers, one at a time."""
    few = CoherentBiclustering(max_seeds=100)
    pairs = BicNeuronClassifier(search=None, miner=few, max_ratio=10.0)
    options: dict[str, dict[str, Any]] = {
        "one against one": {"multi_class": "ovo"},
        "class weights": {"class_weight": "balanced", "neuron": OnlinePerceptron()},
        "few rows": {"max_rows": 30},
        "Gaussian neurons": {"neuron": GaussianNeuron(), "selection": "roc_auc"},
        "kernel neurons": {"neuron": KernelNeuron(), "recalibrate": True},
        "logistic regression": {"neuron": LogisticRegression(), "class_weight": "balanced"},
        "groups": {"miner": SubgroupBiclustering(), "max_ratio": float("inf")},
        "no pair": {"max_ratio": 0.0},
    }
    for name, settings in options.items():
        yield name, clone(pairs).set_params(**settings)
    best = PRESETS["best"].grid
    grid = {**best, "miner__cut_distance": (0.5, 1.0), "max_ratio": (0.9, 10.0)}
    yield "search", clone(pairs).set_params(search=grid, cv=2)
    weighted = {"multi_class": "ovo", "class_weight": "balanced"}
    yield "local search", BicNeuronClassifier("local", cv=2, **weighted)


def networks() -> Iterator[tuple[str, Any]]:
    yield "accurate", BicNeuronNetwork(n_neurons=60)
    yield "bells", BicNeuronNetwork(n_neurons=10, neuron_kinds=[GaussianNeuron()])
    yield "readable", PatternClassifier()


def other_networks() -> Iterator[tuple[str, Any]]:
    yield "accurate", BicNeuronNetwork(n_neurons=40)
    yield "bells", BicNeuronNetwork(n_neurons=8, neuron_kinds=[GaussianNeuron()])
    yield "readable", PatternClassifier()
    yield "class weights", BicNeuronNetwork(n_neurons=20, class_weight="balanced")
    yield (
        "four kinds of neurons",
        BicNeuronNetwork(
            n_neurons=40,
            neuron_kinds=[
                GaussianNeuron(),
                KernelNeuron("linear"),
                OnlinePerceptron(random_state=0),
                LogisticRegression(),
            ],
            contrast_size=1.0,
            max_output_rows=60,
        ),
    )


def decided(model: Any, X: Any, y: Any) -> list[Any]:
    """Values of a fitted classifier or network: its pairs, scores, chances and explanations."""
    seeded(model, copy=False).fit(X, y)
    values = [model.predict(X), model.decision_function(X)]
    if hasattr(model, "predict_proba"):
        values.append(model.predict_proba(X))
    if not isinstance(X, csr_array) and np.ndim(y) == 1:
        values.append([*model.explain(X[:EXPLAINED_ROWS])])
    for part in getattr(model, "estimators_", [model]):
        if hasattr(part, "cv_results_"):
            values.append(part.cv_results_["mean_test_score"])
        values += of_pairs(part) if hasattr(part, "threshold_") else of_network(part, X)
    return values


def of_pairs(model: Any) -> list[Any]:
    return [model.scores_, model.threshold_, model.centroids_, model.pairs_]


def of_network(model: Any, X: Any) -> list[Any]:
    patterns = [
        (
            pattern,
            pattern.neuron.target,
            pattern.contrast_class,
            pattern.neuron.typical_score,
            pattern.neuron.weight,
            pattern.strength,
            *pattern.neuron.centroids,
            pattern.neuron.radius,
        )
        for pattern in model.patterns_
    ]
    learned = [model.intercept_, model.penalty_, model.slope_, model.test_scores_]
    return [patterns, learned, model.label_doubt_, model.output_rows_, model.coverage(X)]


def results_of_classifiers() -> Iterator[Result]:
    for table, X, y in paper_tables():
        for name, model in paper_classifiers():
            yield f"{table}: {name}", decided(model, X, y)
            if "grow" in name:
                yield f"{table}: {name}, miner alone", mined(model.miner, X, y)
    for table, X, y in other_tables():
        for name, model in other_classifiers():
            yield f"{table}: {name}", attempt(decided, model, X, y)


def results_of_networks() -> Iterator[Result]:
    for table, X, y in paper_tables():
        for name, model in networks():
            yield f"{table}: {name}", decided(model, X, y)
    for table, X, y in other_tables():
        for name, model in other_networks():
            yield f"{table}: {name}", attempt(decided, model, X, y)
    X = planted(80, 30)[0]
    for name, model in other_networks():
        if model.class_weight is None:
            yield f"several labels: {name}", attempt(decided, model, X, several_labels(X))


def results_of_tests() -> Iterator[Result]:
    """P-values of each method, of groups and of their columns."""
    X, y, _ = make_subgroups("shift", shift=2.5, n_columns=60, random_state=0)
    strata, groups = np.arange(len(y)) % 2, np.argsort(np.argsort(y, kind="stable")) // 2
    miner = SubgroupBiclustering(n_patterns=6)
    tested: list[tuple[str, dict[str, Any]]] = [
        ("blind", {}),
        ("blind, strata", {"strata": strata}),
        ("blind, units", {"groups": groups}),
    ]
    for name, settings in tested:
        result = significance_test(miner, X, y, n_permutations=99, random_state=0, **settings)
        yield name, p_values(result)
    fitted = clone(miner).fit(X)
    result = significance_test(fitted, X, y, n_permutations=99, random_state=0)
    yield "evidence", [with_evidence(fitted, result).patterns_]
    for title, labels in (("separate", y), ("separate, no labels", None)):
        findings = judged_groups(fitted, X, labels, random_state=0)
        yield title, [findings.miner.patterns_]
    for title, settings in (("columns", {}), ("columns, units", {"groups": groups})):
        tested_columns = column_evidence(fitted, X, random_state=0, **settings)
        yield title, [[(one.effect, one.p_values, one.n_found) for one in tested_columns]]


def p_values(result: Any) -> list[Any]:
    """Values of a test, by position: how many patterns, and all that follows them."""
    patterns, *values = result
    return [len(patterns), *values]


def seeded(model: Any, *, copy: bool = True) -> Any:
    """A model, or a copy of it, with a random seed if it takes one."""
    model = clone(model) if copy else model
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def attempt(function: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
    """Values of a call, or the class of the error with which it refuses its input."""
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        return [f"refused with a {type(error).__name__}"]


PARTS: dict[str, Callable[[], Iterator[Result]]] = {
    "tables": generated_tables,
    "miners": results_of_miners,
    "neurons": results_of_neurons,
    "classifiers": results_of_classifiers,
    "networks": results_of_networks,
    "tests": results_of_tests,
}


def main() -> None:
    """Print a line per fit."""
    parts = sys.argv[1:] or [*PARTS]
    if unknown := [part for part in parts if part not in PARTS]:
        sys.exit(f"unknown part {unknown[0]!r}; choose from {', '.join(PARTS)}")
    warnings.simplefilter("ignore")  # tables without a pair fall back
    for part in parts:
        for name, values in PARTS[part]():
            refused = f" ({values[0]})" if isinstance(values[0], str) else ""
            print(f"{digest(*values)}  {part}, {name}{refused}", flush=True)


if __name__ == "__main__":
    main()
