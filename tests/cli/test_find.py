"""The ranked groups as files, in words and as pictures."""

import json
import shlex
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron import SubgroupBiclustering
from bicneuron.cli import main
from bicneuron.cli._answer import plain
from bicneuron.persistence import load_model

READ = {".parquet": pd.read_parquet, ".xlsx": pd.read_excel}


NOTHING = "No group here is tied to a class more than chance gives. The strongest: "
# Pictures take time, and so does it to start processes.
FEW = ("--jobs", "1")


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
    """What is written of one search."""
    folder = tmp_path_factory.mktemp("mined")
    names = ("p.json", "p.html", "p.skops", "p.tsv.gz", "p.xlsx", "p.columns.csv", "p.gmt", "p.rnk")
    out = [word for name in names for word in ("-o", str(folder / name))]
    assert main(["find", str(table), "--target", "status", *FEW, "--quiet", *out]) == 0
    return folder


@pytest.fixture(scope="module")
def miner(written):
    return load_model(written / "p.skops")[-1].miner


@pytest.fixture(scope="module")
def patterns(written):
    return json.loads((written / "p.json").read_text())["patterns"]


@pytest.mark.parametrize("name", ["p.tsv.gz", "p.xlsx"])
def test_the_same_as_a_table(written, patterns, name):
    read = pd.read_excel if name == "p.xlsx" else partial(pd.read_csv, sep="\t")
    frame = read(written / name)
    assert frame["rank"].tolist() == [pattern["rank"] for pattern in patterns]
    for key in ("rows", "columns", "directions"):
        assert frame[key].tolist() == ["; ".join(pattern[key]) for pattern in patterns]
    told = ["; ".join(f"{c}: {n}" for c, n in p["carriers"].items()) for p in patterns]
    assert frame["carriers"].tolist() == told


def test_lists_of_columns_are_those_of_findings(written, patterns, cohort):
    findings = [p for p in patterns if p["finding"]]
    listed = pd.read_csv(written / "p.columns.csv")
    assert {*listed["pattern"].dropna()} >= {p["rank"] for p in findings}
    first = listed[(listed["pattern"] == 1) & listed["in_pattern"]]
    assert {*first["column"]} == {*findings[0]["columns"]}
    # Sets have columns of the groups only, the list also others that are proven.
    proven = listed[listed["proven"] & listed["in_pattern"]]
    sets = [line.split("\t") for line in (written / "p.gmt").read_text().splitlines()]
    assert {name for _, _, *names in sets for name in names} == {*proven["column"]}
    ranked = [*written.glob("p*.rnk")]
    assert len(ranked) == len(findings)
    for path in ranked:
        effects = pd.read_csv(path, sep="\t", header=None)
        assert {*effects[0]} == {*cohort.columns[:-1]}
        assert effects[1].is_monotonic_decreasing


def test_patterns_are_those_of_the_miner_by_name(patterns, miner, cohort):
    X = cohort.drop(columns="status")
    scores, carriers = miner.pattern_scores(X), miner.carriers(X)
    assert len(patterns) == len(miner.patterns_) > 1
    for place, (pattern, group) in enumerate(zip(patterns, miner.patterns_, strict=True)):
        assert pattern["rank"] == place + 1
        assert pattern["class"] is None
        assert pattern["carriers"] == {
            label: f"{count} of {size}" for label, (count, size) in group.carrier_counts.items()
        }
        assert pattern["n_rows"] == carriers[:, place].sum()
        assert pattern["n_columns"] == len(group.columns)
        assert set(pattern["rows"]) == set(X.index[carriers[:, place]])
        own = dict(zip(X.index, scores[:, place], strict=True))
        assert pattern["row_scores"] == [own[row] for row in pattern["rows"]]
        assert pattern["row_scores"] == sorted(pattern["row_scores"], reverse=True)
        weights = dict(zip(X.columns[group.columns], group.weights, strict=True))
        assert pattern["weights"] == [weights[column] for column in pattern["columns"]]
        signs = dict(zip(X.columns[group.columns], group.directions, strict=True))
        words = {1: "higher", -1: "lower"}
        assert pattern["directions"] == [words[signs[column]] for column in pattern["columns"]]


def test_planted_groups_come_first_and_the_inner_one_has_a_parent(patterns):
    by_size = {pattern["n_rows"]: pattern for pattern in patterns[:2]}
    outer, inner = by_size[12], by_size[8]
    assert sorted(outer["rows"]) == [f"P{i:03d}" for i in range(12)]
    assert outer["carriers"] == {"case": "12 of 40", "control": "0 of 40"}
    lower = {f"gene; <{j}>" for j in range(6, 10)}
    pairs = zip(outer["columns"], outer["directions"], strict=True)
    assert lower <= {name for name, direction in pairs if direction == "lower"}
    assert outer["kind"] == inner["kind"] == "shift"
    assert sorted(inner["rows"]) == [f"P{i:03d}" for i in range(8)]
    parents = {outer["rank"]: outer["parent"], inner["rank"]: inner["parent"]}
    assert parents == {1: None, 2: 1 if inner["rank"] == 2 else None}


def test_with_a_target_groups_are_tested_and_the_finding_is_the_answer(run, table, tmp_path):
    out = tmp_path / "p.json"
    told = run("find", table, "--target", "status", *FEW, "-o", out).out
    content = json.loads(out.read_text())
    first, *others = content["patterns"]
    lines = told.splitlines()
    of_columns = [line for line in lines if line.startswith("pattern ")]
    assert of_columns
    assert all("each column in rows that did not choose it" in line for line in of_columns)
    assert content["answer"].splitlines() == lines[: -1 - len(of_columns)]
    assert "strength" not in told
    assert first["carriers"]["control"] == "0 of 40"
    assert int(first["carriers"]["case"].split()[0]) >= 8
    assert 0 < first["p"] <= first["p_corrected"] <= 0.02
    assert first["finding"]
    assert all(p["class"] is None for p in content["patterns"]), "found without the classes"
    assert all(p["p"] <= p["p_corrected"] for p in content["patterns"])
    assert not any(p["finding"] for p in others if p["p_corrected"] > 0.05)
    assert [p["rank"] for p in content["patterns"]] == [*range(1, len(others) + 2)]
    assert lines[-1] == f"wrote {out}", "the same search is not to be made again"


def test_the_next_command_can_be_typed(run, cohort, tmp_path):
    """Names with spaces and quotes are quoted, and options for reading are kept."""
    table, groups = tmp_path / "a table's.csv", tmp_path / "my groups.skops"
    cohort.rename(columns={"status": "the status"}).to_csv(table)
    given = ["--target", "the status", "--drop", "gene; <3>,gene; <4>", "--groups", "none"]
    told = run("find", table, *given, *FEW, "-o", groups).out.splitlines()[-1]
    follows = shlex.split(told.removeprefix("next: bicneuron "))
    assert follows[:3] == ["replicate", str(groups), "OTHER_TABLE"]
    follows[2] = table
    assert "of the training table" in run(*follows).err


def test_without_a_target_findings_are_separate_groups(run, table, tmp_path):
    out = tmp_path / "p.json"
    lines = run(
        *("find", table, "--drop", "status", "--jobs", "1", "-o", out),
    ).out.splitlines()
    content = json.loads(out.read_text())
    assert content["target"] is None
    first = content["patterns"][0]
    assert first["class"] is None
    assert set(first["rows"]) <= {f"P{i:03d}" for i in range(12)}
    assert first["carriers"] == {"all rows": f"{first['n_rows']} of 80"}
    told = content["answer"].splitlines()
    assert lines[: len(told)] == told
    assert any(f"{first['n_rows']} of 80 rows differ from the other rows" in line for line in told)
    assert all(line.startswith("pattern ") for line in lines[len(told) : -1])
    numbers = [int(line.split(":")[0].split()[1]) for line in lines[len(told) : -1]]
    assert numbers[0] == 1
    assert all(content["patterns"][number - 1]["finding"] for number in numbers)
    assert first["finding"]
    assert first["p_separate"] <= 0.05
    assert first["verdict"] == "a separate group"
    assert "p_corrected" not in first


def test_a_column_of_classes_without_target_says_what_to_do(answer_of, refused, table, tmp_path):
    notes = answer_of("find", table, *FEW, "-o", tmp_path / "p.json")["notes"]
    assert notes[-1] == "if 'status' should hold the classes, name it with --target"
    message = refused("find", table, "-o", tmp_path / "q.json", "--read", "strict=yes")
    assert "without --read strict=yes: 'status': " in message


@pytest.mark.parametrize("name", ["p.html", "p.json", "p.csv", "p.xlsx", "p.gmt", "p.skops"])
def test_that_nothing_is_found_is_an_answer(run, cohort, tmp_path, name):
    few, out = tmp_path / "few.csv", tmp_path / name
    cohort.iloc[38:42].to_csv(few)
    told = run("find", few, "--target", "status", "--jobs", "1", "-o", out)
    assert "warning" not in told.err
    said, wrote = told.out.splitlines()
    assert said == "No group was found: 4 rows are too few to tell one from chance."
    assert wrote == f"wrote {out}"
    if name == "p.html":
        assert said in Page(out.read_text()).text
    elif name == "p.json":
        assert json.loads(out.read_text())["answer"] == said
    elif name == "p.csv":
        assert pd.read_csv(out).empty
    elif name == "p.skops":
        assert load_model(out)[-1].summary() == said
    else:
        assert out.exists()


def test_an_output_that_is_no_table(refused, table, tmp_path):
    message = refused("find", table, "--target", "status", *FEW, "-o", tmp_path / "p.doc")
    assert (
        "its name must end in .html, .htm, .gmt, .rnk, .h5ad, .skops, .json, .csv, .tsv" in message
    )


# --- pictures


def test_a_page_shows_everything(written, patterns):
    page = Page((written / "p.html").read_text())
    assert "cohort.csv" in page.text
    assert "classes of status" in page.text
    for pattern in patterns:
        if pattern["finding"]:
            assert set(pattern["columns"][:30]) <= set(page.texts)
            assert all(row in page.text for row in pattern["rows"])


def test_a_page_is_the_same_whatever_the_number_of_processes(run, table, tmp_path):
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    one = ["find", table, "--target", "status"]
    run(*one, "-o", here, "--jobs", "1")
    run(*one, "-o", there)
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
def test_a_page_needs_libraries_before_the_search(refused, table, tmp_path, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    message = refused("find", table, "--target", "status", *FEW, "-o", tmp_path / "p.html")
    assert library in message
    assert "pip install 'bicneuron[" in message


def test_json_holds_no_infinite_numbers_and_no_numpy():
    content = {"a": [np.inf, np.float64(0.5), -np.inf], 1: np.int64(2), "b": np.array(["é", "x"])}
    content |= {"c": np.nan, "d": Path("p"), "e": None, "f": np.True_}
    text = json.dumps(plain(content), allow_nan=False)
    assert json.loads(text) == {
        "a": [None, 0.5, None],
        "1": 2,
        "b": ["é", "x"],
        "c": None,
        "d": "p",
        "e": None,
        "f": True,
    }


# --- how sure it is


def test_exchanged_classes_have_no_finding(run, cohort, tmp_path):
    labels = np.random.default_rng(5).permutation(np.repeat(["case", "control"], 40))
    cohort.assign(status=labels).to_csv(tmp_path / "t.csv")
    options = ["--target", "status", *FEW, "-o", tmp_path / "p.csv"]
    first, *_, following = run("find", tmp_path / "t.csv", *options).out.splitlines()
    assert first.startswith(NOTHING)
    written = pd.read_csv(tmp_path / "p.csv")
    assert (written["p_corrected"].dropna() > 0.05).all()
    assert following.startswith(f"next: bicneuron fit {tmp_path / 't.csv'} --target status")


def test_groups_are_added_to_an_h5ad_file(run, refused, cohort, table, tmp_path):
    anndata = pytest.importorskip("anndata")
    features = cohort.drop(columns="status").assign(same=1.0)
    cells = anndata.AnnData(features, obs=cohort[["status"]].copy())
    cells.obs.loc["P079", "status"] = None
    source, out, listed = tmp_path / "cells.h5ad", tmp_path / "found.h5ad", tmp_path / "p.json"
    cells.write_h5ad(source)
    for path in (out, listed):
        run("find", source, "--target", "status", *FEW, "-o", path)
    stored, patterns = anndata.read_h5ad(out), json.loads(listed.read_text())["patterns"]
    np.testing.assert_array_equal(stored.X, features)
    for k, pattern in enumerate(patterns):
        members = stored.obsm["bicneuron"][:, [k]].toarray()[:, 0]
        assert {*stored.obs_names[members == 1]} == {*pattern["rows"]}
        chosen = stored.varm["bicneuron"][:, [k]].toarray()[:, 0]
        assert {*stored.var_names[chosen == 1]} == {*pattern["columns"]}
        assert stored.uns["bicneuron"]["n_rows"].iloc[k] == pattern["n_rows"]
    message = refused("find", table, "--target", "status", "-o", tmp_path / "other.h5ad")
    assert "needs a TABLE in the same format, to which groups are added" in message


def test_a_file_of_groups_says_who_carries_what(run, answer_of, cohort, table, tmp_path):
    groups, out = tmp_path / "groups.skops", tmp_path / "carriers.csv"
    run("find", table, "--target", "status", *FEW, "-o", groups)
    miner, X = load_model(groups)[-1].miner, cohort.drop(columns="status")
    new = cohort.iloc[::2]
    new.to_csv(tmp_path / "new.csv")
    told = answer_of("predict", groups, tmp_path / "new.csv", "--all", "-o", out)
    scores = miner.pattern_scores(X.iloc[::2])
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
    written = pd.read_csv(tmp_path / "proven.csv", index_col="patient")
    assert [*written] == [*frame][: 1 + n_proven]
    assert f"note: {len(proven) - n_proven} unproven patterns left out" in own.err
    everyone = run("predict", groups, tmp_path / "new.csv", "--all", "-o", out, "--force")
    marked = [line.endswith(" (not proven)") for line in everyone.out.splitlines()[1:6]]
    assert marked == [not one for one in proven[:5]]
    run("replicate", groups, table, "-o", tmp_path / "replicate.csv")


def test_carriers_of_the_table_that_was_searched_are_no_second_cohort(run, cohort, table, tmp_path):
    groups, out = tmp_path / "groups.skops", tmp_path / "carriers.csv"
    run("find", table, "--target", "status", *FEW, "-o", groups)
    printed = run("predict", groups, table, "-o", out)
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
    run("find", table, "--target", "status", *FEW, "-o", groups)
    patterns = load_model(groups)[-1].patterns
    assert not any(one.evidence and one.evidence.is_finding for one in patterns)
    for command in ("predict", "replicate"):
        printed = run(command, groups, table, "-o", tmp_path / f"{command}.csv")
        assert "note: no pattern of this file is proven; " in printed.err
        assert "evidence of their own" not in printed.out


# Few and small, because each search is repeated.
SMALL = ("--jobs", "1")


@pytest.fixture(scope="module")
def samples():
    """Six samples each of eight patients, measured in two batches; half of them are cases.

    The samples of the first two patients, who are cases, are shifted in six genes. Batch B has
    sixteen rows, fourteen of cases, which are shifted in six others.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(48, 16))
    X[:12, :6] += 4
    in_b = np.r_[10:24, 30:32]
    X[in_b, 8:14] -= 4
    frame = pd.DataFrame(np.round(X, 4), columns=[f"g{j}" for j in range(16)])
    frame.index = pd.Index([f"S{i:02d}" for i in range(48)], name="sample")
    return frame.assign(
        status=np.repeat(["case", "control"], 24),
        batch=np.where(np.isin(np.arange(48), in_b), "B", "A"),
        patient=np.arange(48) // 6,
    )


@pytest.fixture(scope="module")
def samples_file(samples, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "samples.csv"
    samples.to_csv(path)
    return path


def by_columns(path):
    """The patterns of a JSON file by the genes that most of their columns are of."""
    found = json.loads(path.read_text())["patterns"]
    return {
        name: next(
            p
            for p in found
            # Found without the classes, and not what the other rows look like.
            if len(genes & set(p["columns"])) >= 5 and p["class"] is None and p["n_rows"] < 20
        )
        for name, genes in {
            "patients": {f"g{j}" for j in range(6)},
            "batch": {f"g{j}" for j in range(8, 14)},
        }.items()
    }


def test_a_batch_is_no_class_within_strata(run, samples_file, tmp_path):
    options = ["--target", "status", *SMALL]
    out, within = tmp_path / "p.json", tmp_path / "within.json"
    run("find", samples_file, *options, "--drop", "batch,patient", "-o", out)
    assert by_columns(out)["batch"]["carriers"] == {"case": "14 of 24", "control": "2 of 24"}
    assert by_columns(out)["batch"]["p_corrected"] <= 0.01
    options += ["--strata", "batch", "--drop", "patient"]
    lines = run("find", samples_file, *options, "-o", within).out.splitlines()
    assert [line for line in lines if "aside" in line] == ["Strata were set aside."]
    content = json.loads(within.read_text())
    assert content["set_aside"] == ["batch"]
    first, *_ = content["patterns"]
    assert {f"g{j}" for j in range(6)} <= {*first["columns"]}
    assert first["p_corrected"] <= 0.05
    # What follows the batch is gone, and the batch is not a column.
    for pattern in content["patterns"]:
        assert len({"batch", *(f"g{j}" for j in range(8, 14))} & {*pattern["columns"]}) < 5
    run("find", samples_file, *options, "-o", tmp_path / "p.html")
    assert (
        "What batch explains was set aside before the search."
        in Page((tmp_path / "p.html").read_text()).text
    )


def test_samples_of_a_patient_are_one_piece_of_evidence(run, samples_file, tmp_path):
    options = ["--target", "status", *SMALL, "--drop", "batch"]
    out = tmp_path / "p.json"
    run("find", samples_file, *options, "--groups", "patient", "-o", out)
    found = by_columns(out)["patients"]
    assert found["carriers"] == {"case": "12 of 24", "control": "0 of 24"}
    assert found["p_corrected"] > 0.05


def test_a_page_tells_how_sure_each_pattern_is(run, samples_file, tmp_path):
    page, listed = tmp_path / "p.html", tmp_path / "p.json"
    options = ["--target", "status", "--drop", "batch,patient", *FEW]
    lines = run("find", samples_file, *options, "-o", listed).out.splitlines()
    run("find", samples_file, *options, "-o", page)
    shown = Page(page.read_text())
    content = json.loads(listed.read_text())
    of_columns = [line for line in lines if line.startswith("pattern ")]
    assert content["answer"].splitlines() == lines[: -1 - len(of_columns)]
    assert all(line.partition(": ")[2] in shown.text for line in of_columns)
    assert " ".join(content["answer"].split()) in shown.text
    assert "parts of the table" not in content["answer"]
    for pattern in content["patterns"]:
        told = f"p = {pattern['p_corrected']:.2g} corrected for all patterns"
        separate = pattern.get("p_separate")
        if separate is not None:
            told += f"; as a separate group p = {separate:.2g}"
        if pattern["found_in_folds"] is not None:
            told += f"; found again in {pattern['found_in_folds']} folds"
        assert f"; {told}: {pattern['verdict']}." in shown.text
        verdict = "tied to the class"
        if pattern["p_corrected"] > 0.05:
            verdict = "not tied to a class more than chance or clearer groups would give"
        if separate is not None:  # it is not asked of the other side of a group
            is_separate = separate <= 0.05
            verdict += "; a separate group" if is_separate else "; no separate group was shown"
        assert pattern["verdict"] == verdict


def test_a_page_of_exchanged_classes_says_so_first_and_folds_the_rest(run, samples, tmp_path):
    labels = np.random.default_rng(3).permutation(samples["status"])
    samples.assign(status=labels).to_csv(tmp_path / "t.csv")
    out = ["-o", tmp_path / "p.html", "--target", "status", "--drop", "batch,patient"]
    first, *_ = run("find", tmp_path / "t.csv", *out, *SMALL).out.splitlines()
    assert first.startswith(NOTHING)
    page = Page((tmp_path / "p.html").read_text())
    texts = [text for text in page.texts if text]
    assert texts[texts.index("Which rows share which columns?") + 1] == first
    sections = [a["aria-labelledby"] for a in page.all("section")]
    assert sections == ["seen", "methods"]


def test_a_group_that_is_not_tied_to_a_class_may_be_a_separate_group(run, samples, tmp_path):
    labels = np.random.default_rng(3).permutation(samples["status"])
    samples.assign(status=labels).to_csv(tmp_path / "t.csv")
    out = [*SMALL, "-o", tmp_path / "p.json"]
    with_classes = ["--target", "status", "--drop", "batch,patient"]
    lines = run("find", tmp_path / "t.csv", *with_classes, *out).out.splitlines()
    assert lines[0].startswith(NOTHING), "the classes decide"
    found = by_columns(tmp_path / "p.json")
    for pattern in (found["patients"], found["batch"]):
        assert pattern["p_corrected"] > 0.05
        assert pattern["verdict"].startswith("not tied to a class more than chance")
        assert not pattern["finding"]
        assert "p_separate" not in pattern, "it is asked of what is tied to a class"
    without = ["--drop", "status,batch,patient", "--force"]
    run("find", tmp_path / "t.csv", *without, *out)
    found = by_columns(tmp_path / "p.json")
    for pattern in (found["patients"], found["batch"]):
        assert pattern["p_separate"] <= 0.05
        assert pattern["verdict"] == "a separate group"
        assert pattern["finding"]


def test_too_few_patients_to_tell_a_separate_group_are_named(answer_of, samples_file, tmp_path):
    options = ["--drop", "status,batch", "--groups", "patient", *SMALL, "-o", tmp_path / "p.json"]
    answer = answer_of("find", samples_file, *options)["answer"]
    assert answer.startswith("No group here was shown to be separate from the other rows. The str")
    assert "8 rows with a score are too few to say; 30 are needed." in answer
    for pattern in json.loads((tmp_path / "p.json").read_text())["patterns"]:
        assert {"p_separate", "p_corrected"}.isdisjoint(pattern)
        assert not pattern["finding"]


def test_no_search_is_made_twice(run, samples_file, tmp_path, monkeypatch):
    searched, whole = [], SubgroupBiclustering._fit

    def fit(miner, X, y, *arguments, **options):
        searched.append((len(X), y is not None))
        return whole(miner, X, y, *arguments, **options)

    monkeypatch.setattr(SubgroupBiclustering, "_fit", fit)
    options = ["--target", "status", "--drop", "batch,patient", *SMALL]
    run("find", samples_file, *options, "-o", tmp_path / "p.skops")
    assert searched[0] == (48, False)
    parts = searched[1:]  # to test the columns of what is tied to the class
    assert len(parts) == 5
    assert all(n_rows < 48 and not with_labels for n_rows, with_labels in parts)


TESTED = ["--target", "status"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*TESTED, "--strata", "batc"], "has no column 'batc' for strata. Did you mean 'batch'?"),
        ([*TESTED, "--groups", "Patient"], "has no column 'Patient' for groups. Did you mean 'pat"),
        (
            [*TESTED, "--strata", "status"],
            "--strata and --target both name 'status'; choose another column.",
        ),
        (
            [*TESTED, "--id", "sample", "--groups", "sample"],
            "--groups and --id both name 'sample'; choose another column.",
        ),
        (
            ["--strata", "batch", "--covariates", "batch"],
            "--covariates and --strata both name 'batch'; choose another column.",
        ),
        (["--covariates", "age"], "has no column 'age' for covariates."),
        ([*TESTED, "--strata", "patient", "--drop", "batch"], "strata leave no labels to exchange"),
    ],
)
def test_strata_and_groups_that_cannot_be_taken(
    refused, samples_file, tmp_path, monkeypatch, options, message
):
    monkeypatch.setattr(SubgroupBiclustering, "fit", None)  # refused before the search
    assert message in refused("find", samples_file, *options, "-o", tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


def test_strata_with_gaps_are_refused(refused, samples, tmp_path):
    batch = samples["batch"].where(samples.index != "S04")
    samples.assign(batch=batch).to_csv(tmp_path / "t.csv")
    options = [*TESTED, "--strata", "batch", "--drop", "patient", "-o", tmp_path / "p.json"]
    message = refused("find", tmp_path / "t.csv", *options)
    assert "column 'batch' for strata lacks 1 of 48 values, the first in row 5 (S04)." in message


def test_several_files_of_one_search(run, refused, table, tmp_path):
    page, model, sets = (tmp_path / name for name in ("g.html", "g.skops", "g.csv"))
    outputs = ["-o", page, "-o", model, "-o", sets]
    printed = run("find", table, "--target", "status", *FEW, *outputs)
    assert [line for line in printed.out.splitlines() if line.startswith("wrote")] == [
        f"wrote {path}" for path in (page, model, sets)
    ]
    assert len(pd.read_csv(sets)) == len(load_model(model)[-1].patterns)
    assert page.stat().st_size > 10_000
    twice = ["-o", tmp_path / "h.csv", "-o", tmp_path / "." / "h.csv"]
    message = refused("find", table, "--target", "status", *twice)
    assert "-o names h.csv twice" in message
    message = refused("find", table, "--target", "status", "-o", tmp_path / "h.csv", "-o", page)
    assert str(page) in message
    assert not (tmp_path / "h.csv").exists(), "all files are checked before the search"
