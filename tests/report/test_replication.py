"""The page and the records of a replication."""

import csv
import io
import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from page_numbers import PageTexts, number, rounded, table_of
from pages import Page, assert_self_contained

from bicneuron import Findings, SubgroupBiclustering
from bicneuron.outcomes import Numbers, Survival
from bicneuron.replication import replicate
from bicneuron.report import pattern_records, write_report

NASTY = "<img src=x onerror=alert(1)>"
ABOUT = {
    "table": NASTY, "training_table": "first.csv", "target": NASTY, "time": "months",
    "event": "died", "strata": ["batch"], "groups": "patient",
}  # fmt: skip


def table(seed, n_rows=60):
    X = np.random.default_rng(seed).normal(size=(n_rows, 150))
    X[: n_rows // 5, :12] += 3 * np.where(np.arange(12) < 7, 1, -1)
    frame = pd.DataFrame(X, columns=[NASTY, *(f"g{j}" for j in range(1, 150))])
    frame.index = [NASTY, *(f"{'AB'[seed]}{i}" for i in range(1, n_rows))]
    return frame


FIRST, SECOND = table(0), table(1, 80)
LABELS = np.array([NASTY, *["case"] * 39, None, *["control"] * 39], dtype=object)
TIME = np.round(np.random.default_rng(0).exponential(np.where(np.arange(80) < 16, 5, 8)), 2)
EVENT = np.ones(80)


@cache
def replicated():
    y = np.repeat(["a", "b"], 30)
    miner = SubgroupBiclustering(n_patterns=2, kinds="shift").fit(FIRST, y)
    miner = Findings.untested(miner, FIRST, y)
    here = SECOND.drop(columns=["g3", "g5"])
    return replicate(miner, here, LABELS, n_draws=99, random_state=0)


@cache
def one_group():
    miner = SubgroupBiclustering(n_patterns=1, kinds="shift").fit(FIRST)
    return Findings.untested(miner, FIRST)


@cache
def page_text():
    """Written once for tests that look at it; pictures take time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write_report(path, replicated(), SECOND, LABELS, about=ABOUT)
        return path.read_text()


def test_a_record_has_what_the_replication_has_by_name():
    records = pattern_records(replicated(), SECOND, LABELS)
    assert len(records) == len(replicated().patterns) == 2
    for record, one in zip(records, replicated().patterns, strict=True):
        assert json.loads(json.dumps(record)) == record, "plain data"
        found = one.found
        assert (record["number"], record["verdict"], record["words"]) == (
            one.number, one.verdict, one.words,
        )  # fmt: skip
        for key in ("p_together", "p_tied", "p_found", "p_tied_labels_only"):
            assert record[key] == getattr(one, key)
        for key in ("together", "tied", "separate"):
            assert record[f"p_{key}_corrected"] == getattr(one.corrected, key)
        assert record["p_separate"] == one.separate.p_value
        assert record["separate"] == one.separate_words
        for key in ("share_there", "share_here", "gap_there", "gap_here", "weight_present"):
            assert record[key] == getattr(found, key)
        assert set(record["members"]) == set(SECOND.index[found.members])
        assert record["member_scores"] == sorted(record["member_scores"], reverse=True)
        assert min(record["member_scores"]) > 0
        assert record["scores"] == found.scores.tolist()
        assert record["n_members"] == len(record["members"])
        names = {*record["columns_present"], *record["columns_absent"]}
        assert names == {FIRST.columns[j] for j in found.pattern.columns}
        assert record["n_columns_present"] == len(record["columns_present"])
        by_name = dict(zip(found.present, found.effects_here, strict=True))
        assert_allclose(record["effects_here"], [by_name[n] for n in record["columns_present"]])
        sizes = np.abs(record["effects_there"])
        assert sizes.tolist() == sorted(sizes, reverse=True)
    first = records[0]
    assert (first["verdict"], first["columns_absent"]) == ("found again", ["g3", "g5"])
    assert first["carriers_there"] == "12 of 30 a"
    assert first["separate"].startswith("a separate group here (p = ")
    assert first["members_of_classes"] == {
        NASTY: "1 of 1",
        "case": "15 of 39",
        "control": "0 of 39",
    }


def test_records_without_names_and_of_what_cannot_be_tested():
    first = pattern_records(replicated())[0]
    assert sorted(first["members"]) == list(range(16))
    assert first["members_of_classes"] is None
    (few,) = pattern_records(replicate(one_group(), SECOND.iloc[:12], n_draws=9), SECOND.iloc[:12])
    assert few["reason"] == "there are 12 rows, too few for tests; 20 are needed"
    assert (few["n_members"], few["members"], few["p_found"]) == (None, [], None)
    assert (few["p_separate"], few["separate"]) == (None, None)
    assert len(few["scores"]) == 12
    without = SECOND.drop(columns=FIRST.columns[:12])
    (none,) = pattern_records(replicate(one_group(), without, n_draws=9), without)
    assert none["scores"] == [None] * 80


def test_another_table_is_refused():
    with pytest.raises(ValueError, match="X2 has 60 rows and the replication 80"):
        pattern_records(replicated(), FIRST)
    with pytest.raises(ValueError, match="y2 has 3 rows and the replication 80"):
        pattern_records(replicated(), SECOND, ["a", "b", "c"])
    with pytest.raises(ValueError, match="y2 has 3 rows and the replication 80"):
        pattern_records(replicated(), SECOND, Numbers([1.0, 2.0, 3.0]))


def test_a_page_of_survival_has_its_words_and_curves(tmp_path):
    survival = Survival(TIME, EVENT, name=NASTY)
    found = replicate(one_group(), SECOND, survival, n_draws=99, random_state=0)
    path = write_report(tmp_path / "page.html", found, SECOND, survival, about={"event": "died"})
    page = Page(path.read_text())
    (one,) = found.patterns
    assert one.effect.words in page.text
    assert len(page.all("svg")) == 3
    lines = {
        line[0]: line[1:3]
        for line in table_of(PageTexts(path.read_text()), "Tests of pattern 1")[1]
    }
    p = [rounded(one.p_tied), rounded(one.corrected.tied)]
    assert lines[f"Is it tied to {NASTY} (died)?"] == p
    (record,) = pattern_records(found, SECOND, survival)
    assert (record["effect"], record["members_of_classes"]) == (one.effect.words, None)


def test_the_first_screen_has_the_sentence_and_a_line_for_each_pattern():
    page = Page(page_text())
    found = replicated()
    (heading,) = re.findall("<h1>(.*?)</h1>", page_text())
    assert heading == found.words
    top = page.text[: page.text.index("All patterns")]
    for one in found.patterns:
        name = one.name.capitalize()
        assert f"{name} ({one.carried_there} there): {one.verdict} , {one.figures}" in top
    assert f"Patterns of first.csv, looked for in a second cohort, {NASTY}" in top


def test_tables_have_the_figures_of_each_pattern():
    page = PageTexts(page_text())
    questions = {
        "Do its columns move together, as there?": ("p_together", "together"),
        f"Is it tied to the class ({NASTY})?": ("p_tied", "tied"),
    }
    for k, one in enumerate(replicated().patterns, start=1):
        found = one.found
        line = table_of(page, "All patterns")[1][k - 1]
        assert line == [
            *(f"{k}: {one.carried_there} there", one.verdict, rounded(one.p_found)),
            *(one.separate_words, f"{found.members.sum()} of 80"),
            *(f"{found.gap_here:.1f}", f"{found.gap_there:.1f}"),
            rounded(one.p_tied),
            f"{len(found.present)} of {len(found.pattern.columns)}",
        ]
        lines = {line[0]: line[1:3] for line in table_of(page, f"Tests of pattern {k}")[1]}
        for question, (p, corrected) in questions.items():
            told = [rounded(getattr(one, p)), rounded(getattr(one.corrected, corrected))]
            assert lines[question] == told
        separate = [rounded(one.separate.p_value), rounded(one.corrected.separate)]
        assert lines["Is it a separate group here?"] == separate
        assert lines["Is it found again?"] == ["", rounded(one.p_found)]
        words = " ".join(text.words for text in page.texts if text.part == f"pattern-{k}")
        ordered = np.argsort(-found.scores, kind="stable")[: found.members.sum()]
        members = ", ".join(f"{SECOND.index[i]} ({number(found.scores[i])})" for i in ordered)
        assert f"With their scores: {members}" in words
        assert f"with {100 * found.weight_present:.0f} % of its weight. Absent: " in words
        assert f"alone, p of the class would be {rounded(one.p_tied_labels_only)}." in words


def test_each_pattern_has_its_plots_and_says_how_it_was_tested():
    page = Page(page_text())
    assert len(page.all("svg")) == 2 * len(replicated().patterns)
    for words in (
        "the larger p of the first answer and of the second",
        "Scores and labels were compared within batch only",
        "Rows of one patient were exchanged together",
    ):
        assert words in page.text


def test_lists_can_be_saved():
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', page_text())[1])
    lists = {name: [*csv.DictReader(io.StringIO(text))] for name, text in data["lists"].items()}
    assert [*lists] == ["scores.csv", "columns.csv"]
    found = replicated().patterns[0].found
    scores = [float(line["pattern 1"]) for line in lists["scores.csv"]]
    assert_allclose(scores, found.scores, atol=1e-4)
    assert [line["row"] for line in lists["scores.csv"]] == SECOND.index.tolist()
    of_first = {x["column"]: x for x in lists["columns.csv"] if x["pattern"] == "1"}
    assert {name for name, line in of_first.items() if line["is_here"] == "no"} == {"g3", "g5"}
    assert_allclose(
        [float(of_first[name]["effect_here"]) for name in found.present], found.effects_here
    )


def test_the_page_is_self_contained_and_always_the_same(tmp_path):
    path = tmp_path / "page.html"
    write_report(path, replicated(), SECOND, LABELS, about=ABOUT)
    assert path.read_text() == page_text()
    assert_self_contained(page_text())


def test_a_page_of_few_rows_shows_their_scores(tmp_path):
    result = replicate(one_group(), SECOND.iloc[:12], n_draws=9)
    page = Page(write_report(tmp_path / "p.html", result, SECOND.iloc[:12]).read_text())
    assert "0 of 1 group are found again (1 cannot be tested)" in page.text
    assert page.all("svg") == []
    assert "there are too few rows for a cut" in page.text
    assert "B7 (" in page.text


def test_a_page_says_what_could_not_be_answered(tmp_path):
    """20 rows for a third answer, and too few draws for the other."""
    given = {"groups": np.arange(80) // 4, "n_draws": 19, "random_state": 0}
    result = replicate(one_group(), SECOND, **given)
    page = Page(write_report(tmp_path / "p.html", result).read_text())
    assert "not tested: 20 rows with a score are too few to say; 30 are needed" in page.text
    assert all(f"{line.capitalize()}." in page.text for line in result.draws_needed)
    assert "Is it tied to" not in page.text
    assert "the first answer" in page.text
