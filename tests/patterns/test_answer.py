"""The words of the answer, from patterns and their evidence."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bicneuron import PatternClassifier, SubgroupBiclustering
from bicneuron.datasets import make_subgroup
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import (
    Evidence,
    Pattern,
    _answer,
    is_other_side,
    proven_patterns,
    significant_patterns,
)
from bicneuron.patterns._answer import Answer
from bicneuron.significance import significance_test, with_evidence

COUNTS = (("case", 15, 50), ("control", 0, 50))
TIED = Evidence(COUNTS, 0.001, 0.001, 999, smallest_p=0.001)
FINDING = TIED._replace(proven_columns=(0, 1, 2), column_order=(1, 2, 0), n_found=5, n_folds=5)
NAMES = [f"g{j}" for j in range(20)]


def pattern(columns=(2, 5, 7), differences=(0.5, -0.9, 0.7), rows=range(15), **values):
    """A group; its effects are its differences, and weights have another sign in the first."""
    effects = np.array(differences)
    weights = np.where(np.arange(len(effects)) == 0, -effects, effects)
    return Pattern(
        np.array([*rows]),
        np.array(columns),
        **{"weights": weights, "differences": 10 * effects, "effects": effects} | values,
        kind="shift",
    )


def finding(n_columns, **values):
    """A group all of whose columns have evidence, the clearest first."""
    places = tuple(range(n_columns))
    evidence = FINDING._replace(proven_columns=places, column_order=places)
    return pattern(range(n_columns), evidence=evidence, **values)


def lines(*patterns, n_rows=100, **options):
    return Answer(patterns, NAMES, n_rows, **options).lines


ALSO = "g7, g2 higher): more often case than chance gives (p = 0.001, corrected for all groups). "
OPEN = "Whether they are a separate group or the end of a gradient was not tested: "


def test_a_finding_names_its_columns_by_the_direction_of_the_difference():
    assert lines(pattern(evidence=FINDING)) == [
        "15 of 50 case and 0 of 50 control differ from the other rows in 3 of 20 columns (g5 "
        f"lower; {ALSO}{OPEN}only find_groups tests it."
    ]


def test_columns_that_were_not_tested_are_named_if_they_differ_by_half_a_deviation():
    (line,) = lines(pattern(differences=(0.49, -0.9, 0.7), evidence=TIED))
    assert "in 2 of 20 columns (g5 lower; g7 higher)" in line
    assert "Its columns were not tested." in line
    assert lines(pattern(differences=(0.4, -0.3, 0.2))) == [
        "15 of 100 rows share 3 of 20 columns, none with a clear difference. This was not tested "
        "against chance."
    ]


@pytest.mark.parametrize(
    ("evidence", "is_lead", "words"),
    [
        ({"n_found": 2}, True, "(found again in 2 of 5 folds); take it as a lead."),
        (
            {"proven_columns": ()},
            True,
            "But no column differs in rows that did not choose it; take it as a lead.",
        ),
        (
            {"separate_p": 0.05},
            False,
            "They are a separate group (p = 0.05, corrected for the groups before it).",
        ),
        (
            {"separate_p": 0.051},
            False,
            "They may be the end of a gradient (p = 0.051 of a separate group).",
        ),
        ({"separate_reason": "20 rows are too few"}, False, f"{OPEN}20 rows are too few."),
        ({"family_p_value": 0.002, "smallest_p": 0.05}, False, "only find_groups tests it."),
    ],
    ids=str,
)
def test_what_is_said_after_the_tie_to_the_class(evidence, is_lead, words):
    one = pattern(evidence=FINDING._replace(**evidence))
    (line,) = lines(one)
    p = evidence.get("family_p_value", 0.001)
    assert f": more often case than chance gives (p = {p}, corrected for all groups). " in line
    assert line.endswith(words)
    assert proven_patterns([one]) == [one][is_lead:]
    assert significant_patterns([one]) == [one]
    told = lines(pattern((10, 11, 12), rows=range(50, 60), evidence=FINDING), one)
    assert ("1 more is tied to the class, but a lead, not a finding." in told) == is_lead
    fragile = lines(pattern(evidence=one.evidence._replace(n_found=2)))[0]
    assert is_lead or words not in fragile, "it may not be there at all"


# --- what whole classes differ in

PART = FINDING._replace(is_class_difference=True, separate_p=0.3)
DIFFER = "The classes differ in 4 of 20 columns (false discovery rate 5 %)"


def test_a_difference_of_whole_classes_is_told_before_the_groups_that_are_part_of_it():
    assert lines(pattern(evidence=PART), class_columns=4) == [
        f"{DIFFER}; no separate group inside a class was shown.",
        "Part of this difference: 15 of 50 case and 0 of 50 control differ from the other rows in "
        f"3 of 20 columns (g5 lower; {ALSO}They may be the end of a gradient (p = 0.3 of a "
        "separate group).",
    ]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_separate_group_beside_a_part_of_the_difference_is_not_denied(order):
    evidence = PART, FINDING._replace(separate_p=0.01)
    first, second = (
        pattern((10 * k, 10 * k + 1, 10 * k + 2), rows=range(50 * k, 50 * k + 9), evidence=one)
        for k, one in enumerate(evidence[of] for of in order)
    )
    told = lines(first, second, class_columns=4)
    assert told[:2] == [f"{DIFFER}.", "2 patterns are tied to the class:"]
    for number, (line, of) in enumerate(zip(told[2:], order, strict=True), start=1):
        part = "" if of else "Part of this difference: "
        assert line.startswith(f"{number}. {part}15 of 50 case")


# --- names and numbers


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (((0, 1, 40), (1, 15, 50)), "15 of 50 of class 1 and 1 of 40 of class 0"),
        ((("a", 3, 10), ("b", 5, 10), ("c", 0, 10)), "5 of 10 b, 3 of 10 a and 0 of 10 c"),
        (
            tuple((name, 10 - k, 10) for k, name in enumerate("abcdef")),
            "10 of 10 a, 9 of 10 b, 8 of 10 c, 7 of 10 d and 11 of 20 others",
        ),
        ((("c" * 500, 15, 50),), f"15 of 50 {'c' * 16}...{'c' * 13}"),
    ],
)
def test_classes_are_counted_the_largest_share_first(counts, words):
    told = lines(pattern(evidence=FINDING._replace(carriers=counts)))
    assert told[0].startswith(f"{words} differ from the other rows in 3 of 20 columns")


def test_of_several_classes_it_is_not_said_which_differ():
    counts = (("a", 3, 10), ("b", 5, 10), ("c", 0, 10))
    (line,) = lines(pattern(evidence=FINDING._replace(carriers=counts)))
    assert "spread over the classes more unevenly than chance gives (p = 0.001" in line


def test_names_of_several_lines_do_not_break_the_answer():
    names = ["a\nb", "c\x85d", "e\u2028f", *NAMES[3:]]
    found = finding(3, differences=(0.9, 0.8, 0.7))
    (line,) = Answer([found], names, 100).lines
    assert "(a b, c d, e f higher)" in line
    assert len(line.splitlines()) == 1


OF_ROWS = FINDING._replace(
    carriers=((None, 15, 100),), p_value=None, family_p_value=None, smallest_p=None
)


def test_without_classes_a_finding_is_a_separate_group():
    found = pattern(evidence=OF_ROWS._replace(separate_p=0.05))
    assert lines(found) == [
        "15 of 100 rows differ from the other rows in 3 of 20 columns (g5 lower; g7, g2 higher): a "
        "separate group (p = 0.05, corrected for the groups before it)."
    ]
    second = pattern((10, 11, 12), rows=range(50, 60), evidence=OF_ROWS._replace(separate_p=0.02))
    gradient = pattern((17, 18), (0.9, 0.8), evidence=OF_ROWS._replace(separate_p=0.2))
    first, *numbered, last = lines(found, second, gradient)
    assert first == "2 patterns are separate from the other rows:"
    assert [line[:3] for line in numbered] == ["1. ", "2. "]
    assert last == "1 more was seen, not shown to be separate."
    lead = replace(found, evidence=found.evidence._replace(proven_columns=()))
    assert lines(second, lead)[1] == (
        "1 more is separate from the other rows, but a lead, not a finding."
    )


def test_without_classes_no_separate_group_is_no_verdict_about_the_rows():
    weak = OF_ROWS._replace(separate_p=0.2, proven_columns=None)
    one = pattern(evidence=weak, strength=58.0)
    other = pattern((7, 8), (0.9, 0.8), evidence=weak._replace(separate_p=1.0), strength=5.0)
    assert lines(other, one) == [
        "No pattern here was shown to be separate from the other rows. The strongest: 15 of 100 "
        "rows differ from the other rows in 3 of 20 columns (g5 lower; g7, g2 higher); they may be "
        "the end of a gradient (p = 0.2 of a separate group).",
        "1 more was seen, not shown to be separate.",
    ]


def test_the_clearest_columns_are_named_whatever_their_direction():
    ten = finding(10, differences=(*np.linspace(1.9, 1.1, 9), -1.0))
    assert "(g0, g1, g2, g3, g4, g5, ... higher; 1 lower)" in lines(ten)[0]
    both = finding(10, differences=(1.9, -1.8, *np.linspace(1.7, 1.1, 8)))
    assert "(g0, g2, g3, g4, g5, ... higher; g1 lower)" in lines(both)[0]
    eight = finding(8, differences=np.linspace(1.9, 1.1, 8))
    assert "(g0, g1, g2, g3, g4, g5, g6, g7 higher)" in lines(eight)[0]


def test_of_groups_that_are_tied_to_no_class_the_strongest_is_told():
    weak = TIED._replace(family_p_value=0.6)
    strong = pattern(evidence=weak._replace(family_p_value=1.0), strength=58.0)
    told = lines(pattern((7, 8), (0.9, 0.8), evidence=weak, strength=-5.0), strong)
    assert told[0].startswith("No pattern here is tied to a class more than chance gives.")
    assert "The strongest: " in told[0]
    assert "in 3 of 20 columns" in told[0]
    assert told[0].endswith("; p = 1, corrected.")


def test_of_many_findings_the_first_are_described():
    findings = [
        pattern((k, k + 7, k + 9), rows=range(10 * k, 10 * k + 9), evidence=FINDING)
        for k in range(7)
    ]
    weak = pattern((18, 19), (0.3, 0.2), evidence=TIED._replace(family_p_value=0.2))
    told = lines(weak, *findings, set_aside=["strata", "covariates"], class_columns=4)
    assert told[0] == "7 patterns are tied to the class:"
    assert [line[0] for line in told[1:6]] == [*"23456"], "numbered as in the model"
    assert told[6:] == [
        "And 2 more like these.",
        "1 more was seen, not clearer than chance or clearer groups give.",
        "The classes differ in 4 of 20 columns (false discovery rate 5 %).",
        "Strata and covariates were set aside.",
    ]


def test_the_other_side_of_a_split():
    """Two sides differ in the signs by which columns count, whatever the table says of them."""
    first = pattern(evidence=FINDING)
    turned = {"weights": -first.weights}
    other = pattern(rows=range(20, 80), evidence=FINDING, **turned)
    assert is_other_side(other, first)
    assert not is_other_side(pattern(**turned), first), "the same rows"
    assert not is_other_side(pattern(rows=range(20, 80)), first), "the same direction"
    apart = pattern((10, 11, 12), rows=range(20, 80), evidence=FINDING)
    assert not is_other_side(apart, first), "other columns"
    assert proven_patterns([first, other, apart]) == [first, apart]
    assert lines(first, other)[1:] == ["1 more is the other side of it."]
    assert lines(first, other, apart)[-1] == "1 more is the other side of these."


def test_the_table_of_claims_in_the_guide_is_that_of_the_code():
    page = (Path(__file__).parents[2] / "docs" / "guide" / "how_sure.md").read_text()
    claims = ("TIED", "UNEVEN", "SEPARATE", "GRADIENT", "NOT_ASKED", "COLUMNS", "FRAGILE")
    for name in (*claims, "NO_COLUMNS", "CLASSES", "DIFFERENCE"):
        claim = re.sub(r"{(.+?)}", lambda found: found[1].upper(), getattr(_answer, name))
        assert f"| {claim} |" in page


@pytest.mark.parametrize("n_rows", [6, 60])
def test_a_search_that_finds_nothing(n_rows):
    (line,) = lines(n_rows=n_rows)
    few = "No group was found: 6 rows are too few to tell one from chance."
    many = "No group was found in 60 rows and 20 columns: no rows share columns that others do not."
    assert line == (few if n_rows == 6 else many)
    with pytest.warns(NoBiclusterWarning):
        miner = SubgroupBiclustering().fit(np.random.default_rng(0).normal(size=(4, 5)))
    assert miner.summary().startswith("No group was found: 4 rows are too few")


def test_a_readable_network_tells_its_patterns_and_no_verdict():
    X, y, _, _ = make_subgroup(n_columns=120, as_frame=True, random_state=0)
    network = PatternClassifier(random_state=0).fit(X, y)
    (line,) = network.summary().splitlines()
    assert re.fullmatch(r"1\. 1\d columns \((g\d+, ){6}\.\.\.\); 100 % of the decision", line)
    tested = with_evidence(network, significance_test(network, X, y, random_state=0))
    evidence = tested.patterns_[0].evidence
    for one, words in (
        (evidence, "more often patient than chance gives (p = 0.001, corrected for all groups)"),
        (
            evidence._replace(family_p_value=0.4),
            "not tied to a class more than chance gives (p = 0.4, corrected)",
        ),
    ):
        assert tested.with_evidence([one]).summary() == f"{line}; {words}"
    numbers = evidence._replace(carriers=((0, 1, 50), (1, 40, 50)))
    assert "more often of class 1 than" in tested.with_evidence([numbers]).summary()
