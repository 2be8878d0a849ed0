import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.differences import naive_growth, naive_pair_windows, naive_window
from strategies import matrices

from bicneuron._core._differences import densest_window, grow_by_windows, pair_windows

widths = st.sampled_from([0.0, 0.2, 0.5, 1.0, 3.0])


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=12), st.integers(0, 6))
def test_the_densest_window_is_the_best_of_all(values, width):
    values = np.sort(np.array(values, dtype=float))
    assert densest_window(values, float(width)) == naive_window(values.tolist(), width)


@given(matrices(), widths)
def test_windows_of_pairs_are_those_of_their_differences(Z, width):
    columns_of = np.ascontiguousarray(Z.T)
    firsts, seconds = np.triu_indices(len(columns_of), 1)
    counts, starts = pair_windows(columns_of, firsts, seconds, width)
    pairs = list(zip(firsts.tolist(), seconds.tolist(), strict=True))
    expected = naive_pair_windows(columns_of.tolist(), pairs, width)
    assert counts.tolist() == [count for count, _ in expected]
    assert_allclose(starts, [start for _, start in expected])


@given(matrices(), st.sampled_from([0.3, 1.0, 3.0]), st.integers(1, 4), st.integers(2, 5))
def test_growth_takes_the_column_that_keeps_most_rows(Z, width, min_rows, n_columns):
    columns_of = np.ascontiguousarray(Z.T)
    n_columns = min(n_columns, len(columns_of))
    # Wider than the window that was found: rows at its edges must not depend on rounding.
    start = float(np.min(columns_of[1] - columns_of[0])) - width / 2
    rows, columns = grow_by_windows(columns_of, (0, 1), start, width, (min_rows, n_columns))
    expected = naive_growth(columns_of.tolist(), (0, 1), start, width, (min_rows, n_columns))
    assert len(rows) == len(expected[0])
    assert columns.tolist() == expected[1]
