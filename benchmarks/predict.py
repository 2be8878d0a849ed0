"""Prediction: one neuron against the product it needs, networks against a random forest."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import planted, shape_of
from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier


def rows(size: Size) -> Iterator[Bench]:
    yield from one_neuron(size)
    yield from networks(size)


def one_neuron(size: Size) -> Iterator[Bench]:
    X, y = planted(10_000 if size == "tiny" else 1_000_000, 50)
    model = BicNeuronClassifier(search=None, random_state=0).fit(X[:4000], y[:4000])
    model.predict(X[:10])  # loads kernels
    columns = model.selected_pair_.columns
    weights = model.estimator_.coef_[0]
    with threadpool_limits(1):
        seconds = fastest(
            {
                "predict": lambda: model.predict(X),
                "product": lambda: X[:, columns] @ weights,
            },
            5,
        )
    yield Bench(
        "predict",
        f"predict with one neuron / X[:, J] @ w, |J| = {len(columns)}",
        shape_of(X),
        seconds["predict"] / seconds["product"],
        at_most=3,
    )


def networks(size: Size) -> Iterator[Bench]:
    tiny = size == "tiny"
    shapes = ((100, 12, 200), (60, 40, 200)) if tiny else ((2_000, 50, 20_000), (500, 5_000, 2_000))
    accurate = BicNeuronNetwork(random_state=0, **({"n_neurons": 10} if tiny else {}))
    readable = PatternClassifier(random_state=0)
    yield network_bench(*shapes[0], accurate, at_most=2)
    yield network_bench(*shapes[1], readable, at_most=0.2)


def network_bench(n_rows: int, n_columns: int, n_new: int, model: Any, *, at_most: float) -> Bench:
    X, y = planted(n_rows + n_new, n_columns)
    order = np.random.default_rng(0).permutation(len(X))
    train, new = order[:n_rows], X[order[n_rows:]]
    with threadpool_limits(1):
        model.fit(X[train], y[train])
        forest = RandomForestClassifier(300, random_state=0, n_jobs=1).fit(X[train], y[train])
        model.predict(new[:10])  # loads kernels
        seconds = fastest(
            {"network": lambda: model.predict(new), "forest": lambda: forest.predict(new)}, 3
        )
    return Bench(
        "predict",
        f"predict, {type(model).__name__} of {len(model.patterns_)} patterns / RandomForest(300)",
        shape_of(new),
        seconds["network"] / seconds["forest"],
        at_most=at_most,
        note=f"trained on {shape_of(X[train])}",
    )
