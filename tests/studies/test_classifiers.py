"""Classifiers over folds: sampled and damaged data, and means whatever the order of records."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier

from reproduction._folds import Fold, run_fold
from reproduction._models import Model, rival
from reproduction._problems import Problem
from reproduction._protocols import CLEAN
from studies._classifiers import NETWORK, scores_of, summarise
from studies.noise import PROTOCOLS

FOLDS = [
    make_fold("p", "wdbc", "a", 0, 0.5, 0.5, score_auc=None, brier=0.25),
    make_fold("p", "wdbc", "a", 1, 1.0, 0.5, score_auc=0.75, brier=0.5),
    make_fold("p", "wdbc", "b", 0, 0.25, 0.5),
    make_fold("p", "eeg-A-B", "a", 0, 0.125, 0.5),
]


def test_rows_are_means_over_the_folds_that_have_a_measure_in_one_order_with_the_eeg_last():
    rows = summarise(FOLDS)
    first = rows[0]
    assert (first.protocol, first.dataset, first.model, first.n_folds) == ("p", "wdbc", "a", 2)
    assert (first.acc, first.score_auc, first.brier) == (0.75, 0.75, 0.375)
    assert [row.dataset for row in rows] == ["wdbc", "wdbc", "eeg-A-B"]
    random = np.random.RandomState(0)
    for _ in range(5):
        assert summarise(FOLDS[i] for i in random.permutation(len(FOLDS))) == rows
    assert scores_of(rows) == {"wdbc": {"a": 0.75, "b": 0.25}, "eeg-A-B": {"a": 0.125}}
    assert scores_of(rows, "brier") == {"wdbc": {"a": 0.375}}


# --- sampled and damaged data


def problem_of(signs, groups=None):
    X = np.random.RandomState(0).normal(size=(len(signs), 3))
    return Problem("made-up", X, np.asarray(signs), groups)


def test_of_larger_data_there_is_a_stratified_sample():
    few = replace(NETWORK, max_rows=30)
    groups = np.arange(90)
    problem = problem_of([-1, 1, 1] * 30, groups)
    sample = few.prepare(problem, 1)
    assert np.unique(sample.y, return_counts=True)[1].tolist() == [10, 20]
    assert np.all(np.diff(sample.groups) > 0), "file order"
    assert_array_equal(sample.X, problem.X[sample.groups])
    assert_array_equal(sample.y, problem.y[sample.groups])
    assert few.prepare(problem, 1).digest == sample.digest
    assert few.prepare(problem, 2).digest != sample.digest
    assert few.prepare(sample, 1) is sample


def test_flipped_labels_are_the_same_for_all_and_more_with_more_noise():
    problem = problem_of([-1, 1] * 500)
    flipped = [protocol.labels(problem, 3, 5) != problem.y for protocol in PROTOCOLS]
    assert [share.mean() for share in flipped] == pytest.approx([0, 0.1, 0.2, 0.3], abs=0.04)
    for fewer, more in pairwise(flipped):
        assert np.all(more[fewer])
    again = PROTOCOLS[3].labels(problem, 3, 5)
    assert_array_equal(again, PROTOCOLS[3].labels(problem, 3, 5))
    other = Problem("other", problem.X, problem.y)
    for different in ((problem, 4, 5), (problem, 3, 6), (other, 3, 5)):
        assert np.any(PROTOCOLS[3].labels(*different) != again)


def test_noise_flips_training_labels_only():
    problem = Problem.from_labels("made-up", *make_one_factor())

    class Remembering(DummyClassifier):
        def fit(self, X, y):
            self.best_params_ = {"labels": y.tolist()}
            return super().fit(X, y)

    model = Model("remembering", partial(rival, estimator=Remembering(strategy="most_frequent")))
    train, test = CLEAN.split(problem, 0)[2]
    clean, noisy = (run_fold(Fold(each, problem, model, 2, 0)) for each in (CLEAN, PROTOCOLS[3]))
    assert clean.params["labels"] == repr(problem.y[train].tolist())
    assert noisy.params["labels"] == repr(PROTOCOLS[3].labels(problem, 2, 0)[train].tolist())
    assert noisy.params != clean.params
    assert clean.acc == np.mean(problem.y[test] == 1)
    assert noisy.settings["label_noise"] == 0.3
