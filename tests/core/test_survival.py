"""The product-limit estimate of survival."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.one_axis import naive_cox
from oracles.survival import survival_at

from bicneuron._core._survival import cox_scores, n_at_risk, survival_curve

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
