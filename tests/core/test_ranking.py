import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from oracles.ranking import naive_best_threshold
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from bicneuron._core._sorting import (
    ascending,
    ascending_with_ties,
    best_thresholds,
    label_aucs,
    largest,
    place_of_largest,
    rank_sum_aucs,
    ranked,
)

few_values = st.integers(-6, 6).map(lambda n: n / 4)
any_float = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def scored_classes(draw, elements=few_values):
    """Scores of shape (k, n), many of them tied, and a mask with both classes."""
    is_positive = np.array(
        draw(st.lists(st.booleans(), min_size=2, max_size=12).filter(lambda y: 0 < sum(y) < len(y)))
    )
    shape = draw(st.integers(1, 3)), len(is_positive)
    return draw(hnp.arrays(np.float64, shape, elements=elements)), is_positive


@given(scored_classes())
def test_best_thresholds(case):
    scores, is_positive = case
    expected = [naive_best_threshold(row.tolist(), is_positive) for row in scores]
    assert_array_equal(best_thresholds(scores, is_positive), expected)


@given(scored_classes(any_float))
def test_best_threshold_is_no_worse_than_any_score_or_zero(case):
    """Thresholds at the scores induce every split but the one that calls all rows positive."""
    scores, is_positive = case
    best = label_aucs(scores, is_positive, best_thresholds(scores, is_positive))
    assert np.all(best >= label_aucs(scores, is_positive, np.zeros(len(scores))))
    below_the_top = np.sort(scores, axis=1)[:, :-1]
    for threshold in below_the_top.T:
        splits = threshold < scores.max(axis=1)
        aucs = label_aucs(scores, is_positive, np.ascontiguousarray(threshold))
        assert np.all(best[splits] >= aucs[splits])


SMALLEST = sys.float_info.min * sys.float_info.epsilon


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-sys.float_info.max, -1.0),
        (1.0, np.nextafter(1.0, 2.0)),
        (np.nextafter(1.0, 0.0), 1.0),
        (-1.0, np.nextafter(-1.0, 0.0)),
        (sys.float_info.max / 2, sys.float_info.max),
        (2 * SMALLEST, 3 * SMALLEST),
        (-SMALLEST, 0.0),
        (-np.inf, -1.0),
        (1.0, np.inf),
    ],
)
def test_threshold_separates_neighbours(low, high):
    scores = np.array([[low, high]])
    threshold = best_thresholds(scores, np.array([False, True]))
    assert low <= threshold[0] < high
    assert label_aucs(scores, np.array([False, True]), threshold) == 1


@pytest.mark.parametrize(
    ("scores", "labels", "threshold"),
    [
        ([-1, 1], "nP", 0.0),  # zero is already best, although the midpoint is zero too
        ([2, 4], "nP", 3.0),
        ([-4, -2], "nP", -3.0),
        ([1, 2, 3, 5, 6], "nPnPP", 4.0),
        ([-3, -1, 1, 2, 4], "nnPnP", 0.0),
        ([1, 3, 5, 9], "nPnP", 2.0),  # 2 and 7 are equally good: the one nearer to zero
        ([-9, -5, -3, -1], "nPnP", -2.0),
        ([-3, -1, 1, 3], "nPnP", -2.0),  # -2 and 2: the lower
    ],
)
def test_ties_between_thresholds(scores, labels, threshold):
    is_positive = np.array([label == "P" for label in labels])
    assert best_thresholds(np.array([scores], dtype=float), is_positive) == threshold


def test_constant_scores_stay_as_they_are():
    scores, is_positive = np.ones((1, 4)), np.array([True, False, True, False])
    assert best_thresholds(scores, is_positive) == 0
    assert rank_sum_aucs(scores, is_positive) == 0.5
    assert label_aucs(scores, is_positive, np.zeros(1)) == 0.5


@given(st.lists(st.integers(-3, 3) | st.integers(-(2**62), 2**62), max_size=40))
def test_indices_ties_by_position(numbers):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert_array_equal(ascending(np.array(numbers, dtype=np.intp)), expected)


@given(st.lists(st.sampled_from([0.0, -0.0, np.inf, -np.inf]) | st.floats(-1, 1), max_size=40))
def test_numbers_ties_by_position(numbers):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert_array_equal(ascending(np.array(numbers, dtype=np.float64)), expected)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 2**32 - 1))
def test_numbers_that_differ_in_their_last_bits_are_equal(numbers, seed):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    noise = 1 + 1e-15 * np.random.default_rng(seed).choice([-1, 1], len(numbers))
    values = np.array(numbers, dtype=np.float64) * noise
    assert_array_equal(ascending_with_ties(values), expected)
    assert ranked(values) == expected
    assert ranked(-values) == sorted(expected, key=lambda k: (-numbers[k], k))
    for count in range(1, len(numbers) + 1):
        assert_array_equal(largest(-values, count), sorted(expected[:count]))


def test_infinite_values_are_ranked():
    assert ranked(np.array([np.inf, 1.0, np.inf, -2.0, 1.0])) == [3, 1, 4, 0, 2]
    assert ranked(np.array([])) == []


def test_of_nearly_equal_values_the_first_is_the_largest():
    assert place_of_largest(np.array([1.0, 3.0, 2.0, 3.0 * (1 + 1e-15)])) == 1
    assert place_of_largest(np.array([-5.0, -2.0, -3.0])) == 1


@given(scored_classes(), st.lists(few_values, min_size=3, max_size=3))
def test_areas_are_those_of_scikit_learn(case, thresholds):
    scores, is_positive = case
    thresholds = np.array(thresholds[: len(scores)])
    areas = [roc_auc_score(is_positive, row) for row in scores]
    assert_allclose(rank_sum_aucs(scores, is_positive), areas)
    predicted = scores > thresholds[:, None]
    expected = [balanced_accuracy_score(is_positive, row) for row in predicted]
    assert_allclose(label_aucs(scores, is_positive, thresholds), expected)
