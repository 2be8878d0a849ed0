"""Tables with missing cells, filled by their components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron._shared._scaling import filling_of


def with_factors(n_rows, n_columns, n_factors=3, noise=0.3, seed=0):
    random = np.random.default_rng(seed)
    loadings = random.normal(size=(n_columns, n_factors))
    Z = random.normal(size=(n_rows, n_factors)) @ loadings.T
    Z += noise * random.normal(size=Z.shape)
    return (Z - Z.mean(axis=0)) / Z.std(axis=0)


def with_gaps(Z, share, seed=0):
    return np.where(np.random.default_rng(seed).random(Z.shape) < share, np.nan, Z)


@pytest.mark.parametrize("shape", [(300, 12), (40, 200), (60, 700)], ids=["tall", "wide", "wider"])
def test_what_columns_have_in_common_fills_gaps(shape):
    Z = with_factors(*shape)
    gappy = with_gaps(Z, 0.2)
    found = filling_of(gappy).apply(gappy)
    missing = np.isnan(gappy)
    assert_array_equal(found[~missing], Z[~missing])
    estimated = missing & ~np.isnan(found)
    assert estimated.sum() > 0.9 * missing.sum()
    # The best possible error is that of the noise, about 0.03 of the variance.
    assert np.mean((found - Z)[estimated] ** 2) < 0.15


def test_rows_that_were_not_seen_are_filled_too():
    Z = with_factors(400, 12)
    gappy = with_gaps(Z[300:], 0.3)
    found = filling_of(Z[:300]).apply(gappy)
    estimated = np.isnan(gappy) & ~np.isnan(found)
    assert estimated.sum() > 0.9 * np.isnan(gappy).sum()
    assert np.mean((found - Z[300:])[estimated] ** 2) < 0.15


@pytest.mark.parametrize("shape", [(600, 20), (100, 20), (60, 300)])
def test_columns_with_nothing_in_common_stay_as_they_are(shape):
    gappy = with_gaps(np.random.default_rng(0).normal(size=shape), 0.2)
    assert_array_equal(filling_of(gappy).apply(gappy), gappy)


def test_some_columns_tell_what_they_can():
    Z = with_factors(300, 12)
    filling = filling_of(Z)
    some = np.array([1, 4, 7, 8, 10])
    gappy = with_gaps(Z[:, some], 0.2)
    wide = np.full(Z.shape, np.nan)
    wide[:, some] = gappy
    assert_allclose(filling.take(some).apply(gappy), filling.apply(wide)[:, some])


def test_a_complete_table_is_left_alone():
    Z = with_factors(30, 5)
    assert filling_of(Z).apply(Z) is Z


@pytest.mark.parametrize("shape", [(1, 3), (2, 1), (2, 3), (5, 1)])
def test_tiny_and_constant_tables(shape):
    for Z in (np.zeros(shape), np.arange(np.prod(shape), dtype=float).reshape(shape)):
        gappy = Z.copy()
        gappy[0, 0] = np.nan
        found = filling_of(gappy).apply(gappy)
        assert_array_equal(found.ravel()[1:], Z.ravel()[1:])


@pytest.mark.parametrize("seed", range(5))
def test_rounding_leaves_no_gap(seed):
    """Where the rest of a row tells nothing, the share that it tells can come out below 0."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(25, 12))
    Z[random.random(Z.shape) < 0.9] = np.nan
    Z -= np.nansum(Z, axis=0) / np.maximum(np.isfinite(Z).sum(axis=0), 1)
    assert all(np.isfinite(part).all() for part in filling_of(Z))
