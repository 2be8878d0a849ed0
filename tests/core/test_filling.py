"""Estimates of missing cells against the conditional normal distribution, written out."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron._core._filling import fill_rows


def naive_fill(row, mean, loadings, noise, least_told):
    """By the covariance of all columns, one cell at a time."""
    covariance = loadings @ loadings.T + np.diag(noise)
    known = np.flatnonzero(~np.isnan(row))
    filled = row.copy()
    for j in np.flatnonzero(np.isnan(row)):
        weights = np.linalg.solve(covariance[np.ix_(known, known)], covariance[known, j])
        if weights @ covariance[known, j] >= least_told * covariance[j, j]:
            filled[j] = mean[j] + weights @ (row[known] - mean[known])
    return filled


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.sampled_from([0.0, 0.3, 0.6]))
def test_cells_are_filled_by_what_the_row_tells(seed, n_factors, least_told):
    random = np.random.default_rng(seed)
    loadings = random.normal(size=(6, n_factors))
    mean, noise = random.normal(size=6), random.uniform(0.1, 1.0, size=6)
    Z = random.normal(size=(5, 6))
    Z[random.random(Z.shape) < 0.4] = np.nan
    Z[0] = np.nan
    before = Z.copy()
    found = fill_rows(Z, mean, loadings, noise, least_told)
    expected = [naive_fill(row, mean, loadings, noise, least_told) for row in Z]
    assert_allclose(found, expected, atol=1e-9)
    assert_array_equal(Z, before)
    assert_array_equal(fill_rows(Z[2:3], mean, loadings, noise, least_told), found[2:3])
