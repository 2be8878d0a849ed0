"""Numbers and survival: what y is, statistics and effects, against scipy and lifelines."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.statistics import logrank_test
from scipy.stats import mannwhitneyu, norm
from strategies import seeds

from bicneuron.outcomes import Numbers, Outcome, Survival, as_outcome
from bicneuron.significance._questions import OutcomeQuestion, question_of


def drawn(seed=0, n=200):
    """Groups, numbers with ties and survival of rows, which the first group changes."""
    rng = np.random.default_rng(seed)
    carriers = rng.random((n, 4)) < 0.25
    numbers = np.round(rng.normal(size=n) + carriers[:, 0], 1)
    time = rng.exponential(np.where(carriers[:, 0], 0.5, 1.0))
    last = rng.exponential(2.0, size=n)
    return carriers, numbers, Survival(np.round(np.minimum(time, last), 2), time <= last)


def test_rank_sums_are_those_of_scipy():
    carriers, numbers, _ = drawn()
    question = question_of(numbers)
    statistics, p = question.statistics(carriers), question.ties(carriers, 9999, 0).p
    for own, z, alone in zip(carriers.T, statistics, p, strict=True):
        sides = numbers[own], numbers[~own]
        told = mannwhitneyu(*sides, use_continuity=False, method="asymptotic")
        assert 2 * norm.sf(abs(z)) == pytest.approx(told.pvalue, rel=1e-10)
        assert np.sign(z) == np.sign(told.statistic - len(sides[0]) * len(sides[1]) / 2)
        assert alone == pytest.approx(told.pvalue, abs=4 * np.sqrt(told.pvalue / 9999) + 0.005)


def test_log_rank_statistics_medians_and_ratios_are_those_of_lifelines():
    carriers, _, survival = drawn()
    question = OutcomeQuestion(survival)
    statistics, p = question.statistics(carriers), question.ties(carriers, 9999, 0).p
    for k, effect in enumerate(question.effects(carriers)):
        own = carriers[:, k]
        sides = [(survival.time[side], survival.event[side]) for side in (own, ~own)]
        told = logrank_test(sides[0][0], sides[1][0], sides[0][1], sides[1][1])
        assert statistics[k] ** 2 == pytest.approx(told.test_statistic, rel=1e-10)
        assert p[k] == pytest.approx(told.p_value, abs=4 * np.sqrt(told.p_value / 9999) + 0.01)
        frame = pd.DataFrame({"time": survival.time, "event": survival.event, "own": own * 1.0})
        fitted = CoxPHFitter().fit(frame, "time", "event")
        assert effect.size == pytest.approx(np.exp(fitted.params_["own"]), rel=1e-4)
        limits = np.exp(fitted.confidence_intervals_.loc["own"]).tolist()
        assert [effect.low, effect.high] == pytest.approx(limits, rel=1e-4)
        medians = [KaplanMeierFitter().fit(*side).median_survival_time_ for side in sides]
        assert [effect.inside, effect.outside] == pytest.approx(medians)
        assert np.sign(effect.statistic) == np.sign(np.log(effect.size))


def test_strata_are_compared_within_themselves():
    carriers, numbers, survival = drawn()
    strata = np.arange(200) % 2
    shifted = numbers + 100 * strata
    inside = OutcomeQuestion(Numbers(shifted), strata)
    alone = [OutcomeQuestion(Numbers(numbers[strata == one])) for one in (0, 1)]
    # Sums of ranks of both strata, each less its mean and over its variance, of equal sizes.
    sums = [one.statistics(carriers[strata == k]) for k, one in enumerate(alone)]
    variances = [one._variances(one._members(carriers[strata == k])) for k, one in enumerate(alone)]
    pooled = sum(z * np.sqrt(v) for z, v in zip(sums, variances, strict=True))
    assert inside.statistics(carriers) == pytest.approx(pooled / np.sqrt(sum(variances)))
    effect = inside.effects(carriers)[0]
    assert 0.5 < effect.size < 1.5, "the difference between the strata is none of the group"
    frame = pd.DataFrame(
        {"time": survival.time, "event": survival.event, "own": carriers[:, 0] * 1.0, "s": strata}
    )
    fitted = CoxPHFitter().fit(frame, "time", "event", strata=["s"])
    ratio = OutcomeQuestion(survival, strata).effects(carriers)[0].size
    assert ratio == pytest.approx(np.exp(fitted.params_["own"]), rel=1e-4)


@given(seeds(), st.integers(2, 25), st.integers(1, 3))
def test_difference_is_the_median_of_all_pairs(seed, n, n_strata):
    rng = np.random.default_rng(seed)
    values, inside = rng.integers(-8, 8, n) / 4, rng.random(n) < 0.5
    strata = rng.integers(0, n_strata, n)
    values[:2] = 0.0, 1.0
    effect = Numbers(values).effect(inside, strata, 0.0)
    pairs = np.array(
        [
            values[a] - values[b]
            for a in range(n)
            for b in range(n)
            if inside[a] and not inside[b] and strata[a] == strata[b]
        ]
    )
    if not len(pairs):
        assert effect.size is None
        return
    assert effect.size == np.median(pairs)
    assert {effect.low, effect.high} <= set(pairs.tolist())
    assert effect.low <= effect.size <= effect.high


def test_intervals_of_differences_cover():
    rng = np.random.default_rng(0)
    inside, missed = np.arange(60) < 20, 0
    for _ in range(400):
        effect = Numbers(rng.exponential(size=60) + 0.5 * inside).effect(
            inside, np.zeros(60, np.intp), 0.0
        )
        missed += not effect.low <= 0.5 <= effect.high
    assert missed / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_patients_count_once():
    carriers, numbers, survival = drawn()
    sizes = np.arange(100) % 3 + 1
    patients = np.repeat(np.arange(100), sizes)
    of_rows = np.repeat(carriers[:100], sizes, axis=0)
    for all_rows, once in (
        (Numbers(np.repeat(numbers[:100], sizes)), Numbers(numbers[:100])),
        (
            Survival(np.repeat(survival.time[:100], sizes), np.repeat(survival.event[:100], sizes)),
            Survival(survival.time[:100], survival.event[:100]),
        ),
    ):
        together = OutcomeQuestion(all_rows, groups=patients)
        alone = OutcomeQuestion(once)
        assert together.ties(of_rows, 199, 0).p == pytest.approx(
            alone.ties(carriers[:100], 199, 0).p
        )
        assert together.effects(of_rows) == alone.effects(carriers[:100])


def test_small_groups_with_long_tails_do_not_hide_a_large_one():
    """Corrected p is not above Bonferroni's, as it would be by the tails of groups of four."""
    found = []
    for rng in map(np.random.default_rng, range(6)):
        large = np.arange(100) < 25
        small = [np.isin(np.arange(100), rng.permutation(100)[:4]) for _ in range(19)]
        time, last = rng.exponential(np.where(large, 0.5, 1.0)), rng.exponential(2.0, 100)
        question = OutcomeQuestion(Survival(np.minimum(time, last), time <= last))
        test = question.ties(np.column_stack([large, *small]), 499, 0)
        found.append((test.family[0], min(20 * test.p[0], 1.0)))
    corrected, bonferroni = np.mean(found, axis=0)
    assert corrected < bonferroni


def test_rows_that_are_not_known_are_left_out_and_counted():
    carriers, numbers, _ = drawn()
    gaps = numbers.copy()
    gaps[:20] = np.nan
    found, known = OutcomeQuestion(Numbers(gaps, "hba1c")), OutcomeQuestion(Numbers(gaps[20:]))
    assert found.ties(carriers, 99, 0).p.tolist() == known.ties(carriers[20:], 99, 0).p.tolist()
    assert found.effects(carriers)[0].unknown_words == "hba1c is not known in 20 rows"


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([0, 1, 1], None),
        ([True, False], None),
        (["a", "b"], None),
        (np.arange(1, 12).repeat(5), None),
        ([0.5, 1.0, 2.0], "numbers"),
        ([2010, 2011, 2013, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022], "numbers"),
        (pd.Series([0.5, None, 2.0], name="dose"), "numbers"),
        (pd.Series([1.5, None, 2.0], dtype="Float64"), "numbers"),
        (np.array([(True, 3.0), (False, 2.0)], dtype=[("e", "?"), ("t", "f8")]), "survival"),
        (pd.DataFrame({"time": [3.0, 2.0], "event": [1, 0]}), "survival"),
        (pd.DataFrame({"months": [3.0, 2.0], "died": [True, False]}), "survival"),
        (pd.DataFrame({"died": [1, 0], "time": [3.0, 2.0]}), "survival"),
    ],
)
def test_what_y_is(y, kind):
    outcome = as_outcome(y if hasattr(y, "dtype") or hasattr(y, "columns") else np.array(y))
    assert (None if outcome is None else outcome.kind) == kind
    if kind == "survival":
        assert outcome.time.tolist() == [3.0, 2.0]
        assert outcome.event.tolist() == [True, False]
    assert outcome is None or isinstance(as_outcome(outcome), Outcome)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Survival([3, -1], [1, 0], name="months"), "months is -1 in row 1; .* negative"),
        (lambda: Survival([3, 1], [1, 2], event_name="died"), "died is 2 in row 1; give 1"),
        (lambda: Survival([3, 1], [0, 0], event_name="died"), "died is 0 in all rows"),
        (lambda: Survival([3, 1], [1]), "event has 1 values for 2 of survival"),
        (lambda: Survival([None, 2], [1, None]), "not known in any row"),
        (lambda: Numbers([2.0, 2.0, None], "dose"), "dose has one value"),
        (lambda: Numbers([2.0, np.inf], "dose"), "dose has an infinite value"),
        (lambda: Numbers(["low", "high"], "dose"), "dose has values that are not numbers"),
        (lambda: as_outcome(([1, 2], [0, 1])), "y is a tuple; give Survival"),
        (lambda: as_outcome(pd.DataFrame({"a": [1.0], "b": [1.0]})), "which of the columns"),
        (lambda: question_of(Numbers([1.5, 2.5, 2.0]), strata=[0, 1, 2]), "strata leave no outco"),
    ],
)
def test_what_cannot_be_tested_is_said(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
