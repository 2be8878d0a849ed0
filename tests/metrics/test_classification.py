import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from bicneuron.metrics import label_auc, majority_accuracy, minority_accuracy, score_auc

MEASURES_OF_LABELS = [label_auc, minority_accuracy, majority_accuracy]
NAMES = [(0, 1), (-1, 1), ("no", "yes"), (False, True), (0.5, 2.5)]


@st.composite
def predictions(draw):
    """True and predicted classes 0 and 1, where both are present in truth."""
    true = draw(
        st.lists(st.integers(0, 1), min_size=2, max_size=15).filter(lambda y: len({*y}) > 1)
    )
    return true, draw(st.lists(st.integers(0, 1), min_size=len(true), max_size=len(true)))


@settings(deadline=None)
@given(predictions(), st.sampled_from(NAMES))
def test_label_auc_is_balanced_accuracy_of_any_two_labels(case, names):
    y_true, y_pred = ([names[label] for label in labels] for labels in case)
    assert_allclose(label_auc(y_true, y_pred), balanced_accuracy_score(*case))


@settings(deadline=None)
@given(predictions())
def test_label_auc_is_the_mean_of_the_class_accuracies(case):
    assert_allclose(label_auc(*case), (minority_accuracy(*case) + majority_accuracy(*case)) / 2)


@settings(deadline=None)
@given(predictions(), st.sampled_from(NAMES), st.data())
def test_score_auc_takes_the_last_label_as_positive(case, names, data):
    true, _ = case
    scores = data.draw(st.lists(st.integers(-3, 3), min_size=len(true), max_size=len(true)))
    expected = roc_auc_score(true, scores)
    assert_allclose(score_auc([names[label] for label in true], scores), expected)


def test_class_accuracies_by_hand():
    y_true, y_pred = list("aaabbbbb"), list("aabbbbaa")
    assert_allclose(minority_accuracy(y_true, y_pred), 2 / 3)
    assert_allclose(majority_accuracy(y_true, y_pred), 3 / 5)


def test_the_smaller_class_may_sort_last():
    assert minority_accuracy([0, 0, 0, 1], [1, 0, 0, 1]) == 1
    assert_allclose(majority_accuracy([0, 0, 0, 1], [1, 0, 0, 1]), 2 / 3)


def test_of_equal_classes_the_first_is_the_minority():
    assert minority_accuracy(["b", "a"], ["a", "a"]) == 1
    assert majority_accuracy(["b", "a"], ["a", "a"]) == 0


def test_the_minority_of_the_whole_set_can_be_named():
    y_true, y_pred = [0, 1, 1, 1], [0, 1, 1, 0]
    assert_allclose(minority_accuracy(y_true, y_pred, minority_label=1), 2 / 3)
    assert majority_accuracy(y_true, y_pred, minority_label=1) == 1
    assert minority_accuracy([1, 1], [0, 1], minority_label=1) == 0.5


def test_a_fold_without_the_class_is_an_error():
    with pytest.raises(ValueError, match="no row of the minority class"):
        minority_accuracy([0, 0], [0, 1], minority_label=1)
    with pytest.raises(ValueError, match="no row of the majority class"):
        majority_accuracy([1, 1], [0, 1], minority_label=1)


@pytest.mark.parametrize("measure", [*MEASURES_OF_LABELS, score_auc])
@pytest.mark.parametrize(
    ("y_true", "y_other", "message"),
    [
        ([0, 0], [0, 0], r"two classes, got 1: \[0\]"),
        ([], [], r"two classes, got 0"),
        ([0, 1], [0, 1, 1], "inconsistent"),
        ([[0, 1]], [0, 1], r"y_true must have one dimension, got shape \(1, 2\)"),
        ([0.0, np.nan], [0, 1], "y_true contains NaN"),
    ],
)
def test_bad_truth(measure, y_true, y_other, message):
    with pytest.raises(ValueError, match=message):
        measure(y_true, y_other)


@pytest.mark.parametrize("measure", MEASURES_OF_LABELS)
@pytest.mark.parametrize("y_pred", [[0, 2], ["0", "1"], [[0], [1]], [0.0, np.nan]])
def test_bad_predictions(measure, y_pred):
    with pytest.raises(ValueError, match="y_pred"):
        measure([0, 1], y_pred)


def test_more_than_two_classes():
    with pytest.raises(ValueError, match=r"two classes, got 3: \[0, 1, 2\]"):
        score_auc([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match=r"two labels, got \[0, 1, 2\]"):
        minority_accuracy([0, 1], [0, 1], minority_label=2)


@pytest.mark.parametrize("scores", [[0.0, np.nan], [0.0, np.inf], [[0.2, 0.8], [0.5, 0.5]]])
def test_bad_scores(scores):
    with pytest.raises(ValueError, match="y_score"):
        score_auc([0, 1], scores)
