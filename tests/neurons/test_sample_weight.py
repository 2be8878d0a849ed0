"""A weight of two is a row twice, a weight of zero is no row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bicneuron.neurons import GaussianNeuron, KernelNeuron

NEURONS = [KernelNeuron(), KernelNeuron("linear"), GaussianNeuron()]


def table(share_missing):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    X[rng.random(X.shape) < share_missing] = np.nan
    return X + y[:, None], y, rng.integers(0, 4, size=30)


@pytest.mark.parametrize("share_missing", [0.0, 0.2])
@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
def test_weights_count_rows(neuron, share_missing):
    X, y, counts = table(share_missing)
    weighted = neuron.fit(X, y, sample_weight=counts).decision_function(X)
    repeated = neuron.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).decision_function(X)
    assert_allclose(weighted, repeated, atol=1e-7)
    assert not np.allclose(weighted, neuron.fit(X, y).decision_function(X), atol=1e-3)


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
def test_weights_of_one_change_nothing(neuron):
    X, y, _ = table(0.2)
    expected = neuron.fit(X, y).decision_function(X)
    assert_allclose(neuron.fit(X, y, np.ones(30)).decision_function(X), expected, atol=1e-9)


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
def test_weights_that_make_no_sense_are_refused(neuron):
    X, y, counts = table(0.0)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        neuron.fit(X, y, sample_weight=-counts)
    with pytest.raises(ValueError, match=r"y has 1 class\(es\) with a positive sample_weight"):
        neuron.fit(X, y, sample_weight=counts * y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        neuron.fit(X, y, sample_weight=np.where(y == 1, np.inf, 1.0))
