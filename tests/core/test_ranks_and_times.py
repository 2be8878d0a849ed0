import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from oracles.one_axis import naive_cox
from oracles.splits import naive_best_threshold
from oracles.survival import survival_at
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from bicneuron._core import _sorting
from bicneuron._core._sorting import ascending
from bicneuron._core._survival import cox_scores, n_at_risk, survival_curve

few_values = st.integers(-6, 6).map(lambda n: n / 4)


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
    assert_array_equal(_sorting.best_thresholds(scores, is_positive), expected)


SMALLEST = sys.float_info.min * sys.float_info.epsilon


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
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
    threshold = _sorting.best_thresholds(scores, np.array([False, True]))
    assert low <= threshold[0] < high
    assert _sorting.label_aucs(scores, np.array([False, True]), threshold) == 1


INDICES = st.integers(-3, 3) | st.integers(-(2**62), 2**62)
NUMBERS = st.sampled_from([0.0, -0.0, np.inf, -np.inf]) | st.floats(-1, 1)


@pytest.mark.parametrize(("elements", "dtype"), [(INDICES, np.intp), (NUMBERS, np.float64)])
@given(data=st.data())
def test_numbers_with_ties_by_position(elements, dtype, data):
    numbers = data.draw(st.lists(elements, max_size=40))
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert_array_equal(ascending(np.array(numbers, dtype=dtype)), expected)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 2**32 - 1))
def test_numbers_that_differ_in_their_last_bits_are_equal(numbers, seed):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    noise = 1 + 1e-15 * np.random.default_rng(seed).choice([-1, 1], len(numbers))
    values = np.array(numbers, dtype=np.float64) * noise
    assert_array_equal(_sorting.ascending_with_ties(values), expected)
    assert _sorting.ranked(values) == expected
    assert _sorting.ranked(-values) == sorted(expected, key=lambda k: (-numbers[k], k))
    for count in range(1, len(numbers) + 1):
        assert_array_equal(_sorting.largest(-values, count), sorted(expected[:count]))


def test_infinite_values_are_ranked():
    assert _sorting.ranked(np.array([np.inf, 1.0, np.inf, -2.0, 1.0])) == [3, 1, 4, 0, 2]
    assert _sorting.ranked(np.array([])) == []


def test_of_nearly_equal_values_the_first_is_the_largest():
    assert _sorting.place_of_largest(np.array([1.0, 3.0, 2.0, 3.0 * (1 + 1e-15)])) == 1
    assert _sorting.place_of_largest(np.array([-5.0, -2.0, -3.0])) == 1


@given(scored_classes(), st.lists(few_values, min_size=3, max_size=3))
def test_areas_are_those_of_scikit_learn(case, thresholds):
    scores, is_positive = case
    thresholds = np.array(thresholds[: len(scores)])
    areas = [roc_auc_score(is_positive, row) for row in scores]
    assert_allclose(_sorting.rank_sum_aucs(scores, is_positive), areas)
    predicted = scores > thresholds[:, None]
    expected = [balanced_accuracy_score(is_positive, row) for row in predicted]
    assert_allclose(_sorting.label_aucs(scores, is_positive, thresholds), expected)


# --- The product-limit estimate of survival

rows = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=25)


def split(rows):
    time, event = zip(*rows, strict=True)
    return np.array(time, float), np.array(event)


@given(rows)
def test_the_curve_is_that_of_counting(rows):
    time, event = split(rows)
    times, shares = survival_curve(time, event)
    assert_array_equal(times, [0, *sorted(set(time[event]))])
    assert shares[0] == 1
    for k in range(1, len(times)):
        assert_allclose(shares[k], survival_at(times[k], time, event))


def test_a_worked_example():
    # Of 6 rows one has an event at 2, a second is last seen then, and one of the last two at 7.
    time = np.array([2, 2, 3, 3, 7, 9.0])
    event = np.array([True, False, False, False, True, False])
    curve = survival_curve(time, event)
    assert_array_equal(curve.times, [0, 2, 7])
    assert_allclose(curve.shares, [1, 5 / 6, 5 / 12])
    assert_array_equal(n_at_risk(time, np.array([0, 2, 2.5, 7, 9, 10])), [6, 6, 4, 2, 1, 0])


ROWS = st.tuples(st.integers(-5, 5), st.integers(0, 6), st.booleans(), st.integers(0, 1))


@given(st.lists(ROWS, min_size=3, max_size=25))
def test_it_is_the_score_of_the_definition(rows):
    scores, times, events, strata = map(list, zip(*rows, strict=True))
    found = cox_scores(
        np.array(scores, np.float64)[:, None],
        np.array(times, np.float64),
        np.array(events),
        np.array(strata),
    )
    assert_allclose(found[0], naive_cox(scores, times, events, strata), atol=1e-6)
