"""A single hump, smooth or flat: its density, and the best fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.one_axis import naive_flat_hump, naive_hump, naive_mixture, naive_valley
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from bicneuron._core._one_hump import Hump, best_hump, fit_flat_hump, flat_likelihood, hump_terms
from bicneuron._core._two_normals import two_normals
from bicneuron._core._valley import best_pair, has_valley, two_groups_likelihood

SETTINGS = [(0.0, 0.0, 0.0, 0.0), (0.3, -0.2, 0.5, 0.2), (-0.5, 0.4, -0.6, -0.3)]


@pytest.mark.parametrize("parameters", SETTINGS)
def test_the_density_is_that_of_the_definition(parameters):
    values = np.random.default_rng(0).normal(size=20)
    found = hump_terms(values[:, None], np.array(parameters)[:, None])[0][0]
    assert_allclose(found, naive_hump(values.tolist(), *parameters), rtol=1e-5)


@pytest.mark.parametrize("parameters", SETTINGS)
def test_derivatives_are_slopes(parameters):
    X = np.random.default_rng(1).normal(size=(15, 1))
    start = np.array(parameters)
    _, gradient, information = hump_terms(X, start[:, None])
    for k in range(4):
        step = np.zeros(4)
        step[k] = 1e-5
        above, below = (hump_terms(X, (start + s)[:, None])[0][0] for s in (step, -step))
        assert_allclose(gradient[0, k], (above - below) / 2e-5, rtol=1e-4, atol=1e-4)
    rows = np.array([hump_terms(X[[i]], start[:, None])[1][0] for i in range(len(X))])
    assert_allclose(information[0], rows.T @ rows, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_as_good_as_that_of_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    values = rng.gamma(3.0, size=80)
    values = (values - np.median(values)) / values.std()

    def loss(parameters):
        return -hump_terms(values[:, None], parameters[:, None])[0][0]

    general = min(
        minimize(loss, [0, 0, skew, 0], method="Nelder-Mead", options={"maxiter": 4000}).fun
        for skew in (0.0, 0.5)
    )
    assert best_hump(values).likelihood > -general - 0.01


def test_draws_have_the_shape_of_their_hump():
    rng = np.random.default_rng(0)
    draws = Hump(0.0, np.array([0.5, -0.3, 0.4, 0.1])).draw(rng, (4000, 1))
    spread = draws.std()
    place, log_scale, skew, log_tail = best_hump(draws[:, 0] / spread).parameters
    found = place * spread, log_scale + np.log(spread), skew, log_tail
    assert_allclose(found, [0.5, -0.3, 0.4, 0.1], atol=0.1)
    flat = fit_flat_hump(np.linspace(0, 10, 40)).draw(rng, (500, 4))
    assert_allclose([flat.mean(), flat.std()], [5.0, np.sqrt(100 / 12)], atol=0.3)
    assert np.quantile(flat, 0.99) < 10.5


@pytest.mark.parametrize("fit", [best_hump, fit_flat_hump])
def test_axes_are_fitted_one_by_one_until_enough(fit):
    """The fits of draws start from the hump."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=40)
    hump = fit(values / values.std())
    X = np.column_stack([values / values.std(), rng.normal(size=(40, 3))])
    best = hump.likelihoods(X, np.full(4, np.inf))
    as_it_is = hump.likelihoods_as_it_is(X)
    assert_allclose(as_it_is[0], hump.likelihood)
    assert (as_it_is <= best).all()
    enough = best - [0.01, 0.001, 0.5, -0.01]
    some = hump.likelihoods(X, enough)
    assert (some <= best).all()
    assert ((some > enough) == (best > enough)).all()


FLAT_SETTINGS = [(0.0, 3.0, 0.3), (0.5, 1.0, 1.0), (-0.4, 2.0, 0.05)]


@pytest.mark.parametrize("parameters", FLAT_SETTINGS)
def test_the_flat_density_is_that_of_the_definition(parameters):
    centre, width, _ = parameters
    values = centre + width * (np.random.default_rng(0).random(20) - 0.5)
    found = flat_likelihood(values, np.array(parameters))
    assert_allclose(found, naive_flat_hump(values.tolist(), *parameters), rtol=1e-9)


def test_values_far_beyond_the_edges_are_unlikely_and_finite():
    found = flat_likelihood(np.array([1e3]), np.array([0.0, 1.0, 0.1]))
    assert -700 < found < -600


@pytest.mark.parametrize("seed", range(2))
def test_the_flat_fit_is_as_good_as_that_of_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    values = 4 * rng.random(40) + rng.normal(0, 0.3, 40)
    fitted = fit_flat_hump(values)

    def loss(parameters):
        centre, width, edge = parameters
        if width <= 0.06 or edge <= 0.03:
            return 1e9
        return -flat_likelihood(values, np.array([centre, width, edge]))

    general = min(
        minimize(loss, [2, width, edge], method="Nelder-Mead").fun
        for width, edge in ((4, 0.3), (3, 0.8))
    )
    assert fitted.likelihood > -general - 0.05
    assert_allclose(fitted.likelihood, flat_likelihood(values, fitted.parameters), rtol=1e-12)


# --- Two normal densities with a valley between them


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


@pytest.mark.parametrize("n", [60, pytest.param(300, marks=pytest.mark.compiled_only)])
def test_a_fit_that_cannot_be_likely_enough_ends_early(n):
    S = np.sort(np.random.default_rng(0).normal(size=(n, 50)), axis=1)
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
    assert not has_valley(np.array([0.5, -3.0, 0.0, 0.5, 0.5])), "groups in the wrong order"


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


# --- Two groups on an axis: the fit of two densities


def two_groups(seed, n=120, share=0.3, gap=4.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n) + gap * (np.arange(n) < share * n)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_it_is_a_mixture_of_two_normal_densities(share):
    values = two_groups(0, n=400, share=share, gap=5.0)
    twin = GaussianMixture(2, covariance_type="tied", tol=1e-8, n_init=5, random_state=0)
    twin.fit(values[:, None])
    fit = two_normals(values)
    assert_allclose([fit.low, fit.high], np.sort(twin.means_[:, 0]), atol=0.02)
    assert_allclose(fit.spread, np.sqrt(twin.covariances_[0, 0]), atol=0.02)
    assert fit.cut == (fit.low + fit.high) / 2
    assert_allclose(fit.gap, (fit.high - fit.low) / fit.spread)


def test_equal_values_are_one_group():
    fit = two_normals(np.full(30, 2.5))
    assert fit == (2.5, 2.5, 1.0)
    assert fit.gap == 0


@pytest.mark.parametrize("seed", range(3))
def test_one_group_is_cut_near_its_middle(seed):
    """Two densities of one group are hardly determined: the fit ends after its last step."""
    values = np.random.default_rng(seed).normal(size=60)
    fit = two_normals(values)
    assert fit.low < fit.cut < fit.high
    assert 0 < fit.gap < 4
    assert 0.2 < fit.spread < 1.2
