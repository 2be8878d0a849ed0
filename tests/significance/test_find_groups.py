"""The protocol of `find`: what is a finding and what a lead; `test_answer` has the words."""

from contextlib import nullcontext

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron._shared._formats import round_p
from bicneuron._shared._steps import showing_work
from bicneuron.patterns import Evidence
from bicneuron.significance import class_columns
from bicneuron.significance._find_groups import judged_groups

Y = np.repeat(["case", "control"], 30)
THREE = np.repeat(["a", "b", "c"], 20)
WHOLE_CLASS = "they are nearly a whole class"
ONE = (range(12), range(6), 4.0)


def table(*groups, seed=0):
    X = np.random.default_rng(seed).normal(size=(60, 24))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    return X


def miner(n_patterns=3):
    return SubgroupBiclustering(kinds="shift", n_patterns=n_patterns)


def findings(X, y, n_patterns=3, **options):
    return judged_groups(miner(n_patterns).fit(X), X, y, random_state=0, **options)


def evidence_of(found):
    return [one.evidence for one in found.miner.patterns_]


def test_findings_come_first_with_their_columns():
    X = table(ONE, (range(30, 44), range(8, 15), -4.0))
    blind = miner().fit(X)
    before = list(blind.patterns_)
    found = judged_groups(blind, X, Y, random_state=0)
    assert blind.patterns_ == before, "it is not changed"
    first, second, *others = found.miner.patterns_
    if first.rows[0] < 30:  # both are as clear
        first, second = second, first
    for pattern, rows, columns in ((first, range(30, 44), range(8, 15)), (second, *ONE[:2])):
        evidence = pattern.evidence
        assert evidence.is_finding
        assert (evidence.n_found, evidence.n_folds) == (5, 5)
        # A group may differ from the other rows in columns of the other one as well.
        assert set(columns) <= {*pattern.columns[[*evidence.proven_columns]].tolist()}
        assert set(pattern.rows.tolist()) == set(rows)
        assert evidence.is_separate, "near half of its class, and far from the rest of it"
    assert not any(one.evidence.is_finding for one in others)
    assert [one.number for one in found.columns] == [1, 2]
    assert [one.pattern for one in found.columns] == found.miner.patterns_[:2]
    assert [{*first.direction_words}, {*second.direction_words}] == [{"lower"}, {"higher"}]
    lines = found.miner.summary().splitlines()
    assert lines[0] == "2 groups are tied to the class:"
    n_columns = class_columns(X, Y).sum()
    assert lines[-1].startswith(f"The classes differ in {n_columns} of 24 columns (")


def test_a_difference_of_whole_classes_is_no_finding():
    """Each row of a class is a little higher in half of the columns; there is no group."""
    found = findings(table((range(30), range(12, 24), 0.5), seed=3), Y)
    first, *_ = evidence_of(found)
    assert first.is_significant
    assert first.is_fragile
    assert not any(one.is_finding for one in evidence_of(found))
    line = found.miner.summary().splitlines()[0]
    assert line.endswith("take it as a lead.")
    assert "gradient" not in line
    assert "separate" not in line
    assert "differ from the other rows" not in line, "no column has evidence"


def test_a_whole_class_of_several_is_a_difference_of_classes():
    X = table((range(18), range(6), 4.0))
    found = findings(X, THREE)
    assert evidence_of(found)[0].is_finding
    assert evidence_of(found)[0].is_class_difference
    first, second, *_ = found.miner.summary().splitlines()
    assert first.startswith(f"The classes differ in {class_columns(X, THREE).sum()} of 24 columns")
    assert second.startswith("Part of this difference: 18 of 20 a, 0 of 20 b and 0 of 20 c differ")


@pytest.mark.parametrize(("n_rows", "is_class"), [(24, False), (25, True)])
def test_more_than_three_quarters_of_a_class_are_nearly_all_of_it(n_rows, is_class):
    y = np.repeat(["case", "control"], [32, 28])
    (one,) = evidence_of(findings(table((range(n_rows), range(6), 6.0)), y, n_patterns=1))
    assert one.carriers == (("case", n_rows, 32), ("control", 0, 28))
    assert one.separate_reason == (WHOLE_CLASS if is_class else "")
    assert (one.separate_p is None) == is_class
    assert one.is_separate == (not is_class)


def test_without_classes_a_planted_group_is_separate():
    steps = []

    def show(step, unit):
        steps.append((step, unit))
        return nullcontext()

    with showing_work(show):
        found = findings(table(ONE)[:40, :12], None, n_patterns=2)
    step = "testing groups and columns: searching without each part of the rows"
    assert steps == [(step, "parts")]
    evidence = evidence_of(found)[0]
    assert evidence.family_p_value is None
    assert (evidence.is_separate, evidence.is_finding, evidence.is_class_difference) == (1, 1, 0)
    (line,) = found.miner.summary().splitlines()
    assert line.startswith("12 of 40 rows differ from the other rows in 6 of 12 columns (")
    assert f"a separate group (p = {round_p(evidence.separate_p)}, " in line


@pytest.mark.parametrize(("kind", "seed", "n_patterns"), [("normal", 0, 2), ("gamma", 3, 1)])
def test_the_end_of_a_gradient_is_not_separate(kind, seed, n_patterns):
    """All columns follow one factor; of a skewed one the end is found again."""
    random = np.random.default_rng(seed)
    factor = random.normal(size=60) if kind == "normal" else random.gamma(1.5, size=60)
    X = factor[:, None] + 0.4 * random.normal(size=(60, 12))
    found = findings(X, None, n_patterns)
    for one in evidence_of(found):
        assert one.separate_p is None or one.separate_p > 0.05
        assert not one.is_significant
        assert not one.is_finding
    assert kind == "normal" or evidence_of(found)[0].n_found == 5
    assert "the end of a gradient" in found.miner.summary()


@pytest.mark.parametrize("y", [None, Y], ids=["no classes", "classes"])
def test_groups_of_columns_that_need_not_differ_in_level_are_not_called_separate(y):
    fitted = SubgroupBiclustering(kinds="tight", n_patterns=1).fit(table(ONE))
    (one,) = evidence_of(judged_groups(fitted, table(ONE), y, random_state=0))
    assert one.separate_p is None
    assert one.separate_reason == "its columns need not differ in level"
    assert one.n_found == 5, "it is tested without a fifth of the rows all the same"
    assert not one.is_separate
    assert one.is_finding == (y is not None)


def test_rows_of_one_patient_count_as_one():
    found = findings(table(ONE), None, n_patterns=1, groups=np.arange(60) // 3)
    (evidence,) = evidence_of(found)
    assert evidence.n_found == 5
    assert evidence.separate_reason == "20 rows with a score are too few to say; 30 are needed"
    assert found.columns == (), "what is not told has no columns"


def test_noise_has_no_finding_and_its_columns_are_not_tested():
    found = findings(table(), Y)
    assert found.columns == ()
    assert all(one.is_chance for one in evidence_of(found))
    assert all(one.proven_columns is None for one in evidence_of(found))
    assert found.miner.summary().startswith("No group here is tied to a class more than chance giv")


@pytest.mark.parametrize(
    ("changes", "is_finding"),
    [
        ({}, True),
        ({"n_found": 3}, True),
        ({"n_found": 2}, False),
        ({"n_found": 5, "n_folds": 10}, False),
        ({"n_found": 6, "n_folds": 10}, True),
        ({"proven_columns": ()}, False),
        ({"proven_columns": None}, False),
        ({"family_p_value": 0.051}, False),
        ({"family_p_value": 0.051, "separate_p": 0.01}, False),
        ({"separate_p": 0.9}, True),
        ({"family_p_value": None, "separate_p": 0.05}, True),
        ({"family_p_value": None, "separate_p": 0.051}, False),
        ({"family_p_value": None, "separate_reason": "too few"}, False),
        ({"family_p_value": None}, False),
    ],
)
def test_what_a_finding_is(changes, is_finding):
    evidence = Evidence(family_p_value=0.05, proven_columns=(1,), n_found=5, n_folds=5)
    assert evidence._replace(**changes).is_finding == is_finding


# --- tables that are hardly tables


def test_columns_that_are_constant_in_the_carriers():
    X = table(ONE)
    X[:12, 0] = 7.0  # in the carriers
    X[:, 1] = 0.0  # in both sides
    X[:12, 1] = 1.0
    untested = miner().fit(X)
    group = next(one for one in untested.patterns_ if set(one.rows) == set(range(12)))
    place = group.columns.tolist().index(1)
    assert np.isnan(group.effects[place]), "there is no deviation"
    assert group.differences[place] == pytest.approx(1.0)
    assert place in group.named_columns
    found = findings(X, Y)
    first = found.miner.patterns_[0]
    assert first.evidence.is_finding
    assert {0, 1} <= {*first.columns[[*first.evidence.proven_columns]].tolist()}
    assert first.direction_words == ["higher"] * len(first.columns)
    assert "nan" not in found.miner.summary()


@pytest.mark.parametrize("n_cases", [1, 2])
def test_a_class_of_one_or_two_rows_is_no_finding(n_cases):
    found = findings(table(ONE), np.repeat(["case", "control"], [n_cases, 60 - n_cases]))
    assert not any(one.is_finding for one in evidence_of(found))
    lines = found.miner.summary().splitlines()
    assert lines[0].startswith("No group here is tied to a class") or "Too few rows" in lines[0]
    assert not any("The classes differ" in line for line in lines), "that could not be tested"


def test_one_stratum_of_all_rows_is_refused_and_a_stratum_of_a_class_too():
    X = table(ONE)
    with pytest.raises(ValueError, match="strata has one value, '0', for all rows; leave it out"):
        miner().fit(X, strata=np.zeros(60))
    blind = miner().fit(X, strata=Y)
    with pytest.raises(ValueError, match="strat"):
        judged_groups(blind, X, Y, strata=Y, random_state=0)
