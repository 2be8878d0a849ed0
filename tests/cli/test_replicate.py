"""Patterns of a model file, looked for in a second table."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pages import Page

from bicneuron import Findings, SubgroupBiclustering, replication
from bicneuron.cli._reading import reading_first
from bicneuron.outcomes import Numbers, Survival
from bicneuron.persistence import load_about, load_model, save_model
from bicneuron.report import pattern_records
from bicneuron.tables import read_table

N_COLUMNS = 60
GENES = [f"g{j:02}" for j in range(N_COLUMNS)]


def cohort(n_rows, seed, name):
    """The first fifth of the cases is shifted in twelve genes, and dies early."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    group = np.arange(n_rows) < n_rows // 5
    X[np.ix_(group, range(12))] += np.where(np.arange(12) < 7, 2.5, -2.5)
    dies, leaves = rng.exponential(np.where(group, 1.0, 8.0)), rng.exponential(8.0, n_rows)
    frame = pd.DataFrame(np.round(X, 4), columns=GENES)
    frame.index = pd.Index([f"{name}{i:03}" for i in range(n_rows)], name="sample")
    return frame.assign(
        status=np.where(np.arange(n_rows) < n_rows // 2, "case", "control"),
        batch=np.where(np.arange(n_rows) % 2, "one", "two"),
        patient=[f"{name}{i // 2}" for i in range(n_rows)],
        months=np.round(np.minimum(dies, leaves), 3),
        died=(dies <= leaves).astype(int),
        size=np.round(X[:, 0] + rng.normal(size=n_rows), 3),
    )


FIRST, SECOND = cohort(60, 0, "A"), cohort(80, 1, "B")
OTHERS = ["batch", "patient", "months", "died", "size"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two tables, and the groups of the first."""
    folder = tmp_path_factory.mktemp("cohorts")
    FIRST.drop(columns=OTHERS).to_csv(folder / "first.csv")
    SECOND.to_csv(folder / "second.csv")
    read = read_table(folder / "first.csv", target="status")
    groups = SubgroupBiclustering(n_patterns=2, kinds="shift", anchor="case")
    groups.fit(read.features, read.labels)
    findings = reading_first(read, Findings.untested(groups, read.features, read.labels))
    about = {"target": "status", "table": "first.csv", "id": read.id_column}
    save_model(findings, folder / "groups.skops", about=about)
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return folder / "groups.skops"


@pytest.fixture
def second(tmp_path):
    """Write another second table."""

    def write(frame, **options):
        frame.to_csv(tmp_path / "other.csv", **options)
        return tmp_path / "other.csv"

    return write


def expected(model, frame=SECOND, y2=None, **tied):
    estimator = load_model(model)[-1]
    X2 = frame[[name for name in frame if name in GENES]]
    return replication.replicate(estimator, X2, y2, random_state=0, **tied)


def test_the_answer_begins_with_what_is_found_again(run, model, folder, tmp_path):
    kept = load_about(model)["about"]
    assert (kept["table"], kept["target"], kept["id"]) == ("first.csv", "status", "sample")
    out = tmp_path / "page.html"
    printed = run("replicate", model, folder / "second.csv", "-o", out)
    first, *others = printed.out.splitlines()
    found = expected(model)
    assert first == found.sentence
    assert first.startswith(
        "1 of 2 groups is found again: group 1 (12 of 30 case there) in 16 of 80"
    )
    assert others == [found.patterns[1].words, f"wrote {out}"]
    page = Page(out.read_text())
    assert found.words in page.text
    assert "Patterns of first.csv, looked for in a second cohort, second.csv" in page.text


def test_the_figures_as_json_as_a_table_and_on_a_page(answer_of, refused, model, folder, tmp_path):
    asked = ["replicate", model, folder / "second.csv", "--strata", "batch"]
    asked += ["--time", "months", "--event", "died"]
    outputs = [tmp_path / name for name in ("r.html", "r.csv", "r.json")]
    answer = answer_of(*asked, *(word for path in outputs for word in ("-o", path)))
    assert answer["outputs"] == [*map(str, outputs)]
    assert answer["words"] in Page(outputs[0].read_text()).text
    said = "its name must end in .html, .htm, .json, .csv, .tsv (also .gz), .parq"
    assert said in refused(*asked, "-o", tmp_path / "r.doc")
    written = json.loads((tmp_path / "r.json").read_text())
    y2 = Survival(SECOND["months"], SECOND["died"], name="months", event_name="died")
    tied = {"strata": SECOND["batch"], "groups": SECOND["patient"]}  # patients have two rows
    found = expected(model, y2=y2, **tied)
    records = pattern_records(found, SECOND[GENES], y2)
    assert written["patterns"] == json.loads(json.dumps(records))
    assert written["patterns"][0]["p_tied"] <= 0.05
    assert "median months " in written["patterns"][0]["effect"]
    assert (written["time"], written["event"]) == ("months", "died")
    assert written["n_found_again"] == answer["n_found_again"] == len(found.found)
    assert answer["words"] == found.words
    assert [one["words"] for one in answer["patterns"]] == [one.words for one in found.patterns]
    lines = pd.read_csv(tmp_path / "r.csv")
    assert lines.columns.tolist() == list(written["patterns"][0])
    for line, record in zip(lines.to_dict("records"), written["patterns"], strict=True):
        assert line["verdict"] == record["verdict"]
        assert line["members"] == "; ".join(record["members"])
        assert_allclose(line["p_tied"], record["p_tied"])


def test_columns_are_found_by_name_whatever_else_there_is(
    answer_of, model, folder, second, tmp_path
):
    out = ["-o", tmp_path / "r.json", "--force"]
    asked = answer_of("replicate", model, folder / "second.csv", *out)
    remarks = {"remark": [f"as {i} says" for i in range(80)], "day": "2021-03-04", "empty": np.nan}
    shuffled = SECOND[SECOND.columns[::-1]].assign(**remarks)
    again = answer_of("replicate", model, second(shuffled), *out)
    assert again["patterns"] == asked["patterns"]
    fewer = answer_of("replicate", model, second(SECOND.drop(columns=["g00", "g40", "g41"])), *out)
    note = "lacks 3 of the 60 columns that the model was fitted on: 'g00', 'g40', 'g41'"
    assert note in fewer["notes"]
    record = json.loads((tmp_path / "r.json").read_text())["patterns"][0]
    assert (record["n_columns"], record["n_columns_present"]) == (12, 11)
    assert record["columns_absent"] == ["g00"]
    assert record["verdict"] == "found again"


def test_gaps_in_classes_and_outcomes_and_words_for_events(answer_of, model, second, tmp_path):
    frame = SECOND.astype({"status": object, "months": object, "died": object})
    frame.iloc[3, frame.columns.get_loc("status")] = None
    frame.iloc[5, frame.columns.get_loc("months")] = None
    y2, months = frame["status"].to_numpy(), frame["months"].to_numpy(float)
    frame["died"] = np.where(SECOND["died"] == 1, "yes", "no")
    for asked, tied in (
        (["--target", "status"], y2),
        (["--time", "months", "--event", "died"], Survival(months, SECOND["died"])),
    ):
        answer_of("replicate", model, second(frame), *asked, "-o", tmp_path / "r.json", "--force")
        found = expected(model, y2=tied, groups=SECOND["patient"]).patterns[0]
        record = json.loads((tmp_path / "r.json").read_text())["patterns"][0]
        assert record["p_tied"] == found.p_tied
        if tied is y2:
            assert record["members_of_classes"] == {"case": "15 of 39", "control": "0 of 40"}


def test_a_number_as_outcome_and_patients_with_two_rows(answer_of, model, second, tmp_path):
    whole = SECOND.assign(size=SECOND.groupby("patient")["size"].transform("mean"))
    # Ids that repeat are seen without an option: rows of a patient count as one here, too.
    for frame, options in ((SECOND, []), (whole, ["--groups", "patient"])):
        asked = ["--target", "size", "-o", tmp_path / "r.json", "--force", *options]
        answer_of("replicate", model, second(frame), *asked)
        record = json.loads((tmp_path / "r.json").read_text())["patterns"][0]
        found = expected(model, y2=Numbers(frame["size"]), groups=frame["patient"]).patterns[0]
        assert record["p_tied"] == found.p_tied
    assert record["p_tied_labels_only"] is not None


SAME = SECOND.assign(died=0, one="case", word="long", mixed=SECOND["status"])
BAD = {
    "all censored": (["--time", "months", "--event", "died"], "died is 0 in all rows"),
    "no times": (["--time", "word", "--event", "died"], "is 'long', which is not a finite"),
    "no event": (["--time", "months"], "give --time with --event"),
    "counts as events": (["--time", "months", "--event", "size"], "write 1 for an event"),
    "one class": (["--target", "one"], "target 'one' has one class, 'case'"),
    "one class in each stratum": (
        ["--target", "status", "--strata", "mixed"],
        "--target has one class in every stratum: nothing can be tied to it. Give rows of two, or "
        "no --target.",
    ),
    "two questions": (
        ["--target", "one", "--time", "months", "--event", "died"],
        "give --target, or --time with --event",
    ),
}


@pytest.mark.parametrize(("options", "said"), BAD.values(), ids=BAD)
def test_bad_input_takes_one_line(refused, model, second, tmp_path, options, said):
    message = refused("replicate", model, second(SAME), *options, "-o", tmp_path / "r.html")
    assert said in message
    assert not (tmp_path / "r.html").exists()


def test_rows_that_were_searched_are_no_second_cohort(run, model, folder, second, tmp_path):
    out = ["-o", tmp_path / "r.json", "--force"]
    printed = run("replicate", model, folder / "first.csv", *out)
    assert "warning: 60 of 60 rows are rows of the training table" in printed.err
    assert json.loads((tmp_path / "r.json").read_text())["cautions"]
    renamed = SECOND.set_axis([*FIRST.index[:20], *SECOND.index[20:]]).rename_axis("sample")
    printed = run("replicate", model, second(renamed), *out)
    assert "warning: 20 of 80 row names are those of training rows" in printed.err


def test_a_model_of_an_array_takes_all_columns_in_order(run, second, tmp_path):
    miner = SubgroupBiclustering(n_patterns=1, kinds="shift").fit(FIRST[GENES].to_numpy())
    path = Findings.untested(miner, FIRST[GENES].to_numpy()).save(tmp_path / "m.skops")
    out = ["-o", tmp_path / "r.json"]
    printed = run("replicate", path, second(SECOND[[*GENES, "status"]]), "--target", "status", *out)
    assert printed.out.startswith("1 of 1 group is found again")


def test_what_is_proven_is_looked_for_unless_all_is_asked_for(run, folder, tmp_path):
    groups, out = tmp_path / "g.skops", tmp_path / "p.json"
    run("find", folder / "first.csv", "--target", "status", "-o", groups, "--jobs", "1")
    patterns = load_model(groups)[-1].miner.patterns_
    n_proven = sum(pattern.evidence.is_finding for pattern in patterns)
    assert 0 < n_proven < len(patterns)
    given = ["replicate", groups, folder / "second.csv", "--force", "-o", out]
    said = f"{len(patterns) - n_proven} unproven patterns left out; use --all"
    for options, n_expected in (([], n_proven), (["--all"], len(patterns))):
        printed = run(*given, *options)
        assert (said in printed.err) == (not options)
        assert len(json.loads(out.read_text())["patterns"]) == n_expected
