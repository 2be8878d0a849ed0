"""The protocol of `find`: what is a finding, what a lead, and what is said of both."""

from functools import cache

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Evidence
from bicneuron.significance import group_findings, n_class_columns

Y = np.repeat(["case", "control"], 30)
NOT_TESTED = "Whether they are a separate group or the end of a gradient was not tested."


def table(*groups, seed=0):
    X = np.random.default_rng(seed).normal(size=(60, 24))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    return X


ONE = (range(12), range(6), 4.0)


def miner(n_patterns=3):
    return SubgroupBiclustering(kinds="shift", n_patterns=n_patterns)


def findings(X, y, n_patterns=3, strata=None, **options):
    found = miner(n_patterns).fit(X, strata=strata)
    return group_findings(found, X, y, strata=strata, random_state=0, **options)


@cache
def one():
    X = table(ONE, (range(30, 44), range(8, 15), -4.0))
    blind = miner().fit(X)
    before = list(blind.patterns_)
    found = group_findings(blind, X, Y, random_state=0)
    assert blind.patterns_ == before, "it is not changed"
    return X, found


def test_findings_come_first_with_their_columns():
    X, found = one()
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
    assert not any(one.evidence.is_finding for one in others)
    assert [one.number for one in found.columns] == [1, 2]
    assert [one.pattern for one in found.columns] == found.miner.patterns_[:2]
    assert set(first.direction_words) == {"lower"}
    assert set(second.direction_words) == {"higher"}
    lines = found.miner.summary().splitlines()
    assert lines[0] == "2 groups are tied to the class:"
    (told,) = (line for line in lines if "14 of 30 control and 0 of 30 case differ from" in line)
    assert "lower): more often control than chance gives (p = 0.001, corr" in told
    assert all(line.endswith(NOT_TESTED) for line in lines[1:3])
    n_columns = n_class_columns(X, Y)
    assert lines[-1] == (
        f"The classes differ in {n_columns} of 24 columns (false discovery rate 5 %)."
    )


def test_a_difference_of_whole_classes_is_no_finding():
    # Each row of a class is a little higher in half of the columns; there is no group.
    X = table((range(30), range(12, 24), 0.5), seed=3)
    found = findings(X, Y)
    evidence = found.miner.patterns_[0].evidence
    assert evidence.is_significant
    assert evidence.is_fragile
    assert not any(one.evidence.is_finding for one in found.miner.patterns_)
    first, *_, last = found.miner.summary().splitlines()
    assert (
        f"fragile: leaving out a fifth of the rows loses it (found again in {evidence.n_found} "
        in (first)
    )
    assert first.endswith("take it as a lead.")
    assert NOT_TESTED not in first
    assert "differ from the other rows" not in first, "no column has evidence"
    assert last == (
        f"The classes differ in {n_class_columns(X, Y)} of 24 columns (false discovery rate 5 %)."
    )


def test_a_group_without_columns_of_its_own_is_a_lead():
    # Patients count, of which there are too few to test any column.
    X, y = table((range(20), range(6), 4.0)), np.repeat(["case", "control"], [20, 40])
    patients = np.repeat(np.arange(9), [7, 7, 6, 7, 7, 7, 7, 6, 6])
    found = findings(X, y, n_patterns=1, groups=patients)
    evidence = found.miner.patterns_[0].evidence
    assert evidence.is_significant
    assert evidence.proven_columns == ()
    assert not evidence.is_finding
    first = found.miner.summary().splitlines()[0]
    assert "none with evidence of its own: more often case than chance gives" in first
    assert first.endswith(
        "But no column differs in rows that did not choose it; take it as a lead."
    )
    assert found.columns[0].words.startswith("0 of 6 columns have evidence of their own")


def test_of_several_classes_it_is_not_said_which():
    found = findings(table((range(18), range(6), 4.0)), np.repeat(["a", "b", "c"], 20))
    assert found.miner.patterns_[0].evidence.is_finding
    first = found.miner.summary().splitlines()[0]
    assert first.startswith(
        "18 of 20 a, 0 of 20 b and 0 of 20 c differ from the other rows in 6 of"
    )
    assert "): spread over the classes more unevenly than chance gives (p = 0.001, corr" in first


def test_without_classes_groups_are_compared_with_tables_without_groups():
    X = table(ONE)[:40, :12]
    steps = []

    class Step:
        def __init__(self, step, unit):
            steps.append(step)

        def __enter__(self):
            return None

        def __exit__(self, *_):
            return None

    found = findings(X, None, n_patterns=2, working=Step)
    assert [step.split()[0] for step in steps] == ["searching", "testing"]
    evidence = found.miner.patterns_[0].evidence
    assert evidence.family_p_value is None
    assert evidence.group_p_value == evidence.smallest_group_p == 0.05
    assert evidence.is_finding
    summary = found.miner.summary()
    assert summary.startswith("12 of 40 rows differ from the other rows in 6 of 12 columns (")
    assert "): clearer than groups of tables without groups (p = 0.05, the smallest poss" in summary
    assert "The classes differ" not in summary


def test_noise_has_no_finding_and_its_columns_are_not_tested():
    found = findings(table(), Y)
    assert found.columns == []
    assert all(one.evidence.is_chance for one in found.miner.patterns_)
    assert all(one.evidence.proven_columns is None for one in found.miner.patterns_)
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
        ({"family_p_value": 0.051, "group_p_value": 0.01}, False),
        ({"family_p_value": None, "group_p_value": 0.05}, True),
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
    y = np.repeat(["case", "control"], [n_cases, 60 - n_cases])
    found = findings(table(ONE), y)
    assert not any(one.evidence.is_finding for one in found.miner.patterns_)
    lines = found.miner.summary().splitlines()
    assert lines[0].startswith("No group here is tied to a class") or "Too few rows" in lines[0]
    assert not any("The classes differ" in line for line in lines), "that could not be tested"


def test_one_stratum_of_all_rows_is_refused_and_a_stratum_of_a_class_too():
    X = table(ONE)
    with pytest.raises(ValueError, match="strata has one value, '0', for all rows; leave it out"):
        miner().fit(X, strata=np.zeros(60))
    blind = miner().fit(X, strata=Y)
    with pytest.raises(ValueError, match="strat"):
        group_findings(blind, X, Y, strata=Y, random_state=0)


def test_identical_rows_give_an_answer():
    with pytest.warns(NoBiclusterWarning):
        found = findings(np.ones((60, 5)), Y)
    assert found.miner.patterns_ == []
    assert found.miner.summary().startswith("No group was found in 60 rows and 5 columns")


@pytest.mark.parametrize("names", [("zz", "aa"), (1, 0), (False, True)], ids=str)
def test_what_classes_are_called_changes_nothing_but_the_names(names):
    X, found = one()
    renamed = findings(X, np.where(Y == "case", *names))
    words = {str(name): plain for name, plain in zip(names, ("case", "control"), strict=True)}
    summary = renamed.miner.summary()
    for name, plain in words.items():
        told = name if name.isalpha() else f"of class {name}"
        summary = summary.replace(f" {told}", f" {plain}")
    assert summary == found.miner.summary()
    for ours, theirs in zip(renamed.columns, found.columns, strict=True):
        np.testing.assert_allclose(ours.p_corrected, theirs.p_corrected, rtol=1e-8)
