"""Output layer and self-test against their naive twins, on hidden layers drawn at random."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.network import (
    naive_choice,
    naive_errors,
    naive_held_out,
    naive_output,
)

from bicneuron.network._output import (
    fit_output,
    self_test,
)


def hidden_layer(seed, n_rows, n_neurons, n_targets=1, noise=1.0):
    """Signs, and neurons that know something of one target each, some more, some less."""
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random((n_rows, n_targets)) < 0.4, 1.0, -1.0)
    owner = np.arange(n_neurons) % n_targets
    worth = rng.random(n_neurons)
    H = np.tanh(worth * signs[:, owner] + noise * rng.normal(size=(n_rows, n_neurons)))
    return H, signs, owner


def of_family(family):
    """A choice of neurons, and the same for the twin."""

    def naive(H, signs, unseen):
        return [k for k in unseen if family[k]]

    return family, naive


# --- output layer


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize(("n_rows", "n_neurons"), [(9, 3), (20, 5), (8, 12), (15, 1)])
def test_the_penalty_is_the_one_of_least_error_in_refits(n_rows, n_neurons, n_targets):
    for seed in range(4):
        H, signs, _ = hidden_layer(seed, n_rows, n_neurons, n_targets)
        weights, intercept, penalty = naive_output(H, signs)
        fitted = fit_output(H, signs, np.ones(n_rows))
        assert fitted.penalty == pytest.approx(penalty)
        assert_allclose(fitted.coef, weights, atol=1e-8)
        assert_allclose(fitted.intercept, intercept, atol=1e-8)


# --- self-test


@pytest.mark.parametrize("n_targets", [1, 2])
def test_held_out_scores(n_targets):
    H, signs, _ = hidden_layer(0, 24, 18, n_targets)
    rng = np.random.default_rng(1)
    folds, fold_of = rng.permutation(np.arange(24) % 3), rng.permutation(np.arange(18) % 3)
    folds[5] = -1
    family = rng.random(18) < 0.7
    pairs = [of_family(family), of_family(~family)]
    for choose, naive in pairs:
        found = self_test(H, signs, np.ones(len(H)), folds, fold_of, [choose])
        expected = naive_held_out(H, signs, folds, fold_of, naive)
        assert_allclose(found.scores, expected, atol=1e-8)
        assert_array_equal(np.isnan(expected).any(axis=1), np.arange(24) == 5)


def bare_errors(scores, signs):
    """As if scores beyond the signs were wrong."""
    return np.mean((signs - scores) ** 2, axis=1).tolist()


def test_the_choice():
    """Least squared error of scores cut to [-1, 1]."""
    differs = 0
    for seed in range(24):
        H, signs, _ = hidden_layer(seed, 60, 24, 1 + seed % 2, noise=0.5 + seed % 3)
        folds, fold_of = np.arange(60) % 3, np.arange(24) % 3
        folds[:2] = -1
        # The first have few neurons, and each more than the one before.
        choices = [of_family(np.arange(24) < size)[0] for size in (3, 6, 12, 24)]
        tested = [
            self_test(H, signs, np.ones(len(H)), folds, fold_of, [choice]).scores
            for choice in choices
        ]
        expected = naive_choice(tested, signs)
        found = self_test(H, signs, np.ones(len(H)), folds, fold_of, choices)
        assert found.kept is choices[expected]
        assert_array_equal(found.scores, tested[expected])
        differs += naive_choice(tested, signs, bare_errors) != expected
    assert differs > 0


def test_of_equally_good_choices_the_first_is_taken():
    H, signs, _ = hidden_layer(0, 30, 12)
    folds, fold_of = np.arange(30) % 3, np.arange(12) % 3
    choices = [of_family(np.arange(12) < size)[0] for size in (6, 12, 12, 6)]
    errors = [
        np.mean(
            naive_errors(
                self_test(H, signs, np.ones(len(H)), folds, fold_of, [choice]).scores, signs
            )
        )
        for choice in choices
    ]
    best = errors.index(min(errors))
    assert errors.count(min(errors)) == 2
    assert self_test(H, signs, np.ones(len(H)), folds, fold_of, choices).kept is choices[best]


def test_rows_that_one_choice_cannot_score_count_for_none():
    """The second choice has no neuron that has not seen fold 0."""
    H, signs, _ = hidden_layer(3, 30, 8)
    folds, fold_of = np.arange(30) % 3, np.repeat([0, 1, 2], [2, 3, 3])
    choices = [of_family(np.arange(8) < 8)[0], of_family(np.arange(8) >= 2)[0]]
    H[:, 2:] += 0.5 * signs  # where the second can be compared it is as good
    H[folds == 0, :2] -= 2 * signs[folds == 0]  # where it cannot, the first fails
    tested = [
        self_test(H, signs, np.ones(len(H)), folds, fold_of, [choice]).scores for choice in choices
    ]
    assert_array_equal(np.isnan(tested[1][:, 0]), folds == 0)
    assert_array_equal(tested[0][folds != 0], tested[1][folds != 0])
    assert self_test(H, signs, np.ones(len(H)), folds, fold_of, choices).kept is choices[0]


def test_without_a_row_to_test_on_the_first_choice_is_taken():
    H, signs, _ = hidden_layer(0, 10, 4)
    choices = [of_family(np.arange(4) < size)[0] for size in (2, 4)]
    found = self_test(H, signs, np.ones(10), np.full(10, -1), np.zeros(4, np.intp), choices)
    assert found.kept is choices[0]
    assert np.isnan(found.scores).all()
