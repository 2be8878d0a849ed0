"""Evidence by rates and by ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom, norm
from strategies import seeds

from bicneuron.biclustering._subgroups._kinds import (
    Shift,
    class_information,
    log_choices,
    log_rates,
    normal_scores,
    rate_gains,
    table_gains,
)


@given(st.integers(1, 40), st.integers(0, 40))
def test_log_rates(trials, successes):
    successes = min(successes, trials)
    share = successes / trials
    choices = binom.logpmf(successes, trials, 0.5) - trials * np.log(0.5)
    expected = binom.logpmf(successes, trials, share) - choices
    assert log_rates(np.array(successes), trials) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 9), st.integers(0, 12))
def test_rate_gains_are_likelihood_ratios(inside, outside):
    whole = (inside + outside) / 21
    expected = (
        binom.logpmf(inside, 9, inside / 9)
        + binom.logpmf(outside, 12, outside / 12)
        - binom.logpmf(inside, 9, whole)
        - binom.logpmf(outside, 12, whole)
    )
    found = rate_gains(np.array(inside), 9, np.array(outside), 12)
    assert found == pytest.approx(expected, abs=1e-9)
    in_class = np.arange(21) < 9
    group = np.r_[np.arange(9) < inside, np.arange(12) < outside]
    sign = 1 if inside * 12 >= outside * 9 else -1
    assert class_information(in_class, group[None])[0] == pytest.approx(sign * found)


@given(seeds(), st.integers(2, 12), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=20)
def test_gains_of_many_groups_and_columns(seed, n, n_groups, n_columns):
    rng = np.random.default_rng(seed)
    groups, has = rng.integers(0, 2, size=(n_groups, n)), rng.integers(0, 2, size=(n, n_columns))
    found = table_gains(groups @ has, groups.sum(axis=1, keepdims=True), has.sum(axis=0), n)
    for group, gains in zip(groups, found, strict=True):
        size = int(group.sum())
        for column, gain in zip(has.T, gains.tolist(), strict=True):
            inside = np.sum(column[group == 1])
            expected = rate_gains(inside, size, column.sum() - inside, n - size)
            assert gain == pytest.approx(float(expected), abs=1e-9)


def test_log_choices():
    assert log_choices(10, 3) == pytest.approx(np.log(120))
    assert_allclose(log_choices(4, np.array([0, 2, 4])), np.log([1, 6, 1]), atol=1e-12)


@given(seeds())
@settings(max_examples=20)
def test_normal_scores(seed):
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 6, size=(12, 3)).astype(np.float32)
    scores = normal_scores(Z)
    for column, own in zip(Z.T, scores.T, strict=True):
        for value, score in zip(column.tolist(), own.tolist(), strict=True):
            below, same = np.sum(column < value), np.sum(column == value)
            rank = below + (same + 1) / 2
            assert score == pytest.approx(norm.ppf((rank - 0.5) / 12), rel=1e-5, abs=1e-6)


def test_a_column_with_a_common_value_is_judged_by_how_often_rows_differ_from_it():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, 2)).astype(np.float32)
    Z[:, 1] = np.where(np.arange(40) < 12, 3.0, 0.0)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    group = np.arange(40) < 10
    named, counted = Shift(Z, normal_scores(Z)).column_gains(Z, group[None])
    expected = rate_gains(np.array(10), 10, np.array(2), 30)
    assert_allclose(named[0, 1], expected, rtol=1e-5)
    assert counted[0, 1] <= named[0, 1]
    correlation = np.corrcoef(group, Z[:, 0])[0, 1]
    assert_allclose(named[0, 0], -20 * np.log(1 - correlation**2), rtol=1e-3, atol=1e-4)
