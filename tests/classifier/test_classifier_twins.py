"""The fallback, the path and the joint decision against their naive twins."""

from functools import cache
from math import inf

import numpy as np
import pytest
from data import make_one_factor, make_three, minmax
from numpy.testing import assert_allclose, assert_array_equal
from oracles.splits import naive_best_threshold, naive_label_auc
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

NEURONS = [
    OnlinePerceptron(),
    KernelPerceptron(kernel="linear", average=True),
    LogisticRegression(),
    RidgeClassifier(),
]


def fallen_back(X, y, **parameters):
    with pytest.warns(NoContrastivePairWarning):
        return BicNeuronClassifier(search=None, max_ratio=0.0, random_state=0, **parameters).fit(
            X, y
        )


# --- fallback


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
@pytest.mark.parametrize("swapped", [False, True])
def test_the_threshold_of_a_fallback(neuron, swapped):
    """Recalibrated, it has the best label AUC on all training rows; otherwise it is 0."""
    X, y = make_one_factor(noise=1.0)
    y = 1 - y if swapped else y
    plain, moved = (fallen_back(X, y, neuron=neuron, recalibrate=r) for r in (False, True))
    Z = minmax(X)
    scores = plain.estimator_.decision_function(Z)
    assert_allclose(moved.estimator_.decision_function(Z), scores, atol=1e-12)
    expected = naive_best_threshold(scores.tolist(), (y == 1).tolist())
    assert plain.threshold_ == 0
    assert moved.threshold_ == pytest.approx(expected, abs=1e-12)
    assert moved.threshold_ != 0
    assert_allclose(plain.decision_function(X), scores, atol=1e-12)
    assert_allclose(moved.decision_function(X), scores - expected, atol=1e-12)
    assert_array_equal(moved.predict(X), (scores > expected).astype(int))
    aucs = [naive_label_auc(scores, y == 1, threshold) for threshold in (0, expected)]
    assert aucs[1] > aucs[0]


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (2, "class 1 has 2 rows, fewer than the miner's min_rows=3"),
        (3, "CoherentBiclustering found no bicluster in class 1 with 3 rows"),
    ],
)
def test_a_class_is_too_small_if_it_has_fewer_rows_than_a_bicluster_needs(size, reason):
    X, y = make_one_factor(n_minority=size)
    miner = CoherentBiclustering(min_rows=3, max_residue=0)
    with pytest.warns(NoContrastivePairWarning, match=reason):
        BicNeuronClassifier(search=None, miner=miner).fit(X, y)


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
def test_the_threshold_of_each_pair(neuron):
    """Its own best on all rows; the best score decides, and of equal ones the first."""
    X, y = make_one_factor()
    model = BicNeuronClassifier(
        search=None, miner=CoherentBiclustering(cut_distance=0.5), neuron=neuron, recalibrate=True
    ).fit(X, y)
    Z = minmax(X)
    aucs = []
    for pair, fitted, score in zip(model.pairs_, model.neurons_, model.scores_, strict=True):
        scores = fitted.decision_function(Z[:, pair.columns])
        threshold = naive_best_threshold(scores.tolist(), (y == 1).tolist())
        aucs.append(naive_label_auc(scores, y == 1, threshold))
        assert score == pytest.approx(aucs[-1])
        if pair is model.selected_pair_:
            assert model.threshold_ == pytest.approx(threshold, abs=1e-12)
    assert model.selected_pair_ is model.pairs_[int(np.argmax(model.scores_))]


# --- the path, with every scale


def make_uneven():
    """Heavy tails, and the minority narrow in one column: each scaling shows other clusters."""
    X, y = make_one_factor(3, n_minority=24, n_majority=30, n_columns=6)
    X[:, 0] = np.sinh(2 * X[:, 0])
    X[y == 1, 1] *= 0.2
    X[:, 2] *= 1 + 2 * (y == 0)
    return X, y


GRID = {
    "miner__cut_distance": (0.1, 0.6),
    "miner__max_residue": (0.01, 0.1),
    "max_ratio": (0.3, 0.9, inf),
    "anchor": ("minority", "both"),
    "miner__search": ("grow",),
    "neuron": (OnlinePerceptron(),),
}
SCALES = ("all", "anchor", "minmax")


@cache
def searched(scale, multi_class="ovr"):
    X, y = make_uneven() if multi_class == "ovr" else make_three(sizes=(14, 18, 22), n_columns=6)
    base = BicNeuronClassifier(search=None, scale=scale, recalibrate=True)
    search = clone(base).set_params(search=GRID, cv=2, random_state=3, multi_class=multi_class)
    return search.fit(X, y), X, y


def point_of(model, params):
    """The classifier at a point of the grid."""
    point = clone(model).set_params(search=None, miner=CoherentBiclustering())
    return point.set_params(**params)


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.parametrize("scale", SCALES)
def test_the_path_with_a_scale_equals_fits_with_it(scale):
    model, X, y = searched(scale)
    results = model.cv_results_
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for params, score in zip(
            results["params"], results[f"split{split}_test_score"], strict=True
        ):
            point = point_of(model, params).fit(X[train], y[train])
            if point.selected_pair_ is None:
                assert score == -inf
            else:
                assert score == balanced_accuracy_score(y[test], point.predict(X[test]))
    best = point_of(model, model.best_params_).fit(X, y)
    assert_array_equal(model.decision_function(X), best.decision_function(X))


# --- what a search reports


def test_means_spreads_and_ranks_of_the_search():
    results = searched("all")[0].cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(2)])
    for mean, spread, rank, line in zip(
        results["mean_test_score"],
        results["std_test_score"],
        results["rank_test_score"],
        splits.T,
        strict=True,
    ):
        assert mean == sum(line) / 2
        if np.isfinite(line).all():
            assert spread == pytest.approx(abs(line[0] - line[1]) / 2)
        else:
            assert np.isnan(spread)
        assert rank == 1 + sum(other > mean for other in results["mean_test_score"])
    assert len(set(results["rank_test_score"].tolist())) > 2


def test_a_ratio_of_exactly_tau_is_kept_along_the_path():
    """As `BicNeuronClassifier` keeps it: the best pair of a training part alone is left."""
    X, y = make_uneven()
    folds = list(StratifiedKFold(2, shuffle=True, random_state=3).split(X, y))
    train, test = folds[0]
    point = BicNeuronClassifier(
        search=None, miner=CoherentBiclustering(cut_distance=0.6, max_residue=0.1), random_state=3
    ).fit(X[train], y[train])
    tau = point.pairs_[0].msr_ratio
    below = np.nextafter(tau, 0)
    grid = {"miner__cut_distance": (0.6,), "miner__max_residue": (0.1,)}
    model = BicNeuronClassifier({**grid, "max_ratio": (below, tau, inf)}, cv=folds, random_state=3)
    model.set_params(recalibrate=False).fit(X, y)
    alone = point.set_params(max_ratio=tau).fit(X[train], y[train])
    expected = balanced_accuracy_score(y[test], alone.predict(X[test]))
    assert len(alone.pairs_) == 1
    assert model.cv_results_["split0_test_score"][:2].tolist() == [-inf, expected]
    narrow = clone(model).set_params(search={**grid, "max_ratio": (tau,)}).fit(X, y)
    assert narrow.cv_results_["split0_test_score"].tolist() == [expected]
