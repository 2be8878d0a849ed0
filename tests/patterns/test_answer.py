"""The words of the answer, from patterns and their evidence."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.datasets import make_subgroup
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Evidence, Pattern, is_other_side, proven_patterns
from bicneuron.patterns._answer import Answer
from bicneuron.significance import significance_test, with_evidence

COUNTS = (("case", 15, 50), ("control", 0, 50))
PROVEN = Evidence("blind", COUNTS, 0.001, 0.001, 999, smallest_p=0.001)
NAMES = [f"g{j}" for j in range(20)]


def pattern(columns=(2, 5, 7), weights=(0.5, -0.9, 0.7), rows=range(15), **values):
    return Pattern(
        np.array([*rows]), np.array(columns), weights=np.array(weights), kind="shift", **values
    )


def lines(*patterns, n_rows=100, **options):
    return Answer(patterns, NAMES, n_rows, **options).lines


def test_columns_are_named_by_direction_the_most_telling_first():
    assert lines(pattern(evidence=PROVEN)) == [
        "15 of 50 case and 0 of 50 control share 3 of 20 columns (g5 lower; g7, g2 higher). This "
        "is not chance (p = 0.001, corrected)."
    ]


def test_more_columns_than_are_named_are_hinted_at():
    many = pattern(range(10), np.linspace(0.9, 0.1, 10), evidence=PROVEN)
    assert "10 of 20 columns (g0, g1, g2, g3, g4, g5, ... higher)" in lines(many)[0]
    alike = replace(many, kind="coexpressed", weights=-np.linspace(0.9, 0.1, 10))
    assert "(g0, g1, g2, g3, g4, g5, ... opposite)" in lines(alike)[0]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (((0, 1, 40), (1, 15, 50)), "15 of 50 of class 1 and 1 of 40 of class 0"),
        ((("a", 3, 10), ("b", 5, 10), ("c", 0, 10)), "5 of 10 b, 3 of 10 a and 0 of 10 c"),
        (((None, 1500, 20000),), "1,500 of 20,000 rows"),
        (
            tuple((name, 10 - k, 10) for k, name in enumerate("abcdef")),
            "10 of 10 a, 9 of 10 b, 8 of 10 c, 7 of 10 d and 11 of 20 others",
        ),
        ((("case", 48, 50), ("control", 1, 50)), "48 of 50 case (nearly all) and 1 of 50 control"),
        ((("case", 48, 50), ("control", 25, 50)), "48 of 50 case and 25 of 50 control"),
        ((("c" * 500, 15, 50),), f"15 of 50 {'c' * 16}...{'c' * 13}"),
    ],
)
def test_classes_are_counted_the_largest_share_first(counts, words):
    told = lines(pattern(evidence=PROVEN._replace(carriers=counts)))
    assert told[0].startswith(f"{words} share 3 of 20 columns")


def test_names_of_several_lines_do_not_break_the_answer():
    names = ["a\nb", "c\x85d", "e\u2028f", *NAMES[3:]]
    found = pattern((0, 1, 2), (0.9, 0.8, 0.7), evidence=PROVEN)
    (line,) = Answer([found], names, 100).lines
    assert "(a b, c d, e f higher)" in line
    assert len(line.splitlines()) == 1


def test_how_often_it_was_found_again_belongs_to_the_answer():
    found = pattern(evidence=PROVEN._replace(found=96, n_subsamples=100))
    assert lines(found)[0].endswith(
        "corrected). It was found again in 96 of 100 parts of the table."
    )


def test_both_ps_are_told_where_both_are_known():
    both = PROVEN._replace(group_p_value=0.05, smallest_group_p=0.05)
    assert lines(pattern(evidence=both))[0].endswith(
        "(p = 0.001, corrected; as a group p = 0.05, the smallest possible here)."
    )


def test_a_p_below_the_smallest_of_other_patterns_is_not_limited_by_it():
    exact = PROVEN._replace(family_p_value=0.002, smallest_p=0.05)
    assert lines(pattern(evidence=exact))[0].endswith("This is not chance (p = 0.002, corrected).")


def test_the_clearest_columns_are_named_whatever_their_direction():
    ten = pattern(range(10), (*np.linspace(0.9, 0.1, 9), -0.05), evidence=PROVEN)
    assert "(g0, g1, g2, g3, g4, g5, ... higher; 1 lower)" in lines(ten)[0]
    both = pattern(range(10), (0.9, -0.8, *np.linspace(0.7, 0.1, 8)), evidence=PROVEN)
    assert "(g0, g2, g3, g4, g5, ... higher; g1 lower)" in lines(both)[0]
    eight = pattern(range(8), np.linspace(0.9, 0.1, 8), evidence=PROVEN)
    assert "(g0, g1, g2, g3, g4, g5, g6, g7 higher)" in lines(eight)[0]


def test_of_groups_that_are_tied_to_no_class_the_strongest_is_told():
    weak = PROVEN._replace(family_p_value=0.6, method="blind")
    strong = pattern(evidence=weak._replace(family_p_value=1.0), strength=58.0)
    told = lines(pattern((7, 8), (0.9, 0.8), evidence=weak, strength=-5.0), strong)
    assert told[0].startswith("No pattern here is tied to a class")
    assert "The strongest: " in told[0]
    assert "share 3 of 20 columns" in told[0]


def test_of_many_findings_the_first_are_described():
    findings = [
        pattern((k, k + 7), (0.9, 0.8), range(10 * k, 10 * k + 9), evidence=PROVEN)
        for k in range(7)
    ]
    weak = pattern((18, 19), (0.3, 0.2), evidence=PROVEN._replace(family_p_value=0.2))
    told = lines(weak, *findings, set_aside=["strata", "covariates"])
    assert told[0] == "7 patterns are not chance:"
    assert [line[0] for line in told[1:6]] == [*"23456"], "numbered as in the model"
    assert told[6:] == [
        "And 2 more that are not chance.",
        "1 more was seen, not proven.",
        "Strata and covariates were set aside.",
    ]


def test_the_other_side_of_a_split():
    first = pattern(evidence=PROVEN)
    other = pattern(weights=(-0.4, 0.8, -0.6), rows=range(20, 80), evidence=PROVEN)
    assert is_other_side(other, first)
    assert not is_other_side(pattern(weights=(-0.4, 0.8, -0.6)), first), "the same rows"
    assert not is_other_side(pattern(rows=range(20, 80)), first), "the same direction"
    apart = pattern((10, 11, 12), rows=range(20, 80), evidence=PROVEN)
    assert not is_other_side(apart, first), "other columns"
    assert proven_patterns([first, other, apart]) == [first, apart]
    assert lines(first, other)[1:] == ["1 more is the other side of it."]
    assert lines(first, other, apart)[-1] == "1 more is the other side of these."


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
    network = BicNeuronNetwork(design="readable", random_state=0).fit(X, y)
    (line,) = network.summary().splitlines()
    assert re.fullmatch(r"1\. 1\d columns \((g\d+, ){6}\.\.\.\); 100 % of the decision", line)
    tested = with_evidence(network, significance_test(network, X, y, random_state=0))
    p = "(p = 0.001, corrected for all groups)"
    assert tested.summary() == f"{line}; more often patient than chance gives {p}"
    (pattern,) = tested.patterns_
    as_chance = pattern.evidence._replace(family_p_value=0.4)
    told = tested.with_evidence([as_chance]).summary()
    p = "(p = 0.4, corrected for all groups)"
    assert told == f"{line}; as often of each class as chance may give {p}"
    numbers = pattern.evidence._replace(carriers=((0, 1, 50), (1, 40, 50)))
    assert "more often of class 1 than" in tested.with_evidence([numbers]).summary()
