"""Scores on rows left out, with uncertainty, beside logistic regression."""

import warnings

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.stats import norm
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, precision_score, recall_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork
from bicneuron._shared._steps import listening
from bicneuron.metrics import RowsLeftOut, cross_validated_scores
from bicneuron.metrics._cross_validation import mean_score
from bicneuron.metrics._rows_left_out import area_under_curve, mean_of_shares, share
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
    told = cross_validated_scores(DummyClassifier(), *make_one_factor())
    _, ours, theirs, gap, majority = str(told).splitlines()
    assert ours == "  this model           0.500  (0.47 to 0.54)"
    mean = told.logistic_regression["balanced_accuracy"].mean
    assert theirs.startswith(f"  logistic regression  {mean:.3f}  (")
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


# --- Intervals of shares and areas, and what is told about rows that were left out


def wilson(count, total):
    """By the formula of 1927."""
    z, p = norm.ppf(0.975), count / total
    middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    return middle - half, middle + half


@pytest.mark.parametrize(("count", "total"), [(0, 12), (7, 12), (388, 388)])
def test_shares_have_wilsons_interval(count, total):
    told = share(count, total)
    assert (told.count, told.total, told.value) == (count, total, count / total)
    low, high = wilson(count, total)
    assert_allclose([told.low, told.high], [max(low, 0.0), min(high, 1.0)], atol=1e-9)
    assert told.low < told.high
    nothing = share(0, 0)
    assert np.isnan(nothing.value)
    assert (nothing.low, nothing.high) == (0.0, 1.0)


def test_a_mean_of_certain_shares_is_not_certain():
    told = mean_of_shares([share(0, 12), share(388, 388)])
    assert told.value == 0.5
    assert told.low < 0.5 - 0.004
    assert told.high == pytest.approx(0.5 + wilson(0, 12)[1] / 2)
    assert mean_of_shares([share(5, 5), share(9, 9)]).high == 1.0


def naive_delong(scores, positive):
    """Area and variance from all pairs of rows."""
    won = np.array(
        [[(a > b) + 0.5 * (a == b) for b in scores[~positive]] for a in scores[positive]]
    )
    m, n = won.shape
    return won.mean(), won.mean(axis=1).var(ddof=1) / m + won.mean(axis=0).var(ddof=1) / n


def test_the_area_and_its_variance_are_those_of_delong():
    random = np.random.RandomState(0)
    positive = np.repeat([True, False], [30, 50])
    scores = np.round(random.normal(size=80) + positive, 1)  # with ties
    told = area_under_curve(scores, positive)
    area, variance = naive_delong(scores, positive)
    assert told.value == pytest.approx(area)
    assert told.value == pytest.approx(roc_auc_score(positive, scores))
    half = norm.ppf(0.975) * np.sqrt(variance) / (area * (1 - area))
    odds = np.log(area / (1 - area))
    assert_allclose([told.low, told.high], 1 / (1 + np.exp(-np.array([odds - half, odds + half]))))


@pytest.mark.parametrize("sign", [1, -1])
def test_classes_that_are_apart_leave_doubt(sign):
    positive = np.repeat([True, False], [8, 30])
    told = area_under_curve(sign * positive.astype(float), positive)
    assert told.value == (sign + 1) / 2
    assert told.high - told.low == pytest.approx(1 - 0.025 ** (1 / 8))


@pytest.fixture(scope="module")
def rows():
    random = np.random.RandomState(0)
    y = np.array(["a", "b", "c"])[random.randint(3, size=200)]
    y[:100] = "a"
    predicted = np.where(random.random(200) < 0.7, y, "b")
    chances = random.dirichlet([1, 1, 1], size=200)
    return RowsLeftOut(["a", "b", "c"], np.arange(200), y, predicted, None, chances)


def test_counts_and_shares_are_those_of_scikit_learn(rows):
    assert_array_equal(rows.confusion, confusion_matrix(rows.y, rows.predicted))
    recall = recall_score(rows.y, rows.predicted, average=None)
    precision = precision_score(rows.y, rows.predicted, average=None)
    told = rows.class_scores
    assert_allclose([one.sensitivity.value for one in told], recall)
    assert_allclose([one.precision.value for one in told], precision)
    assert rows.balanced_accuracy.value == pytest.approx(recall.mean())
    assert rows.accuracy.count == np.sum(rows.y == rows.predicted)
    for one in told:
        others = rows.y != one.label
        not_named = np.mean(rows.predicted[others] != one.label)
        assert one.specificity.value == pytest.approx(not_named)
        assert one.prevalence.value == np.mean(rows.y == one.label)
    assert rows.roc_auc is None


def test_the_class_of_interest_is_the_smallest(rows):
    sizes = rows.confusion.sum(axis=1)
    assert rows.of_interest == "abc"[int(sizes.argmin())]
    even = RowsLeftOut([0, 1], np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4), None, None)
    assert even.of_interest == 1


def test_stated_and_observed_probabilities(rows):
    bins = rows.calibration("b")
    stated = rows.probabilities[:, 1]
    assert sum(one.observed.total for one in bins) == 200
    for one in bins:
        inside = (stated >= one.low) & (stated < one.high)
        assert one.observed.total == inside.sum()
        assert one.observed.count == np.sum(rows.y[inside] == "b")
        assert one.stated == pytest.approx(stated[inside].mean())
    sure = RowsLeftOut([0, 1], np.arange(2), np.array([0, 1]), np.zeros(2), None, np.eye(2))
    assert [one.observed.count for one in sure.calibration(1)] == [0, 1]
    assert RowsLeftOut([0, 1], *[np.arange(2)] * 3, None, None).calibration(1) == []


def test_a_rare_class_is_told_with_recall_and_precision():
    y = np.repeat(["no", "yes"], [388, 12])
    X = np.random.RandomState(0).normal(size=(400, 3))
    scores = cross_validated_scores(DummyClassifier(), X, y)
    said = "yes is rare (3.0 % of the rows): 0 of 12 were recognised, it was never named"
    assert said in str(scores)
    told = scores.model["balanced_accuracy"]
    assert (told.mean, told.sd) == (0.5, 0)
    assert told.low < 0.5 < told.high, "never 0.500, between 0.50 and 0.50"
    yes = scores.to_dict()["classes"]["yes"]
    assert (yes["n_rows"], yes["prevalence"]) == (12, 0.03)
    assert (yes["recall"], yes["specificity"], yes["precision"]) == (0.0, 1.0, None)
    X[y == "yes"] += 3
    scores = cross_validated_scores(LogisticRegression(), X, y)
    (line,) = [line for line in str(scores).splitlines() if "rare" in line]
    found = scores.left_out.class_scores[1]
    words = f"recall {found.sensitivity.value:.2f}", f"precision {found.precision.value:.2f}"
    assert [word in line for word in words] == [True, True]
    assert scores.difference.low < 0 == scores.difference.mean < scores.difference.high


@pytest.mark.parametrize("max_rows", [None, 60])
def test_each_row_is_told_once_by_a_model_that_has_not_seen_it(max_rows):
    random = np.random.RandomState(0)
    X, y = random.normal(size=(90, 3)), random.randint(2, size=90)
    model = LogisticRegression()
    rows = cross_validated_scores(model, X, y, max_rows=max_rows).left_out
    assert_array_equal(rows.rows, np.unique(rows.rows))
    assert_array_equal(rows.y, y[rows.rows])
    if max_rows is None:
        folds = [*RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(X, y)][:5]
        for train, test in folds:
            expected = model.fit(X[train], y[train]).predict_proba(X[test])
            assert_allclose(rows.probabilities[test], expected)
            assert_allclose(rows.scores[test], expected[:, 1])
    else:
        assert len(rows.rows) == 60
