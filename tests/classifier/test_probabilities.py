"""Probabilities of single neurons."""

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.classifier._probabilities import (
    class_probabilities,
    log_odds_of_unseen,
)
from bicneuron.contrast import ContrastivePair
from bicneuron.neurons import KernelNeuron


@pytest.fixture(scope="module")
def overlapping():
    """Two classes of 60 and 140 rows that two columns tell apart in part."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 140])
    return rng.normal(size=(200, 5)) + np.outer(y, [1.2, 1.2, 0, 0, 0]), y


def whole_pair(y, columns):
    return ContrastivePair(
        anchor_class=1,
        anchor_rows=np.flatnonzero(y == 1),
        contrast_rows=np.flatnonzero(y == 0),
        columns=np.array(columns),
        msr_ratio=0.5,
        criterion=0.5,
    )


def test_scores_of_copies_that_have_not_seen_the_rows(overlapping):
    """A neuron that knows its rows by heart is certain; its copies are not."""
    Z, y = overlapping
    by_heart = KernelNeuron(width=1e-3, alpha=1e-6)
    pair = whole_pair(y, [0, 1])
    fitted = by_heart.fit(Z[np.ix_(pair.rows, pair.columns)], y[pair.rows])
    assert np.mean(fitted.predict(Z[:, :2]) == y) == 1
    found = log_odds_of_unseen(fitted, 0.0, Z, y, pair, by_heart, 0)
    chances = found.probabilities(fitted.decision_function(Z[:, :2]))
    assert np.abs(chances - 0.3).max() < 0.5


def test_calibrated_where_the_neuron_generalises(overlapping):
    Z, y = overlapping
    neuron = KernelNeuron("linear", alpha=10.0)
    pair = whole_pair(y, [0, 1])
    fitted = KernelNeuron("linear", alpha=10.0).fit(Z[:, :2], y)
    found = log_odds_of_unseen(fitted, 0.25, Z, y, pair, neuron, 0)
    scores = fitted.decision_function(Z[:, :2]) - 0.25
    assert found.probabilities(scores).mean() == pytest.approx(0.3, abs=0.01)
    logistic = LogisticRegression(C=np.inf).fit(scores[:, None], y)
    assert found.slope == pytest.approx(logistic.coef_[0, 0], rel=0.1)


def test_rows_outside_the_pair_are_scored_by_the_neuron_itself(overlapping):
    """With rows in the pair that cannot be left out, only those outside count."""
    Z, y = overlapping
    rows = np.array([0]), np.array([60])
    pair = ContrastivePair(
        anchor_class=1,
        anchor_rows=rows[0],
        contrast_rows=rows[1],
        columns=np.array([0, 1]),
        msr_ratio=0.5,
        criterion=0.5,
    )
    neuron = KernelNeuron("linear")
    fitted = KernelNeuron("linear").fit(Z[np.ix_([0, 60], [0, 1])], y[[0, 60]])
    found = log_odds_of_unseen(fitted, 0.0, Z, y, pair, neuron, 0)
    outside = np.setdiff1d(np.arange(200), [0, 60])
    scores = fitted.decision_function(Z[outside, :2])[:, None]
    logistic = LogisticRegression(C=np.inf).fit(scores, y[outside])
    assert found.slope == pytest.approx(logistic.coef_[0, 0], rel=0.05)
    assert found.offset == pytest.approx(logistic.intercept_[0], abs=0.05)


@pytest.mark.parametrize("kind", ["single", "search", "fallback"])
def test_two_classes(kind):
    X, y = make_one_factor(n_minority=40, n_majority=60)
    labels = np.array(["well", "ill"])[y]
    model = {
        "single": classifier(),
        "search": BicNeuronClassifierCV(
            preset="paper", cv=2, max_ratios=[0.9], cut_distances=[1.0], random_state=0
        ),
        "fallback": BicNeuronClassifier(max_ratio=np.inf, max_rows=30, random_state=0),
    }[kind].fit(X, labels)
    chances = model.predict_proba(X)
    assert_array_equal(model.classes_, ["ill", "well"])
    assert_allclose(chances.sum(axis=1), 1)
    assert ((chances > 0) & (chances < 1)).all()
    order = np.argsort(model.decision_function(X))
    assert (np.diff(chances[order, 1]) >= 0).all()
    assert_array_equal(model.predict_proba(X[:1]), chances[:1])


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_more_classes(multi_class):
    X, y = make_three(sizes=(30, 30, 30))
    model = BicNeuronClassifier(multi_class=multi_class, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (90, 3)
    assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(chances.argmax(axis=1) == y) > 0.9


def test_shares_of_more_classes():
    each = np.array([[0.8, 0.4, 0.4], [0.0, 0.0, 0.0]])
    assert_allclose(class_probabilities(each, 3, "ovr"), [[0.5, 0.25, 0.25], [1 / 3] * 3])
    # 0 against 1, 0 against 2, 1 against 2
    against = np.array([[0.2, 0.4, 0.7]])
    assert_allclose(class_probabilities(against, 3, "ovo"), np.array([[1.4, 0.5, 1.1]]) / 3)
