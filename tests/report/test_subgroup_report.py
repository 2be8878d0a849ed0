"""The page about groups: its content and its parts."""

import json
import re
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from page_numbers import PageTexts, number, rounded, signed, table_of
from pages import Page, assert_self_contained

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.patterns import Evidence
from bicneuron.report import pattern_lists, pattern_records, write_report
from bicneuron.report._subgroups import MOST_COLUMNS
from bicneuron.significance import column_evidence
from bicneuron.significance._find_groups import judged_groups

NASTY = "<img src=x onerror=alert(1)>"
ABOUT = {"table": NASTY, "target": "diagnosis"}
NOT_TIED = "not tied to a class more than chance or clearer groups would give"


@cache
def fitted(labelled=True):
    """A table with one group and names that look like HTML."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    X[:10, :50] += 3
    frame = pd.DataFrame(X, columns=[NASTY, *(f"gene {j}" for j in range(1, 80))])
    frame.index = [NASTY, *(f"P{i}" for i in range(1, 60))]
    y = np.repeat([NASTY, "control"], 30) if labelled else None
    return SubgroupBiclustering(kinds="shift", n_patterns=3).fit(frame, y), frame, y


@cache
def page_text():
    """Written once for tests that look at it; pictures take time."""
    with TemporaryDirectory() as folder:
        path = write_report(Path(folder) / "page.html", *fitted(), about=ABOUT)
        return path.read_text()


def page_of(folder, *given, **options):
    return Page(write_report(folder / "page.html", *given, **options).read_text())


def sections_of(page):
    return [attributes["aria-labelledby"] for attributes in page.all("section")]


def test_the_page_begins_with_the_answer_and_tells_of_each_group():
    miner, _, _ = fitted()
    page = Page(page_text())
    texts = [text for text in page.texts if text]
    place = texts.index("Which rows share which columns?")
    assert texts[place - 1] == f"{NASTY}: 60 rows, 80 columns, classes of diagnosis"
    lines = miner.summary().splitlines()
    assert texts[place + 1 : place + 1 + len(lines)] == lines
    headings = [f"Pattern {k}" for k in range(1, len(miner.patterns_) + 1)]
    assert all(any(text.startswith(heading) for text in page.texts) for heading in headings)
    n_more = len(miner.patterns_[0].columns) - 30
    assert f"{n_more} more columns are not shown" in page.text
    assert len(page.all("svg")) == len(miner.patterns_)
    # The others, each of them, and the settings.
    assert len(page.all("details")) == 1 + (len(miner.patterns_) - 1) + 1


def test_the_page_is_self_contained_and_always_the_same(tmp_path):
    again = write_report(tmp_path / "page.html", *fitted(), about=ABOUT)
    assert again.read_text() == page_text()
    assert_self_contained(page_text())
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', page_text())[1])
    assert data["lists"] == pattern_lists(*fitted()).files


def test_every_group_has_the_figures_of_its_columns_and_carriers(tmp_path):
    _, X, y = fitted()
    miner = SubgroupBiclustering(n_patterns=3, kinds="shift").fit(X)
    found = judged_groups(miner, X, y, random_state=0)
    path, columns = tmp_path / "page.html", found.columns
    assert [one.number for one in columns] == [1]
    page = PageTexts(write_report(path, found.miner, X, y, columns=columns).read_text())
    scores = pd.DataFrame(found.miner.pattern_scores(X), index=X.index)
    for k, pattern in enumerate(found.patterns, start=1):
        inside, (_, lines) = scores[k - 1] > 0, table_of(page, f"Columns of pattern {k}")
        weights = dict(zip(X.columns[pattern.columns], pattern.weights, strict=True))
        assert len(lines) == min(len(weights), MOST_COLUMNS)
        sides = [X[own].mean() for own in (inside, ~inside, y == NASTY, y == "control")]
        for name, *cells in lines:
            tests, means, weight = cells[:-6], cells[-5:-1], cells[-1]
            assert means == [number(side[name]) for side in sides]
            assert weight == signed(weights[name])
            if k > 1:
                assert tests == []
                continue
            (one,), place = columns, X.columns.get_loc(name)
            interval = f"({signed(one.low[place])} to {signed(one.high[place])})"
            assert tests == [
                signed(one.difference[place]),
                rounded(one.p_corrected[place]),
                f"{signed(one.effect[place])} {interval}",
            ]
        words = " ".join(text.words for text in page.texts if text.part == f"pattern-{k}")
        ordered = scores[k - 1][inside].sort_values(ascending=False, kind="stable")
        listed = ", ".join(f"{name} ({number(score)})" for name, score in ordered.items())
        assert f"The {inside.sum()} carriers, with their membership scores: {listed}" in words
        assert f"p = {rounded(pattern.evidence.family_p_value)} corrected" in words
    seen = [line[1:4] for line in table_of(page, "Other groups seen")[1]]
    parents = [record["parent"] for record in pattern_records(found.miner, X, y)]
    assert seen == [
        [str(len(one.columns)), "shift", "" if parent is None else str(parent)]
        for one, parent in zip(found.patterns[1:], parents[1:], strict=True)
    ]
    proven, own = columns[0].is_proven, columns[0].pattern.columns
    assert (
        f"{proven[own].sum()} of {len(own)} columns have evidence of their own, and "
        f"{proven.sum() - proven[own].sum()} more of the table (false discovery rate 5% over 80 "
    ) in " ".join(text.words for text in page.texts if text.part == "pattern-1")


FOUND = {"proven_columns": (0, 1), "n_found": 5, "n_folds": 5}


def carrying(p_values, smallest_p=0.001, **about):
    """A miner whose groups say how sure they are, with its table.

    Those with p up to 0.05 are findings, unless ``about`` says otherwise.
    """
    miner, X, _ = fitted(labelled=False)
    miner = copy(miner)
    miner.patterns_ = [
        replace(
            group,
            evidence=Evidence(
                carriers=((NASTY, 9, 30), ("control", 1, 30)),
                p_value=p,
                family_p_value=p,
                smallest_p=smallest_p,
                **{**(FOUND if p is not None and p <= 0.05 else {}), **about},
            ),
        )
        for group, p in zip(miner.patterns_, p_values, strict=False)
    ]
    return miner, X


@pytest.mark.parametrize(
    ("p_values", "about"),
    [([0.01, 0.06, 0.05], {}), ([0.4], {"smallest_p": 0.2})],
)
def test_findings_are_shown_and_what_is_not_proven_is_folded(p_values, about, tmp_path):
    miner, X = carrying(p_values, **about)
    text = write_report(tmp_path / "page.html", miner, X).read_text()
    page = Page(text)
    texts = [text for text in page.texts if text]
    first, *_ = miner.summary().splitlines()
    assert texts[texts.index("Which rows share which columns?") + 1] == first
    findings = [k for k, p in enumerate(p_values, start=1) if p <= 0.05]
    sections = sections_of(page)
    seen = ["seen"] if len(findings) < len(p_values) else []
    assert sections == [*(f"pattern-{k}" for k in findings), *seen, "methods"]
    assert ("Other groups seen" in page.texts) == bool(seen)
    folded = text.partition("Other groups seen</h2>")[2]
    for k, p in enumerate(p_values, start=1):
        assert (f'<summary id="pattern-{k}"' in folded) == (p > 0.05)
        again = "; found again in 5 of 5 folds" if p <= 0.05 else ""
        assert f"; p = {p:.2g} corrected for all patterns{again}: " in page.text
    words = "not tied to a class more than chance or clearer groups would give."
    if about.get("smallest_p", 0.0) > 0.05:
        words = "too few rows to tell whether it is tied to a class."
    assert page.text.count(words) == len(p_values) - len(findings)
    assert "strength" not in page.text.lower()
    assert "Found again" not in page.text


def test_the_other_side_of_a_finding_is_no_second_one(tmp_path):
    miner, X = carrying([0.01, 0.02])
    first, second = miner.patterns_
    assert {*first.columns} & {*second.columns}
    page = page_of(tmp_path, miner, X)
    assert sections_of(page) == ["pattern-1", "seen", "methods"]
    assert "the other side of pattern 1" in page.texts
    line, other = miner.summary().splitlines()
    assert "take it as a lead" not in line
    assert other == "1 more is the other side of it."


@pytest.mark.parametrize(
    ("separate", "of_class", "words"),
    [
        (0.05, 0.01, "tied to the class; a separate group"),
        (0.7, 0.6, f"{NOT_TIED}; no separate group was shown"),
        (0.05, None, "a separate group"),
        (0.7, None, "no separate group was shown"),
        (None, 0.6, NOT_TIED),
    ],
)
def test_the_page_answers_two_questions_apart(separate, of_class, words, tmp_path):
    miner, X = carrying([of_class], separate_p=separate, **FOUND)
    page = page_of(tmp_path, miner, X)
    assert f": {words}." in page.text
    assert ("Is it a separate group, or the end of a gradient?" in page.text) == (
        separate is not None
    )
    within = "less the median of its class" in page.text
    assert within == (separate is not None and of_class is not None)
    assert ("Is it tied to the class?" in page.text) == (of_class is not None)
    # Where there are classes, they decide.
    is_finding = (separate if of_class is None else of_class) <= 0.05
    assert ("Other groups seen" in page.texts) == (not is_finding)
    assert page.all("section")[0]["aria-labelledby"] == ("pattern-1" if is_finding else "seen")
    assert pattern_records(miner, X)[0]["finding"] == is_finding


@pytest.mark.parametrize(
    ("evidence", "heading", "reason"),
    [
        (
            {"of_class": 0.01, "n_found": 2},
            "Tied to the class, not a finding",
            "fragile: leaving out a part of the rows loses it",
        ),
        (
            {"of_class": None, "separate_p": 0.05, "proven_columns": ()},
            "Separate groups, not findings",
            "no column has evidence of its own",
        ),
    ],
)
def test_a_lead_is_told_apart_from_findings(evidence, heading, reason, tmp_path):
    about = {**FOUND, **evidence}
    miner, X = carrying([about.pop("of_class")], **about)
    text = write_report(tmp_path / "page.html", miner, X).read_text()
    page = Page(text)
    assert sections_of(page) == ["leads", "methods"]
    assert heading in page.texts
    assert page.all("details")[0] == {"open": None}, "there is nothing else to look at"
    assert "take it as a lead." in page.text
    assert page.text.count(reason) == 2, "in the list, and where the group is described"
    assert "The clearest columns" not in text


def test_why_groups_were_not_tested_as_separate_is_on_the_page(tmp_path):
    reason = "29 rows with a score are too few to say; 30 are needed"
    page = page_of(tmp_path, *carrying([0.01], separate_reason=reason))
    assert f"; not tested as a separate group: {reason}; found again in 5 of 5 folds" in page.text
    assert "Is it a separate group" not in page.text, "no p is shown"


def test_evidence_of_columns_is_shown_and_what_is_not_proven_is_grey(tmp_path):
    miner, X = carrying([0.01])
    names = pattern_records(miner, X)[0]["columns"]
    (evidence,) = column_evidence(miner, X, patterns=[0], n_folds=3, random_state=0)
    *weak, first, second = miner.patterns_[0].ranked_columns  # by weight
    for values, value in ((evidence.p_values, 0.2), (evidence.p_corrected, 0.3)):
        values[weak] = value
    path = tmp_path / "page.html"
    text = write_report(path, miner, X, columns=[evidence]).read_text()
    page = Page(text)
    # Beside the answer, and in the table of the finding.
    assert text.count('<tr class="chance">') == 6 - 2 + MOST_COLUMNS - 2
    table = page.text.index("Difference")
    places = [page.text.index(evidence.names[k], table) for k in (first, second)]
    assert max(places) < page.text.index(names[2], table), "what is proven comes first"


def test_classes_that_are_numbers_are_named_by_their_target(tmp_path):
    _, X, y = fitted()
    y = (y == y[0]).astype(int)
    blind = SubgroupBiclustering(n_patterns=1).fit(X)
    path = write_report(tmp_path / "page.html", blind, X, y, about={"target": "arrest"})
    inside = blind.carriers(X)[:, 0]
    counts = [f"{inside[y == k].sum() or 'none'} of {np.sum(y == k)}" for k in (1, 0)]
    heading = Page(path.read_text()).text
    assert any(f"arrest = {k}: {counts[1 - k]};" in heading for k in (1, 0))
    assert all(f"arrest = {k}: {counts[1 - k]}" in heading for k in (1, 0))


def test_what_cannot_be_written(tmp_path):
    miner, X, y = fitted()
    biclusters = CoherentBiclustering(cut_distance=1.0, max_residue=1.0).fit(X)
    for model, table, labels, error, message in (
        (biclusters, X, None, TypeError, "model is a CoherentBiclustering, whose patterns are no"),
        (miner, X[::-1], y, ValueError, "its rows are in another order; give the X of fit"),
        (SubgroupBiclustering(), X, None, ValueError, "not fitted yet"),
    ):
        with pytest.raises(error, match=message):
            write_report(tmp_path / "new.html", model, table, labels)
