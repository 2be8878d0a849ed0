"""The test of patterns that a readable network chose: findings, and patterns that only help."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronNetwork
from bicneuron.datasets import make_subgroup, make_subgroups
from bicneuron.exceptions import NoPatternWarning
from bicneuron.significance import significance_test, with_evidence
from bicneuron.significance._choice import choice_p_values


def readable(**parameters):
    return BicNeuronNetwork(design="readable", random_state=0, **parameters)


@pytest.fixture(scope="module")
def group():
    """15 of 50 cases differ in ten of 200 columns."""
    table = make_subgroups("shift", shift=2.5, n_columns=200, random_state=3)
    return table, readable().fit(table.X, table.y)


@pytest.fixture(scope="module")
def whole():
    """A class that differs as a whole, without groups: only labels show the pattern."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 60)), np.repeat(["ill", "well"], 40)
    X[y == "ill", :4] += 0.9
    return X, y, readable(miners=()).fit(X, y)


def test_a_group_that_was_found_without_labels_has_an_exact_test(group):
    table, model = group
    result = significance_test(model, table.X, table.y, n_permutations=19, random_state=0)
    assert result.method == "choice"
    is_group = model.label_test().group_of >= 0
    assert is_group[0]
    # 999 orders over given carriers, and two kinds of patterns.
    assert result.family_p_values[0] == pytest.approx(2 / 1000)
    first = with_evidence(model, result).patterns_[0].evidence
    assert (first.verdict, first.is_helper) == ("a finding", False)


def test_a_pattern_made_with_labels_is_compared_with_the_whole_choice(whole):
    X, y, model = whole
    result = significance_test(model, X, y, n_permutations=39, random_state=0)
    statistics = model.label_test().statistics
    assert_array_equal(result.statistic, statistics)
    assert len(result.null_statistic) == result.n_permutations == 39
    expected = [(1 + np.sum(result.null_statistic >= one)) / 40 for one in statistics]
    assert_array_equal(result.family_p_values, expected)
    assert result.family_p_values[0] == 1 / 40
    assert result.summary().startswith("1 finding, better than chance at p <= 0.05")


def test_null_statistics_are_those_of_labels_in_another_order(whole):
    X, y, model = whole
    same = model.largest_statistic(X, y)
    # The first pattern is the clearest, unless one of another form is, and there are no groups.
    assert same >= model.label_test().statistics[0] * (1 - 1e-9)
    shuffled = np.random.default_rng(1).permutation(y)
    assert model.largest_statistic(X, shuffled) < same


def test_jobs_change_nothing(whole):
    X, y, model = whole
    one, two = (
        significance_test(model, X, y, n_permutations=3, n_jobs=n_jobs, random_state=0)
        for n_jobs in (1, 2)
    )
    assert_array_equal(one.null_statistic, two.null_statistic)


def test_p_values_of_both_kinds():
    null = np.array([1.0, 4.0, 6.0])
    p = choice_p_values(np.array([5.0, 9.0, 2.0]), np.array([-1, 0, -1]), np.array([0.01]), null)
    assert p.tolist() == [1.0, 0.02, 1.0]
    alone = choice_p_values(np.array([5.0, 9.0]), np.array([-1, -1]), np.empty(0), null)
    assert alone.tolist() == [0.5, 0.25]


def test_a_pattern_that_is_not_proven_helps_to_predict(whole):
    X, y, model = whole
    result = significance_test(model, X, y, n_permutations=4, random_state=0)
    helper = with_evidence(model, result).patterns_[0].evidence  # no p below .2 is possible
    assert (helper.verdict, helper.is_helper) == ("helps to predict, not proven", True)


def test_findings_are_rare_where_labels_mean_nothing():
    X = make_subgroup(n_columns=40, random_state=2)[0][::2]
    model, n_findings, n_tables = readable(), 0, 8
    rng = np.random.default_rng(0)
    for _ in range(n_tables):
        y = rng.permutation(np.repeat([0, 1], 25))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoPatternWarning)
            fitted = model.fit(X, y)
        if fitted.patterns_:
            result = significance_test(fitted, X, y, n_permutations=19, random_state=0)
            n_findings += bool(result.significant().any())
    assert n_findings <= 2


def test_a_model_without_patterns_has_nothing_to_test():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat([0, 1], 45)
    with pytest.warns(NoPatternWarning):
        model = readable().fit(X, y)
    result = significance_test(model, X, y, n_permutations=19, random_state=0)
    assert result.patterns == []
    assert result.summary() == "there is no pattern to test"


def test_rows_that_belong_together_are_exchanged_together():
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(16), 4)
    y = people % 2
    X = rng.normal(size=(64, 20))
    X[y == 1, :3] += 1.5
    model = readable(miners=()).fit(X, y, groups=people)
    result = significance_test(model, X, y, groups=people, n_permutations=19, random_state=0)
    assert result.family_p_values[0] == 1 / 20
    # A model that is not fitted yet is fitted with these groups, too.
    again = significance_test(
        readable(miners=()), X, y, groups=people, n_permutations=1, random_state=0
    )
    assert_array_equal(again.statistic, result.statistic)


def test_a_seed_of_the_test_is_enough():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), np.repeat([0, 1], 30)
    X[y == 1, :3] += 2.0
    model = BicNeuronNetwork(design="readable", miners=()).fit(X, y)
    one, two = (significance_test(model, X, y, n_permutations=5, random_state=0) for _ in range(2))
    assert_array_equal(one.null_statistic, two.null_statistic)
