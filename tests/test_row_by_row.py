"""The score of a row does not depend on the rows beside it."""

import numpy as np
import pytest
from data import classifier, make_one_factor
from numpy.testing import assert_allclose

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron

MODELS = {
    "perceptron": OnlinePerceptron(random_state=0),
    "kernel perceptron": KernelPerceptron(bandwidth=1.0, random_state=0),
    "gaussian": GaussianNeuron(),
    "linear": KernelNeuron("linear"),
    "classifier": classifier(),
    "classifier of kernels": classifier(neuron=KernelNeuron()),
    "accurate": BicNeuronNetwork(n_neurons=12, random_state=0),
    "bells": BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
    "readable": PatternClassifier(random_state=0),
}


@pytest.mark.parametrize("name", [*MODELS, "kernel"])
def test_rows_alone_and_together_have_the_same_score(name):
    X, y = make_one_factor()
    model = {**MODELS, "kernel": KernelNeuron()}[name].fit(X, y)
    alone = np.concatenate([model.decision_function(row[None]) for row in X])
    # But for a kernel neuron to the last bit.
    atol = 1e-12 if name == "kernel" else 0
    assert_allclose(model.decision_function(X), alone, rtol=0, atol=atol)
