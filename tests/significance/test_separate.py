"""A separate group, or the end of a gradient."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bicneuron._core._one_hump import best_hump, fit_flat_hump
from bicneuron._core._valley import two_groups_likelihood
from bicneuron.significance import separate_test
from bicneuron.significance._separate import (
    AFTER_OTHERS,
    in_order,
    p_of_one_hump,
    separate_in_order,
)

rng = np.random.default_rng


def group(n_inside=17, n_rows=80, gap=4.5, seed=0):
    scores = rng(seed).normal(size=n_rows)
    scores[:n_inside] += gap
    return scores


def test_a_group_far_from_the_others_is_separate():
    assert separate_test(group(), random_state=0).p_value <= 0.01
    assert separate_test(-group(), random_state=0).p_value <= 0.01


@pytest.mark.parametrize(
    "draw",
    [
        lambda random, n: random.normal(size=n),
        lambda random, n: random.gamma(1.5, size=n),
        lambda random, n: random.random(n),
        lambda random, n: random.standard_t(3, size=n),
    ],
    ids=["normal", "gamma", "uniform", "t3"],
)
def test_ends_of_gradients_are_not(draw):
    random = rng(5)
    p_values = [
        separate_test(draw(random, 60), n_draws=99, random_state=k).p_value for k in range(12)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 1 / 12


def test_the_answer_does_not_depend_on_order_offset_and_scale():
    scores = group(gap=3.0)
    p = separate_test(scores, n_draws=199, random_state=0).p_value
    for other in (scores[::-1], 8 * scores - 3):
        assert separate_test(other, n_draws=199, random_state=0).p_value == p


@pytest.mark.parametrize("seed", range(5))
def test_last_bits_do_not_matter(seed):
    scores = group(gap=2.5)
    signs = rng(seed).choice([-1, 1], len(scores))
    p = separate_test(scores, n_draws=199, random_state=0).p_value
    assert separate_test(scores * (1 + 1e-15 * signs), n_draws=199, random_state=0).p_value == p


def test_a_batch_is_no_group_where_it_is_given():
    scores, batch = rng(0).normal(size=80), np.arange(80) < 30
    scores[batch] += 6
    assert separate_test(scores, random_state=0).p_value <= 0.05
    assert separate_test(scores, strata=batch, random_state=0).p_value > 0.05


def test_rows_of_one_patient_count_once():
    scores = np.repeat(group(n_inside=4, n_rows=20), 4) + 0.1 * rng(1).normal(size=80)
    assert separate_test(scores, random_state=0).p_value <= 0.05
    found = separate_test(scores, groups=np.repeat(np.arange(20), 4), random_state=0)
    assert found.p_value is None
    assert found.reason == "20 rows with a score are too few to say; 30 are needed"


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (group(n_rows=29), "29 rows with a score are too few to say; 30 are needed"),
        (np.zeros(80), "80 of 80 rows have the score of another row"),
        (rng(0).integers(0, 2, 80), "80 of 80 rows have the score of another row"),
        (
            np.append(group(), np.full(40, np.nan)),
            "80 of 120 rows have a score by a search without them; more are needed",
        ),
        (
            np.full(80, np.nan),
            "0 of 80 rows have a score by a search without them; more are needed",
        ),
    ],
    ids=["few", "equal", "binary", "missing", "none"],
)
def test_what_cannot_be_tested_has_a_reason(scores, reason):
    found = separate_test(scores, n_draws=19, random_state=0)
    assert found.p_value is None
    assert found.reason == reason


def test_rows_alone_in_their_stratum_say_nothing():
    """Less their own median they would all be 0."""
    strata = np.append(np.zeros(40), np.arange(1, 41))
    found = separate_test(group(), strata=strata, n_draws=19, random_state=0)
    assert found.p_value is not None
    assert separate_test(group(), strata=np.arange(80), random_state=0).p_value is None


def naive_in_order(p_values, level):
    """Which patterns the fallback procedure accepts at a level."""
    accepted, carried, n = [], 0.0, len(p_values)
    for k, p in enumerate(p_values):
        own = level / 2 ** min(k + 1, max(n - 1, 0)) + carried
        accepted.append(p <= own)
        carried = own if accepted[-1] else 0.0
    return accepted


@given(
    st.lists(st.sampled_from([0.001, 0.004, 0.01, 0.02, 0.03, 0.2, 0.9]), min_size=1, max_size=8),
    st.floats(0.001, 0.9),
)
def test_corrected_p_is_the_level_at_which_a_pattern_passes(p_values, level):
    corrected = in_order(np.array(p_values))
    if np.abs(corrected - level).min() > 1e-9:
        assert (corrected <= level).tolist() == naive_in_order(p_values, level)


def test_patterns_that_cannot_be_tested_have_no_level():
    assert_allclose(in_order(np.array([np.nan, 0.01, np.nan, 0.02])), [np.nan, 0.02, np.nan, 0.02])
    assert len(in_order(np.empty(0))) == 0


def naive_p_of_one_hump(s, n_draws, random):
    """Every fit to its end."""
    s = (s - np.median(s)) / s.std()
    (of_two,) = two_groups_likelihood(s[None])
    p = []
    for hump in (best_hump(s), fit_flat_hump(s)):
        drawn = np.sort(hump.draw(random, (len(s), n_draws)), axis=0)
        of_one = hump.likelihoods(drawn, np.full(n_draws, np.inf))
        gains = two_groups_likelihood(drawn.T) - of_one
        gain = of_two - hump.likelihood
        p.append((1 + np.sum(gains >= gain * (1 - 1e-9))) / (1 + n_draws) if gain > 0 else 0.5)
    return min(2 * max(p), 1.0)


@pytest.mark.parametrize("gap", [0.0, 2.5, 3.2, 5.0])
def test_fits_that_end_early_change_no_p(gap):
    for seed in range(5):
        s = np.sort(group(gap=gap, seed=seed))
        expected = naive_p_of_one_hump(s, 99, rng(1))
        assert_allclose(p_of_one_hump(s, 99, rng(1)), expected, atol=0.021)


def test_after_groups_that_are_not_separate_no_p_would_be_small_enough():
    hump, apart = (np.sort(group(gap=gap)) for gap in (0.0, 5.0))
    known = [(apart, ""), (hump, ""), (hump, "few"), *[(hump, "")] * 5, (apart, "")]
    found, corrected = separate_in_order(known, 199, 0)
    reasons = [one.reason for one in found]
    assert reasons[:3] == ["", "", "few"]
    assert reasons[-1] == AFTER_OTHERS
    assert corrected[0] <= 0.05
    assert np.isnan(corrected[2])
    assert corrected[-1] > 0.05
