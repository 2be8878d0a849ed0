"""Scores on rows left out, with uncertainty, beside logistic regression."""

import warnings

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork
from bicneuron._shared._steps import listening
from bicneuron.metrics import cross_validated_scores
from bicneuron.metrics._cross_validation import mean_score
from bicneuron.neurons import GaussianNeuron
from bicneuron.tables import TableEncoder

MEASURES = ("accuracy", "balanced_accuracy", "roc_auc")


def test_scores_are_those_of_scikit_learn():
    X, y = make_one_factor()
    model = classifier(max_ratio=9.0)
    rival = make_pipeline(StandardScaler(), LogisticRegression())
    told = cross_validated_scores(model, X, y)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    by_hand = {}
    for name, estimator, lines in (
        ("ours", model, told.model),
        ("theirs", rival, told.logistic_regression),
    ):
        assert tuple(lines) == MEASURES
        tested = cross_validate(estimator, X, y, cv=folds, scoring=MEASURES)
        for measure in MEASURES:
            scores = by_hand[name, measure] = tested[f"test_{measure}"]
            assert lines[measure].mean == pytest.approx(scores.mean())
            assert lines[measure].sd == pytest.approx(scores.std(ddof=1))
    gaps = by_hand["ours", "balanced_accuracy"] - by_hand["theirs", "balanced_accuracy"]
    assert told.difference.mean == pytest.approx(gaps.mean())
    assert told.difference.sd == pytest.approx(gaps.std(ddof=1))
    assert (told.n_splits, told.n_repeats, told.n_rows) == (5, 2, 100)
    assert told.majority_accuracy == 0.6
    assert told.majority_balanced_accuracy == 0.5
    assert told.n_without_pair == 0


def test_logistic_regression_follows_the_first_steps_of_a_pipeline():
    X, y = make_one_factor()
    words = pd.DataFrame(X).add_prefix("f").assign(colour=np.where(X[:, 0] > 0, "red", "green"))
    words["f1"] = words["f1"].map("{:.4f} mg".format)
    model = make_pipeline(TableEncoder(), classifier(max_ratio=9.0))
    rival = make_pipeline(TableEncoder(), StandardScaler(), LogisticRegression())
    told = cross_validated_scores(model, words, y, n_repeats=1)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=0)
    for estimator, mean in (
        (model, told.model["balanced_accuracy"].mean),
        (rival, told.logistic_regression["balanced_accuracy"].mean),
    ):
        scores = cross_validate(estimator, words, y, cv=folds, scoring="balanced_accuracy")
        assert mean == pytest.approx(scores["test_score"].mean())


def test_the_interval_is_wider_than_that_of_independent_scores():
    values = np.array([0.70, 0.75, 0.72, 0.78, 0.71, 0.74, 0.76, 0.73, 0.77, 0.75])
    told = mean_score(values, 5)
    naive = stats.t.interval(0.95, 9, values.mean(), values.std(ddof=1) / np.sqrt(10))
    wider = np.sqrt((1 / 10 + 1 / 4) * 10)
    assert told.high - told.mean == pytest.approx((naive[1] - values.mean()) * wider)
    assert told.mean - told.low == pytest.approx(told.high - told.mean)
    assert mean_score(np.array([0.9, 1.0, 1.0]), 3).high == 1.0
    assert mean_score(np.array([0.0, 0.1, 0.0]), 3).low == 0.0
    assert mean_score(np.array([-0.1, 0.1, 0.0]), 3, least=-1.0).low < 0


def test_more_classes_have_no_area_and_small_ones_fewer_folds():
    X, y = make_three(sizes=(3, 20, 20))
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()])
    told = cross_validated_scores(model, X, y)
    assert told.n_splits == 3
    assert tuple(told.model) == ("accuracy", "balanced_accuracy")
    assert told.majority_balanced_accuracy == pytest.approx(1 / 3)
    assert model.random_state is None, "copies have a seed, the model is not changed"
    assert told == cross_validated_scores(model, X, y)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["a"] * 9, "needs two classes; y has one"),
        (["a"] * 8 + ["b"], "needs two rows of each class; 'b' has one"),
    ],
)
@pytest.mark.parametrize("max_rows", [5, None])
def test_classes_that_cannot_be_tested(y, said, max_rows):
    with pytest.raises(ValueError, match=said):
        cross_validated_scores(classifier(), np.zeros((9, 2)), y, max_rows=max_rows)


def test_frames_and_progress():
    X, y = make_one_factor()
    frame = pd.DataFrame(X).add_prefix("f")
    calls = []
    with listening(lambda *call: calls.append(call)):
        told = cross_validated_scores(LogisticRegression(), frame, y, n_splits=3)
    assert calls == [(k, 6) for k in range(1, 7)]
    assert told == cross_validated_scores(LogisticRegression(), X, y, n_splits=3)


def test_a_warning_of_the_model_is_shown_once():
    class Noisy(DummyClassifier):
        def fit(self, X, y):
            warnings.warn("hot", UserWarning, stacklevel=1)
            return super().fit(X, y)

    X, y = make_one_factor()
    with pytest.warns(UserWarning, match="hot") as caught:
        cross_validated_scores(Noisy(), X, y)
    assert len(caught) == 1


def test_the_table_in_words():
    X, y = make_one_factor()
    told = cross_validated_scores(DummyClassifier(), X, y)
    assert_allclose(told.model["balanced_accuracy"].mean, 0.5)
    title, ours, theirs, gap, majority = str(told).splitlines()
    assert (
        title == "balanced accuracy on rows left out (5 shuffled folds, 2 times; 95 % intervals):"
    )
    assert ours == "  this model           0.500  (0.47 to 0.54)"
    mean = told.logistic_regression["balanced_accuracy"].mean
    assert theirs.startswith(f"  logistic regression  {mean:.3f}  (")
    assert theirs.endswith("), standardised columns, same folds")
    assert gap.startswith(f"  difference          {0.5 - mean:+.3f}  (")
    assert majority == "  majority class       0.500  (right for 60 % of the rows)"


def test_rows_of_a_patient_are_in_one_fold():
    random = np.random.default_rng(0)
    patients = np.repeat(np.arange(40), 3)
    X = random.normal(size=(40, 5))[patients] + 0.01 * random.normal(size=(120, 5))
    y = (np.arange(40) % 2)[patients]  # nothing to learn but the patient
    neighbour = KNeighborsClassifier(1)
    alone = cross_validated_scores(neighbour, X, y)
    together = cross_validated_scores(neighbour, X, y, groups=patients)
    assert alone.model["balanced_accuracy"].mean > 0.95
    assert together.model["balanced_accuracy"].mean < 0.7
    assert together.n_splits == 5
    few = cross_validated_scores(neighbour, X, y, groups=patients // 14 * 2 + y)
    assert few.n_splits == 3
    with pytest.raises(ValueError, match="two groups with rows of each class"):
        cross_validated_scores(neighbour, X, y, groups=y)
