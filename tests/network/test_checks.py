"""scikit-learn's contract for the network and its neuron, without a single expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron, OnlinePerceptron

ESTIMATORS = [
    BicNeuronNetwork(n_neurons=8),
    BicNeuronNetwork(n_neurons=5, neuron_kinds=[OnlinePerceptron()]),
    PatternClassifier(max_patterns=2, max_columns=2),
    KernelNeuron(),
    KernelNeuron("linear"),
    GaussianNeuron(),
]


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoPatternWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
