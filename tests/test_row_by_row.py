"""The score of a row does not depend on the rows beside it."""

import numpy as np
import pytest
from data import classifier, make_one_factor
from numpy.testing import assert_allclose, assert_array_equal

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


def both_ways(model):
    X, y = make_one_factor()
    scores = model.fit(X, y).decision_function(X)
    return scores, np.concatenate([model.decision_function(row[None]) for row in X])


@pytest.mark.parametrize("name", MODELS)
def test_rows_alone_and_together_have_the_same_bits(name):
    assert_array_equal(*both_ways(MODELS[name]))


def test_rows_of_a_kernel_neuron_nearly():
    assert_allclose(*both_ways(KernelNeuron()), rtol=0, atol=1e-12)
