import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.ridge import naive_left_out, naive_ridge
from oracles.selection import naive_selection

from bicneuron._core._least_squares import forward_selection, ridge, spectrum

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


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_each_step_is_the_best_least_squares_fit(n_targets, seed):
    rng = np.random.default_rng(seed)
    targets = np.sign(rng.normal(size=(40, n_targets)))
    owner = rng.integers(n_targets, size=12)
    H = rng.normal(size=(40, 12)) + 0.5 * targets[:, owner]
    taken = forward_selection(H, targets, np.ones(40), owner, 5)
    assert_array_equal(taken, naive_selection(H, targets, owner, 5))


def test_features_that_speak_against_their_target_are_never_taken(rng):
    targets = np.sign(rng.normal(size=(30, 1)))
    H = np.hstack([-targets, targets + rng.normal(size=(30, 1))])
    assert_array_equal(forward_selection(H, targets, np.ones(30), np.zeros(2, np.intp), 2), [1])


def test_copies_and_constants_are_not_taken(rng):
    targets = np.sign(rng.normal(size=(30, 1)))
    useful = targets + rng.normal(size=(30, 1))
    H = np.hstack([useful, useful * 2, np.ones((30, 1))])
    for weights in (np.ones(30), rng.uniform(0.2, 5, size=30)):
        assert len(forward_selection(H, targets, weights, np.zeros(3, np.intp), 3)) == 1


def test_a_weight_of_forward_selection_counts_rows(rng):
    differs = 0
    for _ in range(10):
        targets = np.sign(rng.normal(size=(20, 2)))
        owner = rng.integers(2, size=8)
        H = rng.normal(size=(20, 8)) + 0.5 * targets[:, owner]
        counts = rng.integers(1, 6, size=20)
        taken = forward_selection(H, targets, counts.astype(float), owner, 4)
        repeated = np.repeat(H, counts, axis=0), np.repeat(targets, counts, axis=0)
        assert_array_equal(taken, naive_selection(*repeated, owner, 4))
        differs += taken.tolist() != naive_selection(H, targets, owner, 4)
    assert differs
