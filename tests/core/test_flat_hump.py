"""A flat hump: its density, and the best fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.one_axis import naive_flat_hump
from scipy.optimize import minimize

from bicneuron._core._one_hump import fit_flat_hump, flat_likelihood

SETTINGS = [(0.0, 3.0, 0.3), (0.5, 1.0, 1.0), (-0.4, 2.0, 0.05)]


@pytest.mark.parametrize("parameters", SETTINGS)
def test_the_density_is_that_of_the_definition(parameters):
    centre, width, _ = parameters
    values = centre + width * (np.random.default_rng(0).random(20) - 0.5)
    found = flat_likelihood(values, np.array(parameters))
    assert_allclose(found, naive_flat_hump(values.tolist(), *parameters), rtol=1e-9)


def test_values_far_beyond_the_edges_are_unlikely_and_finite():
    found = flat_likelihood(np.array([1e3]), np.array([0.0, 1.0, 0.1]))
    assert -700 < found < -600


@pytest.mark.parametrize("seed", range(2))
def test_the_fit_is_as_good_as_that_of_a_general_optimiser(seed):
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


def test_draws_of_a_hump_have_its_shape():
    values = np.linspace(0, 10, 40)
    fitted = fit_flat_hump(values)
    rng = np.random.default_rng(0)
    drawn = fitted.draw(rng, (500, 4))
    assert_allclose([drawn.mean(), drawn.std()], [5.0, np.sqrt(100 / 12)], atol=0.3)
    assert np.quantile(drawn, 0.99) < 10.5


def test_axes_are_fitted_one_by_one_until_enough():
    X = np.random.default_rng(0).random((15, 3))
    hump = fit_flat_hump(X[:, 0])
    best = hump.likelihoods(X, np.full(3, np.inf))
    assert best.tolist() == [fit_flat_hump(X[:, k]).likelihood for k in range(3)]
    as_it_is = hump.likelihoods_as_it_is(X)
    assert as_it_is[0] == hump.likelihood
    assert (as_it_is <= best).all()
    enough = best - [0.01, 0.5, -0.01]
    some = hump.likelihoods(X, enough)
    assert (some <= best).all()
    assert ((some > enough) == (best > enough)).all()
