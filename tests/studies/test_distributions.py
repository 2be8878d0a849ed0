"""Columns that are not normal, with and without a planted group."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from studies.discovery.distributions import DISTRIBUTIONS, make_distribution

NOISE = {"group_rows": 0, "group_columns": 0}
GROUP = {"group_rows": 15, "group_columns": 10}


def noise(distribution, n_columns=300):
    table = make_distribution(distribution, **NOISE, n_columns=n_columns, random_state=0)
    assert table.groups == ()
    assert [np.sum(table.y == label) for label in ("case", "control")] == [50, 50]
    return table.X


@pytest.mark.parametrize(
    ("name", "law"),
    [("normal", stats.norm()), ("t3", stats.t(3)), ("lognormal", stats.lognorm(1))],
)
def test_continuous_columns_have_the_distribution_of_their_name(name, law):
    assert stats.kstest(noise(name).ravel(), law.cdf).pvalue > 0.001


def test_counts_vary_more_than_those_of_poisson():
    counts = np.expm1(noise("counts"))
    assert_allclose(counts, np.round(counts), atol=1e-8)
    means = counts.mean(axis=0)
    assert means.max() > 10 * means.min(), "columns differ"
    assert_allclose(np.mean(counts.var(axis=0) / (means + 2 * means**2)), 1, atol=0.15)


@pytest.mark.parametrize(("name", "share"), [("zeros", 0.6), ("floor-50", 0.5), ("floor-88", 0.88)])
def test_a_share_of_the_values_is_the_least_one(name, share):
    values = noise(name)
    lowest = values.min()
    least = values == lowest
    assert_allclose(least.mean(), share, atol=0.01)
    assert len(np.unique(values[~least])) == np.sum(~least)
    assert (lowest == 0) == (name != "floor-88")


def test_zeros_are_apart_from_what_is_detected():
    X = noise("zeros")
    assert_allclose(stats.kstest(np.log(X[X > 0]) / 0.5, "norm").statistic, 0, atol=0.02)


def test_binary_columns_have_shares_of_ones_of_their_own():
    X = noise("binary")
    assert {*X.ravel()} == {0, 1}
    assert_allclose(X.mean(), 0.35, atol=0.02)
    assert X.mean(axis=0).std() > 0.07


def test_genotypes_have_two_independent_alleles():
    X = noise("genotypes")
    assert {*X.ravel()} == {0, 1, 2}
    share = X.mean(axis=0) / 2
    assert_allclose(np.mean(X == 2), np.mean(share**2), atol=0.01)


def test_a_third_of_mixed_columns_is_binary():
    X = noise("mixed", n_columns=30)
    is_binary = [len(np.unique(column)) == 2 for column in X.T]
    assert is_binary == [False] * 20 + [True] * 10


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_group_of_the_cases_is_higher_in_its_columns(name):
    table = make_distribution(name, **GROUP, n_columns=60, random_state=1)
    X, y, (group,) = table
    assert {*y[group.rows]} == {"case"}
    assert (len(group.rows), len(group.columns)) == (15, 10)
    assert np.isfinite(X).all()
    inside = np.isin(np.arange(100), group.rows)
    p = stats.mannwhitneyu(X[inside], X[~inside], alternative="greater").pvalue
    assert p[group.columns].max() < 0.01
    assert np.mean(np.delete(p, group.columns) < 0.05) < 0.2


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_seed_decides(name):
    one, same, other = (
        make_distribution(name, **GROUP, n_columns=30, random_state=seed) for seed in (3, 3, 4)
    )
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.y, same.y)
    assert not np.array_equal(one.X, other.X)
