import numpy as np
import pytest
from data import make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from bicneuron import BicNeuronNetwork, PatternClassifier


@pytest.fixture(scope="module")
def unbalanced():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [640, 80])
    return rng.normal(size=(720, 6)) + 0.8 * y[:, None] * np.array([1, 1, 1, 0, 0, 0]), y


def network(**parameters):
    return BicNeuronNetwork(n_neurons=40, random_state=0, **parameters)


@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=40), PatternClassifier()])
def test_balanced_weights_are_those_of_a_dict(unbalanced, model):
    X, y = unbalanced
    weights = "balanced", {0: 720 / 1280, 1: 720 / 160}, None
    named, given, plain = (
        clone(model).set_params(class_weight=weight, random_state=0).fit(X, y) for weight in weights
    )
    assert_array_equal(named.decision_function(X), given.decision_function(X))
    assert named.predict(X).mean() > 2 * plain.predict(X).mean()
    assert named.predict_proba(X)[:, 1].mean() > 2 * plain.predict_proba(X)[:, 1].mean()


def test_equal_weights_change_nothing(unbalanced):
    X, y = unbalanced
    plain, doubled = network().fit(X, y), network(class_weight={0: 2, 1: 2}).fit(X, y)
    assert_allclose(doubled.predict_proba(X), plain.predict_proba(X), atol=1e-4)


def test_a_class_that_is_not_named_weighs_one():
    X, y = make_three(sizes=(30, 30, 30))
    some = network(class_weight={2: 5.0}).fit(X, y)
    every = network(class_weight={0: 1.0, 1: 1.0, 2: 5.0}).fit(X, y)
    assert_array_equal(some.decision_function(X), every.decision_function(X))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: 0.0}, r"class_weight\[0\] is 0.0; weights are finite and positive"),
        ({1: -1}, r"class_weight\[1\] is -1"),
        ({1: np.inf}, r"class_weight\[1\] is inf"),
        ({1: "much"}, r"class_weight\[1\] is 'much'"),
        ({"case": 2.0}, "class_weight names 'case', which is not a class of y"),
    ],
)
def test_weights_that_make_no_sense_are_refused(unbalanced, class_weight, message):
    with pytest.raises(ValueError, match=message):
        network(class_weight=class_weight).fit(*unbalanced)


def test_a_table_of_labels_has_no_class_weights():
    X, y = make_one_factor(n_minority=20, n_majority=30)
    with pytest.raises(ValueError, match="class_weight='balanced' needs classes"):
        network(class_weight="balanced").fit(X, np.column_stack([y, 1 - y]))
