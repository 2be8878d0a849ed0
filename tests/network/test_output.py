import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron.network._output import fit_output, self_test


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
    test = self_test(H, signs, np.ones(n), folds, fold_of, [memorises, ~memorises])
    assert_array_equal(test.kept, ~memorises)
    assert np.mean(np.sign(test.scores) == signs) > 0.8


def test_scores_come_from_neurons_that_have_not_seen_the_row(rng):
    n = 30
    signs = np.sign(rng.normal(size=(n, 1)))
    folds, fold_of = np.arange(n) % 3, np.arange(12) % 3
    H = rng.normal(size=(n, 12))
    test = self_test(H, signs, np.ones(n), folds, fold_of, [np.ones(12, dtype=bool)])
    for fold in range(3):
        rows, neurons = folds == fold, fold_of == fold
        output = fit_output(H[~rows][:, neurons], signs[~rows], np.ones(20))
        expected = H[rows][:, neurons] @ output.coef + output.intercept
        assert_allclose(test.scores[rows], expected)


def test_rows_that_are_never_left_out_have_no_score(rng):
    signs = np.sign(rng.normal(size=(20, 1)))
    folds = np.where(np.arange(20) == 3, -1, np.arange(20) % 2)
    H, choice = rng.normal(size=(20, 4)), np.ones(4, dtype=bool)
    test = self_test(H, signs, np.ones(20), folds, np.arange(4) % 2, [choice])
    assert_array_equal(np.flatnonzero(np.isnan(test.scores[:, 0])), [3])


def test_rows_of_more_weight_decide(rng):
    """Each choice knows the targets of one half of the rows."""
    n = 120
    signs = np.sign(rng.normal(size=(n, 1)))
    folds, fold_of = np.arange(n) % 3, np.arange(6) % 3
    first_half = np.arange(n) < n // 2
    H = rng.normal(size=(n, 6))
    for k in range(6):
        known = first_half if k < 3 else ~first_half
        H[known, k] = signs[known, 0]
    choices = [np.arange(6) < 3, np.arange(6) >= 3]
    for number, half in enumerate((first_half, ~first_half)):
        weights = np.where(half, 10.0, 1.0)
        assert self_test(H, signs, weights, folds, fold_of, choices).kept is choices[number]
