"""Beyond two classes, each problem has a path search of its own."""

from math import inf

import numpy as np
import pytest
from data import make_three
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_score

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

SCHEMES = ("ovr", "ovo")
GRID = {
    "miner__cut_distance": (0.3, 1.0),
    "miner__max_residue": (0.1,),
    "max_ratio": (0.05, 0.9, inf),
    "anchor": ("minority", "both", 0),
    "miner__search": ("grow",),
    "neuron": (OnlinePerceptron(), KernelPerceptron(average=True)),
}


def in_problem(part, scheme, k, y):
    """Rows that part ``k`` is about and their labels."""
    if scheme == "ovr":
        return np.arange(len(y)), y == k
    rows = np.flatnonzero(np.isin(y, part.classes_))
    return rows, y[rows]


@pytest.fixture(scope="module", params=SCHEMES)
def searched(request):
    X, y = make_three()
    base = BicNeuronClassifier(search=None, max_rows=15, recalibrate=True)
    model = (
        clone(base)
        .set_params(search=GRID, cv=2, random_state=3, multi_class=request.param)
        .fit(X, y)
    )
    return model, base, X, y


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_the_path_equals_a_fit_at_each_grid_point(searched):
    model, base, X, y = searched
    outcomes = []
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    points = model.estimators_[0].cv_results_["params"]
    # Each point in one of the folds.
    checked_in = np.random.default_rng(0).permutation(np.arange(len(points)) % 2)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for index in np.flatnonzero(checked_in == split):
            point = clone(base).set_params(
                miner=CoherentBiclustering(), random_state=3, multi_class=model.multi_class
            )
            parts = point.set_params(**points[index]).fit(X[train], y[train]).estimators_
            for k, (part, found) in enumerate(zip(parts, model.estimators_, strict=True)):
                rows, labels = in_problem(part, model.multi_class, k, y[test])
                expected = balanced_accuracy_score(labels, part.predict(X[test][rows]))
                score = found.cv_results_[f"split{split}_test_score"][index]
                assert score == (-inf if part.selected_pair_ is None else expected)
                outcomes.append(score > -inf)
    assert any(outcomes)
    assert not all(outcomes)


# What is best for one problem may leave another without a pair.
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_the_best_of_each_problem_is_fitted_on_all_rows(searched):
    model, base, X, y = searched
    for k, part in enumerate(model.estimators_):
        assert part.best_score_ == part.cv_results_["mean_test_score"].max()
        assert part.n_splits_ == model.n_splits_ == 2
        again = clone(base).set_params(
            miner=CoherentBiclustering(), random_state=3, multi_class=model.multi_class
        )
        again.set_params(**part.best_params_).fit(X, y)
        assert_array_equal(part.decision_function(X), again.estimators_[k].decision_function(X))
        assert not part.fallback_
    chosen = [part.best_params_ for part in model.estimators_]
    assert any(params != chosen[0] for params in chosen)


def test_the_joint_decision_is_that_of_the_classifier(searched):
    model, _, X, _ = searched
    scores = model.decision_function(X)
    assert scores.shape == (len(X), 3)
    assert_array_equal(model.predict(X), scores.argmax(axis=1))
    if model.multi_class == "ovr":
        for part, log_odds in zip(model.estimators_, scores.T, strict=True):
            assert np.corrcoef(part.decision_function(X), log_odds)[0, 1] > 1 - 1e-12
    else:
        votes = sum(part.predict(X)[:, None] == model.classes_ for part in model.estimators_)
        assert_array_equal(np.rint(scores), votes)
    with pytest.raises(AttributeError, match=r"best_params_.*estimators_"):
        _ = model.best_params_


def test_same_result_whatever_n_jobs(searched):
    one, _, X, y = searched
    two = clone(one).set_params(n_jobs=2).fit(X, y)
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()


def test_a_problem_without_a_pair_falls_back_alone():
    X, y = make_three(sizes=(30, 40, 2))
    search = BicNeuronClassifier(search="paper", max_ratio=inf, cv=2, random_state=0)
    with pytest.warns(NoContrastivePairWarning, match="class 2 against the rest: class 2 has 2"):
        model = search.fit(X, y)
    assert [part.fallback_ for part in model.estimators_] == [False, False, True]
    assert np.isfinite(model.decision_function(X)).all()


def test_too_few_rows_name_the_class():
    X, y = make_three(sizes=(30, 40, 3))
    labels = np.array(["ant", "bee", "cow"])[y]
    with pytest.warns(FewerFoldsWarning, match="cv=5 becomes 3, the rows of class 'cow'"):
        model = BicNeuronClassifier(
            search="paper", anchor="both", max_ratio=inf, random_state=0
        ).fit(X, labels)
    assert model.n_splits_ == 3
    alone = np.where(np.arange(len(y)) == np.argmax(y == 2), "dog", labels)
    with pytest.raises(ValueError, match=r"class 'dog' has 1 rows.*use search=None"):
        BicNeuronClassifier().fit(X, alone)
    groups = np.where(y == 1, -1, np.arange(len(y)))
    with pytest.raises(ValueError, match="class 'bee' has 1 groups"):
        BicNeuronClassifier().fit(X, labels, groups=groups)


@pytest.mark.parametrize(
    ("scheme", "side", "message"),
    [
        ("ovr", "training", "split 1 has no training row of class 2"),
        ("ovo", "test", "split 0 has no test row of class 2 against class 1"),
    ],
)
def test_splits_without_a_class(scheme, side, message):
    X, y = make_three()
    if side == "training":
        folds = PredefinedSplit(np.where(y == 2, 1, np.arange(len(y)) % 2))
    else:
        folds = PredefinedSplit(np.where(y == 0, np.arange(len(y)) % 3, 1 + np.arange(len(y)) % 2))
    with pytest.raises(ValueError, match=message):
        BicNeuronClassifier(cv=folds, multi_class=scheme).fit(X, y)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_iris(scheme):
    X, y = load_iris(return_X_y=True)
    model = BicNeuronClassifier(multi_class=scheme, cv=3, random_state=0)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
