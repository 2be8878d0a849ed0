"""Values of rows on axes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import seeds

from bicneuron._core._splits import axis_values


@pytest.mark.parametrize("with_squares", [True, False])
@given(seeds(), st.integers(0, 4), st.integers(1, 6), st.integers(1, 7))
@settings(deadline=None)
def test_axis_values(with_squares, seed, n_axes, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    kept = rng.random((n_axes, n_columns)) < 0.4
    linear, squares = rng.normal(size=(2, n_axes, n_columns)).astype(np.float32)
    Z = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    if not with_squares:
        squares = np.zeros((0, 0), np.float32)
    expected = np.zeros((n_axes, n_rows))
    for a in range(n_axes):
        for row in range(n_rows):
            for j in np.flatnonzero(kept[a]):
                expected[a, row] += linear[a, j] * Z[row, j]
                if with_squares:
                    expected[a, row] += squares[a, j] * Z[row, j] ** 2
    assert_allclose(axis_values(kept, linear, squares, Z), expected, rtol=1e-4, atol=1e-5)
