"""Missing values in the single neuron: filled in while it learns, neutral where it decides."""

import numpy as np
import pytest
import scipy.sparse as sp
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron import BicNeuronClassifier
from bicneuron.classifier._problems import without_gaps
from bicneuron.neurons import GaussianNeuron


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
    X, y = make_one_factor(n_minority=40, n_majority=60)
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
    rows = X.copy()
    rows[:, columns[0]] = np.nan
    neutral = X.copy()
    neutral[:, columns[0]] = middle[0]
    assert_allclose(model.decision_function(rows), model.decision_function(neutral), atol=1e-9)
    assert_array_equal(model.decision_function(rows[:1]), model.decision_function(rows)[:1])
    unused = np.setdiff1d(np.arange(X.shape[1]), columns)
    rows = X.copy()
    rows[:, unused] = np.nan
    assert_array_equal(model.decision_function(rows), model.decision_function(X))


def test_explanations_say_missing_and_add_up(fitted):
    model, X, _, _ = fitted
    row = X[:1].copy()
    missing = model.selected_pair_.columns[0]
    row[0, missing] = np.nan
    (explanation,) = model.explain(row)
    assert "missing" in str(explanation)
    (pattern,) = explanation.patterns
    told = {column.feature: column.contribution for column in pattern.columns}
    assert told[f"x{missing}"] == 0
    assert pattern.bias + sum(told.values()) == pytest.approx(explanation.score)


def test_a_neuron_that_takes_missing_values_is_given_them():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    model = BicNeuronClassifier(search=None, neuron=GaussianNeuron(), random_state=0).fit(
        with_gaps(X, 0.1), y
    )
    rows = X[:5].copy()
    columns = model.selected_pair_.columns
    rows[:, columns[0]] = np.nan
    Z = model._scaling.take(columns).apply(rows[:, columns])
    assert np.isnan(Z[:, 0]).all()
    expected = model.estimator_.decision_function(Z) - model.threshold_
    assert_allclose(model.decision_function(rows), expected)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_more_classes_and_the_search(multi_class):
    X, y = make_three(sizes=(30, 30, 30))
    holes = with_gaps(X, 0.1)
    model = BicNeuronClassifier(search=None, multi_class=multi_class, random_state=0).fit(holes, y)
    assert model.score(holes, y) > 0.7
    assert np.isfinite(model.decision_function(holes)).all()
    search = BicNeuronClassifier(
        search={"miner__cut_distance": [1.0], "max_ratio": [np.inf]},
        cv=2,
        multi_class=multi_class,
        random_state=0,
    ).fit(holes, y)
    assert search.score(holes, y) > 0.6


def test_rows_and_columns_without_any_value():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    X[:, 0] = np.nan
    X[0] = np.nan
    model = classifier().fit(X, y)
    empty = np.full((2, X.shape[1]), np.nan)
    chances = model.predict_proba(empty)
    assert_array_equal(chances[0], chances[1])
    assert 0.05 < chances[0, 1] < 0.95


def test_infinities_are_refused():
    X, y = make_one_factor()
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="column 2, row 3, is inf"):
        classifier().fit(X, y)
