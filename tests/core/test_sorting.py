import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron._core._sorting import ascending


@given(st.lists(st.integers(-3, 3) | st.integers(-(2**62), 2**62), max_size=40))
def test_indices_ties_by_position(numbers):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert_array_equal(ascending(np.array(numbers, dtype=np.intp)), expected)


@given(st.lists(st.sampled_from([0.0, -0.0, np.inf, -np.inf]) | st.floats(-1, 1), max_size=40))
def test_numbers_ties_by_position(numbers):
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert_array_equal(ascending(np.array(numbers, dtype=np.float64)), expected)
