"""The loss of each row, by a model that was not trained on it."""

import numpy as np
import pytest
from data import make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from bicneuron.metrics import losses_left_out

FOLDS = StratifiedKFold(5, shuffle=True, random_state=3)


def test_a_classifier_loses_by_the_probability_of_the_true_class():
    X, y = make_three()
    words = np.array(["c", "a", "b"])[y]
    model = LogisticRegression()
    losses = losses_left_out(model, X, words, random_state=3)
    chances = cross_val_predict(model, X, words, cv=FOLDS, method="predict_proba")
    by_hand = [-np.log(own["abc".index(word)]) for own, word in zip(chances, words, strict=True)]
    assert_allclose(losses, by_hand)
    assert losses.mean() == pytest.approx(log_loss(words, chances))


def test_a_class_that_was_thought_impossible_has_a_finite_loss():
    X, y = make_one_factor()
    y[np.flatnonzero(y == 0)[:3]] = 1
    losses = losses_left_out(RandomForestClassifier(2), X, y, random_state=0)
    assert losses.max() == -np.log(np.finfo(float).eps)
    assert losses.min() == 0


def test_without_probabilities_a_row_is_wrong_or_right():
    X, y = make_one_factor()
    losses = losses_left_out(LinearSVC(), X, y, random_state=3)
    assert_array_equal(losses, cross_val_predict(LinearSVC(random_state=3), X, y, cv=FOLDS) != y)


def test_a_regressor_loses_by_its_error():
    X, _ = make_one_factor()
    y = X[:, 0] + X[:, 1] ** 2
    losses = losses_left_out(LinearRegression(), X, y, random_state=3)
    folds = FOLDS.split(X, np.zeros(len(y)))
    assert_allclose(losses, np.abs(cross_val_predict(LinearRegression(), X, y, cv=list(folds)) - y))


class Remembers(ClassifierMixin, BaseEstimator):
    """Says 1 of rows whose patient, the first column, was in its training."""

    def fit(self, X, y, groups=None):
        self.classes_, self.seen_, self.groups_ = np.unique(y), set(X[:, 0]), groups
        return self

    def predict(self, X):
        return np.array([self.groups_ is None or patient in self.seen_ for patient in X[:, 0]])


def test_rows_of_a_patient_are_left_out_together():
    patients = np.repeat(np.arange(20), 3)
    X, y = patients[:, None], patients % 2 == 0
    together = losses_left_out(Remembers(), X, y, groups=patients, random_state=0)
    assert_array_equal(together, y)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_seed_gives_the_same_losses(n_jobs):
    X, y = make_one_factor()
    model = make_pipeline(StandardScaler(), RandomForestRegressor(5))
    one, other, another = (
        losses_left_out(model, X, y, random_state=seed, n_jobs=n_jobs) for seed in (0, 0, 1)
    )
    assert_array_equal(one, other)
    assert not np.array_equal(one, another)
    assert model[-1].random_state is None


def test_a_rare_class_has_fewer_folds():
    X, y = make_one_factor()
    rare = np.r_[1, 1, np.zeros(len(y) - 2)]
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    losses = losses_left_out(LinearSVC(), X, rare, random_state=3)
    assert_array_equal(
        losses, cross_val_predict(LinearSVC(random_state=3), X, rare, cv=folds) != rare
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": KMeans()}, r"model is KMeans\(\); give a classifier or a regressor"),
        ({"cv": 1}, "cv is 1; it must be at least 2"),
        ({"y": np.zeros(100)}, "needs two classes; y has one"),
        ({"groups": np.arange(100) < 50, "y": np.arange(100) < 50}, "groups leave one group"),
        ({"groups": [1, 2]}, "inconsistent numbers of samples"),
        ({"model": LinearRegression(), "y": np.full(100, np.nan)}, "Input y contains NaN"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_line(given, message):
    X, y = make_one_factor()
    arguments = {"model": LogisticRegression(), "X": X, "y": y, **given}
    with pytest.raises(ValueError, match=message):
        losses_left_out(**arguments)
