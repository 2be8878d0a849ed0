import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron._core._sorting import ascending, ascending_with_ties


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
    assert_array_equal(ascending_with_ties(np.array(numbers) * noise), expected)
