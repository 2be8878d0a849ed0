"""The same data and ``random_state`` give the same bits, whatever the threads and the process."""

from functools import cache

import numpy as np
import pytest
from data import classifier, make_one_factor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

NEURONS = {
    "online": OnlinePerceptron(),
    "averaged": OnlinePerceptron(average=True),
    "rbf": KernelPerceptron(),
    "linear": KernelPerceptron(kernel="linear"),
}


@cache
def fingerprint(neuron, **parameters):
    """Of a model of so many pairs that every stage has several tasks to share out."""
    X, y = make_one_factor(n_minority=150, n_majority=200, n_columns=40, noise=0.2)
    miner = CoherentBiclustering(cut_distance=0.2, n_jobs=parameters.get("n_jobs"))
    model = BicNeuronClassifier(
        search=None,
        miner=miner,
        neuron=NEURONS[neuron],
        max_ratio=np.inf,
        random_state=0,
        **parameters,
    ).fit(X, y)
    assert len(model.pairs_) > 256, "enough for several tasks"
    values = [model.scores_, model.decision_function(X)]
    for pair, fitted in zip(model.pairs_, model.neurons_, strict=True):
        weights = fitted.coef_ if isinstance(fitted, OnlinePerceptron) else fitted.dual_coef_
        values += [*pair.block, np.array([pair.msr_ratio, pair.criterion]), weights]
    return [value.tobytes() for value in values]


@pytest.mark.parametrize("neuron", NEURONS)
def test_threads_and_second_runs(neuron):
    expected = fingerprint(neuron)
    assert fingerprint(neuron, n_jobs=2) == expected
    assert fingerprint(neuron, n_jobs=-1, anchor=1) == expected
    if neuron == "online":
        plain, threads = ({"recalibrate": True, "n_jobs": n_jobs} for n_jobs in (None, 2))
        assert fingerprint(neuron, **plain) == fingerprint(neuron, **threads) != expected


def test_a_seed_decides_also_inside_a_pipeline():
    X, y = make_one_factor()
    neurons = OnlinePerceptron(), make_pipeline(StandardScaler(), OnlinePerceptron())
    for neuron in neurons:
        first, again, other = (
            classifier(neuron=neuron, random_state=seed).fit(X, y) for seed in (0, 0, 1)
        )
        assert first.pairs_ == other.pairs_
        scores = [model.decision_function(X).tobytes() for model in (first, again, other)]
        assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize("search", ["grow", "prune"])
@pytest.mark.parametrize("add_rows", [False, True])
def test_the_miner_with_threads(search, add_rows, monkeypatch):
    """One task for everything, and tasks of a column or a row set each."""
    X, _ = make_one_factor(n_minority=150, n_majority=150, n_columns=30)
    miner = CoherentBiclustering(
        cut_distance=0.2, max_residue=0.05, search=search, add_rows=add_rows
    )
    expected = miner.fit(X).patterns_
    monkeypatch.setattr("bicneuron.biclustering._coherent.VALUES_PER_TASK", 1)
    monkeypatch.setattr("bicneuron.biclustering._coherent.ROWS_PER_TASK", 64)
    for n_jobs in (1, 2):
        assert miner.set_params(n_jobs=n_jobs).fit(X).patterns_ == expected
