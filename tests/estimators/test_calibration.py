"""Slope and shifts: against logistic regression, and against the loss from its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.network import naive_log_loss, naive_probabilities
from strategies import seeds

from bicneuron._shared import _calibration
from bicneuron._shared._calibration import calibrate, probabilities


def drawn_signs(rng, chances, exclusive):
    """Targets that are true with these probabilities."""
    if not exclusive:
        return np.where(rng.random(chances.shape) < chances, 1.0, -1.0)
    classes = np.array([rng.choice(len(chance), p=chance) for chance in chances])
    return np.where(classes[:, None] == np.arange(chances.shape[1]), 1.0, -1.0)


@settings(max_examples=20)
@given(seeds(), st.booleans(), st.integers(8, 30), st.sampled_from([0.1, 1.0, 5.0]))
def test_no_step_lowers_the_loss(seed, exclusive, n_rows, noise):
    rng = np.random.default_rng(seed)
    n_targets = 3 if exclusive else int(rng.integers(1, 3))
    signs = drawn_signs(rng, np.full((n_rows, n_targets), 1 / n_targets), exclusive)
    scores = 0.3 * signs + noise * rng.normal(size=signs.shape)
    scores[rng.integers(n_rows)] = np.nan
    weights = rng.uniform(0.5, 2, size=n_rows)
    slope, shifts = calibrate(scores, signs, weights, exclusive)

    def loss(slope, shifts):
        return naive_log_loss(scores, signs, slope, shifts, exclusive, weights)

    least = loss(slope, shifts)
    for factor in (0.97, 1.03):
        if 1e-2 <= slope * factor <= 1e3:  # log odds of zero stay where they are
            assert loss(slope * factor, shifts / factor) >= least - 1e-7
    for target in range(n_targets):
        for step in (-0.03, 0.03):
            assert loss(slope, shifts + step * (np.arange(n_targets) == target)) >= least - 1e-7


def test_separated_classes_stay_uncertain():
    """Of 10 and 30 rows on either side of 0, none is certain, those of the larger class more so."""
    scores = np.concatenate([np.full(10, 1.0), np.full(30, -1.0)])[:, None]
    signs = np.sign(scores)
    slope, shifts = calibrate(scores, signs, np.ones(40), False)
    chances = probabilities(np.array([[1.0], [-1.0]]) + shifts, slope, False)[:, 0]
    assert_allclose(chances, [10.5 / 11, 0.5 / 31], rtol=1e-3)


@pytest.mark.parametrize("score", [-1.19e15, -9.9e198])
def test_scores_of_15_digits_and_those_whose_squares_overflow_end(monkeypatch, score):
    """Every step is too short then: it went on for 15,000 of them, for each class of many."""
    evaluations = []
    expit = _calibration.expit
    monkeypatch.setattr(_calibration, "expit", lambda odds: evaluations.append(1) or expit(odds))
    signs = np.where(np.arange(60) == 0, 1.0, -1.0)[:, None]
    slope, shifts = calibrate(np.full((60, 1), score), signs, np.ones(60), exclusive=False)
    assert len(evaluations) < 600
    assert slope > 0
    assert np.isfinite(shifts).all()


def test_unknown_scores_do_not_count():
    scores = np.array([[1.0], [np.nan], [-1.0], [0.5], [-0.2]])
    signs = np.array([[1.0], [-1.0], [-1.0], [-1.0], [1.0]])
    weights = np.array([1.0, 9.0, 2.0, 1.0, 1.0])
    known = [0, 2, 3, 4]
    found = calibrate(scores, signs, weights, False)
    assert found == calibrate(scores[known], signs[known], weights[known], False)
    unknown = calibrate(np.full((3, 2), np.nan), np.ones((3, 2)), np.ones(3), False)
    assert unknown.slope == 1.0
    assert_allclose(unknown.shifts, [0, 0])


@given(seeds(), st.integers(1, 4), st.floats(0.01, 100.0))
def test_probabilities(seed, n_targets, slope):
    scores = np.random.default_rng(seed).normal(size=(5, n_targets))
    for exclusive in (False, True):
        assert_allclose(
            probabilities(scores, slope, exclusive),
            naive_probabilities(scores.tolist(), slope, exclusive),
            rtol=1e-9,
            atol=1e-300,
        )


def test_log_odds_beyond_the_largest_number_are_certain():
    scores = np.array([[1e10, -1e10, 1e10]])
    assert probabilities(scores, 1e300, False).tolist() == [[1.0, 0.0, 1.0]]
    assert probabilities(scores, 1e300, True).tolist() == [[0.5, 0.0, 0.5]]


@pytest.mark.parametrize("exclusive", [False, True])
def test_the_loss_is_flat_where_the_fit_ends(exclusive):
    """The search alone ends 1e-6 from the optimum, at a place that last bits decide."""
    rng = np.random.default_rng(0)
    n_targets = 3 if exclusive else 1
    classes = rng.integers(0, max(n_targets, 2), 60)
    signs = np.where(classes[:, None] == np.arange(n_targets), 1.0, -1.0)
    scores = rng.normal(size=(60, n_targets)) + 0.7 * signs
    found = calibrate(scores, signs, np.ones(60), exclusive)
    excess = probabilities(scores + found.shifts, found.slope, exclusive)
    excess -= _calibration._smoothed(signs, exclusive)
    assert_allclose(excess.mean(axis=0), 0, atol=1e-14)
    assert_allclose(np.sum(excess * scores) / 60, 0, atol=1e-14)
