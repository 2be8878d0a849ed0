"""Rivals use as many columns as the network, and what is shown of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from bicneuron import PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from reproduction._problems import Problem
from studies._classifiers import PATTERNS
from studies._comparison import signed_rank_p_value
from studies._study import write_study
from studies.small import STUDY
from studies.small.column_choice import (
    L1_PATH,
    L1_PENALTY,
    L1Columns,
    LogisticRegressionOnColumns,
)
from studies.small.fits import _jaccard
from studies.small.methods import (
    NETWORK,
    RIVALS,
    first_pattern_used,
    network_used,
)
from studies.small.runs import PlantedRun, SizeFold, SizeRecord, run_fold, run_table
from studies.small.tables import PLANTED_TABLES


@pytest.fixture(scope="module")
def wide():
    """Eight of sixty columns tell the classes apart, each a little."""
    random = np.random.RandomState(0)
    y = np.repeat([-1, 1], 100)
    X = random.normal(size=(200, 60))
    X[:, :8] += 0.7 * y[:, None]
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("n_columns", [2, 10])
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
    twice = np.column_stack([X[:, 0], X[:, 0], np.zeros(200)])
    assert not L1Columns(2).fit(twice, y).get_support()[2]


def test_inner_folds_keep_groups_together(wide):
    """Rows that are there twice, with random labels, look predictable if they are split."""
    X, _ = wide
    random = np.random.RandomState(0)
    X, y = np.repeat(X[:50], 4, axis=0), np.repeat(random.permutation([-1, 1] * 25), 4)
    persons = np.repeat(np.arange(50), 4)
    model = LogisticRegressionOnColumns(L1Columns(60), random_state=0)
    assert model.fit(X, y).model_.C > model.fit(X, y, groups=persons).model_.C


@pytest.mark.parametrize("rival", [r for r in RIVALS if r.is_installed], ids=lambda r: r.name)
def test_rivals_use_the_columns_that_they_are_allowed_and_learn(wide, rival):
    X, y = wide
    model = rival.build(8, 0).fit(X[::2], y[::2])
    columns, n_numbers = rival.used(model)
    assert len(columns) == 60 if rival.is_free else 4 <= len(columns) <= 8
    assert n_numbers >= len(columns) / 2
    assert model.score(X[1::2], y[1::2]) > 0.65


def test_columns_that_patterns_share_count_once_and_their_numbers_twice(wide):
    X, y = wide
    columns = [np.array([1, 2, 5]), np.array([2, 5, 7, 8]), np.array([1, 8]), np.array([1, 2])]
    neurons = [
        GaussianNeuron(shared_variance=True),
        GaussianNeuron(),
        KernelNeuron("linear"),
        KernelNeuron(),
    ]
    patterns = [
        SimpleNamespace(columns=own, neuron=SimpleNamespace(estimator=each.fit(X[:, own], y)))
        for own, each in zip(columns, neurons, strict=True)
    ]
    model = SimpleNamespace(patterns_=patterns, columns_in_use_=np.array([1, 2, 5, 7, 8]))
    used = network_used(model)
    assert used.columns.tolist() == [1, 2, 5, 7, 8]
    assert used.n_numbers == 3 * 3 + 4 * 4 + (2 + 1) + (200 * (2 + 1) + 1) + 4 * 2 + 2
    assert first_pattern_used(model).columns.tolist() == [1, 2, 5]
    nothing = SimpleNamespace(patterns_=[], columns_in_use_=np.empty(0, np.intp))
    assert len(first_pattern_used(nothing).columns) == 0


@pytest.mark.slow
def test_in_each_fold_all_use_as_many_columns_as_the_network(wide):
    X, y = wide
    fold = SizeFold(PATTERNS, Problem("wide", X[::2], y[::2]), 1, 0)
    record = run_fold(fold)
    assert PatternClassifier.__name__ in fold.settings["estimator"]
    assert (record.model, record.fold, record.n_all_columns) == (NETWORK, 1, 60)
    assert [*record.results] == [NETWORK, *(r.name for r in RIVALS if r.is_installed)]
    n_columns = record.results[NETWORK]["n_columns"]
    assert record.n_patterns > 0
    assert 0 < n_columns < 60
    for rival in RIVALS:
        result = record.results.get(rival.name)
        if result and rival.is_free:
            assert (result["n_columns"], result["overlap"]) == (60, None)
        elif result:
            assert result["n_columns"] <= n_columns
            assert 0 <= result["overlap"] <= 1
    assert record.results["best columns, shrinkage LDA"]["overlap"] > 0.2
    assert _jaccard(np.array([1, 2, 3]), np.array([2, 3, 4])) == 0.5


@pytest.mark.slow
def test_planted_columns_are_counted():
    record = run_table(PlantedRun(PLANTED_TABLES[0], 0, 0))
    assert (record.protocol, record.dataset, record.n_all_columns) == ("planted", "demo", 1000)
    assert record.n_patterns > 0
    assert record.results[NETWORK]["planted"] > 0.9
    assert all(result["planted"] > 0.5 for result in record.results.values())


def made_up_record(section, dataset, fold, n_patterns, results):
    place = {"protocol": section, "dataset": dataset, "model": NETWORK, "fold": fold}
    made = {
        name: {"n_columns": 12, "n_numbers": 48 if name == NETWORK else 13, **own}
        for name, own in results.items()
    }
    sizes = {"n_all_columns": 30, "n_patterns": n_patterns, "results": made}
    return SizeRecord(**place, **sizes, seconds=1.0, settings={}, versions={})


def test_the_network_is_compared_with_each_rival(tmp_path):
    rival = RIVALS[0].name
    gains = {"chen": 0.25, "colon": 0.125, "wdbc": -0.0625}

    def results(gain, shift):
        unknown = {"score_auc": None, "brier": None, "overlap": 0.25}
        accuracies = {NETWORK: 0.5 + gain + shift, rival: 0.5 + shift}
        return {name: {"acc": acc, **unknown} for name, acc in accuracies.items()}

    records = [
        made_up_record("patterns", dataset, fold, 2 * fold, results(gain, shift))
        for dataset, gain in gains.items()
        for fold, shift in enumerate((0.125, -0.125))
    ]
    markdown, table, plot = write_study(STUDY, records, tmp_path)
    text = markdown.read_text()
    values = np.array([*gains.values()])
    compared = f"{values.mean():+.3f} | 2 / 1 | {signed_rank_p_value(values):.3f} |"
    assert f"| {rival} |  | 12 | 13 | 0.500 | - | - | 0.250 | {compared}" in text
    assert f"| {NETWORK} | 1.0 | 12 | 48 | {0.5 + values.mean():.3f} |" in text
    assert "| colon | 1.0 | 12 of 30 | 0.625 | 0.500 |" in text
    assert "Both halves have a pattern in\n6 of 6 splits" in text
    assert "Planted" not in text
    assert len(table.read_text().splitlines()) == 1 + 3 * 2
    assert f">{rival}<" in plot.read_text()
