"""The answer of `bicneuron find` has the same words in the terminal, on the page and in Python."""

import re

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron.persistence import load_model
from bicneuron.report import write_report
from bicneuron.tables import read_table

# Small tables and one kind of groups, because each is searched six times.
SMALL = ("--jobs", "1")
pytestmark = pytest.mark.usefixtures("few_groups")


TARGET = ("--target", "status")


def table_of(groups, *, n_rows=60, n_columns=24, classes=("case", "control"), seed=0):
    """Noise with groups of rows that are higher in some columns, and classes of equal size."""
    X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    frame = pd.DataFrame(np.round(X, 4), columns=[f"g{j}" for j in range(n_columns)])
    frame.index = pd.Index([f"S{i:02d}" for i in range(n_rows)], name="sample")
    return frame.assign(status=np.repeat(classes, n_rows // len(classes)))


ONE = [(range(12), range(6), 4.0)]
# A table, options, and words that only this way of searching says; others have tests of their own.
SITUATIONS = {
    "class-wide": (
        table_of([(range(28), range(6), 4.0)]),
        TARGET,
        "no separate group inside a class was shown.\nPart of this difference: ",
    ),
    # Groups of noise are lost without a fifth of the rows, so that there is nothing to test.
    "noise": (
        table_of([]),
        ("--drop", "status"),
        " of 60 rows have a score by a search without them; more are needed.\n1 more was seen, ",
    ),
    "no target": (table_of(ONE), ("--drop", "status"), "12 of 60 rows differ from the other rows"),
    "three classes": (
        table_of(ONE, classes=("a", "b", "c")),
        TARGET,
        "12 of 20 a, 0 of 20 b and 0 of 20 c differ from the other rows in ",
    ),
    "strata": (
        table_of(ONE).assign(batch=np.tile(["x", "y"], 30)),
        (*TARGET, "--strata", "batch"),
        "\nStrata were set aside.",
    ),
    "few patients": (
        # Three patients of nine: one in 84 orders, and too few for any column.
        table_of([(range(20), range(6), 4.0)], n_rows=60).assign(
            status=np.repeat(["case", "control"], [20, 40]),
            patient=np.repeat(np.arange(9), [7, 7, 6, 7, 7, 7, 7, 6, 6]),
        ),
        (*TARGET, "--groups", "patient"),
        ", where 0.012 is the smallest possible, corrected for all groups). But no column differs "
        "in rows that did not choose it; take it as a lead.",
    ),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_answer_is_the_same_in_terminal_page_and_python(run, tmp_path, situation):
    frame, options, expected = SITUATIONS[situation]
    table, groups = tmp_path / "table.csv", tmp_path / "groups.skops"
    frame.to_csv(table)
    printed = run("find", table, *SMALL, *options, "-o", groups).out
    told = load_model(groups)[-1].summary()
    assert expected in told
    assert f"{told}\n" in printed
    aside = [name for name in ("batch", "patient") if name in frame]
    target = "status" if "--target" in options else None
    dropped = aside if target else ["status"]
    read = read_table(table, target=target, drop=dropped)
    miner = load_model(groups)[-1].miner
    path = write_report(tmp_path / "page.html", miner, read.features, read.labels)
    text = path.read_text()
    answer = re.search(r'<div class="answer">(.*?)</div>', text, re.DOTALL)[1]
    assert Page(answer).text == " ".join(told.split())
