"""Patterns against labels in another order."""

from itertools import product
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisher_exact, hypergeom
from strategies import seeds

from bicneuron import SubgroupBiclustering
from bicneuron.exceptions import DependentRowsWarning
from bicneuron.significance import column_evidence, significance_test
from bicneuron.significance._enrichment import exact_p_values
from bicneuron.significance._questions import ClassQuestion, family_p_values

Y = np.repeat(["case", "control"], 30)


def drawn_labels(question, n_orders):
    """Labels of the rows in orders that are as likely as the observed one."""
    orders = question.draw(np.random.default_rng(0), n_orders)
    return question._codes[orders][:, question.units]


def table(seed=0, *, shift=2.5, rows=slice(0, 12), n_rows=60):
    """Rows that are shifted in eight of 120 columns."""
    X = np.random.default_rng(seed).normal(size=(n_rows, 120))
    X[rows, :8] += shift
    return X


@given(seeds(), st.integers(6, 30))
def test_without_strata_p_is_that_of_fisher(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    carriers = rng.random((n, 3)) < 0.4
    found = exact_p_values(carriers, y, np.zeros(n, np.intp))
    for column, p in zip(carriers.T, found, strict=True):
        counts = [[np.sum(column & (y == k)), np.sum(~column & (y == k))] for k in (0, 1)]
        sides = [fisher_exact(counts, alternative=side).pvalue for side in ("greater", "less")]
        assert p == pytest.approx(min(2 * min(sides), 1.0), rel=1e-6)


@given(seeds(), st.integers(2, 400), st.integers(1, 4))
def test_p_in_strata_is_that_of_summed_hypergeometric_numbers(seed, n, n_strata):
    rng = np.random.default_rng(seed)
    y, strata = rng.permutation(np.arange(n) % 2), np.arange(n) % min(n_strata, n)
    carriers = rng.random((n, 1)) < rng.random()
    total = np.ones(1)
    for stratum in np.unique(strata):
        own = strata == stratum
        n_carriers = int(carriers[own].sum())
        numbers = hypergeom(int(own.sum()), int(y[own].sum()), n_carriers)
        total = np.convolve(total, numbers.pmf(np.arange(n_carriers + 1)))
    count = int(carriers[y == 1].sum())
    least = min(total[count:].sum(), total[: count + 1].sum())
    found = exact_p_values(carriers, y, strata)
    assert found == pytest.approx(min(2 * least, 1.0), rel=1e-9)


def test_p_of_very_many_rows_is_small_and_not_zero():
    y = np.repeat([0, 1], 3000)
    p = exact_p_values((y == 0)[:, None], y, np.zeros(6000, np.intp))
    assert 0 < p[0] < 1e-300


@given(seeds(), st.integers(1, 5), st.integers(1, 30))
def test_family_p_is_westfall_and_youngs(seed, n_patterns, n_permutations):
    rng = np.random.default_rng(seed)
    observed = rng.uniform(size=n_patterns)
    permuted = rng.uniform(size=(n_permutations, n_patterns))
    order = sorted(range(n_patterns), key=lambda k: observed[k])
    expected, before = {}, 0.0
    for place, k in enumerate(order):
        rest = order[place:]
        count = sum(min(line[j] for j in rest) <= observed[k] for line in permuted)
        before = expected[k] = max(before, (1 + count) / (1 + n_permutations))
    assert_allclose(family_p_values(observed, permuted), [expected[k] for k in range(n_patterns)])


def test_few_orders_of_the_labels_do_not_make_a_pattern_clearer_than_it_is():
    y = np.repeat([0, 1], 5)
    carriers = np.isin(np.arange(10), [0, 1, 2, 3, 5])[:, None]
    exact = fisher_exact([[4, 1], [1, 4]]).pvalue
    for seed in range(20):
        test = ClassQuestion(y).ties(carriers, 9, seed)
        assert test.p[0] == pytest.approx(exact)
        assert test.family[0] >= test.p[0]


def test_a_planted_group_belongs_to_its_class():
    result = significance_test(SubgroupBiclustering(kinds="shift"), table(), Y, random_state=0)
    assert_array_equal(result.patterns[0].rows, np.arange(12))
    assert result.carriers[0] == {"case": (12, 30), "control": (0, 30)}
    counts = [[12, 18], [0, 30]]
    assert result.p_values[0] == pytest.approx(2 * fisher_exact(counts, "greater").pvalue)
    assert result.family_p_values[0] <= 0.01
    assert result.significant()[0]
    assert result.words(0).startswith("12 of 30 case, 0 of 30 control; p = 0.00")
    told = "patterns belong to a class more than chance would give, at p <= 0.05"
    assert result.summary().endswith(told)
    assert np.all(result.family_p_values >= result.p_values)
    assert result.p_values.min() > 0


def test_the_level_is_kept_over_the_same_patterns():
    X = table(shift=0.0) + np.random.default_rng(1).normal(size=(60, 3)) @ np.random.default_rng(
        2
    ).normal(size=(3, 120))
    members = SubgroupBiclustering().fit(X).carriers(X)
    y = np.arange(60) % 2
    least = [
        ClassQuestion(labels).ties(members, 99, seed).family.min()
        for seed, labels in enumerate(drawn_labels(ClassQuestion(y), 150))
    ]
    for level in (0.01, 0.05, 0.1):
        spread = np.sqrt(level * (1 - level) / 150)
        assert np.mean(np.array(least) <= level) <= level + 3 * spread


def test_of_several_strata_labels_are_exchanged_within_rows_that_have_all_in_common():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(60) % 2)
    strata = np.column_stack([np.tile(["m", "f"], 30), np.arange(60) // 20]).astype(object)
    (drawn,) = drawn_labels(ClassQuestion(y, strata), 1)
    assert (drawn != y).any()
    for own in product("mf", "012"):
        common = (strata == [*own]).all(axis=1)
        assert sorted(drawn[common]) == sorted(y[common])


def test_samples_of_a_patient_are_exchanged_together():
    patients = np.repeat(np.arange(20), 3)
    # All samples of four of ten cases.
    X = table(rows=slice(0, 12))
    alone = significance_test(SubgroupBiclustering(kinds="shift"), X, Y, random_state=0)
    together = significance_test(
        SubgroupBiclustering(kinds="shift"), X, Y, groups=patients, random_state=0
    )
    assert_array_equal(together.patterns[0].rows, np.arange(12))
    # Four of ten against none of ten: 2 * C(16, 6) / C(20, 10).
    assert together.p_values[0] == pytest.approx(2 * 8008 / 184756, abs=0.03)
    assert together.family_p_values[0] > 10 * alone.family_p_values[0]


def test_a_patient_of_both_classes_counts_once_in_each():
    y, groups = np.array([0, 0, 1, 1, 1, 0, 0, 0]), [*"aaaabbcd"]
    drawn = drawn_labels(ClassQuestion(y, groups=groups), 300)
    assert len(np.unique(drawn, axis=0)) == comb(6, 2), "two of six units are of class 1"
    for one, other in ((0, 1), (2, 3)):
        assert_array_equal(drawn[:, one], drawn[:, other])
    assert np.any(drawn[:, 4] != drawn[:, 5])


def test_patients_in_several_strata_are_exchanged_with_those_of_the_same():
    y = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    strata, groups = np.array([0, 1, 0, 1, 0, 0, 1, 1]), [*"aabbcdef"]
    drawn = drawn_labels(ClassQuestion(y, strata, groups), 200)
    assert len(np.unique(drawn, axis=0)) == 2 * 2 * 2
    assert_array_equal(drawn[:, 0], drawn[:, 1])
    for pair in ([0, 2], [4, 5], [6, 7]):
        assert_array_equal(drawn[:, pair].sum(axis=1), 1)


def noise_of_patients(n_patients, n_each, own):
    """Rows of each patient, whose classes are by chance, and their groups."""
    rng = np.random.default_rng(0)
    patients = rng.normal(size=(n_patients, 15))
    groups = np.repeat(np.arange(n_patients), n_each)
    X = patients[groups] + own * rng.normal(size=(len(groups), 15))
    return X, rng.permutation(np.arange(n_patients) % 2)[groups], groups


def test_rows_that_seem_to_belong_together_are_warned_of():
    X, y, groups = noise_of_patients(20, 3, 0.0)
    miner = SubgroupBiclustering(kinds="shift", n_patterns=1)
    options = {"n_permutations": 9, "random_state": 0}
    with pytest.warns(DependentRowsWarning, match="60 rows that repeat each other"):
        significance_test(miner, X, y, **options)
    significance_test(miner, X, y, groups=groups, **options)
    X, y, groups = noise_of_patients(30, 2, 0.6)
    significance_test(miner, X, y, **options)  # which nothing tells
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(15)])
    frame.index = [f"P{group:02d}-{row % 2}" for row, group in enumerate(groups)]
    with pytest.warns(DependentRowsWarning, match="60 rows whose index has a common stem, as 'P0"):
        significance_test(miner, frame, y, **options)
    independent = significance_test(miner, frame, y, groups=range(60), **options)
    plain = significance_test(miner, X, y, **options)
    assert_array_equal(independent.p_values, plain.p_values)
    frame.index = groups
    with pytest.warns(DependentRowsWarning, match="60 rows whose index repeats"):
        column_evidence(miner.fit(frame, y), frame, y, n_folds=2)
    near = np.random.default_rng(0).normal(size=(30, 30)).repeat(2, axis=0)
    near += 0.2 * np.random.default_rng(1).normal(size=near.shape)
    with pytest.warns(DependentRowsWarning, match="60 rows in pairs that are far more alike"):
        significance_test(miner, near, y, **options)


def test_nothing_found_is_not_significant():
    X = np.tile(np.arange(60.0)[:, None] % 2, 3)
    result = significance_test(SubgroupBiclustering(kinds="shift"), X, Y, groups=range(60))
    assert result.summary() == "no pattern here belongs to a class more than chance would give"
    assert len(result.patterns) == len(result.p_values) == 0


def test_too_few_orders_are_said():
    X, y = table(rows=slice(0, 5), n_rows=20), np.repeat([0, 1], 10)
    result = significance_test(
        SubgroupBiclustering(kinds="shift"), X, y, groups=np.arange(20) // 5, random_state=0
    )
    assert result.smallest_p == pytest.approx(1 / 6)
    assert "smallest possible p is 0.17" in result.summary()
    assert result.family_p_values.min() >= 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_permutations": 0}, "n_permutations is 0"),
        ({"strata": np.arange(60)}, "strata leave no labels to exchange"),
        ({"strata": Y}, "strata leave no labels to exchange"),
        ({"strata": np.zeros(9)}, "strata has 9 values for 60 rows"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        significance_test(SubgroupBiclustering(kinds="shift"), table(), Y, **options)


def test_a_fit_without_labels_is_tested_as_it_is_and_one_with_labels_is_not():
    X = table()[:, :30]
    miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X, Y).fit(X)
    before = miner.patterns_
    blind = significance_test(miner, X, Y, n_permutations=9, random_state=0)
    assert miner.patterns_ is before
    assert blind.patterns[0] is before[0]
    for label, (count, _) in blind.carriers[0].items():
        assert count == miner.carriers(X)[label == Y, 0].sum()
    miner.fit(X, Y)
    blind = significance_test(miner, X, Y, n_permutations=9, random_state=0)
    assert blind.patterns[0].anchor_class is None
