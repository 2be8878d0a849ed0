"""Two groups on an axis: the fit of two densities, and the best split."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.one_axis import naive_mixture, naive_split_gain
from sklearn.mixture import GaussianMixture

from bicneuron._core._two_normals import split_gains, two_normals, two_normals_likelihood


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


def test_the_cut_does_not_depend_on_the_sizes_of_the_groups():
    cuts = [two_normals(two_groups(1, n=600, share=share, gap=6.0)).cut for share in (0.1, 0.6)]
    assert_allclose(cuts, 3.0, atol=0.2)


def test_the_order_of_values_does_not_matter():
    values = two_groups(2)
    assert two_normals(values) == two_normals(values[::-1].copy())


def test_equal_values_are_one_group():
    fit = two_normals(np.full(30, 2.5))
    assert fit == (2.5, 2.5, 1.0)
    assert fit.gap == 0


def test_the_likelihood_of_groups_that_differ_in_spread():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 1, 200), rng.normal(8, 2, 100)])
    (found,) = two_normals_likelihood(values[:, None])
    expected = naive_mixture(values, 1 / 3, 0.0, 8.0, 1.0, 2.0)
    assert expected < found < expected + 8  # the best is a little better than the true one
    twin = GaussianMixture(2, n_init=5, tol=1e-8, random_state=0).fit(values[:, None])
    constant = len(values) * 0.5 * np.log(2 * np.pi)
    assert_allclose(found, twin.score(values[:, None]) * len(values) + constant, atol=0.05)


def test_the_likelihood_of_one_axis_does_not_depend_on_others():
    X = np.column_stack([two_groups(seed) for seed in range(4)])
    alone = [two_normals_likelihood(X[:, [k]])[0] for k in range(4)]
    assert_allclose(two_normals_likelihood(X), alone)


@given(st.lists(st.integers(-20, 20), min_size=5, max_size=30).filter(lambda v: len({*v}) > 1))
def test_split_gains_are_those_of_the_definition(values):
    S = np.sort(np.array(values, np.float64))[:, None]
    assert_allclose(split_gains(S)[0], naive_split_gain(values), rtol=1e-6, atol=1e-6)


def test_two_groups_split_more_clearly_than_one():
    apart = np.sort(two_groups(0, gap=6.0))
    one = np.sort(two_groups(0, gap=0.0))
    gains = split_gains(np.column_stack([apart, one]))
    assert gains[0] > gains[1] + 20


@pytest.mark.parametrize("seed", range(3))
def test_one_group_is_cut_near_its_middle(seed):
    """Two densities of one group are hardly determined: the fit ends after its last step."""
    values = np.random.default_rng(seed).normal(size=60)
    fit = two_normals(values)
    assert fit.low < fit.cut < fit.high
    assert 0 < fit.gap < 4
    assert 0.2 < fit.spread < 1.2
