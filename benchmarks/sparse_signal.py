"""Tables in which few of many columns tell: the network beside simpler models."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._bench import Bench, Size
from bicneuron import BicNeuronNetwork, PatternClassifier

N_TEST = 1000
# Accuracy that the network may be behind the better of the others.
MOST_BEHIND = 0.02


def on_and_off(seed: int, n_rows: int = 600, n_columns: int = 3000) -> tuple[Any, Any]:
    """Cells are on in 1 % of the rows, ten columns of each of three classes in 40 % of its rows."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows + N_TEST) % 3
    chances = np.full((3, n_columns), 0.01)
    chances[np.repeat(range(3), 10), rng.permutation(n_columns)[:30]] = 0.4
    return (rng.random((len(y), n_columns)) < chances[y]).astype(float), y


def shifted(seed: int, n_rows: int = 200, n_columns: int = 2000) -> tuple[Any, Any]:
    """Normal columns, six of which are shifted by one standard deviation in one of two classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows + N_TEST) % 2
    X = rng.normal(size=(len(y), n_columns))
    X[:, rng.permutation(n_columns)[:6]] += y[:, None]
    return X, y


def rows(size: Size) -> Iterator[Bench]:
    n_seeds = {"tiny": 1, "usual": 3, "full": 10}[size]
    for make, shape in ((on_and_off, "600 x 3000"), (shifted, "200 x 2000")):
        scores = []
        for seed in range(n_seeds):
            X, y = make(seed)
            models = (
                BicNeuronNetwork(random_state=seed),
                PatternClassifier(random_state=seed),
                make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
            )
            fitted = [model.fit(X[:-N_TEST], y[:-N_TEST]) for model in models]
            scores.append([model.score(X[-N_TEST:], y[-N_TEST:]) for model in fitted])
        network, readable, linear = np.mean(scores, axis=0)
        yield Bench(
            "sparse_signal",
            f"accuracy behind the better of two simpler models: {make.__name__}",
            shape,
            max(readable, linear) - network,
            at_most=MOST_BEHIND,
            note=f"network {network:.3f}, PatternClassifier {readable:.3f}, logistic {linear:.3f}",
        )
