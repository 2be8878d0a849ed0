from functools import cache
from math import inf

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor
from miners import FixedMiner
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.classifier._problems import binary_problems
from bicneuron.classifier._search import inner_splits
from bicneuron.exceptions import (
    FewerFoldsWarning,
    NoContrastivePairWarning,
)
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

GRID = {
    "miner__cut_distance": (0.3, 1.0),
    "miner__max_residue": (0.02, 0.2),
    "max_ratio": (0.05, 0.9, inf),
    "anchor": ("both", 0),
    "miner__search": ("grow", "prune"),
    "neuron": (OnlinePerceptron(), KernelPerceptron(average=True)),
}


@pytest.fixture(scope="module")
def best(one_factor):
    """A search with the preset of that name."""
    return BicNeuronClassifier(cv=3, random_state=0).fit(*one_factor)


@cache
def searched(base):
    return clone(base).set_params(search=GRID, cv=2, random_state=3).fit(*make_one_factor())


NARROW_GRID = {
    "miner__cut_distance": (0.6,),
    "miner__max_residue": (0.05,),
    "max_ratio": (inf,),
}

PLAIN = BicNeuronClassifier(search=None)
SAMPLED = BicNeuronClassifier(
    search=None,
    miner=CoherentBiclustering(max_seeds=20, max_columns=5),
    max_rows=25,
    recalibrate=True,
)


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.FewerFoldsWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@parametrize_with_checks(
    [
        BicNeuronClassifier(
            search={"miner__max_residue": [0.1], "miner__cut_distance": [0.2], "max_ratio": [0.9]},
            cv=2,
        ),
        BicNeuronClassifier(
            search={"miner__cut_distance": [0.2], "max_ratio": [0.9]}, multi_class="ovo", cv=2
        ),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.parametrize("base", [PLAIN, SAMPLED], ids=["plain", "sampled"])
def test_the_path_equals_a_fit_at_each_grid_point(one_factor, base):
    X, y = one_factor
    model = searched(base)
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    n_points, worst = len(model.cv_results_["params"]), 0
    # Each point in one of the folds.
    checked_in = np.random.default_rng(0).permutation(np.arange(n_points) % 2)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for place in np.flatnonzero(checked_in == split):
            params = model.cv_results_["params"][place]
            score = model.cv_results_[f"split{split}_test_score"][place]
            point = clone(base).set_params(miner=clone(base.miner or CoherentBiclustering()))
            point.set_params(random_state=3, **params).fit(X[train], y[train])
            if point.selected_pair_ is None:
                worst += 1
                assert score == -inf
            else:
                assert score == balanced_accuracy_score(y[test], point.predict(X[test]))
    assert 0 < worst < n_points


def test_the_best_grid_point_is_fitted_on_all_rows(one_factor, best):
    X, y = one_factor
    model, results = best, best.cv_results_
    assert model.best_score_ == results["mean_test_score"].max()
    assert results["rank_test_score"][model.best_index_] == 1
    assert results["params"][model.best_index_] is model.best_params_
    again = model._resolved().set_params(**model.best_params_).fit(X, y)
    assert_array_equal(model.decision_function(X), again.decision_function(X))
    assert not model.fallback_
    assert model.selected_pair_ is not None
    splits = [results[f"split{k}_test_score"] for k in range(3)]
    assert_array_equal(results["mean_test_score"], np.mean(splits, axis=0))


def test_a_larger_ratio_is_never_without_a_pair_where_a_smaller_has_one():
    X, y = make_one_factor()
    model = BicNeuronClassifier(search="paper", cv=3, random_state=0).fit(X, y)
    scores = np.isfinite(model.cv_results_["split0_test_score"]).reshape(4, 5)
    assert (np.diff(scores.astype(int), axis=1) >= 0).all()


def test_the_fallback_never_wins_and_is_told():
    X, y = make_one_factor()
    search = BicNeuronClassifier(search="paper", max_ratio=1e-9, cv=2, random_state=0)
    with pytest.warns(NoContrastivePairWarning):
        model = search.fit(X, y)
    assert model.fallback_
    assert model.best_score_ == -inf
    assert np.isnan(model.cv_results_["std_test_score"]).all()
    assert model.selected_pair_ is None
    some = clone(search).set_params(search={"max_ratio": (1e-9, inf)}, max_ratio=None).fit(X, y)
    assert some.best_params_["max_ratio"] == inf


def test_without_a_pair_on_all_rows_the_best_grid_point_gives_way_to_the_next():
    X, y = make_one_factor(7, n_minority=20, n_majority=24, n_columns=6)
    miner = CoherentBiclustering(cut_distance=0.6, max_residue=0.05)
    on_all_rows = BicNeuronClassifier(search=None, miner=miner, max_ratio=inf, random_state=3).fit(
        X, y
    )
    too_small = np.nextafter(on_all_rows.pairs_[0].msr_ratio, 0)
    grid = {**NARROW_GRID, "max_ratio": (too_small, inf)}
    model = clone(PLAIN).set_params(search=grid, cv=2, random_state=3).fit(X, y)
    means = model.cv_results_["mean_test_score"]
    assert means[0] > means[1] > 0
    assert (model.best_index_, model.best_score_) == (1, means[1])
    assert model.best_params_["max_ratio"] == inf
    assert not model.fallback_
    assert model.selected_pair_ == on_all_rows.selected_pair_


def test_a_pair_that_decides_is_no_fallback_although_no_grid_point_has_a_score():
    X, y = make_one_factor()
    few = np.concatenate([np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:20]])
    everything = np.arange(len(y))
    model = BicNeuronClassifier(
        search="paper",
        max_ratio=inf,
        cv=[(few, everything), (everything, everything)],
        random_state=0,
    ).fit(X, y)
    assert model.best_score_ == -inf
    assert model.selected_pair_ is not None
    assert not model.fallback_


def test_the_fallback_is_not_chosen_over_a_pair_of_a_grid_point_without_a_score():
    X, y = make_one_factor()
    few = np.concatenate([np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:20]])
    everything = np.arange(len(y))
    model = BicNeuronClassifier(
        search={"miner__cut_distance": (0.5, 0.8, 1.0, 1.5), "max_ratio": (1e-9, inf)},
        cv=[(few, everything), (everything, everything)],
        random_state=0,
    ).fit(X, y)
    assert model.best_score_ == -inf
    assert model.best_params_["max_ratio"] == inf
    assert model.selected_pair_ is not None
    assert not model.fallback_


def test_groups_stay_on_one_side():
    X, y = make_one_factor()
    groups = np.arange(len(y)) // 4
    problems = binary_problems(np.array([0, 1]), "ovr")
    for train, test in inner_splits(3, X, y, groups, problems, 0):
        assert not set(groups[train]) & set(groups[test])
    model = BicNeuronClassifier(search="paper", cv=3, random_state=0).fit(X, y, groups=groups)
    assert model.n_splits_ == 3


def test_fewer_folds_than_asked_for_are_said_aloud():
    X, y = make_one_factor(n_minority=3)
    with pytest.warns(FewerFoldsWarning, match="cv=5 becomes 3"):
        model = BicNeuronClassifier(
            search="paper", anchor="majority", miner=CoherentBiclustering(min_rows=2)
        ).fit(X, y)
    assert model.n_splits_ == 3
    one = np.zeros(len(y), dtype=int)
    one[0] = 1
    with pytest.raises(ValueError, match=r"cv=5 is not possible.*search=None"):
        BicNeuronClassifier().fit(X, one)


def test_same_result_whatever_n_jobs(one_factor, best):
    X, y = one_factor
    two = clone(best).set_params(n_jobs=2).fit(X, y)
    for key in ("mean_test_score", "split2_test_score"):
        assert best.cv_results_[key].tobytes() == two.cv_results_[key].tobytes()
    assert best.decision_function(X).tobytes() == two.decision_function(X).tobytes()


def test_other_neurons_and_splitters():
    X, y = make_one_factor()
    folds = StratifiedKFold(2)
    model = BicNeuronClassifier(
        search={
            "miner__cut_distance": (0.5, 1.0),
            "neuron": [LogisticRegression()],
            "max_ratio": (0.9, inf),
        },
        cv=folds,
        random_state=0,
    ).fit(X, y)
    assert isinstance(model.estimator_, LogisticRegression)
    train, test = next(folds.split(X, y))
    again = model._resolved().set_params(**model.best_params_).fit(X[train], y[train])
    expected = balanced_accuracy_score(y[test], again.predict(X[test]))
    assert model.cv_results_["split0_test_score"][model.best_index_] == expected


def test_names_labels_and_pipelines():
    X, y = make_one_factor()
    frame = pd.DataFrame(X).add_prefix("gene")
    labels = np.array(["well", "ill"])[y]
    search = BicNeuronClassifier(search="paper", max_ratio=inf, cv=2, random_state=0)
    model = clone(search).fit(frame, labels)
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    assert set(model.predict(frame)) == {"well", "ill"}
    pipe = make_pipeline(StandardScaler(), search)
    assert pipe.fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"search": {"anchor": []}}, "no value of 'anchor'"),
        (
            {"search": {"cut_distance": [1.0]}},
            "search has 'cut_distance'; it may have miner__search",
        ),
        ({"miner": FixedMiner()}, "FixedMiner.*GridSearchCV"),
        ({"search": "good"}, "search"),
        ({"search": {"max_ratio": [-1.0]}}, "max_ratio"),
        ({"search": {"anchor": ["neither"]}}, "anchor='neither'"),
        ({"cv": 1.5}, "cv"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BicNeuronClassifier(**parameters).fit(*make_one_factor())
