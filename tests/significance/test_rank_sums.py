"""Rank tests and differences of many columns, against all draws and formulas, column by column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.rank_sums import naive_hedges_g, naive_rank_sum_p
from scipy.stats import hypergeom, mannwhitneyu

from bicneuron.patterns import differences
from bicneuron.significance._rank_sums import rank_sum_test

ONE = np.zeros(14, np.intp)
INSIDE = np.arange(14) < 5


def table(seed, n_rows=14, n_columns=12):
    """Columns that differ more and more, some of them with ties and missing cells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[:5] += np.linspace(-1, 2.5, n_columns)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X


@pytest.mark.parametrize("strata", [ONE, np.arange(14) % 2], ids=["all rows", "two strata"])
def test_p_is_that_of_all_draws(strata):
    for seed in range(3):
        X = table(seed)
        found = rank_sum_test(X, INSIDE[:, None], strata)
        naive = [naive_rank_sum_p(column, INSIDE, strata) for column in X.T.tolist()]
        assert_allclose(found.p, naive, rtol=0.25, atol=0.02)
        clear = np.abs(found.z) > 1
        means = np.nanmean(X[:5], axis=0) - np.nanmean(X[5:], axis=0)
        assert (np.sign(found.z) == np.sign(means))[clear].all()


def test_tails_are_exact_where_a_normal_distribution_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    X[:8] += np.arange(6)
    inside = np.arange(60) < 8
    exact = mannwhitneyu(X[:8], X[8:], method="exact").pvalue
    found = rank_sum_test(X, inside[:, None], np.zeros(60, np.intp)).p
    assert_allclose(found, exact, rtol=0.25)
    assert found[-1] < 1e-8
    normal = mannwhitneyu(X[:8], X[8:], method="asymptotic").pvalue
    assert normal[-1] > 1000 * exact[-1], "which makes the test of no use"


@pytest.mark.parametrize(("n_marked", "n_common"), [(5, 5), (7, 4), (30, 12), (3, 0)])
def test_two_values_are_a_hypergeometric_test(n_marked, n_common):
    """Five of 100 rows have a mark, all in a group of 15: a normal p would be 600 times smaller."""
    column = np.zeros((100, 1))
    column[:n_common] = 1
    column[20 : 20 + n_marked - n_common] = 1
    inside = (np.arange(100) < 15)[:, None]
    draws = hypergeom(100, n_marked, 15)
    exact = min(2 * min(draws.sf(n_common - 1), draws.cdf(n_common)), 1.0)
    assert_allclose(rank_sum_test(column, inside, np.zeros(100, np.intp)).p, exact, rtol=0.1)


def test_p_of_noise_is_uniform_whatever_the_distribution():
    rng = np.random.default_rng(1)
    inside = (np.arange(60) < 12)[:, None]
    noise = rng.normal(size=(60, 4000))
    for X in (noise, np.exp(2 * noise), np.round(noise), (noise > 1.3) * 1.0):
        p = rank_sum_test(X, inside, np.zeros(60, np.intp)).p
        for level in (0.05, 0.01, 0.001):
            error = np.sqrt(level * (1 - level) / len(p))
            assert (p <= level).mean() <= level + 3 * error


def test_rows_inside_may_differ_from_column_to_column():
    X = table(0)
    sides = np.random.default_rng(2).random(X.shape) < 0.4
    whole = rank_sum_test(X, sides, ONE)
    effects = differences(X, sides, ONE)
    for j in range(X.shape[1]):
        alone = rank_sum_test(X[:, [j]], sides[:, [j]], ONE)
        assert_allclose(whole.p[j], alone.p[0])
        alone = differences(X[:, [j]], sides[:, [j]], ONE)
        assert_allclose([one[j] for one in effects], [one[0] for one in alone])


@pytest.mark.parametrize("strata", [ONE, np.arange(14) % 2], ids=["all rows", "two strata"])
def test_differences_follow_the_formula(strata):
    X = table(3)
    found = differences(X * 1e3, INSIDE[:, None], strata)
    naive = np.array([naive_hedges_g(column, INSIDE, strata) for column in X.T.tolist()])
    assert_allclose(found.difference, 1e3 * naive[:, 0])
    assert_allclose(np.array(found[1:]).T, naive[:, 1:])


def test_units_of_a_column_do_not_matter():
    X = table(4)
    first = rank_sum_test(X, INSIDE[:, None], ONE)
    effects = differences(X, INSIDE[:, None], ONE)
    for factor, shift in ((2.0**20, 0.0), (1e-3, 7.0), (1e150, 0.0)):
        again = rank_sum_test(X * factor + shift, INSIDE[:, None], ONE)
        assert_array_equal(first.p, again.p)
        other = differences(X * factor + shift, INSIDE[:, None], ONE)
        assert_allclose(other.effect, effects.effect, rtol=1e-6)
        assert_allclose(other.difference, effects.difference * factor, rtol=1e-6)
    turned = rank_sum_test(-X, INSIDE[:, None], ONE)
    assert_allclose(turned.p, first.p)
    assert_allclose(turned.z, -first.z)


def test_nothing_to_compare():
    """Constant columns, columns without a value, and sides without a row."""
    X = np.column_stack([np.full(14, 3.0), np.full(14, np.nan), np.where(INSIDE, np.nan, 1.0)])
    X = np.column_stack([X, np.arange(14.0)])
    sides = np.column_stack([INSIDE, INSIDE, INSIDE, np.zeros(14, bool)])
    found = rank_sum_test(X, sides, ONE)
    assert_array_equal(found.p, np.ones(4))
    assert_array_equal(found.z, np.zeros(4))
    effects = differences(X, sides, ONE)
    assert effects.difference[0] == 0
    assert np.isnan(effects.difference[1:]).all()
    assert np.isnan([effects.effect, effects.low, effects.high]).all()
