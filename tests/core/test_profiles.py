import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import blocks, index_sets

from bicneuron._core._profiles import (
    WIDTH,
    centred_profiles,
    made_profiles,
    profiles_over,
    squared_distance,
    squared_distances_to,
)


@settings(deadline=None)
@given(blocks(), st.data())
def test_centred_profiles(matrix, data):
    positions = data.draw(index_sets(matrix.shape[1]))
    part = matrix[:, positions]
    assert_allclose(
        centred_profiles(matrix, positions),
        part - part.mean(axis=1, keepdims=True),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("n_lines", [1, 7, WIDTH, WIDTH + 1, 2 * WIDTH + 3])
@pytest.mark.parametrize("n_positions", [1, 3, 4, 5, 8, 11])
def test_profiles_over_positions(n_positions, n_lines):
    rng = np.random.default_rng(n_lines)
    lines = rng.standard_normal((n_lines, 14))
    positions = np.sort(rng.permutation(14)[:n_positions])
    every = centred_profiles(lines, positions)
    profiles = profiles_over(lines, np.ascontiguousarray(lines.T), positions)
    items = rng.integers(0, n_lines, 3)
    assert_array_equal(made_profiles(profiles, items), every[items])
    assert_array_equal(made_profiles(profiles, items[:0]), every[:0])
    point = rng.standard_normal(n_positions)
    assert_allclose(
        squared_distances_to(profiles, point), ((every - point) ** 2).sum(axis=1), rtol=1e-12
    )


@pytest.mark.parametrize("size", range(10))
def test_squared_distance(size):
    a, b = np.random.default_rng(size).standard_normal((2, size))
    assert_allclose(squared_distance(a, b), np.sum((a - b) ** 2), rtol=1e-12)
