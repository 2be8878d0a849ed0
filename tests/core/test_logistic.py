"""Logistic regression against scikit-learn, and the score test against refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from bicneuron._core._linear_models import LONGEST_STEP, MAX_STEPS, fit_logistic, score_test


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


def test_without_columns_it_is_the_log_odds_of_the_share():
    _, is_true, weights = drawn(0)
    fit = fit_logistic(np.empty((80, 0)), is_true, weights, 1.0)
    share = weights[is_true].sum() / weights.sum()
    assert_allclose(fit.intercept, np.log(share / (1 - share)))
    assert fit.coef.shape == (0,)


def test_separable_classes_have_finite_coefficients():
    H = np.linspace(-1, 1, 20)[:, None]
    fit = fit_logistic(H, H[:, 0] > 0, np.ones(20), 1.0)
    assert 0 < fit.coef[0] < 20


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
