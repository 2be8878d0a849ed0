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
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronClassifier, BicNeuronClassifierCV, CoherentBiclustering
from bicneuron.exceptions import (
    FewerFoldsWarning,
    NoContrastivePairError,
    NoContrastivePairWarning,
)
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

GRID = {
    "cut_distances": (0.3, 1.0),
    "max_residues": (0.02, 0.2),
    "max_ratios": (0.05, 0.9, inf),
    "anchors": ("both", 0),
    "searches": ("grow", "prune"),
    "neurons": (OnlinePerceptron(), KernelPerceptron(average=True)),
}


@pytest.fixture(scope="module")
def best(one_factor):
    """A search with the preset of that name."""
    return BicNeuronClassifierCV(cv=3, random_state=0).fit(*one_factor)


@cache
def searched(base):
    return BicNeuronClassifierCV(base, cv=2, random_state=3, **GRID).fit(*make_one_factor())


def test_defaults_are_those_of_the_preset_or_of_local_pairs():
    paper = BicNeuronClassifierCV(preset="paper").defaults()
    assert paper["max_ratios"] == (0.1, 0.3, 0.5, 0.7, 0.9)
    assert paper["max_residues"] == (0.02,)
    assert BicNeuronClassifierCV().defaults()["anchors"] == ("both",)
    local = BicNeuronClassifierCV(local=True, preset="paper").defaults()
    assert local["estimator"].local
    assert local["max_ratios"] == (inf,)
    paper["max_ratios"] = ()  # a copy
    assert BicNeuronClassifierCV(preset="paper").defaults()["max_ratios"]


NARROW_GRID = {
    "cut_distances": (0.6,),
    "max_residues": (0.05,),
    "max_ratios": (inf,),
    "anchors": ("minority",),
    "searches": ("grow",),
    "neurons": (OnlinePerceptron(),),
}

PLAIN = BicNeuronClassifier()
SAMPLED = BicNeuronClassifier(
    miner=CoherentBiclustering(max_seeds=20, max_columns=5),
    max_rows=25,
    max_pairs=4,
    contrast_size=2.0,
    recalibrate=True,
    criterion="centroid_distance",
)


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.FewerFoldsWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@parametrize_with_checks(
    [
        BicNeuronClassifierCV(cut_distances=[0.2], max_residues=[0.1], max_ratios=[0.9], cv=2),
        BicNeuronClassifierCV(
            preset="paper", cut_distances=[0.2], max_ratios=[0.9], multi_class="ovo", cv=2
        ),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


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
            point = clone(base).set_params(
                miner=clone(base.miner or CoherentBiclustering()),
                on_no_pair="raise",
                random_state=3,
            )
            try:
                point.set_params(**params).fit(X[train], y[train])
            except NoContrastivePairError:
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
    again = model._base().set_params(**model.best_params_).fit(X, y)
    assert_array_equal(model.decision_function(X), again.decision_function(X))
    assert not model.fallback_
    assert model.best_estimator_.selected_pair_ is not None
    splits = [results[f"split{k}_test_score"] for k in range(3)]
    assert_array_equal(results["mean_test_score"], np.mean(splits, axis=0))


def same_for_all(anchor, contrast):
    return 0.0


def test_of_equal_pairs_the_path_takes_those_that_a_fit_takes(one_factor):
    """A cut lists its pairs as its own fit does, although it shares some with an earlier cut."""
    X, y = one_factor
    base = BicNeuronClassifier(criterion=same_for_all, max_pairs=2)
    grid = {**NARROW_GRID, "cut_distances": (0.2, 0.3, 0.4, 0.6)}
    model = BicNeuronClassifierCV(base, cv=2, random_state=3, **grid).fit(X, y)
    train, test = next(StratifiedKFold(2, shuffle=True, random_state=3).split(X, y))
    results = model.cv_results_
    for params, score in zip(results["params"], results["split0_test_score"], strict=True):
        point = clone(base).set_params(miner=CoherentBiclustering(), random_state=3)
        point.set_params(**params).fit(X[train], y[train])
        assert score == balanced_accuracy_score(y[test], point.predict(X[test]))


@pytest.mark.parametrize(
    "name",
    [
        "pairs_",
        "neurons_",
        "scores_",
        "selected_pair_",
        "estimator_",
        "threshold_",
        "centroids_",
        "rows_used_",
        "diagnostics_",
    ],
)
def test_a_search_has_the_attributes_of_its_best(best, name):
    assert getattr(best, name) is getattr(best.best_estimator_, name)


def test_the_path_for_plotting_holds_the_other_parameters_at_their_best():
    model = searched(PLAIN)
    scores = model.path_["mean_test_score"]
    assert scores.shape == (2, 3)
    cut, ratio = np.unravel_index(scores.argmax(), scores.shape)
    assert scores.max() == model.best_score_
    assert model.path_["cut_distances"][cut] == model.best_params_["miner__cut_distance"]
    assert model.path_["max_ratios"][ratio] == model.best_params_["max_ratio"]


def test_a_larger_ratio_is_never_without_a_pair_where_a_smaller_has_one():
    X, y = make_one_factor()
    model = BicNeuronClassifierCV(preset="paper", cv=3, random_state=0).fit(X, y)
    scores = np.isfinite(model.cv_results_["split0_test_score"]).reshape(4, 5)
    assert (np.diff(scores.astype(int), axis=1) >= 0).all()


def test_the_fallback_never_wins_and_is_told():
    X, y = make_one_factor()
    search = BicNeuronClassifierCV(preset="paper", max_ratios=(1e-9,), cv=2, random_state=0)
    with pytest.warns(NoContrastivePairWarning):
        model = search.fit(X, y)
    assert model.fallback_
    assert model.best_score_ == -inf
    assert np.isnan(model.cv_results_["std_test_score"]).all()
    assert model.best_estimator_.selected_pair_ is None
    with pytest.raises(NoContrastivePairError):
        clone(search).set_params(estimator=BicNeuronClassifier(on_no_pair="raise")).fit(X, y)
    some = clone(search).set_params(max_ratios=(1e-9, inf)).fit(X, y)
    assert some.best_params_["max_ratio"] == inf


def test_without_a_pair_on_all_rows_the_best_grid_point_gives_way_to_the_next():
    X, y = make_one_factor(7, n_minority=20, n_majority=24, n_columns=6)
    miner = CoherentBiclustering(cut_distance=0.6, max_residue=0.05)
    on_all_rows = BicNeuronClassifier(miner=miner, max_ratio=inf, random_state=3).fit(X, y)
    too_small = np.nextafter(on_all_rows.pairs_[0].msr_ratio, 0)
    grid = {**NARROW_GRID, "max_ratios": (too_small, inf)}
    model = BicNeuronClassifierCV(PLAIN, cv=2, random_state=3, **grid).fit(X, y)
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
    model = BicNeuronClassifierCV(
        preset="paper",
        max_ratios=(inf,),
        cv=[(few, everything), (everything, everything)],
        random_state=0,
    ).fit(X, y)
    assert model.best_score_ == -inf
    assert model.best_estimator_.selected_pair_ is not None
    assert not model.fallback_


def test_the_fallback_is_not_chosen_over_a_pair_of_a_grid_point_without_a_score():
    X, y = make_one_factor()
    few = np.concatenate([np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:20]])
    everything = np.arange(len(y))
    model = BicNeuronClassifierCV(
        preset="paper",
        max_ratios=(1e-9, inf),
        cv=[(few, everything), (everything, everything)],
        random_state=0,
    ).fit(X, y)
    assert model.best_score_ == -inf
    assert model.best_params_["max_ratio"] == inf
    assert model.best_estimator_.selected_pair_ is not None
    assert not model.fallback_


def test_groups_stay_on_one_side():
    X, y = make_one_factor()
    groups = np.arange(len(y)) // 4
    splits = BicNeuronClassifierCV(cv=3, random_state=0)
    splits.classes_ = np.array([0, 1])
    for train, test in splits._splits(X, y, groups, 0):
        assert not set(groups[train]) & set(groups[test])
    model = BicNeuronClassifierCV(preset="paper", cv=3, random_state=0).fit(X, y, groups=groups)
    assert model.n_splits_ == 3


def test_fewer_folds_than_asked_for_are_said_aloud():
    X, y = make_one_factor(n_minority=3)
    with pytest.warns(FewerFoldsWarning, match="cv=5 becomes 3"):
        model = BicNeuronClassifierCV(
            BicNeuronClassifier(miner=CoherentBiclustering(min_rows=2)),
            preset="paper",
            anchors=["majority"],
        ).fit(X, y)
    assert model.n_splits_ == 3
    one = np.zeros(len(y), dtype=int)
    one[0] = 1
    with pytest.raises(ValueError, match=r"cv=5 is not possible.*BicNeuronClassifier"):
        BicNeuronClassifierCV().fit(X, one)


def test_same_result_whatever_n_jobs(one_factor, best):
    X, y = one_factor
    two = clone(best).set_params(n_jobs=2).fit(X, y)
    for key in ("mean_test_score", "split2_test_score"):
        assert best.cv_results_[key].tobytes() == two.cv_results_[key].tobytes()
    assert best.decision_function(X).tobytes() == two.decision_function(X).tobytes()


def test_other_scoring_neurons_and_splitters():
    X, y = make_one_factor()
    folds = StratifiedKFold(2)
    model = BicNeuronClassifierCV(
        preset="paper",
        cut_distances=(0.5, 1.0),
        max_ratios=(0.9, inf),
        scoring="accuracy",
        cv=folds,
        neurons=[LogisticRegression()],
        random_state=0,
    ).fit(X, y)
    assert isinstance(model.best_estimator_.estimator_, LogisticRegression)
    train, test = next(folds.split(X, y))
    again = model._base().set_params(**model.best_params_).fit(X[train], y[train])
    expected = accuracy_score(y[test], again.predict(X[test]))
    assert model.cv_results_["split0_test_score"][model.best_index_] == expected


def test_names_labels_and_pipelines():
    X, y = make_one_factor()
    frame = pd.DataFrame(X).add_prefix("gene")
    labels = np.array(["well", "ill"])[y]
    search = BicNeuronClassifierCV(preset="paper", max_ratios=(inf,), cv=2, random_state=0)
    model = clone(search).fit(frame, labels)
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    assert set(model.predict(frame)) == {"well", "ill"}
    pipe = make_pipeline(StandardScaler(), search)
    assert pipe.fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cut_distances": []}, "cut_distances is empty"),
        ({"estimator": BicNeuronClassifier(miner=FixedMiner())}, "FixedMiner.*GridSearchCV"),
        ({"preset": "good"}, "preset"),
        ({"max_ratios": [-1.0]}, "max_ratio"),
        ({"anchors": ["neither"]}, "anchor='neither'"),
        ({"scoring": 3}, "scoring"),
        ({"cv": 1.5}, "cv"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BicNeuronClassifierCV(**parameters).fit(*make_one_factor())
