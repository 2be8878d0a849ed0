"""The product-limit estimate of survival."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.survival import survival_at

from bicneuron._core._survival import n_at_risk, survival_curve

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


@given(rows)
def test_the_order_of_the_rows_does_not_matter(rows):
    time, event = split(rows)
    for one, other in zip(
        survival_curve(time, event), survival_curve(time[::-1], event[::-1]), strict=True
    ):
        assert_array_equal(one, other)


def test_a_worked_example():
    # Of 6 rows one has an event at 2, a second is last seen then, and one of the last two at 7.
    time = np.array([2, 2, 3, 3, 7, 9.0])
    event = np.array([True, False, False, False, True, False])
    curve = survival_curve(time, event)
    assert_array_equal(curve.times, [0, 2, 7])
    assert_allclose(curve.shares, [1, 5 / 6, 5 / 12])
    assert_array_equal(n_at_risk(time, np.array([0, 2, 2.5, 7, 9, 10])), [6, 6, 4, 2, 1, 0])


@pytest.mark.parametrize("n", [1, 7])
def test_without_censoring_it_is_the_share_that_is_left(n):
    time = np.arange(1.0, n + 1)
    assert_allclose(survival_curve(time, np.ones(n, bool)).shares, np.arange(n, -1, -1) / n)


def test_without_events_all_survive():
    assert survival_curve(np.array([1.0, 2.0]), np.zeros(2, bool)).shares.tolist() == [1]
