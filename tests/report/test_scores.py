"""Scores by cross-validation, with uncertainty."""

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from scipy import stats
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from bicneuron import BicNeuronClassifierCV, BicNeuronNetwork
from bicneuron.report import _scores
from bicneuron.report._scores import cross_validated, spread


def test_scores_are_those_of_scikit_learn():
    X, y = make_one_factor()
    model = classifier(max_ratio=9.0)
    told = cross_validated(model, X, y)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    for line, scoring in zip(
        told["measures"], ("accuracy", "balanced_accuracy", "roc_auc"), strict=True
    ):
        scores = cross_val_score(model, X, y, cv=folds, scoring=scoring)
        assert line["mean"] == pytest.approx(scores.mean())
        assert line["sd"] == pytest.approx(scores.std(ddof=1))
    assert (told["n_splits"], told["n_repeats"], told["n_rows"]) == (5, 2, 100)
    assert told["majority"] == 0.6
    assert told["n_fallbacks"] == 0


def test_the_interval_is_wider_than_that_of_independent_scores():
    values = np.array([0.70, 0.75, 0.72, 0.78, 0.71, 0.74, 0.76, 0.73, 0.77, 0.75])
    told = spread(values, 5)
    naive = stats.t.interval(0.95, 9, values.mean(), values.std(ddof=1) / np.sqrt(10))
    wider = np.sqrt((1 / 10 + 1 / 4) * 10)
    assert told["high"] - told["mean"] == pytest.approx((naive[1] - values.mean()) * wider)
    assert told["mean"] - told["low"] == pytest.approx(told["high"] - told["mean"])
    assert spread(np.array([0.9, 1.0, 1.0]), 3)["high"] == 1.0
    assert spread(np.array([0.0, 0.1, 0.0]), 3)["low"] == 0.0


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    # Scores of folds that share a part of their error, as overlapping training sets make them.
    random = np.random.RandomState(0)
    rho = 0.2  # of test rows among all rows, in five folds
    hits = 0
    for _ in range(400):
        scores = 0.7 + 0.05 * (
            np.sqrt(rho) * random.normal() + np.sqrt(1 - rho) * random.normal(size=10)
        )
        told = spread(scores, 5)
        hits += told["low"] <= 0.7 <= told["high"]
    assert 0.92 <= hits / 400 <= 0.99


def test_fits_without_a_pair_are_counted():
    X, y = make_one_factor()
    assert cross_validated(classifier(max_ratio=0.0), X, y)["n_fallbacks"] == 10


def test_the_folds_of_a_search_are_not_repeated():
    X, y = make_one_factor()
    model = BicNeuronClassifierCV(
        classifier(), cut_distances=(0.5,), max_ratios=(9.0,), cv=2, random_state=0
    )
    told = cross_validated(model, X, y)
    assert (told["n_splits"], told["n_repeats"]) == (5, 1)


def test_more_classes_have_no_area_and_small_ones_fewer_folds():
    X, y = make_three(sizes=(3, 20, 20))
    told = cross_validated(BicNeuronNetwork(design="readable", n_neurons=3, n_candidates=10), X, y)
    assert told["n_splits"] == 3
    assert [line["name"].split()[0] for line in told["measures"]] == ["Accuracy", "Balanced"]
    assert told == cross_validated(
        BicNeuronNetwork(design="readable", n_neurons=3, n_candidates=10), X, y
    )


def test_a_class_of_one_row_cannot_be_tested():
    X, y = make_three(sizes=(1, 20, 20))
    assert "two rows each" in cross_validated(classifier(), X, y)["reason"]


def test_long_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(_scores, "MOST_ROWS", 50)
    X, y = make_one_factor()
    assert cross_validated(classifier(max_ratio=9.0), X, y)["n_rows"] == 50
