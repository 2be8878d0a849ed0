import numpy as np
import pytest
from numpy.testing import assert_array_equal
from oracles.selection import naive_selection

from bicneuron._core._selection import forward_selection


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


def test_a_weight_counts_rows(rng):
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
