"""Do models stay bit for bit the same? One hash per fit, to be compared between two revisions.

    python -m benchmarks.model_hashes > before.txt
    (change the code)
    python -m benchmarks.model_hashes > after.txt
    diff before.txt after.txt

A hash covers biclusters, ranked pairs, training scores and decisions, or patterns, probabilities
and decisions of a network. It depends on the machine's floating-point unit and on library versions,
so hashes are compared on one machine and never stored.
"""

import warnings
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from benchmarks._matrices import SHAPES, matrix, planted
from bicneuron import (
    BicNeuronClassifier,
    BicNeuronClassifierCV,
    BicNeuronNetwork,
    CoherentBiclustering,
    ContrastBiclustering,
    KernelPerceptron,
)

MAX_ROWS, MAX_COLUMNS = 300, 500
CUT_DISTANCES = (0.5, 1.0, 1.5)
NETWORKS = {
    "accurate": {"design": "accurate", "n_neurons": 60},
    "readable": {"design": "readable", "n_neurons": 10},
    "auto": {"design": "readable", "n_neurons": "auto"},
}


def digest(*values: Any) -> str:
    """Hash of arrays, numbers and text, in this order."""
    content = blake2b(digest_size=8)
    for value in values:
        array = np.ascontiguousarray(value)
        content.update(f"{array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return content.hexdigest()


def fits() -> Iterator[tuple[str, Any]]:
    """Name of each fit and the unfitted model."""
    for cut_distance in CUT_DISTANCES:
        for search in ("grow", "prune"):
            miner = CoherentBiclustering(cut_distance=cut_distance, search=search, max_seeds=300)
            yield f"{search} cut {cut_distance}", BicNeuronClassifier(miner=miner)
    added = CoherentBiclustering(add_rows=True, max_residue=0.1, max_seeds=200)
    yield (
        "added rows, both classes",
        BicNeuronClassifier(
            miner=added, anchor="both", neuron=KernelPerceptron(), recalibrate=True, max_ratio=10.0
        ),
    )
    for scale in ("anchor", "minmax"):
        miner = CoherentBiclustering(cut_distance=0.3, max_residue=0.01, max_seeds=300)
        yield f"scale {scale}", BicNeuronClassifier(miner=miner, scale=scale, max_ratio=10.0)
    yield "contrast", BicNeuronClassifier(miner=ContrastBiclustering(), max_ratio=10.0)
    yield (
        "path",
        BicNeuronClassifierCV(
            BicNeuronClassifier(miner=CoherentBiclustering(max_seeds=100)),
            preset="paper",
            cut_distances=(0.5, 1.0),
            max_ratios=(0.5, 10.0),
            cv=2,
        ),
    )
    for name, settings in NETWORKS.items():
        yield f"network {name}", BicNeuronNetwork(**settings)


def outcome(model: Any, X: np.ndarray) -> list[Any]:
    """What is hashed of a fitted model."""
    values = [model.predict(X), model.decision_function(X)]
    for part in getattr(model, "estimators_", [model]):
        if isinstance(part, BicNeuronClassifierCV):
            values.append(part.cv_results_["mean_test_score"])
            part = part.best_estimator_
        if isinstance(part, BicNeuronNetwork):
            values += [part.predict_proba(X), part.intercept_, part.test_scores_]
            pairs = [pattern.pair for pattern in part.patterns_]
        else:
            values += [part.scores_, part.threshold_, part.centroids_]
            pairs = part.pairs_
        for pair in pairs:
            values += [pair.anchor_rows, pair.contrast_rows, pair.columns, pair.msr_ratio]
    return values


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Eight tables of the paper (or generated ones of their shapes), planted ones, four classes."""
    for name in SHAPES:
        X, y, label = matrix(name)
        rows = np.random.default_rng(0).permutation(len(X))[:MAX_ROWS]
        yield label, np.ascontiguousarray(X[rows, :MAX_COLUMNS]), y[rows]
    for shape in ((80, 40), (60, 300)):
        yield f"planted {shape}", *planted(*shape)
    X, y = planted(90, 30)
    yield "three classes", X, np.where(X[:, 5] > 0.5, 2, y)


def main() -> None:
    """Print a line per fit."""
    warnings.simplefilter("ignore")  # tables without a pair fall back
    for table, X, y in tables():
        for name, model in fits():
            model.set_params(random_state=0).fit(X, y)
            print(f"{digest(*outcome(model, X))}  {table}: {name}", flush=True)
            if hasattr(model, "miner") and model.miner is not None and "grow" in name:
                model.miner.set_params(random_state=0).fit(X, y)
                found = [value for b in model.miner.found_ for value in (b.rows, b.columns, b.msr)]
                print(f"{digest(*found)}  {table}: {name}, miner alone", flush=True)


if __name__ == "__main__":
    main()
