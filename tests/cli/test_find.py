"""The ranked groups as files, in words and as pictures."""

import errno
import json
import os
import resource
import sys
from inspect import signature
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from pages import Page

from bicneuron import SubgroupBiclustering, significance
from bicneuron.cli import _questions, main
from bicneuron.cli._answer import plain
from bicneuron.tables import read_table

READ = {".parquet": pd.read_parquet, ".xlsx": pd.read_excel}


NOTHING = "no pattern here belongs to a class more than chance would give"
SOME = "patterns belong to a class more than chance would give, at p <= 0.05"
# Pictures take time, and so does it to start processes.
FEW = ("--set", "n_patterns=6", "--jobs", "1")


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
def miner(table):
    read = read_table(table, target="status")
    return SubgroupBiclustering(n_patterns=6).fit(read.features, read.labels)


@pytest.fixture(scope="module")
def written(table, tmp_path_factory):
    """What is written as JSON, with pictures."""
    folder = tmp_path_factory.mktemp("mined")
    out = ["-o", folder / "patterns.json", "--plots", folder / "plots"]
    assert main([*map(str, ["find", table, "--target", "status", *FEW, "--quiet", *out])]) == 0
    return folder


@pytest.fixture(scope="module")
def patterns(written):
    return json.loads((written / "patterns.json").read_text())["patterns"]


def test_patterns_are_those_of_the_miner_by_name(patterns, miner, cohort):
    X = cohort.drop(columns="status")
    scores, carriers = miner.pattern_scores(X), miner.carriers(X)
    assert len(patterns) == len(miner.patterns_) > 1
    for place, (pattern, group) in enumerate(zip(patterns, miner.patterns_, strict=True)):
        assert pattern["rank"] == place + 1
        assert pattern["class"] == group.anchor_class
        assert pattern["strength"] == group.strength
        assert pattern["carriers"] == {
            label: f"{count} of {size}" for label, (count, size) in group.carrier_counts.items()
        }
        assert next(iter(pattern["carriers"])) == group.anchor_class
        assert pattern["n_rows"] == carriers[:, place].sum()
        assert pattern["n_columns"] == len(group.columns)
        assert set(pattern["rows"]) == set(X.index[carriers[:, place]])
        own = dict(zip(X.index, scores[:, place], strict=True))
        assert pattern["row_scores"] == [own[row] for row in pattern["rows"]]
        assert pattern["row_scores"] == sorted(pattern["row_scores"], reverse=True)
        weights = dict(zip(X.columns[group.columns], group.weights, strict=True))
        assert pattern["weights"] == [weights[column] for column in pattern["columns"]]
        sizes = np.abs(pattern["weights"]).tolist()
        assert sizes == sorted(sizes, reverse=True)
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


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".xlsx"])
def test_the_same_as_a_table(answer_of, table, patterns, tmp_path, suffix):
    out = tmp_path / f"p{suffix}"
    answer = answer_of("find", table, "--target", "status", *FEW, "-o", out)
    read = READ.get(out.suffix, pd.read_csv)
    frame = read(out, **({"sep": "\t"} if ".tsv" in suffix else {}))
    assert answer["n_patterns"] == len(frame) == len(patterns)
    assert list(frame.columns) == list(patterns[0])
    for line, pattern in zip(frame.to_dict("records"), patterns, strict=True):
        assert line["strength"] == pytest.approx(pattern["strength"], rel=1e-14)
        assert line["rank"] == pattern["rank"]
        assert (None if pd.isna(line["parent"]) else line["parent"]) == pattern["parent"]
        assert line["rows"] == "; ".join(pattern["rows"])
        assert line["columns"] == "; ".join(pattern["columns"])
        assert line["directions"] == "; ".join(pattern["directions"])
        for key in ("row_scores", "weights"):
            numbers = [float(number) for number in line[key].split("; ")]
            assert numbers == pytest.approx(pattern[key], rel=1e-3)
        told = [f"{label}: {share}" for label, share in pattern["carriers"].items()]
        assert line["carriers"] == "; ".join(told)


def test_ranks_of_parents_are_whole_numbers_in_text(run, table, patterns, tmp_path):
    out = tmp_path / "p.csv"
    run("find", table, "--target", "status", *FEW, "-o", out)
    parents = pd.read_csv(out, dtype=str, keep_default_na=False)["parent"].tolist()
    expected = ["" if p["parent"] is None else str(p["parent"]) for p in patterns]
    assert parents == expected


def test_the_first_patterns_are_told_in_words(run, table, patterns, tmp_path):
    out = tmp_path / "p.json"
    lines = run("find", table, "--target", "status", *FEW, "-o", out).out.splitlines()
    assert lines[0] == (
        f"patterns: {len(patterns)}, the strongest first; noise seldom exceeds a strength of 10"
    )
    outer = next(pattern for pattern in patterns if pattern["n_rows"] == 12)
    named = zip(outer["columns"][:4], outer["directions"], strict=False)
    columns = ", ".join(f"{name} {direction}" for name, direction in named)
    assert lines[outer["rank"]] == (
        f"{outer['rank']}. 12 of 40 case, 0 of 40 control, {outer['n_columns']} columns "
        f"({columns}, ...), strength {outer['strength']:.1f}"
    )
    assert lines[-3].startswith(f"and {len(patterns) - 5} more, with strengths down to ")
    assert lines[-2].startswith("note: columns are correlated (1 component exceeds those of ")
    assert lines[-2].endswith("; the test 'group' tells (--group-test)")
    assert lines[-1] == f"wrote {out}"


def test_without_a_target_groups_stand_against_all_other_rows(run, table, tmp_path):
    out = tmp_path / "p.json"
    printed = run(
        *("find", table, "--drop", "status", "--set", "n_patterns=2", "--jobs", "1"),
        *("-o", out, "--plots", tmp_path / "plots"),
    ).out
    content = json.loads(out.read_text())
    assert content["target"] is None
    first = content["patterns"][0]
    assert first["class"] is None
    assert set(first["rows"]) <= {f"P{i:03d}" for i in range(12)}
    assert first["carriers"] == {"all rows": f"{first['n_rows']} of 80"}
    assert f"1. {first['n_rows']} of 80 all rows, {first['n_columns']} columns (" in printed
    assert len(list((tmp_path / "plots").iterdir())) == len(content["patterns"])


def test_a_column_of_classes_without_target_says_what_to_do(answer_of, refused, table, tmp_path):
    notes = answer_of("find", table, *FEW, "-o", tmp_path / "p.json")["notes"]
    assert notes[-1] == "if 'status' should hold the classes, name it with --target"
    message = refused("find", table, "-o", tmp_path / "q.json", "--strict")
    assert "without --strict: 'status': " in message


def test_settings_are_those_of_the_miner(run, refused, table, tmp_path):
    out = ["-o", tmp_path / "p.json", "--target", "status"]
    run("find", table, *out, "--set", "anchor=control", "--set", "n_patterns=2", "--jobs", "1")
    found = json.loads((tmp_path / "p.json").read_text())["patterns"]
    assert {pattern["class"] for pattern in found} == {"control"}
    assert len(found) <= 2
    unknown = refused("find", table, *out, "--force", "--set", "n_pattern=2")
    assert "SubgroupBiclustering has no parameter 'n_pattern'. Did you mean n_patterns" in unknown
    other = refused("find", table, *out, "--force", "--set", "anchor=sick")
    assert "anchor has 'sick', which is no label of y" in other
    unlabelled = refused("find", table, "--force", *out[:2], "--set", "anchor=case")
    assert unlabelled == "--set anchor needs classes; name their column with --target."


@pytest.mark.filterwarnings("default::bicneuron.exceptions.NoBiclusterWarning")
def test_without_a_pattern_nothing_is_written(refused, cohort, tmp_path):
    few = tmp_path / "few.csv"
    cohort.iloc[36:44].to_csv(few)
    out = ["-o", tmp_path / "p.json", "--plots", tmp_path / "plots", "--target", "status"]
    assert "no pattern was found, nothing was written" in refused("find", few, *out)
    assert list(tmp_path.iterdir()) == [few]


def test_an_output_that_is_no_table(refused, table, tmp_path):
    message = refused("find", table, "--target", "status", *FEW, "-o", tmp_path / "p.doc")
    assert "its name must end in .csv" in message


# --- pictures


def test_there_is_a_picture_of_each_pattern(written, patterns):
    width = len(str(len(patterns)))
    names = [f"pattern-{pattern['rank']:0{width}}.svg" for pattern in patterns]
    assert sorted(path.name for path in (written / "plots").iterdir()) == names
    for name, pattern in zip(names, patterns, strict=True):
        root = ElementTree.parse(written / "plots" / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        texts = {text for text in root.itertext() if text.strip()}
        assert any(f"strength {pattern['strength']:.1f}" in text for text in texts)
        shown = {name for name in pattern["columns"] if name in texts}
        assert len(shown) >= min(pattern["n_columns"], 10)


def test_older_pictures_are_replaced_on_request_only(run, refused, table, tmp_path):
    folder, out = tmp_path / "plots", ["--target", "status", "--set", "n_patterns=2"]
    out += ["--jobs", "1", "-o", tmp_path / "p.json", "--plots", folder]
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "pattern-17.svg").write_text("old")
    message = refused("find", table, *out)
    assert message == (
        f"{folder} has pattern-*.svg files; choose another folder or replace them with --force."
    )
    assert not (tmp_path / "p.json").exists()
    run("find", table, *out, "--force")
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["notes.txt", "pattern-1.svg", "pattern-2.svg"]
    assert {path.name for path in tmp_path.iterdir()} == {"p.json", "plots"}


def test_folders_that_cannot_be_written(refused, table, tmp_path):
    out = ["--target", "status", "-o", tmp_path / "p.json", "--plots"]
    (tmp_path / "file").write_text("")
    assert "is a file; name a folder" in refused("find", table, *out, tmp_path / "file")
    assert "there is no folder" in refused("find", table, *out, tmp_path / "none" / "plots")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_pictures_that_do_not_fit_leave_no_part(refused, table, tmp_path):
    folder, out = tmp_path / "plots", tmp_path / "p.csv"
    folder.mkdir()
    (folder / "pattern-1.svg").write_text("old")
    arguments = ["--target", "status", "--set", "n_patterns=1", "--jobs", "1", "--force"]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        message = refused("find", table, *arguments, "-o", out, "--plots", folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message.startswith(f"cannot write {folder}: {os.strerror(errno.EFBIG)}. Nothing was")
    assert message.endswith("name another place with --plots.")
    assert [path.name for path in folder.iterdir()] == ["pattern-1.svg"]
    assert (folder / "pattern-1.svg").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"p.csv", "plots"}


def test_a_missing_matplotlib_is_named_before_the_search(refused, table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = ["--target", "status", "-o", tmp_path / "p.csv", "--plots", tmp_path / "plots"]
    assert "run pip install 'bicneuron[plot]'" in refused("find", table, *out)
    assert list(tmp_path.iterdir()) == []


def test_a_page_shows_everything(run, table, patterns, tmp_path):
    out = tmp_path / "patterns.html"
    run("find", table, "--target", "status", *FEW, "-o", out)
    page = Page(out.read_text())
    assert "cohort.csv" in page.text
    assert "classes of status" in page.text
    assert len(page.all("svg")) == len(patterns)
    for pattern in patterns:
        assert f"Strength {pattern['strength']:.1f}, {pattern['n_columns']} column" in page.text
        assert set(pattern["columns"][:30]) <= set(page.texts)
        assert all(row in page.text for row in pattern["rows"])


def test_a_page_is_the_same_whatever_the_number_of_processes(run, table, tmp_path):
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    one = ["find", table, "--target", "status", "--set", "n_patterns=1"]
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


def test_significance_says_which_groups_belong_to_a_class(table, tmp_path, capsys):
    out = tmp_path / "patterns.json"
    options = ["--target", "status", *FEW, "--significance", "-o", out]
    assert main([*map(str, ["find", table, *options])]) == 0
    told = capsys.readouterr().out
    assert SOME in told
    first, *others = json.loads(out.read_text())["patterns"]
    assert first["carriers"]["control"] == "0 of 40"
    assert int(first["carriers"]["case"].split()[0]) >= 8
    assert 0 < first["p"] <= first["p_corrected"] <= 0.02
    assert first["class"] is None
    assert all(record["p"] <= record["p_corrected"] for record in (first, *others))


def test_significance_of_exchanged_classes_is_nothing(cohort, tmp_path, capsys):
    labels = np.random.default_rng(5).permutation(np.repeat(["case", "control"], 40))
    cohort.assign(status=labels).to_csv(tmp_path / "t.csv")
    options = ["--target", "status", *FEW, "--significance", "-o", tmp_path / "p.csv"]
    assert main([*map(str, ["find", tmp_path / "t.csv", *options])]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == NOTHING
    written = pd.read_csv(tmp_path / "p.csv")
    assert (written["p_corrected"] > 0.05).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--significance needs classes"),
        (["--target", "status", "--miner", "pairs"], "leave out --miner pairs"),
        (["--target", "status", "--set", "anchor=case"], "leave out --set anchor"),
    ],
)
def test_significance_refuses_what_it_cannot_do(options, message, table, tmp_path, capsys):
    out = tmp_path / "patterns.csv"
    drop = [] if options else ["--drop", "status"]
    arguments = ["find", table, *options, *drop, "--significance", "-o", out]
    assert main([*map(str, arguments)]) != 0
    assert message in capsys.readouterr().err
    assert not out.exists()


# Few and small, because each search is repeated.
SMALL = ("--set", "kinds=shift", "--set", "n_patterns=3", "--jobs", "1")


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


@pytest.fixture(params=[4])
def few_subsamples(monkeypatch, request):
    """Four in place of 100; what was asked for and what came of it."""
    asked, whole = [], significance.stability
    assert signature(whole).parameters["n_subsamples"].default == 100

    def stability(*arguments, **options):
        result = whole(*arguments, n_subsamples=request.param, **options)
        asked.append((arguments, options, result))
        return result

    monkeypatch.setattr(significance, "stability", stability)
    return asked


def by_columns(path):
    """The patterns of a JSON file by the genes that most of their columns are of."""
    found = json.loads(path.read_text())["patterns"]
    return {
        name: next(p for p in found if len(genes & set(p["columns"])) >= 5)
        for name, genes in {
            "patients": {f"g{j}" for j in range(6)},
            "batch": {f"g{j}" for j in range(8, 14)},
        }.items()
    }


def test_a_batch_is_no_class_within_strata(run, samples_file, tmp_path):
    options = ["--target", "status", "--significance", *SMALL]
    out, within = tmp_path / "p.json", tmp_path / "within.json"
    run("find", samples_file, *options, "--drop", "batch,patient", "-o", out)
    assert by_columns(out)["batch"]["carriers"] == {"case": "14 of 24", "control": "2 of 24"}
    assert by_columns(out)["batch"]["p_corrected"] <= 0.01
    options += ["--strata", "batch", "--drop", "patient"]
    lines = run("find", samples_file, *options, "-o", within).out.splitlines()
    assert "set aside before the search: batch" in lines
    content = json.loads(within.read_text())
    assert content["set_aside"] == ["batch"]
    first, *_ = content["patterns"]
    assert {f"g{j}" for j in range(6)} <= {*first["columns"]}
    assert first["p_corrected"] <= 0.05
    # What follows the batch is gone, and the batch is no column.
    for pattern in content["patterns"]:
        assert len({"batch", *(f"g{j}" for j in range(8, 14))} & {*pattern["columns"]}) < 5
    run("find", samples_file, *options, "-o", tmp_path / "p.html")
    assert "What batch explains was set aside." in Page((tmp_path / "p.html").read_text()).text


def test_known_structure_is_set_aside_without_any_test(answer_of, samples, tmp_path):
    """Strata and covariates, in the search and in what is written."""
    age = np.random.default_rng(0).uniform(20, 80, size=48)
    shifted = samples.assign(age=age, sex=np.tile(["m", "f"], 24))
    for gene in ("g14", "g15", "g7", "g6"):
        shifted[gene] += 4 * (shifted["sex"] == "m")
    shifted.to_csv(tmp_path / "t.csv")
    options = ["--drop", "status,patient", *SMALL, "--strata", "batch", "--strata", "sex"]
    options += ["--covariates", "age", "-o", tmp_path / "p.json"]
    answer = answer_of("find", tmp_path / "t.csv", *options)
    assert answer["set_aside"] == ["batch", "sex", "age"]
    first, *others = json.loads((tmp_path / "p.json").read_text())["patterns"]
    assert {f"g{j}" for j in range(6)} <= {*first["columns"]}
    for pattern in others:
        assert len({"g14", "g15", "g7", "g6"} & {*pattern["columns"]}) < 3


def test_samples_of_a_patient_are_one_piece_of_evidence(run, samples_file, tmp_path):
    options = ["--target", "status", "--significance", *SMALL, "--drop", "batch"]
    out = tmp_path / "p.json"
    run("find", samples_file, *options, "--groups", "patient", "-o", out)
    found = by_columns(out)["patients"]
    assert found["carriers"] == {"case": "12 of 24", "control": "0 of 24"}
    assert found["p_corrected"] > 0.05


@pytest.mark.parametrize("few_subsamples", [30], indirect=True)
@pytest.mark.usefixtures("few_subsamples")
def test_stability_says_how_often_columns_are_found(run, samples_file, tmp_path):
    out = tmp_path / "p.json"
    options = ["--drop", "status,batch,patient", "--stability", *SMALL, "-o", out]
    lines = run("find", samples_file, *options).out.splitlines()
    found = by_columns(out)["patients"]
    count, total = map(int, found["found"].split(" of "))
    assert total == 30
    assert count >= 27
    assert lines[found["rank"]].endswith(f", found in {found['found']} subsamples")
    frequencies = dict(zip(found["columns"], found["column_frequencies"], strict=True))
    assert min(frequencies[f"g{j}"] for j in range(6)) >= 0.85
    assert "p" not in found


def test_stability_is_that_of_the_search(run, samples_file, few_subsamples, samples, tmp_path):
    options = ["--stability", "--target", "status", "--groups", "patient", "--drop", "batch"]
    run("find", samples_file, *options, *SMALL, "-o", tmp_path / "p.json")
    blind = ["--significance", "--seed", "7", "-o", tmp_path / "p.csv"]
    run("find", samples_file, *options, *SMALL, *blind)
    (seen, asked, result), (unseen, asked_later, _) = few_subsamples
    np.testing.assert_array_equal(seen[2], samples["status"])
    assert unseen[2] is None
    for given in (asked, asked_later):
        np.testing.assert_array_equal(given["groups"], samples["patient"])
        assert given["n_jobs"] == 1
    assert (asked["random_state"], asked_later["random_state"]) == (0, 7)
    for place, pattern in enumerate(json.loads((tmp_path / "p.json").read_text())["patterns"]):
        assert pattern["found"] == f"{4 * result.found[place]:.0f} of 4"
        by_name = dict(zip(samples.columns, result.column_frequency[place], strict=False))
        assert pattern["column_frequencies"] == [by_name[name] for name in pattern["columns"]]
    line = pd.read_csv(tmp_path / "p.csv").iloc[0]
    assert line["found"].endswith(" of 4")
    assert len(line["column_frequencies"].split("; ")) == len(line["columns"].split("; "))
    assert line["p"] <= line["p_corrected"]


def test_a_terminal_shows_how_many_subsamples_are_done(
    run, samples_file, few_subsamples, tmp_path, monkeypatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    options = ["--drop", "status,batch,patient", "--stability", *SMALL]
    told = run("find", samples_file, *options, "-o", tmp_path / "p.json").err
    assert "subsamples" in told
    assert "4/4" in told


def test_a_page_tells_how_sure_each_pattern_is(run, samples_file, few_subsamples, tmp_path):
    page, listed = tmp_path / "p.html", tmp_path / "p.json"
    options = ["--target", "status", "--drop", "batch,patient", *FEW]
    options += ["--significance", "--stability"]
    first, *_ = run("find", samples_file, *options, "-o", listed).out.splitlines()
    run("find", samples_file, *options, "-o", page, "--plots", tmp_path / "plots")
    shown = Page(page.read_text())
    texts = [text for text in shown.texts if text]
    assert texts[texts.index("Skip to the content") + 1] == first
    assert "48 rows and 16 columns were searched without the classes of status" in shown.text
    patterns = json.loads(listed.read_text())["patterns"]
    sections = [a for a in shown.all("section") if a["aria-labelledby"].startswith("pattern")]
    for pattern, section in zip(patterns, sections, strict=True):
        is_chance = pattern["p_corrected"] > 0.05
        assert section.get("class") == ("chance" if is_chance else None)
        shares = ", ".join(f"{share} {label}" for label, share in pattern["carriers"].items())
        told = f"{shares}; p = {pattern['p_corrected']:.2g} corrected for all patterns; found in "
        told += f"{pattern['found']} subsamples: {pattern['verdict']}."
        assert told in shown.text
        assert pattern["verdict"] == (
            "does not belong to a class more than chance would give"
            if is_chance
            else "belongs to a class"
        )
        frequencies = zip(pattern["columns"], pattern["column_frequencies"], strict=True)
        for name, frequency in frequencies:
            assert f"{name} {100 * frequency:.0f} % " in shown.text
        svg = (tmp_path / "plots" / f"pattern-{pattern['rank']}.svg").read_text()
        assert f">p = {pattern['p_corrected']:.2g} corrected for all patterns<" in svg
        assert f">found in {pattern['found']} subsamples<" in svg
    assert {section.get("class") for section in sections} == {"chance", None}


def test_a_page_of_exchanged_classes_says_so_first_and_is_grey(run, samples, tmp_path):
    labels = np.random.default_rng(3).permutation(samples["status"])
    samples.assign(status=labels).to_csv(tmp_path / "t.csv")
    out = ["-o", tmp_path / "p.html", "--target", "status", "--drop", "batch,patient"]
    answer = run("find", tmp_path / "t.csv", *out, "--significance", *SMALL)
    assert answer.out.splitlines()[0] == NOTHING
    page = Page((tmp_path / "p.html").read_text())
    texts = [text for text in page.texts if text]
    assert texts[texts.index("Skip to the content") + 1] == NOTHING
    sections = [a for a in page.all("section") if a["aria-labelledby"].startswith("pattern")]
    assert len(sections) > 1
    assert {section["class"] for section in sections} == {"chance"}
    assert sum(row.get("class") == "chance" for row in page.all("tr")) == len(sections)
    assert "The strongest pattern is shown by" not in page.text


@pytest.fixture
def few_tables(monkeypatch):
    """Fewer than nineteen tables of each kind, which take long."""
    assert _questions.TABLES == 19

    def set_to(n_tables):
        monkeypatch.setattr(_questions, "TABLES", n_tables)

    return set_to


def test_a_group_need_not_belong_to_a_class(run, samples, tmp_path):
    labels = np.random.default_rng(3).permutation(samples["status"])
    samples.assign(status=labels).to_csv(tmp_path / "t.csv")
    out = ["--target", "status", "--drop", "batch,patient", *SMALL]
    tests = ["--group-test", "--significance"]
    lines = run(
        "find", tmp_path / "t.csv", *out, *tests, "-o", tmp_path / "p.json"
    ).out.splitlines()
    of_groups, of_classes, *_ = lines
    assert of_groups.endswith(
        "are groups, clearer than in tables without any, at p <= 0.05; the smallest possible p is "
        "0.05"
    )
    assert of_classes == NOTHING
    found = by_columns(tmp_path / "p.json")
    for pattern in (found["patients"], found["batch"]):
        assert pattern["p_group"] == 0.05
        assert pattern["p_corrected"] > 0.05
        assert pattern["verdict"] == "a group, but not tied to a class"
        (line,) = [line for line in lines if line.startswith(f"{pattern['rank']}. ")]
        assert ", a group (p = 0.05), not tied to a class (p = " in line
    run("find", tmp_path / "t.csv", *out, *tests, "-o", tmp_path / "p.html")
    page = Page((tmp_path / "p.html").read_text())
    texts = [text for text in page.texts if text]
    place = texts.index("Skip to the content")
    assert texts[place + 1 : place + 3] == [of_groups, of_classes]
    assert "no better than chance" not in page.text


def test_too_few_tables_are_named(answer_of, samples_file, few_tables, tmp_path):
    few_tables(3)
    options = ["--drop", "status,batch,patient", *SMALL, "-o", tmp_path / "p.json"]
    answer = answer_of("find", samples_file, *options, "--group-test")
    assert answer["group_test"] == "too few tables to tell: the smallest possible p is 0.25"
    assert "significance" not in answer
    (verdict,) = {p["verdict"] for p in json.loads((tmp_path / "p.json").read_text())["patterns"]}
    assert verdict == "too few tables to tell whether it is a group"


def test_no_search_is_made_twice(
    run, samples_file, few_tables, few_subsamples, tmp_path, monkeypatch
):
    few_tables(2)
    searched, whole = [], SubgroupBiclustering._fit

    def fit(miner, X, *arguments, **options):
        searched.append(len(X))
        return whole(miner, X, *arguments, **options)

    monkeypatch.setattr(SubgroupBiclustering, "_fit", fit)
    options = ["--target", "status", "--drop", "batch,patient", *SMALL]
    tests = ["--group-test", "--significance", "--stability"]
    run("find", samples_file, *options, *tests, "-o", tmp_path / "p.json")
    # The table, two tables without groups of two kinds, four subsamples.
    assert len(searched) == 9
    assert searched.count(48) == 5


def test_scripts_get_the_line_too(answer_of, samples_file, tmp_path):
    options = ["--target", "status", "--drop", "batch,patient", *SMALL, "-o", tmp_path / "p.json"]
    told = answer_of("find", samples_file, *options, "--significance")["significance"]
    assert told.endswith(SOME)
    assert "significance" not in answer_of("find", samples_file, *options, "--force")


TESTED = ["--target", "status", "--significance"]


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
        (
            ["--target", "status", "--miner", "pairs", "--strata", "batch"],
            "--strata is for groups; leave out --miner pairs.",
        ),
        (
            ["--target", "status", "--groups", "patient"],
            "--groups is for --significance and --stability; add one of them.",
        ),
        ([*TESTED, "--strata", "patient", "--drop", "batch"], "strata leave no labels to exchange"),
        ([*TESTED, "--groups", "batch", "--drop", "patient"], "groups has 'A' with more than one"),
        (["--target", "status", "--stability", "--miner", "pairs"], "leave out --miner pairs"),
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
