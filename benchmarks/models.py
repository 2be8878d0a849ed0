"""Our classifiers against common alternatives, on the same matrices."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import gmean
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import matrices, planted, shape_of
from bicneuron import BicNeuronClassifier, BicNeuronNetwork

PREDICTED_CELLS = 1_000_000
OURS = {
    "one fit": BicNeuronClassifier(search=None, random_state=0),
    "BicNeuronClassifier": BicNeuronClassifier(random_state=0),
    "BicNeuronNetwork": BicNeuronNetwork(random_state=0),
}


def rivals(n_trees: int) -> dict[str, Any]:
    return {
        "Perceptron": make_pipeline(StandardScaler(), Perceptron(random_state=0)),
        "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "SVC": make_pipeline(StandardScaler(), SVC()),
        f"RandomForestClassifier({n_trees})": RandomForestClassifier(n_trees, random_state=0),
        "HistGradientBoostingClassifier": HistGradientBoostingClassifier(random_state=0),
    }


def rows(size: Size) -> Iterator[Bench]:
    """One row per matrix against the forest, and one over all matrices per rival."""
    others = rivals(10 if size == "tiny" else 300)
    forest = next(name for name in others if name.startswith("RandomForest"))
    every = {**OURS, **others}
    for model in OURS.values():
        model.fit(*planted(120, 12))  # loads kernels
    fits, predictions, names = [], [], []
    with threadpool_limits(1):
        for X, y, name in matrices(size):
            jobs = {key: partial(model.fit, X, y) for key, model in every.items()}
            fits.append(fastest(jobs, 3 if size == "full" else 1))
            names.append(name)
            for ours in OURS:
                yield Bench(
                    "models",
                    f"fit: {ours} / {forest}, {name}",
                    shape_of(X),
                    fits[-1][ours] / fits[-1][forest],
                    at_most=bound(ours, name, len(X)),
                )
            n_rows = max(len(X), PREDICTED_CELLS // X.shape[1])
            many = X[np.random.default_rng(0).integers(len(X), size=n_rows)]
            jobs = {key: partial(model.predict, many) for key, model in every.items()}
            predictions.append(fastest(jobs, 1))
    for task, seconds in (("fit", fits), ("predict", predictions)):
        for ours in OURS:
            for rival in others:
                yield summary(task, ours, rival, seconds, names)


def bound(ours: str, name: str, n_rows: int) -> float | None:
    """Largest ratio of the fit time to that of the forest, if there is a bound."""
    bounds = {
        "one fit": 1.0,
        "BicNeuronClassifier": 3.0 if name.removeprefix("like ") == "ringnorm" else None,
        "BicNeuronNetwork": 1.5 if n_rows <= 2000 else None,
    }
    return bounds[ours]


def summary(
    task: str, ours: str, rival: str, seconds: list[dict[str, float]], names: list[str]
) -> Bench:
    ratios = [each[ours] / each[rival] for each in seconds]
    low, high = int(np.argmin(ratios)), int(np.argmax(ratios))
    return Bench(
        "models",
        f"{task}: {ours.removeprefix('BicNeuron')} / {rival}",
        f"{len(names)} matrices",
        float(gmean(ratios)),
        note=f"{ratios[low]:.2g} ({names[low]}) to {ratios[high]:.2g} ({names[high]})",
    )
