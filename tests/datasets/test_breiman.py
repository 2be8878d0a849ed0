import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron.datasets import make_ringnorm, make_twonorm

GENERATORS = [make_twonorm, make_ringnorm]
CENTRE = 2 / np.sqrt(20)


def assert_normal_columns(X, mean, sd):
    """Means and standard deviations within five of their standard errors."""
    n = len(X)
    assert_allclose(X.mean(axis=0), mean, rtol=0, atol=5 * sd / np.sqrt(n))
    assert_allclose(X.std(axis=0), sd, rtol=0, atol=5 * sd / np.sqrt(2 * n))
    correlation = np.corrcoef(X.T) - np.eye(X.shape[1])
    assert np.abs(correlation).max() < 5 / np.sqrt(n)


def test_twonorm_distribution():
    X, y = make_twonorm(20_000, random_state=0)
    assert_normal_columns(X[y == 1], CENTRE, 1)
    assert_normal_columns(X[y == 0], -CENTRE, 1)


def test_ringnorm_distribution():
    X, y = make_ringnorm(20_000, random_state=0)
    assert_normal_columns(X[y == 1], CENTRE, 1)
    assert_normal_columns(X[y == 0], 0, 2)


@pytest.mark.parametrize("n_features", [1, 20, 50])
def test_bayes_error_of_twonorm_is_that_of_two_standard_deviations(n_features):
    X, y = make_twonorm(40_000, n_features, random_state=1)
    error = np.mean((X.sum(axis=1) > 0) != y)
    assert_allclose(error, 0.02275, atol=5 * np.sqrt(0.02275 / 40_000))


@pytest.mark.parametrize("make", GENERATORS)
def test_shape_balance_and_order(make):
    X, y = make(random_state=0)
    assert X.shape == (7400, 20)
    assert_array_equal(np.bincount(y), [3700, 3700])
    alternations = np.mean(y[1:] != y[:-1])
    assert abs(alternations - 0.5) < 5 * 0.5 / np.sqrt(7400)
    assert_array_equal(np.bincount(make(7, 3, random_state=0)[1]), [4, 3])
