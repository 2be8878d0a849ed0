import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import blocks, index_sets

from bicneuron._core._profiles import centred_profiles, norms_of, squared_distance


@settings(deadline=None)
@given(blocks(), st.data())
def test_profiles_and_norms(matrix, data):
    positions = data.draw(index_sets(matrix.shape[1]))
    profiles = centred_profiles(matrix, positions)
    part = matrix[:, positions]
    assert_allclose(profiles, part - part.mean(axis=1, keepdims=True), rtol=1e-9, atol=1e-9)
    assert_allclose(norms_of(profiles), np.linalg.norm(profiles, axis=1), rtol=1e-9)


@pytest.mark.parametrize("size", range(10))
def test_squared_distance(size):
    a, b = np.random.default_rng(size).standard_normal((2, size))
    assert_allclose(squared_distance(a, b), np.sum((a - b) ** 2), rtol=1e-12)
