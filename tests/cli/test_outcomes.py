"""Groups tied to numbers and survival, as a user asks for them."""

import json

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron import find_groups
from bicneuron.outcomes import Numbers, Survival
from bicneuron.persistence import load_model

RNG = np.random.default_rng(3)
MEMBERS = np.arange(60) < 14
TABLE = pd.DataFrame(RNG.normal(size=(60, 40)).round(4), columns=[f"g{k}" for k in range(40)])
TABLE.iloc[:14, :10] += 3.0
MONTHS = np.round(RNG.exponential(np.where(MEMBERS, 5, 30)), 1)
OUTCOMES = TABLE.assign(
    dose=np.round(RNG.normal(5, 0.5, 60) + MEMBERS, 2),
    months=MONTHS,
    died=np.where(RNG.random(60) < 0.8, "yes", "no"),
    year=2000 + np.arange(60) % 12,
    grade=1 + np.arange(60) % 3,
)
OTHERS = {"dose", "months", "died", "year", "grade"}


@pytest.fixture
def asked(tmp_path):
    """The command of a table, in which all columns of outcomes but those named are left out."""

    def words(*options, frame=OUTCOMES):
        path = tmp_path / "table.csv"
        frame.to_csv(path, index_label="id")
        drop = ",".join(sorted(OTHERS.difference(options) & {*frame.columns}))
        return ["find", path, *options, "--drop", drop]

    return words


def test_numbers_from_the_file_to_page_lists_and_model(answer_of, asked, tmp_path):
    frame = OUTCOMES.assign(dose=OUTCOMES["dose"].mask(OUTCOMES.index == 40))
    outputs = [tmp_path / name for name in ("g.html", "g.json", "g.skops", "g.columns.csv")]
    answer = answer_of(
        *asked("--target", "dose", frame=frame), *(word for one in outputs for word in ("-o", one))
    )
    expected = find_groups(TABLE, Numbers(frame["dose"], "dose"), random_state=0)
    assert answer["answer"] == expected.summary()
    effect = expected.patterns[0].evidence.effect
    assert f"{effect.medians} ({effect.size_words}; p = 0.00" in answer["answer"]
    assert "Not tested: dose is not known in 1 row." in answer["answer"]
    assert any("'dose' (" in note and "taken as numbers" in note for note in answer["notes"])
    page = Page(outputs[0].read_text())
    assert "60 rows, 40 columns, numbers: dose" in page.text
    assert effect.size_words in page.text
    (record, *_) = json.loads(outputs[1].read_text())["patterns"]
    assert record["effect"] == effect.words
    loaded = load_model(outputs[2])[-1]
    assert loaded.patterns[0].evidence.effect == effect
    assert loaded.summary() == expected.summary()
    assert pd.read_csv(outputs[3])["column"].str.startswith("g").all()


def test_survival_from_the_file_to_the_page(answer_of, asked, tmp_path):
    words = asked("--time", "months", "--event", "died")
    answer = answer_of(*words, "-o", tmp_path / "g.html", "-o", tmp_path / "g.skops")
    survival = Survival(MONTHS, OUTCOMES["died"] == "yes", name="months", event_name="died")
    expected = find_groups(TABLE, survival, random_state=0)
    assert answer["answer"] == expected.summary()
    assert "median months " in answer["answer"]
    page = Page((tmp_path / "g.html").read_text())
    assert "survival: months" in page.text
    assert "members at risk" in page.text
    again = ["replicate", tmp_path / "g.skops", words[1], "--time", "months", "--event", "died"]
    found = answer_of(*again, "-o", tmp_path / "r.json")
    assert "median months " in found["words"] + found["patterns"][0]["words"]


@pytest.mark.parametrize(
    ("options", "kind", "note"),
    [
        (["--target", "grade"], "classes", "as numbers: --read numbers=grade"),
        (["--target", "grade", "--read", "numbers=grade"], "numbers", None),
        (["--target", "year"], "numbers", "as classes: --read classes=year"),
        (["--target", "year", "--read", "classes=year"], "classes", None),
    ],
)
def test_what_a_numeric_target_is_taken_as_is_said(answer_of, asked, tmp_path, options, kind, note):
    answer = answer_of(*asked(*options), "-o", tmp_path / "g.json")
    told = [one for one in answer["notes"] if "taken as" in one and "target" in one]
    assert [note in one for one in told] == [True] * (note is not None)
    assert ("class" in answer["answer"]) == (kind == "classes")


def test_words_of_events_are_read(answer_of, asked, tmp_path):
    words = OUTCOMES.assign(died=OUTCOMES["died"].map({"yes": "1:DECEASED", "no": "0:LIVING"}))
    options = ["--time", "months", "--event", "died"]
    answers = [
        answer_of(*asked(*options, frame=frame), "-o", tmp_path / "g.json", "--force")["answer"]
        for frame in (OUTCOMES, words)
    ]
    assert answers[0] == answers[1]


BAD = {
    "negative": (
        ["--time", "months"],
        {"months": -1.0},
        "'months', row 1 (0), is -1; a time",
    ),
    "events": (["--event", "died"], {"died": 7}, "'died', row 1 (0), is 7; write 1"),
    "all censored": (["--event", "died"], {"died": "no"}, "died is 0 in all rows"),
    "constant": (
        ["--target", "dose"],
        {"dose": 2.0},
        "'dose' has one class, 2, in all rows",
    ),
}


@pytest.mark.parametrize(("options", "cells", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_tested_takes_one_line(refused, asked, tmp_path, options, cells, said):
    if "--target" not in options:
        options = ["--time", "months", "--event", "died"]
    message = refused(*asked(*options, frame=OUTCOMES.assign(**cells)), "-o", tmp_path / "g.html")
    assert said in message
    assert not (tmp_path / "g.html").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--time", "months"], "give --time with --event"),
        (["--target", "dose", "--time", "months", "--event", "died"], "one of them at a time"),
        (["--time", "months", "--event", "months"], "--time and --event both name 'months'"),
        (["--time", "month", "--event", "died"], "has no column 'month' for outcome"),
    ],
)
def test_questions_that_are_not_clear(refused, asked, tmp_path, options, said):
    assert said in refused(*asked(*options), "-o", tmp_path / "g.html")
