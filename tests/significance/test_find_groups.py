"""The protocol of `find`: what is a finding, what a lead, and what is said of both."""

from contextlib import nullcontext
from functools import cache

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron._shared._formats import round_p
from bicneuron._shared._steps import showing_work
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Evidence
from bicneuron.significance import class_columns
from bicneuron.significance._find_groups import judged_groups

Y = np.repeat(["case", "control"], 30)
WHOLE_CLASS = "they are nearly a whole class"
DIFFERENCE = "no separate group inside a class was shown."


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
    return judged_groups(found, X, y, strata=strata, random_state=0, **options)


@cache
def one():
    X = table(ONE, (range(30, 44), range(8, 15), -4.0))
    blind = miner().fit(X)
    before = list(blind.patterns_)
    found = judged_groups(blind, X, Y, random_state=0)
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
    # Each is near half of its class, and far from the rest of it.
    for line, pattern in zip(lines[1:3], found.miner.patterns_, strict=False):
        assert pattern.evidence.is_separate
        p = round_p(pattern.evidence.separate_p)
        assert line.endswith(
            f". They are a separate group (p = {p}, corrected for the groups before it)."
        )
    n_columns = class_columns(X, Y).sum()
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
    assert "gradient" not in first
    assert "separate" not in first
    assert "differ from the other rows" not in first, "no column has evidence"
    assert last == (
        f"The classes differ in {class_columns(X, Y).sum()} of 24 columns "
        "(false discovery rate 5 %)."
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
    found = findings(table((range(12), range(6), 4.0)), np.repeat(["a", "b", "c"], 20))
    assert found.miner.patterns_[0].evidence.is_finding
    first = found.miner.summary().splitlines()[0]
    assert first.startswith(
        "12 of 20 a, 0 of 20 b and 0 of 20 c differ from the other rows in 6 of"
    )
    assert "): spread over the classes more unevenly than chance gives (p = 0.001, corr" in first


# --- a separate group, or the end of a gradient


def test_a_whole_class_of_several_is_a_difference_of_classes():
    X = table((range(18), range(6), 4.0))
    found = findings(X, np.repeat(["a", "b", "c"], 20))
    evidence = found.miner.patterns_[0].evidence
    assert evidence.is_finding
    assert evidence.is_class_difference
    first, second, *_ = found.miner.summary().splitlines()
    n_columns = class_columns(X, np.repeat(["a", "b", "c"], 20)).sum()
    assert first == (
        f"The classes differ in {n_columns} of 24 columns (false discovery rate 5 %); {DIFFERENCE}"
    )
    assert second.startswith(
        "Part of this difference: 18 of 20 a, 0 of 20 b and 0 of 20 c differ from the other rows"
    )


def test_a_small_shift_of_a_whole_class_is_no_separate_group():
    X = np.random.default_rng(0).normal(size=(80, 300))
    X[:40, :30] += 1
    y = np.repeat(["case", "control"], 40)
    found = findings(X, y, n_patterns=1)
    patterns = found.miner.patterns_
    assert patterns[0].evidence.is_class_difference
    assert patterns[0].evidence.separate_p is None
    assert patterns[0].evidence.separate_reason == WHOLE_CLASS
    assert not any(one.evidence.is_separate for one in patterns)
    first, second, *_ = found.miner.summary().splitlines()
    n_columns = class_columns(X, y).sum()
    assert n_columns >= len(patterns[0].columns)
    assert first == (
        f"The classes differ in {n_columns} of 300 columns (false discovery rate 5 %); {DIFFERENCE}"
    )
    assert second.startswith("Part of this difference: 39 of 40 ")
    assert second.endswith(f" end of a gradient was not tested: {WHOLE_CLASS}.")


@pytest.mark.parametrize(("n_rows", "is_class"), [(24, False), (25, True)])
def test_more_than_three_quarters_of_a_class_are_nearly_all_of_it(n_rows, is_class):
    y = np.repeat(["case", "control"], [32, 28])
    found = findings(table((range(n_rows), range(6), 6.0)), y, n_patterns=1)
    (one,) = found.miner.patterns_
    assert one.evidence.carriers == (("case", n_rows, 32), ("control", 0, 28))
    assert one.evidence.separate_reason == (WHOLE_CLASS if is_class else "")
    assert (one.evidence.separate_p is None) == is_class
    assert one.evidence.is_separate == (not is_class)


def test_without_classes_a_planted_group_is_separate():
    X = table(ONE)[:40, :12]
    steps = []

    def show(step, unit):
        steps.append((step, unit))
        return nullcontext()

    with showing_work(show):
        found = findings(X, None, n_patterns=2)
    step = "testing groups and columns: searching without each part of the rows"
    assert steps == [(step, "parts")]
    evidence = found.miner.patterns_[0].evidence
    assert evidence.family_p_value is None
    assert evidence.is_separate
    assert evidence.is_finding
    assert not evidence.is_class_difference
    p = round_p(evidence.separate_p)
    (line,) = found.miner.summary().splitlines()
    assert line.startswith("12 of 40 rows differ from the other rows in 6 of 12 columns (")
    assert line.endswith(f"): a separate group (p = {p}, corrected for the groups before it).")


def gradient(draw, seed):
    """All columns follow one factor."""
    random = np.random.default_rng(seed)
    return draw(random)[:, None] + 0.4 * random.normal(size=(60, 12))


@pytest.mark.parametrize("seed", [0, 2])
def test_without_classes_nothing_is_said_of_a_normal_gradient(seed):
    found = findings(gradient(lambda random: random.normal(size=60), seed), None, n_patterns=2)
    assert found.miner.patterns_
    assert not any(one.evidence.is_significant for one in found.miner.patterns_)
    summary = found.miner.summary()
    assert "a separate group (p" not in summary
    assert "corrected" not in summary
    assert "the end of a gradient" in summary


@pytest.mark.parametrize("seed", [3, 4])
def test_the_end_of_a_skewed_gradient_is_found_again_and_not_separate(seed):
    found = findings(gradient(lambda random: random.gamma(1.5, size=60), seed), None, n_patterns=1)
    (one,) = found.miner.patterns_
    assert (one.evidence.n_found, bool(one.evidence.proven_columns)) == (5, True)
    assert one.evidence.separate_p > 0.05
    assert not one.evidence.is_finding
    first = found.miner.summary().splitlines()[0]
    assert first.startswith("No group here was shown to be separate from the other rows. The stro")
    p = round_p(one.evidence.separate_p)
    assert first.endswith(f"; they may be the end of a gradient (p = {p} of a separate group).")


def test_a_batch_that_is_given_is_no_separate_group():
    X = table((range(20), range(8), 4.0))
    batch = np.repeat(["x", "y"], [20, 40])
    (alone,) = findings(X, None, n_patterns=1).miner.patterns_
    assert alone.evidence.is_separate
    fitted = miner(1).fit(X)  # the batch is the first group that is found
    assert set(fitted.patterns_[0].rows.tolist()) == set(range(20))
    within = findings(X, None, n_patterns=1, strata=batch)
    assert not any(one.evidence.is_separate for one in within.miner.patterns_)


@pytest.mark.parametrize("y", [None, Y], ids=["no classes", "classes"])
def test_groups_of_columns_that_need_not_differ_in_level_are_not_called_separate(y):
    fitted = SubgroupBiclustering(kinds="tight", n_patterns=1).fit(table(ONE))
    tested = judged_groups(fitted, table(ONE), y, random_state=0).miner
    (one,) = tested.patterns_
    assert one.evidence.separate_p is None
    assert one.evidence.separate_reason == "its columns need not differ in level"
    assert one.evidence.n_found == 5, "it is tested without a fifth of the rows all the same"
    assert not one.evidence.is_separate
    whether = "; whether" if y is None else ". Whether"
    assert (
        f"{whether} they are a separate group or the end of a gradient was not tested: its columns "
        "need not differ in level." in tested.summary()
    )
    assert one.evidence.is_finding == (y is not None)


def test_few_rows_have_a_reason_and_no_verdict():
    X = table((range(9), range(6), 5.0))[:28, :12]
    found = findings(X, None, n_patterns=1)
    evidence = found.miner.patterns_[0].evidence
    assert evidence.separate_reason == ("28 rows with a score are too few to say; 30 are needed")
    assert evidence.separate_p is None
    assert not evidence.is_finding
    assert found.columns == (), "what is not told has no columns"
    first = found.miner.summary().splitlines()[0]
    assert first.startswith("No group here was shown to be separate from the other rows. The stro")
    assert first.endswith(
        "; whether they are a separate group or the end of a gradient was not tested: "
        f"{evidence.separate_reason}."
    )


def test_rows_of_one_patient_count_as_one():
    X, patients = table(ONE), np.arange(60) // 3
    evidence = findings(X, None, n_patterns=1, groups=patients).miner.patterns_[0].evidence
    assert evidence.n_found == 5
    assert evidence.separate_reason == "20 rows with a score are too few to say; 30 are needed"


def test_noise_has_no_finding_and_its_columns_are_not_tested():
    found = findings(table(), Y)
    assert found.columns == ()
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
        judged_groups(blind, X, Y, strata=Y, random_state=0)


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
    for ours, theirs in zip(renamed.miner.patterns_, found.miner.patterns_, strict=True):
        assert ours.evidence.separate_p == theirs.evidence.separate_p
        assert ours.evidence.separate_reason == theirs.evidence.separate_reason
