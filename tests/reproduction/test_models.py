"""The models of the tables, and what one fold of them gives."""

import warnings
from functools import partial

import numpy as np
import pytest
from data import make_one_factor
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, brier_score_loss, roc_auc_score

from bicneuron.classifier import BicNeuronClassifier
from reproduction._folds import Fold, measure, run_fold
from reproduction._models import MODELS, Model, rival
from reproduction._problems import Problem
from reproduction._protocols import CLEAN, GROUPED, PAPER


@pytest.fixture(scope="module")
def problem():
    return Problem.from_labels("made-up", *make_one_factor())


def results(record):
    """Everything of a record that is not a matter of the clock."""
    return {key: value for key, value in vars(record).items() if key != "seconds"}


@pytest.mark.parametrize("name", ["SP", "KP_RBF"])
def test_clean_perceptrons_scale_by_their_training_rows(problem, name):
    train, test = CLEAN.split(problem, 0)[0]
    model = MODELS[name].build(CLEAN, problem.name, 0).fit(problem.X[train], problem.y[train])
    scaled = model[0].transform(problem.X[train])
    assert_allclose([scaled.min(axis=0), scaled.max(axis=0)], [[0] * 10, [1] * 10], atol=1e-12)
    moved = problem.X.copy()
    moved[test] *= 1000
    again = clone(model).fit(moved[train], problem.y[train])
    assert_array_equal(again.predict(problem.X), model.predict(problem.X))


@pytest.mark.parametrize("name", ["SP", "KP_L", "KP_RBF", "BN", "BN_L", "BN_RBF"])
@pytest.mark.parametrize("protocol", [PAPER, CLEAN], ids=lambda protocol: protocol.name)
def test_neurons_are_shuffled_as_the_protocol_says(protocol, name):
    model = MODELS[name].build(protocol, "wdbc", 0)
    params = model.get_params()
    neurons = (params.get("search") or {}).get("neuron") or [model, *params.values()]
    shuffled = [neuron.shuffle for neuron in neurons if hasattr(neuron, "shuffle")]
    assert shuffled == [protocol.shuffle]


@pytest.mark.parametrize(("name", "preset"), [("BN", "paper"), ("BN_CV", "best")])
def test_a_bicneuron_of_the_tables_is_its_preset(name, preset):
    X, y = make_one_factor(7, n_minority=16, n_majority=20, n_columns=6)
    ours = MODELS[name].build(CLEAN, "made-up", 0).fit(X, y)
    named = BicNeuronClassifier(search=preset, random_state=0).fit(X, y)
    assert not ours.fallback_
    assert repr(ours.cv_results_["params"]) == repr(named.cv_results_["params"])
    assert_array_equal(ours.decision_function(X), named.decision_function(X))


def test_a_fold_is_the_same_whenever_it_is_run(problem):
    first, second = (run_fold(Fold(CLEAN, problem, MODELS["SP"], 2, 7)) for _ in range(2))
    assert results(first) == results(second)


def test_seeds_depend_on_everything_that_names_a_fold(problem):
    other = Problem("other", problem.X, problem.y)
    folds = [(problem, "SP", 0, 0), (problem, "SP", 1, 0), (problem, "SP", 0, 1)]
    folds += [(problem, "KP_L", 0, 0), (other, "SP", 0, 0)]
    seeds = {
        Fold(CLEAN, each, MODELS[name], index, seed).build()[-1].random_state
        for each, name, index, seed in folds
    }
    assert len(seeds) == 5


def test_a_bicneuron_tells_what_it_chose_with_which_score_and_whether_it_fell_back(problem):
    fold = Fold(CLEAN, problem, MODELS["BN"], 0, 0)
    record = run_fold(fold)
    train, _ = CLEAN.split(problem, 0)[0]
    fitted = fold.build().fit(problem.X[train], problem.y[train])
    assert record.fallback is False
    assert record.params["max_ratio"] == fitted.best_params_["max_ratio"]
    assert record.inner_score == fitted.cv_results_["mean_test_score"].max()
    plain = run_fold(Fold(CLEAN, problem, MODELS["SP"], 0, 0))
    assert (plain.fallback, plain.inner_score) == (None, None)
    strict = Model("strict", lambda *_: BicNeuronClassifier(max_ratio=0.0, random_state=0))
    record = run_fold(Fold(CLEAN, problem, strict, 0, 0))
    assert (record.fallback, record.inner_score) == (True, None)


def test_warnings_of_a_fit_go_into_the_record(problem):
    class Complaining(DummyClassifier):
        def fit(self, X, y):
            warnings.warn("not to my taste", RuntimeWarning, stacklevel=1)
            return super().fit(X, y)

    model = Model("complaining", partial(rival, estimator=Complaining()))
    assert run_fold(Fold(CLEAN, problem, model, 0, 0)).warned == ["RuntimeWarning"]


def test_models_that_take_groups_get_those_of_their_training_rows(problem):
    class Grouped(DummyClassifier):
        def fit(self, X, y, groups=None):
            self.best_params_ = {"groups": sorted(set(groups))}
            return super().fit(X, y)

    groups = np.arange(len(problem.y)) // 2
    model = Model("grouped", partial(rival, estimator=Grouped()))
    known = Problem("made-up", problem.X, problem.y, groups)
    record = run_fold(Fold(GROUPED, known, model, 0, 0))
    train, _ = GROUPED.split(known, 0)[0]
    assert record.params["groups"] == repr(sorted(set(groups[train])))


def test_measures_are_those_of_scikit_learn(problem):
    random = np.random.RandomState(0)
    y, chances = random.choice([-1, 1], 50), random.uniform(size=50)
    predicted = np.where(chances > 0.6, 1, -1)
    assert measure(y, predicted, chances, chances) == pytest.approx(
        {
            "acc": accuracy_score(y, predicted),
            "acc_minority": accuracy_score(y[y < 0], predicted[y < 0]),
            "acc_majority": accuracy_score(y[y > 0], predicted[y > 0]),
            "label_auc": balanced_accuracy_score(y, predicted),
            "score_auc": roc_auc_score(y, chances),
            "brier": brier_score_loss(y, chances),
        }
    )
    assert 0 < run_fold(Fold(CLEAN, problem, MODELS["LogisticRegression"], 0, 0)).brier < 0.25
    assert run_fold(Fold(CLEAN, problem, MODELS["SVC"], 0, 0)).brier is None


def test_measures_of_a_class_that_is_not_there_are_none():
    found = measure(np.array([1, 1]), np.array([1, -1]), np.array([0.5, -0.5]))
    assert {key for key, value in found.items() if value is None} == {
        *("acc_minority", "label_auc", "score_auc", "brier")
    }
    assert (found["acc"], found["acc_majority"]) == (0.5, 0.5)
