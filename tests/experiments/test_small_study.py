"""Small rivals keep to their size, and what is shown of them."""

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron._sklearn._compat import L1_PENALTY
from bicneuron.experiments._curves import curves_svg
from bicneuron.experiments._folds import Fold
from bicneuron.experiments._problems import Problem
from bicneuron.experiments._protocols import PATTERNS
from bicneuron.experiments._rivals import (
    L1_PATH,
    RuleTerms,
    SparseLogisticRegression,
    rule_fit,
)
from bicneuron.experiments._small_study import KINDS, SIZES, SMALL_MODELS
from bicneuron.experiments._studies import write_study


@pytest.fixture(scope="module")
def wide():
    """Eight of sixty columns tell the classes apart, each a little."""
    random = np.random.RandomState(0)
    y = np.repeat([-1, 1], 100)
    X = random.normal(size=(200, 60))
    X[:, :8] += 0.7 * y[:, None]
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("size", [2, 5, 10])
def test_a_sparse_regression_keeps_to_its_columns_with_the_weakest_penalty(wide, size):
    X, y = wide
    found = SparseLogisticRegression(size, random_state=0).fit(X, y)
    assert size / 2 <= np.count_nonzero(found.coef_) <= size
    # The fit that was kept is one of the path, and the next one takes in too many columns.
    after, kept = (
        LogisticRegression(
            C=C,
            solver="liblinear",
            intercept_scaling=10,
            max_iter=1000,
            random_state=0,
            **L1_PENALTY,
        ).fit(X, y)
        for C in (found.C, found.C * L1_PATH[0] / L1_PATH[1])
    )
    assert np.count_nonzero(after.coef_) > size
    assert found.coef_ == pytest.approx(kept.coef_)
    assert found.intercept_ == pytest.approx(kept.intercept_)


def test_a_sparse_regression_may_take_all_columns(wide):
    X, y = wide
    found = SparseLogisticRegression(60, random_state=0).fit(X[:, :4], y)
    assert np.count_nonzero(found.coef_) == 4
    assert found.score(X[:, :4], y) > 0.85


def test_terms_are_the_ways_to_the_nodes_of_small_trees():
    random = np.random.RandomState(1)
    X = random.normal(size=(120, 3))
    y = np.where((X[:, 0] > 0) & (X[:, 1] > 0), 1, -1)
    terms = RuleTerms(random_state=0).fit(X, y)
    found = terms.transform(X)
    first = terms.boosting_.estimators_[0, 0].tree_
    side = X[:, first.feature[0]] <= first.threshold[0]
    assert found[:, 0].tolist() == side.tolist()
    rules, columns = found[:, :-3], found[:, -3:]
    assert set(np.unique(rules)) == {0, 1}
    apart = {tuple(rule != rule[0]) for rule in rules.T}
    assert len(apart) == rules.shape[1], "neither copies nor opposites"
    every = {
        tuple(rule != rule[0])
        for tree in terms.boosting_.estimators_.ravel()
        for rule in tree.decision_path(X).toarray()[:, 1:].T
    }
    assert apart == every
    assert columns.std(axis=0) == pytest.approx(0.4)
    assert np.argsort(columns[:, 2])[60] == np.argsort(X[:, 2])[60]


def test_rules_solve_what_no_line_does():
    random = np.random.RandomState(2)
    X = random.uniform(-1, 1, size=(400, 4))
    y = np.where(X[:, 0] * X[:, 1] + 0.05 * random.normal(size=400) > 0, 1, -1)
    model = rule_fit(PATTERNS, "made-up", 0, max_terms=10).fit(X[:200], y[:200])
    assert np.count_nonzero(model[-1].coef_) <= 10
    assert model.score(X[200:], y[200:]) > 0.8
    line = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:200], y[:200])
    assert line.score(X[200:], y[200:]) < 0.6
    again = clone(model).fit(X[:200], y[:200])
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()


@pytest.mark.parametrize("size", SIZES)
def test_all_are_as_small_as_each_other(size):
    problem = Problem.from_labels("made-up", *make_one_factor())

    def built(kind):
        return Fold(PATTERNS, problem, KINDS[kind][size], 0, 0).build()

    assert built("network, mined pairs").n_neurons == size
    assert built("network, random pairs").n_neurons == size
    assert built("L1 logistic regression")[-1].max_columns == size
    assert built("decision tree").max_leaf_nodes == size
    assert built("small random forest").n_estimators == size
    assert built("rules")[-1].max_columns == size


def test_the_curve_of_each_kind_is_shown(tmp_path):
    accuracies = {model.name: 0.5 + place / 64 for place, model in enumerate(SMALL_MODELS)}
    records = [
        make_fold("patterns", dataset, model, 0, acc, 0.5)
        for model, acc in accuracies.items()
        for dataset in ("chen", "wdbc")
    ]
    markdown, _, plot = write_study("small", records, tmp_path)
    text = markdown.read_text()
    for kind, models in KINDS.items():
        means = [f"{accuracies[models[size].name]:.3f}" for size in SIZES]
        assert f"| {kind} | {' | '.join(means)} |" in text
    forest = f"{accuracies['RandomForest']:.3f}"
    assert f"| random forest of 300 | {forest} | {forest} | {forest} |" in text
    assert all(f"## {size} patterns" in text for size in SIZES)
    assert plot.name in text


def test_curves_are_the_same_for_the_same_values():
    curves = {"one": [0.5, 0.75], "two": [0.25, 0.125]}
    svg = curves_svg(curves, ["5", "10"], x="patterns", y="mean ACC")
    assert svg == curves_svg(curves, ["5", "10"], x="patterns", y="mean ACC")
    assert {f">{text}<" in svg for text in ("one", "two", "patterns", "mean ACC", "5", "10")} == {
        True
    }
