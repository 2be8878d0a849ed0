"""The ranked groups as files, in words and as pictures."""

import json
import sys
from contextlib import redirect_stdout
from copy import copy
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron import SubgroupBiclustering, find_groups
from bicneuron.cli import main
from bicneuron.cli._answer import plain
from bicneuron.patterns import proven_patterns
from bicneuron.persistence import load_model
from bicneuron.report import pattern_lists, pattern_records

# It takes time to start processes.
FEW = ("--jobs", "1")
CLASSES = ("--target", "status", *FEW)


@pytest.fixture(scope="module")
def cohort():
    """Half cases, half controls; twelve cases are shifted in ten genes, eight of these twice."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 60))
    X[:12, :10] += 3.5 * np.where(np.arange(10) < 6, 1, -1)
    X[:8, 20:32] += 3.5
    names = pd.Index([f"P{i:03d}" for i in range(80)], name="patient")
    frame = pd.DataFrame(np.round(X, 4), columns=[f"gene; <{j}>" for j in range(60)], index=names)
    return frame.assign(status=np.repeat(["case", "control"], 40))


@pytest.fixture(scope="module")
def table(cohort, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "cohort.csv"
    cohort.to_csv(path)
    return path


@pytest.fixture(scope="module")
def written(table, tmp_path_factory):
    """A folder with what is written of one search, and what is printed."""
    folder = tmp_path_factory.mktemp("mined")
    names = ("p.json", "p.html", "p.skops", "p.tsv.gz", "p.xlsx", "p.columns.csv", "p.gmt", "p.rnk")
    out = [word for name in names for word in ("-o", str(folder / name))]
    with redirect_stdout(StringIO()) as told:
        assert main(["find", str(table), *CLASSES, *out]) == 0
    lines = told.getvalue().splitlines()
    assert [line for line in lines if line.startswith("wrote")] == [
        f"wrote {folder / name}" for name in names
    ]
    return folder, lines


@pytest.fixture(scope="module")
def groups(written):
    return written[0] / "p.skops"


@pytest.fixture(scope="module")
def content(written):
    return json.loads((written[0] / "p.json").read_text())


@pytest.mark.parametrize("name", ["p.tsv.gz", "p.xlsx"])
def test_the_same_as_a_table(written, content, name):
    read = pd.read_excel if name == "p.xlsx" else partial(pd.read_csv, sep="\t")
    frame, patterns = read(written[0] / name), content["patterns"]
    assert frame["rank"].tolist() == [pattern["rank"] for pattern in patterns]
    for key in ("rows", "columns", "directions"):
        assert frame[key].tolist() == ["; ".join(pattern[key]) for pattern in patterns]
    told = ["; ".join(f"{c}: {n}" for c, n in p["carriers"].items()) for p in patterns]
    assert frame["carriers"].tolist() == told


def test_what_is_printed_and_written_is_what_the_library_finds(written, content, cohort):
    folder, lines = written
    X, y = cohort.drop(columns="status"), cohort["status"].to_numpy()
    found = find_groups(X, y, random_state=0, n_jobs=1)
    evidence = [*found.columns]
    told = [*found.summary().splitlines(), *(f"pattern {n.number}: {n.words}" for n in evidence)]
    assert lines[: len(told)] == told
    assert content["answer"] == found.summary()
    records = pattern_records(found.miner, X, y, evidence=evidence)
    assert content["patterns"] == json.loads(json.dumps(records))
    # Lists are of findings, which come first.
    listed = copy(found.miner)
    listed.patterns_ = proven_patterns(found.patterns)
    assert 0 < len(listed.patterns_) < len(records)
    proven = [one for one in evidence if one.number <= len(listed.patterns_)]
    lists = pattern_lists(listed, X, y, evidence=proven)
    assert (folder / "p.columns.csv").read_text() == lists.files["genes.csv"]
    assert (folder / "p.gmt").read_text() == lists.gmt
    assert {path.read_text() for path in folder.glob("p*.rnk")} == {*lists.rnk.values()}


def test_a_column_of_classes_without_target_says_what_to_do(answer_of, cohort, tmp_path):
    cohort.iloc[30:50, 50:].to_csv(tmp_path / "few.csv")
    notes = answer_of("find", tmp_path / "few.csv", *FEW, "-o", tmp_path / "p.json")["notes"]
    assert notes[-1] == "if 'status' should hold the classes, name it with --target"


def test_that_nothing_is_found_is_an_answer(run, cohort, tmp_path):
    few = tmp_path / "few.csv"
    cohort.iloc[38:42].to_csv(few)
    names = ("p.html", "p.json", "p.csv", "p.xlsx", "p.gmt", "p.skops")
    out = [word for name in names for word in ("-o", tmp_path / name)]
    told = run("find", few, *CLASSES, *out)
    assert "warning" not in told.err
    said, *wrote = told.out.splitlines()
    assert said == "No group was found: 4 rows are too few to tell one from chance."
    assert wrote == [f"wrote {tmp_path / name}" for name in names]
    assert said in Page((tmp_path / "p.html").read_text()).text
    assert json.loads((tmp_path / "p.json").read_text())["answer"] == said
    assert pd.read_csv(tmp_path / "p.csv").empty
    assert load_model(tmp_path / "p.skops")[-1].summary() == said
    assert (tmp_path / "p.xlsx").exists()
    assert (tmp_path / "p.gmt").exists()


def test_a_page_is_the_same_whatever_the_number_of_processes(run, written, table, tmp_path):
    run("find", table, "--target", "status", "-o", tmp_path / "p.html")
    assert (tmp_path / "p.html").read_bytes() == (written[0] / "p.html").read_bytes()


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_page_needs_libraries_before_the_search(refused, table, tmp_path, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    message = refused("find", table, *CLASSES, "-o", tmp_path / "p.html")
    assert library in message
    assert "pip install 'bicneuron[" in message


def test_json_holds_no_infinite_numbers_and_no_numpy():
    content = {"a": [np.inf, np.float64(0.5), -np.inf], 1: np.int64(2), "b": np.array(["é", "x"])}
    content |= {"c": np.nan, "d": Path("p"), "e": None, "f": np.True_}
    expected = {"a": [None, 0.5, None], "1": 2, "b": ["é", "x"], "c": None, "d": "p", "e": None}
    assert json.loads(json.dumps(plain(content), allow_nan=False)) == expected | {"f": True}


def test_groups_are_added_to_an_h5ad_file(run, refused, samples, table, tmp_path):
    anndata = pytest.importorskip("anndata")
    features = samples.drop(columns=["status", "batch", "patient"]).assign(same=1.0)
    cells = anndata.AnnData(features, obs=samples[["status"]].copy())
    cells.obs.loc["S47", "status"] = None
    source, out, listed = tmp_path / "cells.h5ad", tmp_path / "found.h5ad", tmp_path / "p.json"
    cells.write_h5ad(source)
    run("find", source, *CLASSES, "-o", out, "-o", listed)
    stored, (first, *_) = anndata.read_h5ad(out), json.loads(listed.read_text())["patterns"]
    np.testing.assert_array_equal(stored.X, features)
    rows, columns = (getattr(stored, one)["bicneuron"].toarray()[:, 0] for one in ("obsm", "varm"))
    assert {*stored.obs_names[rows == 1]} == {*first["rows"]}
    assert {*stored.var_names[columns == 1]} == {*first["columns"]}
    message = refused("find", table, "--target", "status", "-o", tmp_path / "other.h5ad")
    assert "needs a TABLE in the same format, to which groups are added" in message


# --- a file of groups, and another table


def test_a_file_of_groups_says_who_carries_what(run, answer_of, cohort, groups, tmp_path):
    out = tmp_path / "carriers.csv"
    miner, new = load_model(groups)[-1].miner, cohort.iloc[::2]
    new.to_csv(tmp_path / "new.csv")
    told = answer_of("predict", groups, tmp_path / "new.csv", "--all", "-o", out)
    scores = miner.pattern_scores(new.drop(columns="status"))
    frame = pd.read_csv(out, index_col="patient", dtype={"patterns": str}, keep_default_na=False)
    assert [*frame.index] == [*new.index]
    for carried, own in zip(frame["patterns"], scores, strict=True):
        assert carried == " ".join(str(k + 1) for k in np.flatnonzero(own > 0))
    for k, own in enumerate(scores.T):
        np.testing.assert_allclose(frame[f"score of pattern {k + 1}"], own, rtol=1e-5, atol=1e-8)
        in_case = int(np.sum((own > 0) & (new["status"] == "case")))
        assert told["patterns"][k]["carriers"].startswith(f"{in_case} of 20 case, ")
    proven = [one.evidence.is_finding for one in miner.patterns_]
    assert proven[0]
    assert not proven[-1]
    n_proven = sum(proven)
    own = run("predict", groups, tmp_path / "new.csv", "-o", tmp_path / "proven.csv")
    listed = pd.read_csv(tmp_path / "proven.csv", index_col="patient")
    assert [*listed] == [*frame][: 1 + n_proven]
    assert f"note: {len(proven) - n_proven} unproven patterns left out" in own.err
    everyone = run("predict", groups, tmp_path / "new.csv", "--all", "-o", out, "--force")
    marked = [line.endswith(" (not proven)") for line in everyone.out.splitlines()[1:6]]
    assert marked == [not one for one in proven[:5]]


def test_carriers_of_the_table_that_was_searched_are_no_second_cohort(
    run, cohort, table, groups, tmp_path
):
    printed = run("predict", groups, table, "-o", tmp_path / "carriers.csv")
    n = len(cohort)
    assert f"note: {n} of {n} rows are rows of the table that was searched" in printed.err
    page = tmp_path / "carriers.html"
    assert printed.out.endswith(f"next: bicneuron replicate {groups} OTHER_TABLE -o {page}\n")
    (cohort.drop(columns="status") + 0.01).to_csv(tmp_path / "new.csv")
    elsewhere = run("predict", groups, tmp_path / "new.csv", "-o", tmp_path / "new_carriers.csv")
    assert "rows of the table" not in elsewhere.err
    assert f"next: bicneuron replicate {groups} {tmp_path / 'new.csv'}" in elsewhere.out


def test_of_a_model_without_findings_all_is_taken_and_said(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 30))).rename(columns="g{}".format)
    frame["g0"] += 4 * (np.arange(60) < 12)
    frame.assign(status=["case", "control"] * 30).to_csv(tmp_path / "t.csv", index=False)
    groups, table = tmp_path / "groups.skops", tmp_path / "t.csv"
    run("find", table, *CLASSES, "-o", groups)
    patterns = load_model(groups)[-1].patterns
    assert not any(one.evidence and one.evidence.is_finding for one in patterns)
    for command in ("predict", "replicate"):
        printed = run(command, groups, table, "-o", tmp_path / f"{command}.csv")
        assert "note: no pattern of this file is proven; " in printed.err
        assert "evidence of their own" not in printed.out


# --- batches and patients


@pytest.fixture(scope="module")
def samples():
    """Six samples each of eight patients in two batches; those of two cases are shifted."""
    X = np.random.default_rng(1).normal(size=(48, 16))
    X[:12, :6] += 4
    frame = pd.DataFrame(np.round(X, 4), columns=[f"g{j}" for j in range(16)])
    frame.index = pd.Index([f"S{i:02d}" for i in range(48)], name="sample")
    return frame.assign(
        status=np.repeat(["case", "control"], 24),
        batch=np.where(np.arange(48) % 3, "A", "B"),
        patient=np.arange(48) // 6,
    )


@pytest.fixture(scope="module")
def samples_file(samples, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "samples.csv"
    samples.to_csv(path)
    return path


def test_no_search_is_made_twice(run, samples_file, tmp_path, monkeypatch):
    searched, whole = [], SubgroupBiclustering._fit

    def fit(miner, X, y, *arguments, **options):
        searched.append((len(X), y is not None))
        return whole(miner, X, y, *arguments, **options)

    monkeypatch.setattr(SubgroupBiclustering, "_fit", fit)
    options = [*CLASSES, "--drop", "batch,patient"]
    run("find", samples_file, *options, "-o", tmp_path / "p.skops")
    assert searched[0] == (48, False)
    parts = searched[1:]  # to test the columns of what is tied to the class
    assert len(parts) == 5
    assert all(n_rows < 48 and not with_labels for n_rows, with_labels in parts)


TESTED = ["--target", "status"]
REFUSED = [
    ([*TESTED, "--strata", "batc"], "has no column 'batc' for strata. Did you mean 'batch'?"),
    ([*TESTED, "--groups", "pateint"], "has no column 'pateint' for groups."),
    ([*TESTED, "--strata", "status"], "--strata and --target both name 'status'; choose another"),
    ([*TESTED, "--id", "sample", "--groups", "sample"], "--groups and --id both name 'sample'; "),
    (["--strata", "batch", "--covariates", "batch"], "--covariates and --strata both name 'batch"),
    (["--covariates", "age"], "has no column 'age' for covariates."),
    ([*TESTED, "--strata", "patient", "--drop", "batch"], "strata leave no labels to exchange"),
    (
        [*TESTED, "--strata", "gaps", "--drop", "patient"],
        "column 'gaps' for strata lacks 1 of 48 values.",
    ),
    ([*TESTED, "-o", "p.doc"], "its name must end in .html, .htm, .gmt, .rnk, .h5ad, .skops, "),
    ([*TESTED, "-o", "h.csv", "-o", "./h.csv"], "-o names h.csv twice"),
    ([*TESTED, "-o", "h.csv", "-o", "there.html"], "there.html exists"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_refused_before_the_search(
    refused, samples, tmp_path, monkeypatch, options, message
):
    monkeypatch.setattr(SubgroupBiclustering, "fit", None)
    monkeypatch.chdir(tmp_path)
    gaps = samples["batch"].where(samples.index != "S04")
    (samples.assign(gaps=gaps) if "gaps" in options else samples).to_csv("t.csv")
    Path("there.html").write_text("mine")
    assert message in refused("find", "t.csv", *options, *(() if "-o" in options else OUT))
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "there.html"}
    assert Path("there.html").read_text() == "mine"


OUT = ("-o", "p.json")
