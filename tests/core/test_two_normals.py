"""Two groups on an axis: the fit of two densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.mixture import GaussianMixture

from bicneuron._core._two_normals import two_normals


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
