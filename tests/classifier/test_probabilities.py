"""Probabilities of single neurons."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.classifier._problems import without_gaps
from bicneuron.classifier._steps import calibrate_neuron
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from bicneuron.patterns import Pattern


@pytest.fixture(scope="module")
def overlapping():
    """Two classes of 60 and 140 rows that two columns tell apart in part."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 140])
    return rng.normal(size=(200, 5)) + np.outer(y, [1.2, 1.2, 0, 0, 0]), y


def pair_of(rows, contrast_rows):
    return Pattern(
        np.asarray(rows),
        np.array([0, 1]),
        contrast_rows=np.asarray(contrast_rows),
        anchor_class=1,
        kind="pair",
        msr_ratio=0.5,
        criterion=0.5,
    )


def whole_pair(y):
    return pair_of(np.flatnonzero(y == 1), np.flatnonzero(y == 0))


def calibrated(fitted, threshold, pair, weighted, *, shifted=True):
    """A model of two classes, as far as its calibration knows it."""
    model = SimpleNamespace(estimator_=fitted, threshold_=threshold, selected_pair_=pair)
    model.class_weight = {} if shifted else None
    return calibrate_neuron(model, *weighted, 0)


def test_scores_of_copies_that_have_not_seen_the_rows(overlapping):
    """A neuron that knows its rows by heart is certain; its copies are not."""
    Z, y = overlapping
    by_heart = KernelNeuron(width=1e-3, alpha=1e-6)
    pair = whole_pair(y)
    fitted = by_heart.fit(Z[np.ix_(*pair.block)], y[pair.block[0]])
    assert np.mean(fitted.predict(Z[:, :2]) == y) == 1
    known = KernelNeuron(width=1e-3, alpha=1e-6), Z, y, np.ones(200)
    slope, shift = calibrated(fitted, 0.0, pair, known)
    log_odds = slope * (fitted.decision_function(Z[:, :2]) + shift)
    assert np.abs(log_odds).max() < 3


@pytest.mark.parametrize("shifted", [False, True])
def test_calibrated_where_the_neuron_generalises(overlapping, shifted):
    Z, y = overlapping
    neuron = KernelNeuron("linear", alpha=10.0)
    pair = whole_pair(y)
    fitted = KernelNeuron("linear", alpha=10.0).fit(Z[:, :2], y)
    weights = np.where(y == 1, 1.0, 0.5)
    slope, shift = calibrated(fitted, 0.25, pair, (neuron, Z, y, weights), shifted=shifted)
    scores = fitted.decision_function(Z[:, :2]) - 0.25
    logistic = LogisticRegression(C=np.inf, fit_intercept=shifted)
    logistic.fit(scores[:, None], y, sample_weight=weights)
    assert slope == pytest.approx(logistic.coef_[0, 0], rel=0.1)
    assert slope * shift == pytest.approx(float(np.ravel(logistic.intercept_)[0]), abs=0.1)


def test_rows_outside_the_pair_are_scored_by_the_neuron_itself(overlapping):
    """With rows in the pair that cannot be left out, only those outside count."""
    Z, y = overlapping
    fitted = KernelNeuron("linear").fit(Z[np.ix_([0, 60], [0, 1])], y[[0, 60]])
    known = KernelNeuron("linear"), Z, y, np.ones(200)
    slope, shift = calibrated(fitted, 0.0, pair_of([0], [60]), known)
    outside = np.setdiff1d(np.arange(200), [0, 60])
    scores = fitted.decision_function(Z[outside, :2])[:, None]
    logistic = LogisticRegression(C=np.inf).fit(scores, y[outside])
    assert slope == pytest.approx(logistic.coef_[0, 0], rel=0.05)
    assert slope * shift == pytest.approx(logistic.intercept_[0], abs=0.05)


@pytest.mark.parametrize(
    "model",
    [
        classifier(),
        BicNeuronClassifier({"miner__cut_distance": [1.0], "max_ratio": [0.9]}, cv=2),
        BicNeuronClassifier(search=None, max_ratio=np.inf, max_rows=30, random_state=0),
    ],
    ids=["single", "search", "sampled"],
)
def test_two_classes(model):
    X, y = make_one_factor()
    chances = model.fit(X, np.array(["well", "ill"])[y]).predict_proba(X)
    assert_array_equal(model.classes_, ["ill", "well"])
    assert_allclose(chances.sum(axis=1), 1)
    assert ((chances > 0) & (chances < 1)).all()
    order = np.argsort(model.decision_function(X))
    assert (np.diff(chances[order, 1]) >= 0).all()
    assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    assert_array_equal(model.predict_proba(X[:1]), chances[:1])


def test_more_classes_and_votes_which_are_no_probabilities():
    X, y = make_three(sizes=(30, 30, 30))
    model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    assert_array_equal(chances.argmax(axis=1), model.predict(X))
    one_by_one = 1 / (1 + np.exp(-model.decision_function(X)))
    assert_allclose(chances, one_by_one / one_by_one.sum(axis=1, keepdims=True))
    votes = classifier(multi_class="ovo")
    assert not hasattr(clone(votes).fit(X, y), "predict_proba")
    assert hasattr(votes.fit(*make_one_factor()), "predict_proba")


# --- class weights


def loose(**parameters):
    """A classifier that finds pairs in noise, too."""
    miner = CoherentBiclustering(max_residue=1.0, max_seeds=20, random_state=0)
    return BicNeuronClassifier(
        search=None, miner=miner, max_ratio=np.inf, random_state=0, **parameters
    )


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


def test_a_sample_of_rows_has_the_probabilities_of_all_rows():
    """``max_rows`` takes as many rows of the rare class as of the other."""
    X, y = unbalanced(30)
    sampled = loose(max_rows=30, anchor=1, class_weight={}).fit(X, y)
    rows = sampled.rows_used_
    assert len(rows) == 60
    without = loose(anchor=1, class_weight={}).fit(X[rows], y[rows])
    means = [model.predict_proba(X)[:, 1].mean() for model in (sampled, without)]
    assert means[0] < means[1] - 0.1


def test_the_search_hands_its_weights_on():
    X, y = unbalanced(30)
    search = loose(class_weight={1: 1e6}).set_params(search={"miner__cut_distance": [1.0]}, cv=2)
    search.fit(X, y)
    assert search.predict(X).mean() > 0.95


@pytest.mark.parametrize("recalibrate", [False, True])
def test_a_selection_that_needs_probabilities_of_the_neuron(recalibrate):
    message = "selection='neg_log_loss' cannot measure OnlinePerceptron, which has no predict_proba"
    with pytest.raises(ValueError, match=message):
        classifier(selection="neg_log_loss", recalibrate=recalibrate).fit(*make_one_factor())


# --- Missing values in the single neuron: filled in while it learns, neutral where it decides


def with_gaps(X, share, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def test_gaps_are_filled_with_means():
    X = np.array([[1.0, np.nan, np.nan], [3.0, 4.0, np.nan], [np.nan, 6.0, np.nan]])
    expected = [[1, 5, 0], [3, 4, 0], [2, 6, 0]]
    assert_array_equal(without_gaps(X), expected)
    assert_array_equal(without_gaps(sp.csc_array(X)).toarray(), expected)
    zeros = sp.csc_array(np.array([[np.nan], [0.0], [6.0]]))  # a zero is a value
    assert_array_equal(without_gaps(zeros).toarray(), [[3], [0], [6]])
    assert np.isnan(zeros.data).any()
    complete = np.ones((2, 2))
    assert without_gaps(complete) is complete


@pytest.fixture(scope="module")
def fitted():
    X, y = make_one_factor()
    holes = with_gaps(X, 0.1)
    return classifier().fit(holes, y), X, holes, y


def test_fit_is_that_of_the_filled_table(fitted):
    model, X, holes, y = fitted
    filled = classifier().fit(without_gaps(holes), y)
    assert model.selected_pair_ == filled.selected_pair_
    assert_array_equal(model.decision_function(X), filled.decision_function(X))
    assert_array_equal(classifier().fit(sp.csr_array(holes), y).predict(X), model.predict(X))


def test_a_missing_value_speaks_for_neither_side(fitted):
    """As if it were half way between the centroids of the pair."""
    model, X, _, _ = fitted
    columns = model.selected_pair_.columns
    middle = model._scaling.take(columns).undo(model.centroids_).mean(axis=0)
    rows, neutral, unused = X.copy(), X.copy(), X.copy()
    rows[:, columns[0]] = np.nan
    neutral[:, columns[0]] = middle[0]
    scores = model.decision_function(rows)
    assert_allclose(scores, model.decision_function(neutral), atol=1e-9)
    assert_array_equal(model.decision_function(rows[:1]), scores[:1])
    unused[:, np.setdiff1d(np.arange(X.shape[1]), columns)] = np.nan
    assert_array_equal(model.decision_function(unused), model.decision_function(X))


def test_a_neuron_that_takes_missing_values_is_given_them():
    X, y = make_one_factor()
    model = BicNeuronClassifier(search=None, neuron=GaussianNeuron(), random_state=0)
    model.fit(with_gaps(X, 0.1), y)
    rows, columns = X[:5].copy(), model.selected_pair_.columns
    rows[:, columns[0]] = np.nan
    Z = model._scaling.take(columns).apply(rows[:, columns])
    assert np.isnan(Z[:, 0]).all()
    expected = model.estimator_.decision_function(Z) - model.threshold_
    assert_allclose(model.decision_function(rows), expected)


def test_rows_and_columns_without_any_value():
    X, y = make_one_factor()
    X[:, 0], X[0] = np.nan, np.nan
    chances = classifier().fit(X, y).predict_proba(np.full((2, X.shape[1]), np.nan))
    assert_array_equal(chances[0], chances[1])
    assert 0.05 < chances[0, 1] < 0.95
