"""A single hump, smooth or flat: its density, and the best fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.one_axis import naive_flat_hump, naive_hump
from scipy.optimize import minimize

from bicneuron._core._one_hump import (
    Hump,
    best_hump,
    fit_flat_hump,
    flat_likelihood,
    hump_terms,
)

SETTINGS = [(0.0, 0.0, 0.0, 0.0), (0.3, -0.2, 0.5, 0.2), (-0.5, 0.4, -0.6, -0.3)]


@pytest.mark.parametrize("parameters", SETTINGS)
def test_the_density_is_that_of_the_definition(parameters):
    values = np.random.default_rng(0).normal(size=20)
    found = hump_terms(values[:, None], np.array(parameters)[:, None]).value[0]
    assert_allclose(found, naive_hump(values.tolist(), *parameters), rtol=1e-5)


@pytest.mark.parametrize("parameters", SETTINGS)
def test_derivatives_are_slopes(parameters):
    X = np.random.default_rng(1).normal(size=(15, 1))
    start = np.array(parameters)
    terms = hump_terms(X, start[:, None])
    for k in range(4):
        step = np.zeros(4)
        step[k] = 1e-5
        above, below = (hump_terms(X, (start + s)[:, None]).value[0] for s in (step, -step))
        assert_allclose(terms.gradient[0, k], (above - below) / 2e-5, rtol=1e-4, atol=1e-4)
    rows = np.array([hump_terms(X[[i]], start[:, None]).gradient[0] for i in range(len(X))])
    assert_allclose(terms.information[0], rows.T @ rows, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_as_good_as_that_of_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    values = rng.gamma(3.0, size=80)
    values = (values - np.median(values)) / values.std()

    def loss(parameters):
        return -hump_terms(values[:, None], parameters[:, None]).value[0]

    general = min(
        minimize(loss, [0, 0, skew, 0], method="Nelder-Mead", options={"maxiter": 4000}).fun
        for skew in (0.0, 0.5)
    )
    assert best_hump(values).likelihood > -general - 0.01


def test_draws_of_a_hump_have_its_shape():
    hump = Hump(0.0, np.array([0.5, -0.3, 0.4, 0.1]))
    draws = hump.draw(np.random.default_rng(0), (4000, 1))
    again = best_hump(draws[:, 0] / draws.std())
    place, log_scale, skew, log_tail = again.parameters
    assert_allclose(place * draws.std(), 0.5, atol=0.1)
    assert_allclose([skew, log_tail], [0.4, 0.1], atol=0.1)
    assert_allclose(log_scale + np.log(draws.std()), -0.3, atol=0.1)


def test_likelihoods_of_draws_start_from_the_hump():
    values = np.random.default_rng(3).normal(size=60)
    hump = best_hump(values / values.std())
    (found,) = hump.likelihoods(values[:, None] / values.std(), np.array([np.inf]))
    assert_allclose(found, hump.likelihood, atol=1e-6)
    others = np.random.default_rng(4).normal(size=(60, 3))
    best = hump.likelihoods(others, np.full(3, np.inf))
    assert (hump.likelihoods_as_it_is(others) <= best).all()
    enough = best - [0.001, 0.5, -0.01]
    some = hump.likelihoods(others, enough)
    assert (some <= best).all()
    assert ((some > enough) == (best > enough)).all()
    assert_allclose(hump.likelihoods_as_it_is(values[:, None] / values.std())[0], hump.likelihood)


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


def test_flat_axes_are_fitted_one_by_one_until_enough():
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
