import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import blocks, index_sets, seeds

from bicneuron._core._profiles import (
    LINES_PER_PASS,
    centred_profiles,
    compute_profiles,
    profiles_over,
    squared_distance,
    squared_distance_bounds,
)


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


@pytest.mark.parametrize(
    "n_lines", [1, 7, LINES_PER_PASS, LINES_PER_PASS + 1, 2 * LINES_PER_PASS + 3]
)
@pytest.mark.parametrize("n_positions", [1, 3, 4, 5, 8, 11])
def test_profiles_over_positions(n_positions, n_lines):
    rng = np.random.default_rng(n_lines)
    lines = rng.standard_normal((n_lines, 14))
    positions = np.sort(rng.permutation(14)[:n_positions])
    every = centred_profiles(lines, positions)
    profiles = profiles_over(lines, np.ascontiguousarray(lines.T), positions)
    items = rng.integers(0, n_lines, 3)
    assert_array_equal(compute_profiles(profiles, items), every[items])
    assert_array_equal(compute_profiles(profiles, items[:0]), every[:0])
    assert_array_equal(profiles.totals, np.cumsum(lines[:, positions], axis=1)[:, -1])
    assert_allclose(profiles.squares, (lines[:, positions] ** 2).sum(axis=1), rtol=1e-12)
    exact = ((every - every[0]) ** 2).sum(axis=1)
    bounds = squared_distance_bounds(profiles, every[0], profiles.squares[0])
    assert (bounds <= exact).all()
    assert_allclose(bounds, exact, rtol=0, atol=1e-11)


@given(seeds(), st.integers(2, 30), *[st.sampled_from([1e-3, 1.0, 1e4, 1e8])] * 3)
def test_no_bound_exceeds_the_distance(seed, n, own_offset, offset, noise):
    """Lines with large means: what rounding takes from distances is never more than allowed."""
    rng = np.random.default_rng(seed)
    lines = rng.standard_normal((20, n)) * noise + offset * rng.standard_normal((20, 1))
    lines[:3] = rng.standard_normal((3, n)) + own_offset
    lines[3] = lines[0] + offset
    every = np.arange(n)
    profiles = profiles_over(lines, np.ascontiguousarray(lines.T), every)
    made = compute_profiles(profiles, np.arange(20))
    point = made[:3].mean(axis=0)
    bounds = squared_distance_bounds(profiles, point, profiles.squares[:3].max())
    assert (bounds <= [squared_distance(one, point) for one in made]).all()


@pytest.mark.parametrize("size", range(10))
def test_squared_distance(size):
    a, b = np.random.default_rng(size).standard_normal((2, size))
    assert_allclose(squared_distance(a, b), np.sum((a - b) ** 2), rtol=1e-12)
