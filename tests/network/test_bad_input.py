"""Little or strange data: a clear error or a documented result."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.exceptions import NoContrastivePairWarning, NoPatternWarning
from bicneuron.neurons import GaussianNeuron

X = np.random.default_rng(0).normal(size=(40, 6))
SIZES = pytest.mark.parametrize(
    "size",
    [
        {"max_patterns": 5},
        {"n_neurons": 40, "neuron_kinds": [GaussianNeuron()]},
        {"n_neurons": 60},
    ],
    ids=["readable", "bells", "accurate"],
)


def made(**parameters):
    kind = PatternClassifier if "max_patterns" in parameters else BicNeuronNetwork
    return kind(**parameters)


@SIZES
def test_a_class_of_two_rows(size):
    y = np.arange(40) < 2
    network = made(**size, random_state=0).fit(X + 9 * y[:, None], y)
    assert_array_equal(network.predict(X + 9 * y[:, None]), y)
    assert network.predict(X).dtype == bool


@SIZES
def test_a_class_of_one_row(size):
    """It cannot be tested on a row that was left out, but it is a class."""
    y = np.where(np.arange(40) < 1, "rare", "usual")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NoPatternWarning)
        network = made(**size, random_state=0).fit(X, y)
    assert bool(told) == (not network.patterns_) == ("max_patterns" in size)
    assert_array_equal(network.classes_, ["rare", "usual"])
    if network.patterns_:  # without, all rows have the same score
        assert np.isnan(network.test_scores_[0]).all()
    assert not np.isnan(network.test_scores_[1:]).any()
    assert np.mean(network.predict(X) == "usual") > 0.9


@SIZES
def test_constant_columns_leave_nothing_to_tell(size):
    network = made(**size, random_state=0)
    y = ["no"] * 25 + ["yes"] * 15
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NoPatternWarning)
        network.fit(np.ones((40, 6)), y)
    assert bool(told) == (not network.patterns_) == ("max_patterns" in size)
    assert set(network.predict(np.ones((3, 6)))) == {"no"}
    assert set(network.predict(X)) <= {"no", "yes"}


@pytest.mark.parametrize("value", [0, 1])
def test_labels_of_which_none_varies_are_refused(value):
    with pytest.raises(ValueError, match=r"^no label of y varies"):
        BicNeuronNetwork(random_state=0).fit(X, np.full((40, 3), value))
    y = np.full((40, 3), value)
    y[:20, 1] = 1 - value
    assert BicNeuronNetwork(n_neurons=5, random_state=0).fit(X, y).predict(X).shape == (40, 3)


class WithoutPairs(BicNeuronNetwork):
    """No draw ever gives a pair."""

    def _resolved_design(self):
        return super()._resolved_design()._replace(draw=lambda *arguments: None)


def test_no_pair_is_said_aloud():
    y = np.arange(40) % 2
    with pytest.warns(NoContrastivePairWarning, match="one neuron on all columns"):
        network = WithoutPairs(n_neurons=60, random_state=0).fit(X + 3 * y[:, None], y)
    (pattern,) = network.patterns_
    assert_array_equal(pattern.columns, np.arange(6))
    assert_array_equal(np.sort(pattern.block[0]), np.arange(40))
    assert network.score(X + 3 * y[:, None], y) > 0.9


@SIZES
def test_more_neurons_than_pairs(size):
    few = np.repeat([[0.0, 1.0], [5.0, 4.0]], 4, axis=0)
    network = made(**size, random_state=0).fit(few, [0] * 4 + [1] * 4)
    assert len(network.patterns_) <= size.get("n_neurons", 5)
    assert_array_equal(network.predict(few), [0] * 4 + [1] * 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"neuron_kinds": []}, "neuron_kinds is empty"),
        ({"neuron_kinds": ["rbf"]}, "neuron_kinds holds 'rbf', which has no decision_function"),
        ({"n_neurons": 0}, "The 'n_neurons' parameter"),
        ({"n_neurons": "few"}, "The 'n_neurons' parameter"),
        ({"n_neurons": "auto"}, "The 'n_neurons' parameter"),
        ({"max_patterns": 0}, "The 'max_patterns' parameter"),
        ({"max_patterns": 5, "miners": ["groups"]}, "miners holds 'groups', which finds no"),
        ({"contrast_size": 0}, "The 'contrast_size' parameter"),
    ],
)
def test_parameters_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        made(**given).fit(X, np.arange(40) % 2)


def test_labels_that_cannot_be_learned(rng):
    with pytest.raises(ValueError, match="y has one class, 'a'; two are needed"):
        BicNeuronNetwork().fit(X, ["a"] * 40)
    with pytest.raises(ValueError, match="several columns with more than two values"):
        BicNeuronNetwork().fit(X, rng.integers(3, size=(40, 2)))
