import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from oracles.ridge import naive_left_out, naive_ridge
from sklearn.linear_model import LogisticRegression

from bicneuron._core._filling import fill_rows
from bicneuron._core._linear_models import (
    LONGEST_STEP,
    MAX_STEPS,
    fit_logistic,
    ridge,
    score_test,
    spectrum,
)

SHAPES = [(12, 4), (6, 15), (7, 7), (8, 1)]


def features(shape, n_targets=2):
    rng = np.random.default_rng(shape[0])
    H, targets = rng.normal(size=shape) + 3, np.sign(rng.normal(size=(shape[0], n_targets)))
    return H, targets, rng.uniform(0.2, 5, size=shape[0])


def test_constant_features_give_the_mean_target():
    targets = np.array([[1.0], [1.0], [-1.0], [1.0]])
    fitted = ridge(spectrum(np.ones((4, 3)), np.ones(4)), targets, np.array([1.0]))
    assert_allclose(fitted.coef, 0)
    assert_allclose(fitted.intercept, 0.5)
    # Left out, a row is given the mean of the other three.
    assert_allclose(fitted.left_out[:, 0], [1 / 3, 1 / 3, 1.0, 1 / 3], atol=1e-8)


def drawn(seed, n=80, k=3):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(n, k))
    is_true = H[:, 0] + rng.normal(size=n) > 0.3
    return H, is_true, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_ridge_logistic_regression(seed, ridge):
    H, is_true, weights = drawn(seed)
    fit = fit_logistic(H, is_true, weights, ridge)
    twin = LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=1000)
    twin.fit(H, is_true, sample_weight=weights)
    assert_allclose(fit.coef, twin.coef_[0], atol=1e-5)
    assert_allclose(fit.intercept, twin.intercept_[0], atol=1e-5)
    assert_allclose(fit.log_odds(H), twin.decision_function(H), atol=1e-4)


def log_likelihood(H, is_true, weights):
    twin = LogisticRegression(C=1e8, tol=1e-12, max_iter=10_000).fit(
        H, is_true, sample_weight=weights
    )
    odds = twin.decision_function(H)
    return -np.sum(weights * np.logaddexp(0, np.where(is_true, -odds, odds))), twin.coef_[0]


@pytest.mark.parametrize("seed", range(3))
def test_the_statistic_is_close_to_twice_the_gain_of_a_refit(seed):
    rng = np.random.default_rng(seed)
    n = 4000
    taken, further = rng.normal(size=(n, 1)), rng.normal(size=(n, 2))
    is_true = taken[:, 0] + 0.1 * further[:, 0] + rng.logistic(size=n) > 0
    weights = np.ones(n)
    fit = fit_logistic(taken, is_true, weights, 1e-6)
    statistic, sign = score_test(further, taken, fit, is_true, weights)
    before, _ = log_likelihood(taken, is_true, weights)
    for k in range(2):
        after, coef = log_likelihood(np.hstack([taken, further[:, [k]]]), is_true, weights)
        assert_allclose(statistic[k], 2 * (after - before), rtol=0.05, atol=0.02)
        assert sign[k] == np.sign(coef[-1])


def test_a_copy_of_a_taken_column_says_nothing_new():
    H, is_true, weights = drawn(1)
    fit = fit_logistic(H[:, :1], is_true, weights, 1.0)
    copies = np.column_stack([H[:, 0], -2 * H[:, 0]])
    statistic, _ = score_test(copies, H[:, :1], fit, is_true, weights)
    assert statistic.tolist() == [0.0, 0.0]


def test_steps_end_where_the_best_coefficient_is_far_away():
    H = np.linspace(-1e-3, 1e-3, 20)[:, None]
    fit = fit_logistic(H, H[:, 0] > 0, np.ones(20), 1e-9)
    assert 0 < fit.coef[0] <= MAX_STEPS * LONGEST_STEP


@pytest.mark.parametrize("shape", SHAPES)
def test_ridge_solves_the_normal_equations_and_leaves_out_each_row(shape):
    """The penalty is that of least error of the rows left out."""
    H, targets, weights = features(shape)
    errors, penalties = [], [0.1, 1.0, 100.0]
    for penalty in penalties:
        fitted = ridge(spectrum(H.copy(), weights), targets, np.array([penalty]))
        coef, intercept = naive_ridge(H, targets, penalty, weights)
        assert_allclose(fitted.coef, coef, atol=1e-10)
        assert_allclose(fitted.intercept, intercept, atol=1e-10)
        left_out = naive_left_out(H, targets, penalty, weights)
        assert_allclose(fitted.left_out, left_out, atol=1e-8)
        errors.append(weights @ np.sum((left_out - targets) ** 2, axis=1))
    best = ridge(spectrum(H.copy(), weights), targets, np.array(penalties))
    assert best.penalty == penalties[np.argmin(errors)]


# --- Estimates of missing cells against the conditional normal distribution, written out


def naive_fill(row, mean, loadings, noise, least_told):
    """By the covariance of all columns, one cell at a time."""
    covariance = loadings @ loadings.T + np.diag(noise)
    known = np.flatnonzero(~np.isnan(row))
    filled = row.copy()
    for j in np.flatnonzero(np.isnan(row)):
        weights = np.linalg.solve(covariance[np.ix_(known, known)], covariance[known, j])
        if weights @ covariance[known, j] >= least_told * covariance[j, j]:
            filled[j] = mean[j] + weights @ (row[known] - mean[known])
    return filled


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.sampled_from([0.0, 0.3, 0.6]))
def test_cells_are_filled_by_what_the_row_tells(seed, n_factors, least_told):
    random = np.random.default_rng(seed)
    loadings = random.normal(size=(6, n_factors))
    mean, noise = random.normal(size=6), random.uniform(0.1, 1.0, size=6)
    Z = random.normal(size=(5, 6))
    Z[random.random(Z.shape) < 0.4] = np.nan
    Z[0] = np.nan
    before = Z.copy()
    found = fill_rows(Z, mean, loadings, noise, least_told)
    expected = [naive_fill(row, mean, loadings, noise, least_told) for row in Z]
    assert_allclose(found, expected, atol=1e-9)
    assert_array_equal(Z, before)
    assert_array_equal(fill_rows(Z[2:3], mean, loadings, noise, least_told), found[2:3])
