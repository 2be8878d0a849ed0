"""Labels that the rest of the data contradicts: how they are found, and what they do."""

from unittest.mock import patch

import numpy as np
import pytest
from data import make_one_factor
from numpy.testing import assert_allclose, assert_array_equal
from pairs import pair_of
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.network._output import label_doubt


def test_doubt_of_two_classes_is_that_of_balanced_logistic_regression(rng):
    signs = np.where(np.arange(3000) < 300, 1.0, -1.0)[:, None]
    scores = 0.5 * signs + rng.normal(size=signs.shape)
    doubt = label_doubt(scores, signs, False)
    balanced = LogisticRegression(C=np.inf, class_weight="balanced").fit(scores, signs[:, 0])
    expected = expit(-signs[:, 0] * balanced.decision_function(scores))
    assert_allclose(doubt.chances[:, 0], expected, atol=5e-3)
    assert_array_equal(doubt.contradicted, doubt.chances > 0.5)
    assert 0.2 < doubt.contradicted[:300].mean() < 0.4  # the rare class as often as the other
    assert 0.2 < doubt.contradicted[300:].mean() < 0.4


def test_labels_are_doubted_one_by_one(rng):
    signs = np.where(rng.random((200, 2)) < 0.5, 1.0, -1.0)
    scores = signs + 0.1 * rng.normal(size=signs.shape)
    scores[7, 1] *= -1
    doubt = label_doubt(scores, signs, False)
    assert_array_equal(np.argwhere(doubt.contradicted), [[7, 1]])


@pytest.fixture(scope="module")
def flipped():
    """Breast cancer with a tenth of the labels wrong, and where."""
    X, y = load_breast_cancer(return_X_y=True)
    wrong = np.random.default_rng(0).random(len(y)) < 0.1
    return X[::2], np.where(wrong, 1 - y, y)[::2], wrong[::2]


@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=60), PatternClassifier()])
def test_wrong_labels_are_doubted_most(flipped, model):
    X, y, wrong = flipped
    model = clone(model).set_params(random_state=0).fit(X, y)
    assert roc_auc_score(wrong, model.label_doubt_) > 0.93


def test_neurons_are_trained_without_rows_of_contradicted_labels():
    """The pairs are those of neurons that are trained once, so that these tell the rows."""
    X, y = make_one_factor(n_minority=40, n_majority=60)
    y = y.copy()
    y[np.random.default_rng(1).choice(len(y), 12, replace=False)] ^= 1
    model = BicNeuronNetwork(n_neurons=40, neuron_kinds=None, random_state=0)
    with patch("bicneuron.network._network.retrain", lambda *known: known[3]):
        once = clone(model).fit(X, y)
    twice = model.fit(X, y)
    contradicted = once.label_doubt_ > 0.5
    assert 8 < contradicted.sum() < 40
    before = {pair_of(p): p for p in once.patterns_}
    Z, signs = twice._scaling.apply(X), np.where(y == 1, 1.0, -1.0)
    n_changed = 0
    for pattern in twice.patterns_:
        rows, columns = pattern.block
        kept = rows[~contradicted[rows]]
        if len(np.unique(signs[kept], return_counts=True)[1]) < 2:
            continue
        expected = clone(pattern.neuron.estimator).fit(Z[np.ix_(kept, columns)], signs[kept])
        scores = pattern.neuron.estimator.decision_function(Z[:, columns])
        assert_allclose(scores, expected.decision_function(Z[:, columns]), atol=1e-8)
        anchors = np.intersect1d(kept, pattern.rows)
        centre = Z[np.ix_(anchors, columns)].mean(axis=0)
        assert_allclose(pattern.neuron.centroids[0], centre, atol=1e-9)
        pair = pair_of(pattern)
        if pair in before:
            old = before[pair].neuron.estimator.decision_function(Z[:, columns])
            n_changed += not np.allclose(scores, old)
    assert n_changed > 10


def test_rows_that_were_not_tested_have_no_doubt():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    model = BicNeuronNetwork(n_neurons=20, max_output_rows=50, random_state=0).fit(X, y)
    assert_array_equal(np.flatnonzero(~np.isnan(model.label_doubt_)), model.output_rows_)
