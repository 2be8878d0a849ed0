"""float32, float64 and either order of an array: the same model, and no copy that is not needed."""

import numpy as np
import pytest
from data import make_one_factor
from miners import QUICK_MINERS
from numpy.testing import assert_array_equal
from sklearn.base import clone

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron._shared._checks import check_numbers
from bicneuron.neurons import GaussianNeuron

KINDS = {
    "float32": np.ascontiguousarray,
    "float32, by column": np.asfortranarray,
    "float64, by column": lambda X: np.asfortranarray(X, dtype=np.float64),
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
}


@pytest.fixture(scope="module")
def single():
    X, y = make_one_factor()
    return X.astype(np.float32), y


@pytest.mark.parametrize(
    "model",
    [
        BicNeuronClassifier(search=None, random_state=0),
        BicNeuronClassifier(search="paper", cv=3, random_state=0),
        BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0),
    ],
    ids=["classifier", "search", "network"],
)
def test_a_classifier_is_that_of_float64_in_c_order(model, single):
    X, y = single
    double = X.astype(np.float64)
    expected = model.fit(double, y).decision_function(double)
    for given in (convert(X) for convert in KINDS.values()):
        assert_array_equal(model.decision_function(given), expected)
        assert_array_equal(clone(model).fit(given, y).decision_function(double), expected)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("miner", QUICK_MINERS, ids=lambda miner: type(miner).__name__)
def test_a_miner_finds_the_same(miner, standardize, single):
    X, y = single
    miner = clone(miner).set_params(standardize=standardize)
    expected = miner.fit(X.astype(np.float64), y).patterns_
    assert expected
    for convert in KINDS.values():
        assert miner.fit(convert(X), y).patterns_ == expected


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_scaled_is_not_copied_before(kind, single):
    X = KINDS[kind](single[0])
    assert np.shares_memory(check_numbers(BicNeuronClassifier(), X, to_be_scaled=True), X)
