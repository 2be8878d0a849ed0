import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron._core._sorting import (
    ascending,
    ascending_with_ties,
    largest,
    place_of_largest,
    ranked,
)


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
