"""The choice of patterns, against a twin that refits scikit-learn at every step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import mannwhitneyu, norm
from sklearn.linear_model import LogisticRegression

from bicneuron.network._choice import (
    LEAST_RANKED,
    LEAST_STATISTIC,
    MARGIN,
    RIDGE,
    Labels,
    choose,
    fewest,
    forward_steps,
    ranked_above,
)

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
            model = LogisticRegression(C=1 / RIDGE, tol=1e-12, max_iter=10_000)
            chances = model.fit(H[:, taken], is_true).predict_proba(H[:, taken])[:, 1]
            A = np.column_stack([np.ones(N), H[:, taken]])
        yield list(taken)
        if len(taken) == most:
            return
        best, statistic = None, LEAST_STATISTIC
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


def test_real_patterns_are_taken_and_noise_is_not():
    H, labels = outputs(0)
    choice = choose(H, labels, FOLDS, np.zeros(H.shape[1], np.intp), 5)
    assert {0, 1} <= set(choice.step.taken)
    assert len(choice.step.taken) <= 3


def test_nothing_is_taken_from_noise_in_most_tables():
    n_taken = []
    for seed in range(30):
        H, labels = outputs(seed, n_real=0, n_noise=8)
        n_taken.append(len(choose(H, labels, FOLDS, np.zeros(8, np.intp), 5).step.taken))
    assert np.mean(np.array(n_taken) > 0) <= 0.3


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
        if excess[size].sum() <= MARGIN * np.sqrt(N) * excess[size].std()
    )
    choice = choose(H, labels, FOLDS, owners, 4)
    assert len(choice.step.taken) == expected
    assert_allclose(choice.loss, losses[expected].sum())


def test_no_pattern_is_taken_only_where_that_is_best():
    rng = np.random.default_rng(0)
    nothing = rng.uniform(0.5, 0.9, 60)
    much_noise = rng.normal(size=60)
    much_noise -= much_noise.mean()
    helps_a_little, helps_more = nothing - 0.01 + much_noise, nothing - 0.011 + much_noise
    assert fewest(np.array([nothing, helps_a_little, helps_more - 0.2 * much_noise])) == 1
    assert fewest(np.array([nothing, nothing + 0.1])) == 0


def test_a_candidate_that_speaks_against_its_target_is_not_taken():
    H, labels = outputs(1, n_real=1, n_noise=0)
    assert choose(-H, labels, FOLDS, np.zeros(1, np.intp), 5).step.taken == []


def test_log_odds_of_a_row_do_not_depend_on_its_own_label():
    H, labels = outputs(2)
    owners = np.zeros(H.shape[1], np.intp)
    before = choose(H, labels, FOLDS, owners, 1)
    flipped = labels.is_true.copy()
    out = FOLDS == 2
    # Rows of a fold are scored by a choice of the others, if it has as many patterns.
    flipped[np.flatnonzero(out)[0]] ^= True
    after = choose(H, Labels(flipped, labels.weights), FOLDS, owners, 1)
    assert len(after.step.taken) == len(before.step.taken)
    assert_allclose(after.log_odds[out], before.log_odds[out])


def test_rows_in_no_fold_have_no_log_odds():
    H, labels = outputs(0)
    folds = np.where(np.arange(N) < 4, -1, FOLDS)
    choice = choose(H, labels, folds, np.zeros(H.shape[1], np.intp), 3)
    assert np.isnan(choice.log_odds[:4]).all()
    assert np.isfinite(choice.log_odds[4:]).all()


def test_rows_rank_above_others_by_the_mann_whitney_statistic():
    rng = np.random.default_rng(0)
    is_true = rng.random(40) < 0.4
    odds = rng.normal(size=40) + is_true
    labels = Labels(is_true[:, None], np.ones(40))
    test = mannwhitneyu(
        odds[is_true],
        odds[~is_true],
        method="asymptotic",
        use_continuity=False,
        alternative="greater",
    )
    found = ranked_above(odds[:, None], labels)
    assert_allclose(norm.sf(found), test.pvalue, rtol=1e-6)
    both = Labels(np.column_stack([~is_true, is_true]), np.ones(40))
    assert_allclose(ranked_above(np.column_stack([odds, odds]), both), found)


def test_rows_of_a_person_count_as_one():
    rng = np.random.default_rng(0)
    is_true = np.arange(60) % 2 == 0
    odds = rng.normal(size=60) + is_true
    alone = ranked_above(odds[:, None], Labels(is_true[:, None], np.ones(60)))
    shared = ranked_above(odds[:, None], Labels(is_true[:, None], np.full(60, 0.25)))
    assert_allclose(shared, alone / 2)


def test_what_ranks_no_class_above_the_others_is_not_taken(monkeypatch):
    rng = np.random.default_rng(1)
    is_true = np.arange(80) % 2 == 0
    H = (rng.normal(size=80) + is_true)[:, None]
    labels, owners = Labels(is_true[:, None], np.ones(80)), np.zeros(1, np.intp)
    folds = np.arange(80) // 2 % 5
    taken = choose(H, labels, folds, owners, 1)
    assert taken.step.taken == [0]
    assert ranked_above(taken.log_odds, labels) > LEAST_RANKED
    monkeypatch.setattr("bicneuron.network._choice.LEAST_RANKED", 50.0)
    assert choose(H, labels, folds, owners, 1).step.taken == []
