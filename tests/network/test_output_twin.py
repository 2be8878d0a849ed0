"""Output layer and self-test against their naive twins, on hidden layers drawn at random."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.network import naive_choice, naive_held_out, naive_output
from scipy.stats import mannwhitneyu, norm
from sklearn.linear_model import LogisticRegression

from bicneuron._core._linear_models import ridge, spectrum
from bicneuron.network import _choice
from bicneuron.network._choice import Labels, forward_steps
from bicneuron.network._output import PENALTIES, Layer, self_test


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
        of_rows = np.random.default_rng(seed).uniform(0.2, 3.0, n_rows)
        weights, intercept, penalty = naive_output(H, signs, of_rows)
        fitted = ridge(spectrum(H, of_rows), signs, PENALTIES * H.size)
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
    family, weights = rng.random(18) < 0.7, rng.uniform(0.2, 3.0, 24)
    for known, naive in (of_family(family), of_family(~family)):
        found = self_test(Layer(H, signs, weights, folds, fold_of), [known])
        expected = naive_held_out(H, signs, folds, fold_of, naive, weights)
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
            self_test(Layer(H, signs, np.ones(len(H)), folds, fold_of), [choice]).scores
            for choice in choices
        ]
        expected = naive_choice(tested, signs)
        found = self_test(Layer(H, signs, np.ones(len(H)), folds, fold_of), choices)
        assert found.kept is choices[expected]
        assert_array_equal(found.scores, tested[expected])
        differs += naive_choice(tested, signs, bare_errors) != expected
    assert differs > 0


def test_rows_that_one_choice_cannot_score_count_for_none():
    """The second choice has no neuron that has not seen fold 0."""
    H, signs, _ = hidden_layer(3, 30, 8)
    folds, fold_of = np.arange(30) % 3, np.repeat([0, 1, 2], [2, 3, 3])
    choices = [of_family(np.arange(8) < 8)[0], of_family(np.arange(8) >= 2)[0]]
    H[:, 2:] += 0.5 * signs  # where the second can be compared it is as good
    H[folds == 0, :2] -= 2 * signs[folds == 0]  # where it cannot, the first fails
    tested = [
        self_test(Layer(H, signs, np.ones(len(H)), folds, fold_of), [choice]).scores
        for choice in choices
    ]
    assert_array_equal(np.isnan(tested[1][:, 0]), folds == 0)
    assert_array_equal(tested[0][folds != 0], tested[1][folds != 0])
    assert self_test(Layer(H, signs, np.ones(len(H)), folds, fold_of), choices).kept is choices[0]


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
        assert self_test(Layer(H, signs, weights, folds, fold_of), choices).kept is choices[number]


# --- The choice of patterns, against a twin that refits scikit-learn at every step

N = 120
FOLDS = np.arange(N) % 5


def outputs(seed, n_real=2, n_noise=6):
    rng = np.random.default_rng(seed)
    is_true = np.arange(N) % 2 == 0
    H = rng.normal(size=(N, n_real + n_noise))
    H[:, :n_real] += 1.2 * np.where(is_true, 1, -1)[:, None]
    return (H - H.mean(axis=0)) / H.std(axis=0), Labels(is_true[:, None], np.ones(N))


def naive_steps(H, is_true, most):
    """Forward choice with the score test written out as a sum over rows."""
    taken = []
    while True:
        chances = np.full(N, is_true.mean())
        A = np.ones((N, 1))
        if taken:
            model = LogisticRegression(C=1 / _choice.RIDGE, tol=1e-12, max_iter=10_000)
            chances = model.fit(H[:, taken], is_true).predict_proba(H[:, taken])[:, 1]
            A = np.column_stack([np.ones(N), H[:, taken]])
        yield list(taken)
        if len(taken) == most:
            return
        best, statistic = None, _choice.LEAST_STATISTIC
        W = np.diag(chances * (1 - chances))
        for k in set(range(H.shape[1])) - set(taken):
            own = H[:, k] - A @ np.linalg.lstsq(np.sqrt(W) @ A, np.sqrt(W) @ H[:, k])[0]
            slope = own @ (is_true - chances)
            if slope > 0 and slope**2 / (own @ W @ own) >= statistic:
                best, statistic = k, slope**2 / (own @ W @ own)
        if best is None:
            return
        taken.append(best)


@pytest.mark.parametrize("seed", range(4))
def test_steps_are_those_of_a_naive_choice(seed):
    H, labels = outputs(seed)
    steps, statistics = forward_steps(H, labels, np.zeros(H.shape[1], np.intp), 4)
    assert [step.taken for step in steps] == [*naive_steps(H, labels.is_true[:, 0], 4)]
    assert len(statistics) == len(steps) - 1


@pytest.mark.parametrize("seed", range(3))
def test_the_fewest_patterns_are_taken_that_are_about_as_good_as_the_best_number(seed):
    H, labels = outputs(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    labels = Labels(labels.is_true, weights)
    owners = np.zeros(H.shape[1], np.intp)
    losses = []
    for most in range(5):
        loss = np.empty(N)
        for fold in range(5):
            out = fold == FOLDS
            step = forward_steps(H[~out], labels.of(~out), owners, most)[0][-1]
            odds = step.log_odds(H[out])[:, 0]
            chances = 1 / (1 + np.exp(-odds))
            right = np.where(labels.is_true[out, 0], chances, 1 - chances)
            loss[out] = -weights[out] * np.log(right)
        losses.append(loss)
    best = int(np.argmin([loss.sum() for loss in losses]))
    assert best > 1
    excess = [loss - losses[best] for loss in losses]
    expected = next(
        size
        for size in range(1, best + 1)
        if excess[size].sum() <= _choice.MARGIN * np.sqrt(N) * excess[size].std()
    )
    choice = _choice.choose(H, labels, FOLDS, owners, 4)
    assert len(choice.step.taken) == expected
    assert_allclose(choice.loss, losses[expected].sum())


def test_no_pattern_is_taken_only_where_that_is_best():
    rng = np.random.default_rng(0)
    nothing = rng.uniform(0.5, 0.9, 60)
    much_noise = rng.normal(size=60)
    much_noise -= much_noise.mean()
    helps_a_little, helps_more = nothing - 0.01 + much_noise, nothing - 0.011 + much_noise
    assert _choice.fewest(np.array([nothing, helps_a_little, helps_more - 0.2 * much_noise])) == 1
    assert _choice.fewest(np.array([nothing, nothing + 0.1])) == 0


def test_log_odds_of_a_row_do_not_depend_on_its_own_label():
    H, labels = outputs(2)
    owners = np.zeros(H.shape[1], np.intp)
    before = _choice.choose(H, labels, FOLDS, owners, 1)
    flipped = labels.is_true.copy()
    out = FOLDS == 2
    # Rows of a fold are scored by a choice of the others, if it has as many patterns.
    flipped[np.flatnonzero(out)[0]] ^= True
    after = _choice.choose(H, Labels(flipped, labels.weights), FOLDS, owners, 1)
    assert len(after.step.taken) == len(before.step.taken)
    assert_allclose(after.log_odds[out], before.log_odds[out])


def test_rows_in_no_fold_have_no_log_odds():
    H, labels = outputs(0)
    folds = np.where(np.arange(N) < 4, -1, FOLDS)
    choice = _choice.choose(H, labels, folds, np.zeros(H.shape[1], np.intp), 3)
    assert np.isnan(choice.log_odds[:4]).all()
    assert np.isfinite(choice.log_odds[4:]).all()


def test_rows_rank_above_others_by_the_mann_whitney_statistic():
    rng = np.random.default_rng(0)
    is_true = rng.random(40) < 0.4
    odds = rng.normal(size=40) + is_true
    sides = odds[is_true], odds[~is_true]
    test = mannwhitneyu(*sides, False, "greater", method="asymptotic")
    found = _choice.ranked_above(odds[:, None], Labels(is_true[:, None], np.ones(40)))
    assert_allclose(norm.sf(found), test.pvalue, rtol=1e-6)
    both = Labels(np.column_stack([~is_true, is_true]), np.ones(40))
    assert_allclose(_choice.ranked_above(np.column_stack([odds, odds]), both), found)


def test_what_ranks_no_class_above_the_others_is_not_taken(monkeypatch):
    rng = np.random.default_rng(1)
    is_true = np.arange(80) % 2 == 0
    H = (rng.normal(size=80) + is_true)[:, None]
    labels, owners = Labels(is_true[:, None], np.ones(80)), np.zeros(1, np.intp)
    folds = np.arange(80) // 2 % 5
    taken = _choice.choose(H, labels, folds, owners, 1)
    assert taken.step.taken == [0]
    assert _choice.ranked_above(taken.log_odds, labels) > _choice.LEAST_RANKED
    monkeypatch.setattr("bicneuron.network._choice.LEAST_RANKED", 50.0)
    assert _choice.choose(H, labels, folds, owners, 1).step.taken == []
