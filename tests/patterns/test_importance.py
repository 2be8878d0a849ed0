"""Shares of columns in a decision, against loops, and as scikit-learn uses them."""

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.exceptions import NoContrastivePairWarning, NoPatternWarning
from bicneuron.neurons import KernelPerceptron
from bicneuron.patterns import Pattern, column_importance
from bicneuron.report import pattern_lists


def by_hand(model, shares):
    """Each pattern's share, divided by distances of centroids.

    In a classifier these are multiplied by the weights of a linear neuron.
    """
    importance = [0.0] * model.n_features_in_
    for pattern, share in zip(model.patterns_, shares, strict=True):
        neuron, coef = pattern.neuron, None
        if not isinstance(model, BicNeuronNetwork | PatternClassifier):
            coef = getattr(neuron.estimator, "coef_", None)
        sizes = []
        for k in range(len(pattern.columns)):
            size = abs(neuron.centroids[0][k] - neuron.centroids[1][k])
            sizes.append(size if coef is None else size * abs(np.ravel(coef)[k]))
        for column, size in zip(pattern.columns.tolist(), sizes, strict=True):
            importance[column] += share * size / sum(sizes)
    return importance


def planted():
    """Two classes that differ in the columns 3, 8 and 11 of thirty."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = random.normal(size=(120, 30))
    X[y == 1, 3] += 2.5
    X[y == 1, 8] -= 2.5
    X[y == 1, 11] += 2.5
    return X, y


@pytest.mark.parametrize("neuron", [None, KernelPerceptron()])
def test_two_classes(neuron):
    X, y = make_one_factor()
    model = classifier(neuron=neuron).fit(X, y)
    assert_allclose(model.feature_importances_, by_hand(model, [1.0]), rtol=1e-12)
    assert model.feature_importances_.sum() == pytest.approx(1)
    outside = np.setdiff1d(np.arange(10), model.selected_pair_.columns)
    assert_array_equal(model.feature_importances_[outside], 0)


def test_each_binary_problem_has_the_same_share():
    X, y = make_three()
    model = classifier(max_ratio=9.0).fit(X, y)
    assert_allclose(model.feature_importances_, by_hand(model, [1 / 3] * 3), rtol=1e-12)


def test_a_fallback_has_all_columns():
    X, y = make_one_factor()
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    assert_allclose(model.feature_importances_, by_hand(model, [1.0]), rtol=1e-12)
    assert np.all(model.feature_importances_ > 0)


@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=40), PatternClassifier()])
def test_patterns_of_a_network_have_their_shares_of_the_scores(model):
    X, y = planted()
    model = clone(model).set_params(random_state=0).fit(X, y)
    shares = [pattern.strength for pattern in model.patterns_]
    assert_allclose(model.feature_importances_, by_hand(model, shares), rtol=1e-9, atol=1e-15)
    assert model.feature_importances_.min() >= 0
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(-model.feature_importances_)[:3]) == {3, 8, 11}


def test_lists_have_the_same_numbers():
    X, y = planted()
    names = [f"gene {k}" for k in range(30)]
    frame = pd.DataFrame(X, columns=names)
    model = PatternClassifier(random_state=0).fit(frame, y)
    listed = {line["column"]: line["importance"] for line in pattern_lists(model, frame, y).ranking}
    own = dict(zip(names, model.feature_importances_.tolist(), strict=True))
    assert listed == {name: value for name, value in own.items() if value}


def test_without_a_pattern_no_column_counts():
    random = np.random.default_rng(0)
    with pytest.warns(NoPatternWarning):
        model = PatternClassifier(random_state=0).fit(
            random.normal(size=(60, 5)), np.repeat([0, 1], 30)
        )
    assert_array_equal(model.feature_importances_, np.zeros(5))


def test_a_negative_strength_counts_for_nothing():
    patterns = [
        Pattern(np.arange(3), np.array([0, 2]), strength=3.0, weights=np.array([1.0, -3.0])),
        Pattern(np.arange(3), np.array([1, 2]), strength=1.0),
        Pattern(np.arange(3), np.array([3]), strength=-5.0),
    ]
    # 3/4 as 1 : 3 over columns 0 and 2, and 1/4 in equal parts.
    expected = [0.1875, 0.125, 0.5625 + 0.125, 0.0]
    assert_allclose(column_importance(patterns, 4), expected, rtol=1e-15)


def test_selectors_take_the_planted_columns():
    X, y = planted()
    select = SelectFromModel(PatternClassifier(random_state=0), threshold=-np.inf, max_features=3)
    pipeline = make_pipeline(select, LogisticRegression()).fit(X, y)
    assert pipeline[0].get_support(indices=True).tolist() == [3, 8, 11]
    assert pipeline.score(X, y) > 0.95


def test_there_are_none_before_a_fit():
    for model in (BicNeuronNetwork(), classifier()):
        assert not hasattr(model, "feature_importances_")
    with pytest.raises(NotFittedError):
        _ = BicNeuronNetwork().feature_importances_
