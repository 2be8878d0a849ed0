"""The score test of Cox's model."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.one_axis import naive_cox

from bicneuron._core._survival import cox_scores

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


def test_rows_with_high_scores_and_early_events_have_a_positive_score():
    time = np.arange(1.0, 41.0)
    scores = np.column_stack([-time, time])
    found = cox_scores(scores, time, np.ones(40, dtype=bool), np.zeros(40, np.intp))
    assert found[0] > 4
    assert_allclose(found[0], -found[1])
