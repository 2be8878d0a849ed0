"""Rivals use as many columns as the network, and what is shown of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from data import make_one_factor
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from bicneuron import BicNeuronNetwork
from bicneuron._estimators._compat import L1_PENALTY
from bicneuron.reproduction._problems import Problem
from studies._classifiers import PATTERNS
from studies._comparison import signed_rank_p_value
from studies._report import curves_svg
from studies._study import write_study
from studies.small import STUDY
from studies.small.column_choice import (
    L1_PATH,
    STRENGTHS,
    L1Columns,
    LogisticRegressionOnColumns,
)
from studies.small.methods import (
    FOREST,
    N_NEURONS,
    NETWORK,
    RIVALS,
    Rival,
    _boosting_machine_size,
    _figs_size,
    network_size,
)
from studies.small.runs import SizeFold, SizeRecord, plan, run_size_fold


@pytest.fixture(scope="module")
def wide():
    """Eight of sixty columns tell the classes apart, each a little."""
    random = np.random.RandomState(0)
    y = np.repeat([-1, 1], 100)
    X = random.normal(size=(200, 60))
    X[:, :8] += 0.7 * y[:, None]
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("n_columns", [2, 5, 10])
def test_l1_takes_the_largest_weights_of_the_first_penalty_with_enough_columns(wide, n_columns):
    X, y = wide
    chosen = L1Columns(n_columns, random_state=0).fit(X, y).get_support()
    assert chosen.sum() == n_columns
    for C in l1_min_c(X, y, loss="log", fit_intercept=False) * L1_PATH:
        model = LogisticRegression(
            C=C, solver="liblinear", intercept_scaling=10, max_iter=200, **L1_PENALTY
        ).set_params(random_state=0)
        weights = np.abs(model.fit(X, y).coef_[0])
        if np.count_nonzero(weights) >= n_columns:
            break
    assert weights[chosen].min() >= weights[~chosen].max()
    assert weights[chosen].min() > 0


def test_l1_may_take_all_columns_or_fewer_than_it_may(wide):
    X, y = wide
    assert L1Columns(60).fit(X, y).get_support().all()
    twice = np.column_stack([X[:, 0], X[:, 0], np.zeros(200)])
    assert not L1Columns(2).fit(twice, y).get_support()[2]


def test_the_penalty_is_chosen_in_inner_folds(wide):
    X, y = wide
    noise = np.random.RandomState(1).normal(size=X.shape)
    strong, weak = (
        LogisticRegressionOnColumns(L1Columns(60), random_state=0).fit(data, y).model_.C
        for data in (noise, X)
    )
    assert strong < weak < max(STRENGTHS)


@pytest.mark.parametrize("rival", [r for r in RIVALS if r.is_installed], ids=lambda r: r.name)
def test_rivals_use_the_columns_that_they_are_allowed(wide, rival):
    X, y = wide
    size = rival.size(rival.build(8, 0).fit(X, y))
    if rival is FOREST:
        assert size.n_columns == 60
    else:
        assert 4 <= size.n_columns <= 8
    assert size.n_numbers > size.n_columns


def test_the_best_columns_are_found_and_counted(wide):
    X, y = wide
    rivals = [r for r in RIVALS if r.name.startswith("best columns") and r.package is None]
    for rival in rivals:
        model = rival.build(8, 0).fit(X[::2], y[::2])
        assert model.score(X[1::2], y[1::2]) > 0.85
    numbers = [rival.size(rival.build(8, 0).fit(X, y)).n_numbers for rival in rivals]
    assert numbers == [9, 9, 33, 33]


def test_columns_that_patterns_share_count_once_and_their_numbers_twice():
    columns = [np.array([1, 2, 5]), np.array([2, 5, 7, 8])]
    patterns = [SimpleNamespace(columns=own) for own in columns]
    assert network_size(SimpleNamespace(patterns_=patterns)) == (5, 4 * 7 + 2 * 2 + 2)


def test_packages_that_are_not_needed_are_counted_by_their_splits_and_curves():
    leaf = SimpleNamespace(left=None, right=None)
    inner = SimpleNamespace(feature=3, left=leaf, right=leaf)
    trees = [SimpleNamespace(feature=1, left=leaf, right=inner), inner]
    assert _figs_size(SimpleNamespace(trees_=trees)) == (2, 3 + 5)
    machine = SimpleNamespace(term_scores_=[np.zeros(4), np.zeros(6)])
    assert _boosting_machine_size([None, machine]) == (2, 11)
    assert not Rival("absent", lambda n, s: None, lambda m: None, "no_such_package").is_installed


def test_in_each_fold_all_use_as_many_columns_as_the_network():
    problem = Problem.from_labels("made-up", *make_one_factor())
    record = run_size_fold(SizeFold(PATTERNS, problem, 3, 1, 0))
    assert (record.model, record.fold, record.n_all_columns) == ("patterns-3", 1, 10)
    assert [*record.results] == [NETWORK, *(r.name for r in RIVALS if r.is_installed)]
    n_columns = record.results[NETWORK]["n_columns"]
    assert 0 < n_columns <= 10
    for name, result in record.results.items():
        if name != FOREST.name:
            assert result["n_columns"] <= n_columns
        if name.startswith("best columns"):
            assert result["n_columns"] == n_columns
    _, test = PATTERNS.split(problem, 0)[1]
    assert record.results[NETWORK]["acc"] * len(test) == pytest.approx(
        round(record.results[NETWORK]["acc"] * len(test))
    )


def test_folds_that_are_asked_for_are_run(monkeypatch):
    problem = Problem.from_labels("made-up", *make_one_factor())
    monkeypatch.setattr("studies.small.runs.load_problem", lambda *arguments: problem)
    folds = plan(["wdbc"], 0, None, 2)
    assert [(fold.index, fold.n_neurons) for fold in folds] == [
        (index, n_neurons) for index in range(2) for n_neurons in N_NEURONS
    ]
    assert len(plan(["wdbc"], 0, None, None)) == 10 * len(N_NEURONS)


def made_up_record(dataset, n_neurons, fold, accuracies):
    results = {
        name: {
            "n_columns": 12,
            "n_numbers": 48 if name == NETWORK else 13,
            "acc": acc,
            "label_auc": acc,
            "score_auc": None,
            "brier": None,
        }
        for name, acc in accuracies.items()
    }
    return SizeRecord(
        protocol="patterns",
        dataset=dataset,
        model=f"patterns-{n_neurons}",
        fold=fold,
        n_all_columns=30,
        results=results,
        seconds=1.0,
        settings={},
        versions={},
    )


def test_the_network_is_compared_with_each_rival_at_each_size(tmp_path):
    rival = RIVALS[0].name
    gains = {"chen": 0.25, "colon": 0.125, "wdbc": -0.0625}
    records = [
        made_up_record(dataset, n_neurons, fold, {NETWORK: 0.5 + gain + shift, rival: 0.5 + shift})
        for dataset, gain in gains.items()
        for n_neurons in N_NEURONS
        for fold, shift in enumerate((0.125, -0.125))
    ]
    markdown, table, plot = write_study(STUDY, records, tmp_path)
    text = markdown.read_text()
    assert all(f"## {n} patterns" in text for n in N_NEURONS[:-1])
    values = np.array([*gains.values()])
    assert (
        f"| {rival} | 12 | 13 | 0.500 | 0.500 | - | - | {values.mean():+.3f} | 2 / 1 | "
        f"{signed_rank_p_value(values):.3f} |"
    ) in text
    assert f"| {NETWORK} | 12 | 48 | {0.5 + values.mean():.3f} |" in text
    assert "| colon | 12 of 30 | 0.625 | 0.500 |" in text
    assert "The 2 data sets on which the design was not chosen" in text
    assert f"left out: {'; '.join(r.name for r in RIVALS[1:])}" in text
    assert len(table.read_text().splitlines()) == 1 + 3 * 4 * 2
    drawn = plot.read_text()
    assert {f">{label}<" in drawn for label in ("columns", "fitted numbers", rival)} == {True}


def test_the_network_of_the_study_is_the_readable_one():
    problem = Problem.from_labels("made-up", *make_one_factor())
    settings = SizeFold(PATTERNS, problem, "auto", 0, 0).settings
    assert "design='readable'" in settings["estimator"]
    assert "n_neurons='auto'" in settings["estimator"]
    assert BicNeuronNetwork.__name__ in settings["estimator"]


def test_curves_are_the_same_for_the_same_values():
    curves = {"one": [0.5, 0.75], "two": [0.25, 0.125]}
    svg = curves_svg(curves, ["5", "10"], x="patterns", y="mean ACC")
    assert svg == curves_svg(curves, ["5", "10"], x="patterns", y="mean ACC")
    assert {f">{text}<" in svg for text in ("one", "two", "patterns", "mean ACC", "5", "10")} == {
        True
    }
