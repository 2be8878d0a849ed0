"""The test of patterns that a readable network found without labels; others are not tested."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import fisher_exact

from bicneuron import PatternClassifier
from bicneuron.datasets import make_subgroups
from bicneuron.exceptions import NoPatternWarning
from bicneuron.significance import significance_test, with_evidence
from bicneuron.significance._significance import LabelShuffler, _ties_of_blind_groups


def readable(**parameters):
    return PatternClassifier(random_state=0, **parameters)


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
    result = significance_test(model, table.X, table.y, random_state=0)
    is_group = model.blind_groups()[2] >= 0
    assert is_group[0]
    assert result.family_p_values[0] == pytest.approx(1 / 1000)
    assert result.p_values[0] <= result.family_p_values[0]
    assert np.isnan(result.family_p_values[~is_group]).all()
    counts = {label: (0 if label == "control" else 15, 50) for label in ("case", "control")}
    assert result.carriers[0] == counts, "those of the group"
    first = with_evidence(model, result).patterns_[0].evidence
    assert (first.verdict, first.family_p_value) == ("tied to the class", 1 / 1000)


def test_p_is_corrected_for_groups_that_were_not_chosen():
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)
    carriers = rng.random((40, 30)) < 0.3
    carriers[:, 4] = np.isin(np.arange(40), np.arange(8))  # eight of twenty, and none of twenty

    def tested(carriers, of_patterns, of_neurons):
        groups = np.arange(40), carriers, np.array(of_patterns)
        model = SimpleNamespace(
            blind_groups=lambda: groups, carriers=lambda X: np.array(of_neurons, dtype=bool).T
        )
        return _ties_of_blind_groups(model, None, LabelShuffler(y), 999, 0)

    group, others = carriers[:, 4], np.arange(40) % 2
    among, counted = tested(carriers, [-1, 4, 4], [others, group, others])
    alone, _ = tested(carriers[:, [4]], [0], [group])
    exact = 2 * fisher_exact([[8, 12], [0, 20]], "greater").pvalue
    assert among.p.tolist()[1] == pytest.approx(exact)
    assert alone.p.tolist() == pytest.approx([exact])
    # Neither a pattern made with labels nor one whose neuron gives it other rows is tested.
    for one in (among.p, among.family, among.statistic):
        assert np.isnan(one[[0, 2]]).all()
    assert_array_equal(counted.T, [others, group, others])
    assert among.family[1] > 2 * alone.family[0]


def test_a_pattern_made_with_labels_is_not_tested(whole):
    X, y, model = whole
    result = significance_test(model, X, y, random_state=0)
    assert len(result.patterns) == len(model.patterns_) > 0
    assert np.isnan(result.family_p_values).all()
    assert np.isnan(result.p_values).all()
    assert not result.significant().any()
    assert result.summary().startswith("no pattern here is a group found without the classes")
    assert result.words(0).endswith("no group found without the classes, not tested")
    evidence = with_evidence(model, result).patterns_[0].evidence
    assert (evidence.family_p_value, evidence.verdict) == (None, "")


def test_a_model_without_patterns_has_nothing_to_test():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat([0, 1], 45)
    with pytest.warns(NoPatternWarning):
        model = readable().fit(X, y)
    result = significance_test(model, X, y, n_permutations=19, random_state=0)
    assert result.patterns == []
    assert not result.significant().any()


def test_rows_that_belong_together_are_exchanged_together():
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(16), 4)
    y = people % 2
    X = rng.normal(size=(64, 20))
    X[np.isin(people, [1, 3, 5, 7, 9]), :6] += 4
    model = readable().fit(X, y, groups=people)
    assert model.blind_groups()[2][0] >= 0
    alone = significance_test(model, X, y, random_state=0).p_values[0]
    together = significance_test(model, X, y, groups=people, random_state=0).p_values[0]
    # Five of eight people against none of eight: 2 * C(11, 3) / C(16, 8).
    assert alone < 1e-4
    assert together == pytest.approx(2 * 165 / 12870, abs=0.02)
    # A model that is not fitted yet is fitted with these groups, too.
    again = significance_test(readable(), X, y, groups=people, random_state=0)
    assert again.p_values[0] == together


def test_labels_are_exchanged_within_strata(group):
    table, model = group
    half = np.arange(len(table.y)) % 2
    plain = significance_test(model, table.X, table.y, random_state=0)
    within = significance_test(model, table.X, table.y, strata=half, random_state=0)
    assert within.p_values[0] != plain.p_values[0]
    assert within.family_p_values[0] <= 0.01
