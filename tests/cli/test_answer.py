"""The answer of `bicneuron find` has the same words in the terminal, on the page and in Python."""

import re

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.persistence import load_model
from bicneuron.report import write_report
from bicneuron.tables import read_table

# Small tables and one kind of groups, because each is searched six times.
SMALL = ("--jobs", "1")


@pytest.fixture(autouse=True)
def few_groups(monkeypatch):
    """Search for a few groups of one kind."""
    monkeypatch.setattr(
        "bicneuron.significance._find_groups.SubgroupBiclustering",
        lambda **_: SubgroupBiclustering(kinds="shift", n_patterns=4),
    )


TARGET = ("--target", "status")


def table_of(groups, *, n_rows=60, n_columns=24, classes=("case", "control"), seed=0):
    """Noise with groups of rows that are higher in some columns, and classes of equal size."""
    X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    frame = pd.DataFrame(np.round(X, 4), columns=[f"g{j}" for j in range(n_columns)])
    frame.index = pd.Index([f"S{i:02d}" for i in range(n_rows)], name="sample")
    return frame.assign(status=np.repeat(classes, n_rows // len(classes)))


def with_gaps(frame):
    """One cell in ten is missing, and a row of the group has none of its columns."""
    gaps = np.random.default_rng(1).random((60, 24)) < 0.1
    gaps[3, :6] = True
    cells = frame.drop(columns="status").mask(gaps)
    return cells.assign(status=frame["status"])


ONE = [(range(12), range(6), 4.0)]
NAMES = r"\((?:g\d+(?:, )?)+(?:\.\.\.)? higher(?:; (?:g\d+|1) lower)?\)"
DIFFER = rf"differ from the other rows in \d+ of 24 columns {NAMES}"
TIED = r"more often \w+ than chance gives \(p = 0\.001, corrected for all groups\)"
OF_GROUPS = r"\(p = 0\.00\d+, corrected for the groups before it\)\."
SEPARATE = rf"\. They are a separate group {OF_GROUPS}"
GRADIENT = r"\. They may be the end of a gradient \(p = [\d.]+ of a separate group\)\."
WHOLE_CLASS = (
    r"\. Whether they are a separate group or the end of a gradient was not tested: they are "
    r"nearly a whole class\."
)
OTHER_SIDE = r"(?:\n1 more is the other side of (?:it|these)\.)?"
SEEN = rf"{OTHER_SIDE}\n\d more w(?:as|ere) seen, not clearer than chance or clearer groups give\."
CLASSES = r"\nThe classes differ in \d+ of 24 columns \(false discovery rate 5 %\)\."
SITUATIONS = {
    "one finding": (
        table_of(ONE),
        TARGET,
        rf"12 of 30 case and 0 of 30 control {DIFFER}: {TIED}{SEPARATE}{SEEN}{CLASSES}",
    ),
    "several": (
        table_of([*ONE, (range(30, 44), range(8, 15), -4.0)]),
        TARGET,
        r"2 groups are tied to the class:"
        rf"\n1\. 1\d of 30 \w+ and 0 of 30 \w+ differ .+: {TIED}{SEPARATE}"
        rf"\n2\. 1\d of 30 \w+ and 0 of 30 \w+ differ .+: {TIED}{SEPARATE}"
        rf"{SEEN}{CLASSES}",
    ),
    "class-wide": (
        table_of([(range(28), range(6), 4.0)]),
        TARGET,
        r"The classes differ in [67] of 24 columns \(false discovery rate 5 %\); no separate group "
        r"inside a class was shown\."
        rf"\nPart of this difference: 2[78] of 30 case and 0 of 30 control {DIFFER}: {TIED}"
        rf"{WHOLE_CLASS}{OTHER_SIDE}(?:{SEEN})?",
    ),
    "half of a class near the other half": (
        table_of([(range(15), range(6), 2.0)]),
        TARGET,
        rf"1\d of 30 case and \d of 30 control {DIFFER}: {TIED}{GRADIENT}{SEEN}{CLASSES}",
    ),
    "none": (
        table_of([]),
        TARGET,
        r"No group here is tied to a class more than chance gives\. The strongest: "
        r"\d+ of 30 \w+ and \d+ of 30 \w+ differ from the other rows in \d+ of 24 columns \(.+\); "
        rf"p = [\d.]+, corrected\.{SEEN}"
        r"\nThe classes differ in 0 of 24 columns \(false discovery rate 5 %\)\.",
    ),
    "no target": (
        table_of(ONE),
        ("--drop", "status"),
        rf"12 of 60 rows {DIFFER}: a separate group {OF_GROUPS}{OTHER_SIDE}"
        r"\n\d more w(?:as|ere) seen, not shown to be separate\.",
    ),
    "three classes": (
        table_of(ONE, classes=("a", "b", "c")),
        TARGET,
        rf"12 of 20 a, 0 of 20 b and 0 of 20 c {DIFFER}: spread over the classes more unevenly "
        rf"than chance gives \(p = 0\.001, corrected for all groups\){SEPARATE}{SEEN}{CLASSES}",
    ),
    "strata": (
        table_of(ONE).assign(batch=np.tile(["x", "y"], 30)),
        (*TARGET, "--strata", "batch"),
        rf"12 of 30 case and 0 of 30 control {DIFFER}: {TIED}{SEPARATE}{SEEN}{CLASSES}"
        r"\nStrata were set aside\.",
    ),
    "too few rows": (
        table_of(ONE).assign(patient=np.arange(60) // 15),
        (*TARGET, "--groups", "patient"),
        r"Too few rows to tell whether this is chance: 30 case and 30 control\. The strongest: "
        rf"12 of 30 case and 0 of 30 control {DIFFER}; p = [\d.]+, corrected\.{SEEN}{CLASSES}",
    ),
    "few patients": (
        # Three patients of nine: one in 84 orders, and too few for any column.
        table_of([(range(20), range(6), 4.0)], n_rows=60).assign(
            status=np.repeat(["case", "control"], [20, 40]),
            patient=np.repeat(np.arange(9), [7, 7, 6, 7, 7, 7, 7, 6, 6]),
        ),
        (*TARGET, "--groups", "patient"),
        r"20 of 20 case and 0 of 40 control share \d+ of 24 columns, none with evidence of its "
        r"own: more often case than chance gives \(p = 0\.012, the smallest possible here, "
        r"corrected for all groups\)\. But no column differs in rows that did not choose it; take "
        rf"it as a lead\.{SEEN}{CLASSES}",
    ),
    "missing cells": (
        with_gaps(table_of(ONE)),
        TARGET,
        rf"11 of 30 case and 0 of 30 control {DIFFER}: {TIED}{SEPARATE}{SEEN}{CLASSES}",
    ),
    "one finding and one group of both classes": (
        table_of([*ONE, ([*range(24, 36)], range(10, 16), 4.0)]),
        TARGET,
        rf"12 of 30 case and 0 of 30 control {DIFFER}: {TIED}{SEPARATE}{SEEN}{CLASSES}",
    ),
    "a group that is not tied to the class": (
        table_of([([*range(24, 36)], range(6), 4.0)]),
        TARGET,
        r"No group here is tied to a class more than chance gives\. The strongest: "
        rf"6 of 30 case and 6 of 30 control {DIFFER}; p = 1, corrected\.(?:{SEEN})?{CLASSES}",
    ),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_answer_is_the_same_in_terminal_page_and_python(run, tmp_path, situation):
    frame, options, expected = SITUATIONS[situation]
    table, groups = tmp_path / "table.csv", tmp_path / "groups.skops"
    frame.to_csv(table)
    printed = run("find", table, *SMALL, *options, "-o", groups).out
    told = load_model(groups)[-1].summary()
    assert re.fullmatch(expected, told), told
    assert f"{told}\n" in printed
    aside = [name for name in ("batch", "patient") if name in frame]
    target = "status" if "--target" in options else None
    dropped = aside if target else ["status"]
    read = read_table(table, target=target, drop=dropped, keep_missing=True)
    miner = load_model(groups)[-1].miner
    path = write_report(tmp_path / "page.html", miner, read.features, read.labels)
    text = path.read_text()
    answer = re.search(r'<div class="answer">(.*?)</div>', text, re.DOTALL)[1]
    assert Page(answer).text == " ".join(told.split())


# --- tables that give little, or much


def test_long_names_are_shortened_in_the_answer_and_whole_in_the_table(run, tmp_path):
    frame = table_of(ONE).rename(columns=lambda name: name if name == "status" else name * 170)
    frame["status"] = frame["status"].map(lambda label: label * 100)
    frame.to_csv(tmp_path / "table.csv")
    out = tmp_path / "page.html"
    first, *_ = run("find", tmp_path / "table.csv", *SMALL, *TARGET, "-o", out).out.splitlines()
    assert first.startswith("12 of 30 casecasecasecase...")
    assert max(len(word.strip("(,")) for word in first.split()) == 32
    page = Page(out.read_text())
    assert first in page.texts
    assert "g0" * 170 in page.texts


def test_a_target_of_one_class_is_refused(refused, tmp_path):
    table_of(ONE, classes=("case",)).to_csv(tmp_path / "table.csv")
    message = refused("find", tmp_path / "table.csv", *TARGET, "-o", tmp_path / "page.html")
    assert "target 'status' has one class, 'case', in all rows; two are needed" in message
    assert not (tmp_path / "page.html").exists()


def test_six_rows_have_an_answer(run, tmp_path):
    table_of([], n_rows=6).to_csv(tmp_path / "table.csv")
    out = tmp_path / "page.html"
    told = run("find", tmp_path / "table.csv", *SMALL, *TARGET, "-o", out).out
    first, _, wrote = told.splitlines()
    assert first == "No group was found: 6 rows are too few to tell one from chance."
    assert wrote == f"wrote {out}"
    assert "What to do: add rows or columns" in Page(out.read_text()).text


def test_noise_without_a_target_has_an_answer(run, tmp_path):
    table_of([]).to_csv(tmp_path / "table.csv")
    out = tmp_path / "page.html"
    options = [*SMALL, "--drop", "status", "-o", out]
    told, rest, _ = run("find", tmp_path / "table.csv", *options).out.splitlines()
    # The groups of noise are lost without a fifth of the rows, so that there is nothing to test.
    assert told.startswith("No group here was shown to be separate from the other rows. The stro")
    assert "; whether they are a separate group or the end of a gradient was not tested: " in told
    assert told.endswith(" of 60 rows have a score by a search without them; more are needed.")
    assert rest == "3 more were seen, not shown to be separate."
    page = Page(out.read_text())
    assert told in page.texts
    assert "What to do: look at the patterns below." in page.text
    assert "a separate group (p" not in page.text
