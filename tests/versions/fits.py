"""Labels and scores of models of made-up tables, with the bicneuron that is installed.

Runs in an environment that has the core dependencies only: python fits.py OUTCOME.npz
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import bicneuron
from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier
from bicneuron.datasets import make_subgroup, make_twonorm

N_TRAINING = 70  # rows of each table; the others are new


def tables() -> Iterator[tuple[str, Any, Any]]:
    X, y = make_twonorm(100, random_state=0)
    yield "twonorm", X, y
    yield "three classes", X, np.where(X[:, 5] > 0.8, 2, y)
    X, y, _, _ = make_subgroup(100, 60, random_state=0)
    yield "subgroup", X, y


def models() -> dict[str, Any]:
    return {
        "classifier": BicNeuronClassifier(search=None, random_state=0),
        "readable network": PatternClassifier(random_state=0),
        "accurate network": BicNeuronNetwork(n_neurons=20, random_state=0),
    }


def outcome() -> Iterator[tuple[str, Any]]:
    for table, X, y in tables():
        yield f"{table}: table", X
        for name, model in models().items():
            model.fit(X[:N_TRAINING], y[:N_TRAINING])
            yield f"{table}, {name}: labels", model.predict(X)
            yield f"{table}, {name}: scores", model.decision_function(X)
            yield f"{table}, {name}: probabilities", model.predict_proba(X)


if __name__ == "__main__":
    if not Path(bicneuron.__file__).is_relative_to(sys.prefix):
        raise SystemExit(f"{bicneuron.__file__} is not the installed one")
    np.savez(sys.argv[1], **dict(outcome()))
