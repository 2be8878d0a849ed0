import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.ridge import naive_left_out, naive_ridge

from bicneuron._core._linear_models import ridge, spectrum

SHAPES = [(12, 4), (6, 15), (7, 7), (8, 1)]


def features(shape, n_targets=2):
    rng = np.random.default_rng(shape[0])
    H, targets = rng.normal(size=shape) + 3, np.sign(rng.normal(size=(shape[0], n_targets)))
    return H, targets, rng.uniform(0.2, 5, size=shape[0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("penalty", [0.01, 1.0, 100.0])
def test_equal_to_the_normal_equations(shape, penalty):
    H, targets, weights = features(shape)
    fitted = ridge(spectrum(H, weights), targets, np.array([penalty]))
    coef, intercept = naive_ridge(H, targets, penalty, weights)
    assert_allclose(fitted.coef, coef, atol=1e-10)
    assert_allclose(fitted.intercept, intercept, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("penalty", [0.1, 1.0, 100.0])
def test_left_out_rows_are_those_of_refits(shape, penalty):
    H, targets, weights = features(shape)
    fitted = ridge(spectrum(H, weights), targets, np.array([penalty]))
    assert_allclose(fitted.left_out, naive_left_out(H, targets, penalty, weights), atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_penalty_of_least_left_out_error_is_taken(shape):
    H, targets, weights = features(shape)
    penalties = 10.0 ** np.arange(-2, 5)
    errors = [
        weights @ np.sum((naive_left_out(H, targets, p, weights) - targets) ** 2, axis=1)
        for p in penalties
    ]
    assert ridge(spectrum(H, weights), targets, penalties).penalty == penalties[np.argmin(errors)]


def test_repeated_and_constant_features():
    H, targets, weights = features((9, 3))
    repeated = np.hstack([H, H[:, :1], np.ones((9, 1))])
    fitted = ridge(spectrum(repeated, weights), targets, np.array([1.0]))
    coef, intercept = naive_ridge(repeated, targets, 1.0, weights)
    assert_allclose(fitted.coef, coef, atol=1e-10)
    assert_allclose(fitted.intercept, intercept, atol=1e-10)


def test_constant_features_give_the_mean_target():
    targets = np.array([[1.0], [1.0], [-1.0], [1.0]])
    fitted = ridge(spectrum(np.ones((4, 3)), np.ones(4)), targets, np.array([1.0]))
    assert_allclose(fitted.coef, 0)
    assert_allclose(fitted.intercept, 0.5)
    # Left out, a row is given the mean of the other three.
    assert_allclose(fitted.left_out[:, 0], [1 / 3, 1 / 3, 1.0, 1 / 3], atol=1e-8)


def test_a_weight_counts_rows():
    H, targets, _ = features((9, 3))
    counts = np.array([1, 2, 3] * 3)
    weighted = ridge(spectrum(H, counts.astype(float)), targets, np.array([2.0]))
    repeated = spectrum(np.repeat(H, counts, axis=0), np.ones(counts.sum()))
    expected = ridge(repeated, np.repeat(targets, counts, axis=0), np.array([2.0]))
    assert_allclose(weighted.coef, expected.coef, atol=1e-10)
    assert_allclose(weighted.intercept, expected.intercept, atol=1e-10)
