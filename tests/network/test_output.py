import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from bicneuron.network._output import calibration_slope, fit_output, probabilities, self_test


def only(neurons):
    """The choice of these neurons, as far as they are allowed."""
    return lambda H, signs, allowed: np.flatnonzero(allowed & neurons)


def test_neurons_that_memorise_are_left_out(rng):
    """A neuron that knows the labels of its own rows must not look good in the self-test."""
    n = 200
    signs = np.sign(rng.normal(size=(n, 1)))
    folds = np.arange(n) % 5
    fold_of = np.repeat(np.arange(5), 8)
    memorises = np.tile([True, False], 20)
    H = np.empty((n, 40))
    for k in range(40):
        noise = rng.normal(size=n)
        if memorises[k]:
            H[:, k] = np.where(folds == fold_of[k], noise, signs[:, 0])
        else:
            H[:, k] = 0.5 * signs[:, 0] + noise
    test = self_test(H, signs, folds, fold_of, [only(memorises), only(~memorises)])
    assert_array_equal(test.choice(H, signs, np.ones(40, dtype=bool)), np.flatnonzero(~memorises))
    assert np.mean(np.sign(test.scores) == signs) > 0.8


def test_scores_come_from_neurons_that_have_not_seen_the_row(rng):
    n = 30
    signs = np.sign(rng.normal(size=(n, 1)))
    folds, fold_of = np.arange(n) % 3, np.arange(12) % 3
    H = rng.normal(size=(n, 12))
    test = self_test(H, signs, folds, fold_of, [only(np.ones(12, dtype=bool))])
    for fold in range(3):
        rows, neurons = folds == fold, fold_of == fold
        output = fit_output(H[~rows][:, neurons], signs[~rows])
        expected = H[rows][:, neurons] @ output.coef + output.intercept
        assert_allclose(test.scores[rows], expected)


def test_rows_that_are_never_left_out_have_no_score(rng):
    signs = np.sign(rng.normal(size=(20, 1)))
    folds = np.where(np.arange(20) == 3, -1, np.arange(20) % 2)
    test = self_test(
        rng.normal(size=(20, 4)), signs, folds, np.arange(4) % 2, [only(np.ones(4, dtype=bool))]
    )
    assert_array_equal(np.flatnonzero(np.isnan(test.scores[:, 0])), [3])


def test_slope_is_that_of_logistic_regression_without_intercept(rng):
    scores = rng.normal(size=(500, 1))
    signs = np.where(rng.uniform(size=(500, 1)) < probabilities(scores, 2.5, False), 1.0, -1.0)
    logistic = LogisticRegression(C=np.inf, fit_intercept=False).fit(scores, signs[:, 0])
    slope = calibration_slope(scores, signs, False)
    assert_allclose(slope, logistic.coef_[0, 0], rtol=1e-2)


def test_slope_for_more_classes_maximises_the_likelihood(rng):
    scores = rng.normal(size=(2000, 3))
    chances = probabilities(scores, 1.7, True)
    assert_allclose(chances.sum(axis=1), 1)
    drawn = np.array([rng.choice(3, p=chance) for chance in chances])
    signs = np.where(drawn[:, None] == np.arange(3), 1.0, -1.0)
    assert calibration_slope(scores, signs, True) == pytest.approx(1.7, rel=0.15)


def test_unknown_scores_do_not_count():
    scores = np.array([[1.0], [np.nan], [-1.0], [0.5], [-0.2]])
    signs = np.array([[1.0], [-1.0], [-1.0], [-1.0], [1.0]])
    known = [0, 2, 3, 4]
    assert calibration_slope(scores, signs, False) == calibration_slope(
        scores[known], signs[known], False
    )
    assert calibration_slope(np.full((3, 1), np.nan), signs[:3], False) == 1.0


def test_a_smaller_choice_is_preferred_when_it_is_as_good_within_error(rng):
    n = 300
    signs = np.sign(rng.normal(size=(n, 1)))
    folds, fold_of = np.arange(n) % 3, np.arange(9) % 3
    H = rng.normal(size=(n, 9))
    H[:, :6] += signs  # two useful neurons for each fold, one that is noise
    choices = [only(np.arange(9) < 3), only(np.arange(9) < 6), only(np.arange(9) < 9)]
    test = self_test(H, signs, folds, fold_of, choices, prefer_early=True)
    assert_array_equal(test.choice(H, signs, np.ones(9, dtype=bool)), np.arange(6))
