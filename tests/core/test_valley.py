"""Two normal densities with a valley between them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.one_axis import naive_mixture, naive_valley
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from bicneuron._core._valley import best_pair, has_valley, two_groups_likelihood


def axis(*groups, seed=0):
    rng = np.random.default_rng(seed)
    return np.sort(np.concatenate([rng.normal(mean, spread, n) for n, mean, spread in groups]))


def test_the_likelihood_of_groups_that_differ_in_spread():
    values = axis((60, 0, 1), (30, 8, 2))
    (found,) = two_groups_likelihood(values[None])
    expected = naive_mixture(values, 1 / 3, 0.0, 8.0, 1.0, 2.0)
    assert expected < found < expected + 8  # the best is a little better than the true one
    twin = GaussianMixture(2, n_init=5, tol=1e-8, random_state=0).fit(values[:, None])
    constant = len(values) * 0.5 * np.log(2 * np.pi)
    assert_allclose(found, twin.score(values[:, None]) * len(values) + constant, atol=0.1)


def test_spreads_are_not_too_unequal():
    """Without a bound, one density would shrink to a few values that happen to be close."""
    values = axis((40, 0, 0.001), (40, 8, 2))
    (found,) = two_groups_likelihood(values[None])
    assert found < naive_mixture(values, 0.5, 0.0, 8.0, 0.001, 2.0) - 20


def test_one_hump_has_no_valley():
    values = norm.ppf((np.arange(60) + 0.5) / 60)
    assert two_groups_likelihood(values[None]) == [-np.inf]


@given(st.floats(0.05, 0.95), st.floats(0.2, 6.0), st.floats(0.3, 2.0), st.floats(0.3, 2.0))
def test_a_valley_is_one_of_the_density(share, gap, high_spread, low_spread):
    depth = naive_valley(share, gap, 0.0, high_spread, low_spread)
    if not 1 < depth < 1.001:  # a shallow one may lie between two places
        found = has_valley(np.array([share, gap, 0.0, high_spread, low_spread]))
        assert found == (depth > 1)


def test_a_fit_that_cannot_be_likely_enough_ends_early():
    S = np.sort(np.random.default_rng(0).normal(size=(300, 50)), axis=1)
    best = two_groups_likelihood(S)
    for less in (3.0, 0.5, -0.5, -3.0):
        needed = np.where(np.isfinite(best), best, 0.0) - less
        found = two_groups_likelihood(S, needed)
        assert np.mean((found >= needed) != (best >= needed)) < 0.02


def test_the_best_pair_has_the_likelihood_that_is_told():
    values = axis((60, 0, 1), (30, 8, 2))
    pair = best_pair(values)
    (found,) = two_groups_likelihood(values[None])
    naive = naive_mixture(
        values, pair.share, pair.low, pair.high, pair.low_spread, pair.high_spread
    )
    assert_allclose(naive, found, atol=1e-9)
    assert_allclose(pair, [1 / 3, 8, 0, 2, 1], atol=0.6)
    assert has_valley(np.array(pair))


def test_a_pair_with_a_valley_comes_before_a_likelier_one_without():
    values = axis((50, 0, 0.5), (20, 0, 2.0), (10, 9, 0.5), seed=2)
    assert has_valley(np.array(best_pair(values)))


def test_without_a_valley_it_is_the_best_pair_at_all():
    values = norm.ppf((np.arange(60) + 0.5) / 60)
    pair = best_pair(values)
    assert not has_valley(np.array(pair))
    naive = naive_mixture(
        values, pair.share, pair.low, pair.high, pair.low_spread, pair.high_spread
    )
    assert naive >= -0.5 * np.sum((values / values.std()) ** 2) - 60 * np.log(values.std()) - 1


def test_slow_fits_end_before_they_have_settled():
    """Groups that overlap are found slowly: the fit ends after its last step, near the best."""
    values = np.random.default_rng(1).normal(size=100) + 2.2 * (np.arange(100) < 30)
    (found,) = two_groups_likelihood(np.sort(values)[None])
    twin = GaussianMixture(2, n_init=5, tol=1e-8, random_state=0).fit(values[:, None])
    constant = len(values) * 0.5 * np.log(2 * np.pi)
    assert_allclose(found, twin.score(values[:, None]) * len(values) + constant, atol=0.5)
