"""Little or strange data: a clear error or a documented result."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.exceptions import NoContrastivePairWarning, NoPatternWarning
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron

X = np.random.default_rng(0).normal(size=(40, 6))
SIZES = pytest.mark.parametrize(
    "size", [{"max_patterns": 5}, {"n_neurons": 60}], ids=["readable", "accurate"]
)


def made(**parameters):
    kind = PatternClassifier if "max_patterns" in parameters else BicNeuronNetwork
    return kind(**parameters)


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
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NoPatternWarning)
        network.fit(np.ones((40, 6)), ["no"] * 25 + ["yes"] * 15)
    assert bool(told) == (not network.patterns_) == ("max_patterns" in size)
    assert set(network.predict(np.ones((3, 6)))) == {"no"}
    assert set(network.predict(X)) <= {"no", "yes"}


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
        ({"max_patterns": 5, "miners": ["groups"]}, "miners holds 'groups', which finds no"),
    ],
)
def test_parameters_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        made(**given).fit(X, np.arange(40) % 2)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (BicNeuronNetwork(), ["a"] * 40, "y has one class, 'a'; two are needed"),
        (
            BicNeuronNetwork(),
            np.arange(80).reshape(40, 2) % 3,
            "several columns with more than two values",
        ),
        (BicNeuronNetwork(), np.ones((40, 3), int), r"^no label of y varies"),
        (
            BicNeuronNetwork(class_weight="balanced"),
            np.eye(40, 2, dtype=int),
            "class_weight='balanced' needs classes",
        ),
    ],
)
def test_labels_that_cannot_be_learned(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


# --- class weight


@pytest.fixture(scope="module")
def unbalanced():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [640, 80])
    return rng.normal(size=(720, 6)) + 0.8 * y[:, None] * np.array([1, 1, 1, 0, 0, 0]), y


@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=40), PatternClassifier(miners=())])
def test_balanced_weights_are_those_of_a_dict(unbalanced, model):
    X, y = unbalanced
    weights = "balanced", {0: 720 / 1280, 1: 720 / 160}, None
    named, given, plain = (
        clone(model).set_params(class_weight=weight, random_state=0).fit(X, y) for weight in weights
    )
    assert_array_equal(named.decision_function(X), given.decision_function(X))
    assert named.predict(X).mean() > 2 * plain.predict(X).mean()
    assert named.predict_proba(X)[:, 1].mean() > 2 * plain.predict_proba(X)[:, 1].mean()


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: 0.0}, r"class_weight\[0\] is 0.0; weights are finite and positive"),
        ({1: -1}, r"class_weight\[1\] is -1"),
        ({1: "much"}, r"class_weight\[1\] is 'much'"),
        ({"case": 2.0}, "class_weight names 'case', which is not a class of y"),
    ],
)
def test_weights_that_make_no_sense_are_refused(unbalanced, class_weight, message):
    with pytest.raises(ValueError, match=message):
        BicNeuronNetwork(class_weight=class_weight).fit(*unbalanced)


# --- scikit-learn's contract for the networks and their neurons, without a single expected failure

ESTIMATORS = [
    BicNeuronNetwork(n_neurons=8),
    PatternClassifier(miners=(), max_patterns=1, max_columns=2),
    KernelNeuron(),
    GaussianNeuron(),
    OnlinePerceptron(),
    KernelPerceptron(),
]


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoPatternWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
