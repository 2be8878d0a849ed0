from functools import cache

import numpy as np
import pytest
from data import make_noisy_linear
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, f1_score
from sklearn.model_selection import cross_val_predict

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.datasets import make_ringnorm

WDBC = tuple(values[::2] for values in load_breast_cancer(return_X_y=True))
READABLE, ACCURATE = {"max_patterns": 5}, {"n_neurons": 60}
NAMES = ["readable", "accurate"]
BOTH = pytest.mark.parametrize("params", [READABLE, ACCURATE], ids=NAMES)
HUNDRED = pytest.mark.parametrize("params", [READABLE, {"n_neurons": 100}], ids=NAMES)


def made(**parameters):
    kind = PatternClassifier if "max_patterns" in parameters else BicNeuronNetwork
    return kind(**parameters)


def halves(X, y):
    return X[::2], y[::2], X[1::2], y[1::2]


@cache
def network_of(step=1, **params):
    """Fitted to every ``step``-th row of WDBC, for all tests that only look at it."""
    X, y = WDBC
    return made(**params, random_state=0).fit(X[::step], y[::step])


@BOTH
def test_the_scores_of_patterns_add_up_to_the_score_of_a_row(params):
    X, _ = WDBC
    network = network_of(**params)
    scores = network.pattern_scores(X[:50])
    # In units of the typical score, and positive for the class of the pattern's rows; neurons
    # speak for the class with fewer rows.
    signs = np.array([1 if pattern.anchor_class == 0 else -1 for pattern in network.patterns_])
    if params is ACCURATE:
        assert len(set(signs.tolist())) == 2
    assert signs.tolist() == [pattern.neuron.sign for pattern in network.patterns_]
    weights = np.array([pattern.neuron.weight[0] for pattern in network.patterns_])
    expected = np.tanh(scores) @ (signs * weights) + network.intercept_
    assert_allclose(network.decision_function(X[:50]), expected, rtol=1e-9, atol=1e-9)


@HUNDRED
def test_learns_what_no_plane_separates(params):
    X, y, X_test, y_test = halves(*make_ringnorm(400, random_state=0))
    linear = LogisticRegression().fit(X, y).score(X_test, y_test)
    network = made(**params, random_state=0).fit(X, y)
    assert network.score(X_test, y_test) > max(0.9, linear + 0.1)


def test_overlapping_classes_are_not_its_weak_point():
    """Hardly worse than logistic regression where a quarter of the labels cannot be known."""
    X, y = make_noisy_linear(1)
    models = BicNeuronNetwork(random_state=0), LogisticRegression()
    network, linear = (cross_val_predict(m, X, y, cv=2, method="predict_proba") for m in models)
    right = [np.mean(both.argmax(axis=1) == y) for both in (network, linear)]
    assert right[0] >= right[1] - 0.02
    assert_allclose(network.sum(axis=1), 1)
    assert brier_score_loss(y, network[:, 1]) < brier_score_loss(y, linear[:, 1]) + 0.01


@HUNDRED
def test_several_labels(params):
    X, Y = make_multilabel_classification(400, n_classes=4, random_state=0)
    network = made(**params, random_state=0).fit(X[:300], Y[:300])
    predicted = network.predict(X[300:])
    assert predicted.shape == (100, 4)
    assert f1_score(Y[300:], predicted, average="micro") > 0.7
    assert_array_equal(network.predict_proba(X[300:]) > 0.5, predicted == 1)
    assert network.label_doubt_.shape == (300, 4)


def test_a_label_that_no_row_has_is_never_predicted():
    X, Y = make_multilabel_classification(100, n_classes=3, random_state=0)
    Y[:, 1] = 0
    network = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X, Y)
    assert not network.predict(X)[:, 1].any()
    answers = network.predict(np.vstack([X[:3], X[:1] + 1e6]), reject=0.1)
    assert_array_equal(answers.mask, [[False] * 3] * 3 + [[True] * 3])


@BOTH
def test_rows_far_from_every_pattern_are_rejected(params):
    X, _ = WDBC
    network = network_of(**params)
    known = network.coverage(X)
    strange = network.coverage(X.mean(axis=0) + 50 * X.std(axis=0) * np.ones((1, 30)))
    assert np.all((known >= 0) & (known <= 1 + 1e-9))
    assert np.median(known) > 0.8
    assert_array_equal(strange, 0)
    answers = network.predict(np.vstack([X[:5], X[:1] + 1e6]), reject=0.1)
    assert answers.mask[5]
    assert_array_equal(answers[:5].data, network.predict(X[:5]))
    assert not hasattr(network.predict(X[:5]), "mask")


@BOTH
def test_the_same_bits_whatever_n_jobs(params):
    X, y, X_test, _ = halves(*halves(*WDBC)[:2])
    one, two = (made(**params, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(one.decision_function(X_test), two.decision_function(X_test))
    for a, b in zip(one.patterns_, two.patterns_, strict=True):
        assert a == b
        assert_array_equal(a.neuron.weight, b.neuron.weight)
    other = made(**params, random_state=4).fit(X, y)
    assert not np.array_equal(one.decision_function(X_test), other.decision_function(X_test))


@pytest.mark.parametrize("params", [READABLE, {"n_neurons": 12}], ids=["readable", "accurate"])
def test_a_row_scores_the_same_alone_and_with_threads(params):
    """Bit for bit: rows are independent, also where they fall into several parts."""
    X, y = WDBC
    network = made(**params, random_state=0)
    network.fit(X[::3], y[::3])
    many = np.tile(X, (20, 1))
    scores = network.decision_function(many)
    assert_array_equal(scores[: len(X)], scores[-len(X) :])
    for row in (0, 1, 77, 5001):
        assert network.decision_function(many[row : row + 1])[0] == scores[row]
    assert_array_equal(network.set_params(n_jobs=2).decision_function(many), scores)
