"""Probabilities of single neurons."""

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, BicNeuronClassifierCV, CoherentBiclustering
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
    found = log_odds_of_unseen(fitted, 0.0, Z, y, pair, np.ones(200), by_heart, 0)
    chances = found.probabilities(fitted.decision_function(Z[:, :2]))
    assert np.abs(chances - 0.3).max() < 0.5


def test_calibrated_where_the_neuron_generalises(overlapping):
    Z, y = overlapping
    neuron = KernelNeuron("linear", alpha=10.0)
    pair = whole_pair(y, [0, 1])
    fitted = KernelNeuron("linear", alpha=10.0).fit(Z[:, :2], y)
    found = log_odds_of_unseen(fitted, 0.25, Z, y, pair, np.ones(200), neuron, 0)
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
    found = log_odds_of_unseen(fitted, 0.0, Z, y, pair, np.ones(200), neuron, 0)
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


# --- class weights


def loose(**parameters):
    """A classifier that finds pairs in noise, too."""
    miner = CoherentBiclustering(max_residue=1.0, max_seeds=20, random_state=0)
    return BicNeuronClassifier(miner=miner, max_ratio=np.inf, random_state=0, **parameters)


def unbalanced(n_rare):
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [200 - n_rare, n_rare])
    return rng.normal(size=(200, 6)) + np.outer(y, [1, 1, 1, 0, 0, 0]), y


@pytest.mark.parametrize("class_weight", [{}, "balanced", {1: 3.0}, {0: 0.5, 1: 7.0}])
def test_with_weights_the_likeliest_class_is_predicted(class_weight):
    X, y = unbalanced(30)
    model = loose(class_weight=class_weight).fit(X, y)
    likeliest = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert_array_equal(model.predict(X), likeliest)


def test_weights_multiply_the_odds():
    """As if rows were repeated: the more, the more often a class is predicted."""
    X, y = unbalanced(30)
    chances = [
        loose(class_weight={1: weight}).fit(X, y).predict_proba(X) for weight in (0.2, 1.0, 5.0)
    ]
    means = [chance[:, 1].mean() for chance in chances]
    assert means[0] < means[1] < means[2]
    assert means[1] == pytest.approx(0.15, abs=0.04)


def test_a_sample_of_rows_has_the_probabilities_of_all_rows():
    """``max_rows`` takes as many rows of the rare class as of the other."""
    X, y = unbalanced(30)
    sampled = loose(max_rows=30, anchor=1).fit(X, y)
    without = loose(anchor=1).fit(X[sampled.rows_used_], y[sampled.rows_used_])
    assert len(sampled.rows_used_) == 60
    assert_array_equal(sampled.decision_function(X), without.decision_function(X))
    means = [model.predict_proba(X)[:, 1].mean() for model in (sampled, without)]
    assert means[0] < means[1] - 0.1


def test_the_search_hands_its_weights_on():
    X, y = unbalanced(30)
    search = BicNeuronClassifierCV(
        loose(), cv=2, cut_distances=[1.0], class_weight={1: 1e6}, random_state=0
    ).fit(X, y)
    assert search.best_estimator_.class_weight == {1: 1e6}
    assert search.predict(X).mean() > 0.95


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_weights_of_more_classes(multi_class):
    X, y = make_three(sizes=(30, 30, 30))
    X = X + 3 * np.random.default_rng(0).normal(size=X.shape)
    settings = {"multi_class": multi_class}
    plain = loose(**settings).fit(X, y)
    heavy = loose(class_weight={2: 50.0}, **settings).fit(X, y)
    assert np.mean(heavy.predict(X) == 2) > np.mean(plain.predict(X) == 2)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: 0}, r"class_weight\[0\] is 0; weights are finite and positive"),
        ({7: 1.0}, "class_weight names 7, which is not a class of y"),
    ],
)
def test_weights_that_make_no_sense_are_refused(class_weight, message):
    with pytest.raises(ValueError, match=message):
        loose(class_weight=class_weight).fit(*unbalanced(30))
