"""Rank tests and differences of many columns, against all draws and formulas, column by column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.groups import naive_in_order
from oracles.rank_sums import naive_hedges_g, naive_rank_p
from scipy.stats import hypergeom, mannwhitneyu

from bicneuron._core._one_hump import best_hump, fit_flat_hump
from bicneuron._core._valley import two_groups_likelihood
from bicneuron.patterns import differences
from bicneuron.significance import separate_test
from bicneuron.significance._rank_sums import rank_sum_test
from bicneuron.significance._separate import (
    AFTER_OTHERS,
    in_order,
    p_of_one_hump,
    separate_in_order,
)

ONE = np.zeros(14, np.intp)
INSIDE = np.arange(14) < 5


def table(seed, n_rows=14, n_columns=12):
    """Columns that differ more and more, some of them with ties and missing cells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[:5] += np.linspace(-1, 2.5, n_columns)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X


@pytest.mark.parametrize("strata", [ONE, np.arange(14) % 2], ids=["all rows", "two strata"])
def test_p_is_that_of_all_draws(strata):
    for seed in range(3):
        X = table(seed)
        found = rank_sum_test(X, INSIDE[:, None], strata)
        naive = [naive_rank_p(column, INSIDE, strata) for column in X.T.tolist()]
        assert_allclose(found.p, naive, rtol=0.25, atol=0.02)
        clear = np.abs(found.z) > 1
        means = np.nanmean(X[:5], axis=0) - np.nanmean(X[5:], axis=0)
        assert (np.sign(found.z) == np.sign(means))[clear].all()


def test_tails_are_exact_where_a_normal_distribution_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    X[:8] += np.arange(6)
    inside = np.arange(60) < 8
    exact = mannwhitneyu(X[:8], X[8:], method="exact").pvalue
    found = rank_sum_test(X, inside[:, None], np.zeros(60, np.intp)).p
    assert_allclose(found, exact, rtol=0.25)
    assert found[-1] < 1e-8
    normal = mannwhitneyu(X[:8], X[8:], method="asymptotic").pvalue
    assert normal[-1] > 1000 * exact[-1], "which makes the test of no use"


@pytest.mark.parametrize(("n_marked", "n_common"), [(5, 5), (7, 4), (30, 12), (3, 0)])
def test_two_values_are_a_hypergeometric_test(n_marked, n_common):
    """Five of 100 rows have a mark, all in a group of 15: a normal p would be 600 times smaller."""
    column = np.zeros((100, 1))
    column[:n_common] = 1
    column[20 : 20 + n_marked - n_common] = 1
    inside = (np.arange(100) < 15)[:, None]
    draws = hypergeom(100, n_marked, 15)
    exact = min(2 * min(draws.sf(n_common - 1), draws.cdf(n_common)), 1.0)
    assert_allclose(rank_sum_test(column, inside, np.zeros(100, np.intp)).p, exact, rtol=0.1)


def test_p_of_noise_is_uniform_whatever_the_distribution():
    rng = np.random.default_rng(1)
    inside = (np.arange(60) < 12)[:, None]
    noise = rng.normal(size=(60, 4000))
    for X in (noise, np.exp(2 * noise), np.round(noise), (noise > 1.3) * 1.0):
        p = rank_sum_test(X, inside, np.zeros(60, np.intp)).p
        for level in (0.05, 0.01, 0.001):
            error = np.sqrt(level * (1 - level) / len(p))
            assert (p <= level).mean() <= level + 3 * error


@pytest.mark.parametrize("strata", [ONE, np.arange(14) % 2], ids=["all rows", "two strata"])
def test_differences_follow_the_formula(strata):
    X = table(3)
    found = differences(X * 1e3, INSIDE[:, None], strata)
    naive = np.array([naive_hedges_g(column, INSIDE, strata) for column in X.T.tolist()])
    assert_allclose(found.difference, 1e3 * naive[:, 0])
    assert_allclose(np.array(found[1:]).T, naive[:, 1:])


def test_units_of_a_column_do_not_matter():
    X = table(4)
    first = rank_sum_test(X, INSIDE[:, None], ONE)
    effects = differences(X, INSIDE[:, None], ONE)
    for factor, shift in ((2.0**20, 0.0), (1e-3, 7.0), (1e150, 0.0)):
        again = rank_sum_test(X * factor + shift, INSIDE[:, None], ONE)
        assert_array_equal(first.p, again.p)
        other = differences(X * factor + shift, INSIDE[:, None], ONE)
        assert_allclose(other.effect, effects.effect, rtol=1e-6)
        assert_allclose(other.difference, effects.difference * factor, rtol=1e-6)
    turned = rank_sum_test(-X, INSIDE[:, None], ONE)
    assert_allclose(turned.p, first.p)
    assert_allclose(turned.z, -first.z)


def test_nothing_to_compare():
    """Constant columns, columns without a value, and sides without a row."""
    X = np.column_stack([np.full(14, 3.0), np.full(14, np.nan), np.where(INSIDE, np.nan, 1.0)])
    X = np.column_stack([X, np.arange(14.0)])
    sides = np.column_stack([INSIDE, INSIDE, INSIDE, np.zeros(14, bool)])
    found = rank_sum_test(X, sides, ONE)
    assert_array_equal(found.p, np.ones(4))
    assert_array_equal(found.z, np.zeros(4))
    effects = differences(X, sides, ONE)
    assert effects.difference[0] == 0
    assert np.isnan(effects.difference[1:]).all()
    assert np.isnan([effects.effect, effects.low, effects.high]).all()


# --- A separate group, or the end of a gradient

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


FEW = "{} of {} rows have a score by a search without them; more are needed"
EQUAL = "80 of 80 rows have the score of another row"


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (group(n_rows=29), "29 rows with a score are too few to say; 30 are needed"),
        (np.zeros(80), EQUAL),
        (rng(0).integers(0, 2, 80), EQUAL),
        (np.append(group(), np.full(40, np.nan)), FEW.format(80, 120)),
        (np.full(80, np.nan), FEW.format(0, 80)),
    ],
    ids=["few", "equal", "binary", "missing", "none"],
)
def test_what_cannot_be_tested_has_a_reason(scores, reason):
    assert separate_test(scores, n_draws=19, random_state=0) == (None, reason)


def test_rows_alone_in_their_stratum_say_nothing():
    """Less their own median they would all be 0."""
    strata = np.append(np.zeros(40), np.arange(1, 41))
    found = separate_test(group(), strata=strata, n_draws=19, random_state=0)
    assert found.p_value is not None
    assert separate_test(group(), strata=np.arange(80), random_state=0).p_value is None


@given(
    st.lists(st.sampled_from([0.001, 0.004, 0.01, 0.02, 0.03, 0.2, 0.9]), min_size=1, max_size=8)
)
def test_corrected_p_is_the_least_level_at_which_a_pattern_passes(p_values):
    assert_allclose(in_order(np.array(p_values)), naive_in_order(p_values))


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
    s = np.sort(group(gap=gap))
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
