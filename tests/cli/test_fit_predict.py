"""From a file to a model to predictions, as a new user would."""

import re
import shlex
from functools import partial
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from table_files import ALL_SUFFIXES, write_any

from bicneuron import BicNeuronClassifier, PatternClassifier
from bicneuron.metrics import cross_validated_scores
from bicneuron.persistence import load_about, load_model, save_model
from reproduction.datasets import load_dataset

UNSCORED = ["--folds", "0"]
NEURON = ["--model", "neuron", *UNSCORED, "--jobs", "1"]
CUT = [*NEURON]
FEW = ["--jobs", "1"]


read_csv = partial(pd.read_csv, float_precision="round_trip")


def names_of(model):
    return model.feature_names_in_[model.selected_pair_.columns].tolist()


def features(patients):
    return patients.drop(columns="Diagnose")


def test_the_model_is_that_of_the_library(patients, model_file):
    loaded = load_model(model_file)[-1]
    mine = BicNeuronClassifier(search=None, random_state=0)
    mine.fit(features(patients), patients["Diagnose"])
    assert loaded.feature_names_in_.tolist() == features(patients).columns.tolist()
    assert loaded.selected_pair_ == mine.selected_pair_
    assert loaded.n_jobs is None
    scores = loaded.decision_function(features(patients))
    assert (scores == mine.decision_function(features(patients))).all()


def test_the_file_says_how_it_was_made(european, model_file):
    about = load_about(model_file)["about"]
    assert about["target"] == "Diagnose"
    assert about["id"] == "Prüfling Nr"
    assert about["dropped"] == []
    assert about["table"] == european.name
    assert about["n_rows"] == 100
    command = shlex.split(about["command"])
    assert command[:3] == ["bicneuron", "fit", str(european)]


def test_fit_says_aloud_what_it_guessed(run, european, tmp_path):
    out = tmp_path / "model"
    printed = run("fit", european, "--target", "Diagnose", "-o", out, *CUT)
    assert printed.err.splitlines() == [
        "note: encoding: UTF-8, by its byte-order mark",
        "note: delimiter: semicolon",
        "note: decimal comma",
        "note: row names: column 'Prüfling Nr'",
    ]
    unscored, size, pattern, last, following = printed.out.splitlines()
    assert unscored == "not scored (--folds 0): nothing here says how well it predicts."
    assert pattern == load_model(f"{out}.skops")[-1].summary()
    assert size == "100 rows, 10 features; müde: 40, wach & fit: 60"
    assert re.fullmatch(
        r"1\. \d+ columns \(.+\); learned from \d+ rows of .+ and \d+ of .+", pattern
    )
    assert not re.search(r"\d of \d", pattern), "no counts of training rows"
    assert last == f"wrote {out}.skops"
    assert shlex.split(following) == [
        *("next:", "bicneuron", "explain", f"{out}.skops", str(european), "-o", f"{out}.html")
    ]
    assert (tmp_path / "model.skops").is_file()


def test_fit_for_scripts(answer_of, run, european, tmp_path):
    out = tmp_path / "model.skops"
    answer = answer_of("fit", european, "--target", "Diagnose", "-o", out, "--drop", "f6,f7", *CUT)
    assert answer["output"] == str(out)
    assert (answer["n_rows"], answer["n_features"]) == (100, 8)
    assert answer["classes"] == {"müde": 40, "wach & fit": 60}
    assert answer["dropped"] == ["f6", "f7"]
    assert "decimal comma" in answer["notes"]
    assert "n_right" not in answer
    assert "scores" not in answer
    (pattern,) = answer["patterns"]
    model = load_model(out)[-1]
    assert sorted(pattern["columns"]) == sorted(names_of(model))
    ranked = model.feature_names_in_[model.patterns_[0].ranked_columns]
    assert pattern["columns"] == ranked.tolist()
    # The decimal commas of eight columns, which are the point of no thousands in new tables.
    assert [step["kind"] for step in answer["steps"]] == [*["numbers"] * 8, "classes"]
    printed = run("fit", european, "--target", "Diagnose", "-o", out, "--force", "--quiet", *CUT)
    assert printed == ("", "")


def test_fit_tells_its_score_first_and_then_its_patterns_once(run, shown, tmp_path):
    patients, table = shown
    out = tmp_path / "m.skops"
    printed = run("fit", table, "--target", "Diagnose", "-o", out, *FEW)
    model = load_model(out)[-1]
    assert (type(model).__name__, model.n_jobs) == ("PatternClassifier", None)
    X, y = features(patients), patients["Diagnose"]
    scores = cross_validated_scores(model, X, y, n_repeats=1)
    size = "100 rows, 10 features; müde: 40, wach & fit: 60"
    *lines, following = printed.out.splitlines()
    assert lines == [*str(scores).splitlines(), size, *model.summary().splitlines(), f"wrote {out}"]
    assert following.startswith("next: bicneuron explain ")
    told = model.summary().splitlines()
    assert len(told) == len(model.patterns_)
    for number, (pattern, line) in enumerate(zip(model.patterns_, told, strict=True), start=1):
        evidence = pattern.evidence
        assert line.startswith(f"{number}. {len(pattern.columns)} columns (")
        assert f"; {pattern.strength:.0%}".replace("%", " % of the decision; ") in line
        counts = sorted(evidence.left_out, key=lambda one: one[0] != pattern.anchor_class)
        words = ", ".join(f"{own} of {total} {label}" for label, own, total in counts)
        again = f"chosen again in {evidence.n_found} of 5 folds"
        assert line.endswith(f"; carried on rows left out by {words}; {again}")
    # On the page, from the file alone and with the table.
    for given in ([], [table]):
        page = tmp_path / f"page{len(given)}.html"
        run("explain", out, *given, "-o", page)
        assert all(line in unescape(page.read_text()) for line in told)


@pytest.mark.filterwarnings("default::bicneuron.exceptions.NoPatternWarning")
@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("readable", "No pattern that predicts the class was found in 100 rows and 10 columns."),
        ("neuron", "1. "),
    ],
)
def test_shuffled_classes_are_said_to_be_nothing(run, patients, tmp_path, model, said):
    y = np.random.default_rng(0).permutation(patients["Diagnose"])
    patients.assign(Diagnose=y).to_csv(tmp_path / "t.csv")
    out = tmp_path / "m.skops"
    few = FEW if model == "readable" else ["--jobs", "1"]
    arguments = ["fit", tmp_path / "t.csv", "--target", "Diagnose", "-o", out, "--model", model]
    arguments += ["--folds", "2", *few]
    lines = run(*arguments).out.splitlines()
    assert lines[0] == (
        "on rows left out this model is no better than always naming one class; neither is "
        "logistic regression: try more rows, other columns or another target."
    )
    assert lines[1].startswith("balanced accuracy on rows left out")
    (told,) = [line for line in lines if line.startswith(said)]
    assert lines.index(told) > 5
    patterns = load_model(out)[-1].patterns_
    assert len(patterns) == (0 if model == "readable" else 1)
    patients.drop(columns="Diagnose").to_csv(tmp_path / "rows.csv")  # no classes: not scored
    run("explain", out, tmp_path / "rows.csv", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert told in unescape(page)


def test_a_batch_and_patients_are_told_to_fit(answer_of, run, refused, tmp_path):
    random = np.random.default_rng(0)
    diagnosis = np.repeat(["ill", "well"], 30)
    # Most of the ill were measured in batch a, which is shifted.
    batch = np.r_[["a"] * 24, ["b"] * 6, ["a"] * 6, ["b"] * 24]
    table = pd.DataFrame(random.normal(size=(60, 12)) + 4 * (batch == "a")[:, None])
    table.columns = [f"f{k}" for k in range(12)]
    table = table.assign(diagnosis=diagnosis, batch=batch, patient=np.arange(60) // 2)
    table.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["fit", tmp_path / "t.csv", "--target", "diagnosis", "-o", tmp_path / "m.skops"]
    arguments += ["--force", "--folds", "3", *FEW]
    plain = answer_of(*arguments, "--drop", "batch,patient")
    within = answer_of(*arguments, "--strata", "batch", "--drop", "patient")
    together = answer_of(*arguments, "--groups", "patient", "--drop", "batch")
    p_plain, p_within, p_together = (
        min(one.get("p_corrected") or np.nan for one in answer["patterns"])
        for answer in (plain, within, together)
    )
    assert p_plain < p_together <= 0.05 < p_within
    assert "than chance gives (p = 0.001, corrected for all groups)" in plain["answer"]
    assert "more often" not in within["answer"]
    assert plain["n_features"] == within["n_features"] == together["n_features"] == 12
    expected = cross_validated_scores(
        load_model(tmp_path / "m.skops")[-1],
        table.iloc[:, :12],
        diagnosis,
        groups=table["patient"],
        n_splits=3,
        n_repeats=1,
    )
    assert together["scores"] == expected.to_dict()
    assert together["scores"] != plain["scores"]
    # The page scores the model in the folds of the fit, in which patients stay together.
    run("explain", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for label, one in together["scores"]["classes"].items():
        n_right = round(one["recall"] * one["n_rows"])
        assert re.search(rf"{n_right} of {one['n_rows']} <span class=\"class\">.*?{label}</", page)
    said = refused(*arguments, "--strata", "centre", "--drop", "batch,patient")
    assert "centre" in said


def test_the_score_for_scripts(answer_of, shown, tmp_path):
    patients, table = shown
    out = tmp_path / "m.skops"
    arguments = ["fit", table, "--target", "Diagnose", "-o", out, "--folds", "3", *FEW]
    answer = answer_of(*arguments)
    scores = cross_validated_scores(
        load_model(out)[-1], features(patients), patients["Diagnose"], n_splits=3, n_repeats=1
    )
    assert answer["scores"] == scores.to_dict()
    assert answer["scores"]["n_splits"] == 3
    assert answer["scores"]["majority_accuracy"] == 0.6
    assert answer["no_better_than_majority"] is False
    patterns = load_model(out)[-1].patterns_
    assert [told["strength"] for told in answer["patterns"]] == [
        pattern.strength for pattern in patterns
    ]
    first, names = patterns[0], features(patients).columns
    assert answer["patterns"][0]["columns"] == names[first.ranked_columns].tolist()
    assert answer["patterns"][0]["class"] == first.anchor_class
    assert answer["patterns"][0]["n_rows"] == len(first.rows)
    evidence = first.evidence
    assert answer["patterns"][0]["found_in_folds"] == f"{evidence.n_found} of 3"
    assert answer["patterns"][0]["carriers_left_out"] == {
        label: f"{own} of {total}" for label, own, total in evidence.left_out
    }


def test_three_classes_are_scored(answer_of, patients, tmp_path):
    y = np.arange(100) % 3
    patients.assign(f8=patients["f8"] + 3.0 * y, Diagnose=y).to_csv(tmp_path / "t.csv")
    arguments = ["--target", "Diagnose", "-o", tmp_path / "m.skops", "--folds", "2", *FEW]
    scores = answer_of("fit", tmp_path / "t.csv", *arguments)["scores"]
    assert list(scores["model"]) == ["accuracy", "balanced_accuracy"]
    assert scores["majority_balanced_accuracy"] == pytest.approx(1 / 3)


def test_a_class_of_one_row_is_fitted_and_not_scored(run, answer_of, patients, tmp_path):
    y = np.array(["rare", *["b"] * 49, *["c"] * 50])
    patients.assign(f8=patients["f8"] + 3.0 * (y == "b"), Diagnose=y).to_csv(tmp_path / "t.csv")
    arguments = ["fit", tmp_path / "t.csv", "--target", "Diagnose", "-o", tmp_path / "m.skops"]
    reason = "cross-validation needs two rows of each class; 'rare' has one."
    arguments += FEW
    assert f"not scored: {reason}" in run(*arguments).out.splitlines()
    answer = answer_of(*arguments, "--force")
    assert answer["scores"] is None
    assert answer["not_scored"] == reason
    assert (tmp_path / "m.skops").is_file()


def test_one_fold_is_refused(refused, european, tmp_path):
    arguments = ["--target", "Diagnose", "-o", tmp_path / "m.skops", "--folds", "1"]
    assert "take at least 2, or 0 for none" in refused("fit", european, *arguments)


def test_a_model_that_cannot_be_read_back_has_no_next_command(run, european, tmp_path):
    pytest.importorskip("onnx")
    out = tmp_path / "m.onnx"
    printed = run("fit", european, "--target", "Diagnose", "-o", out, *CUT)
    assert printed.out.splitlines()[-1] == f"wrote {out}"


def test_the_next_command_leaves_a_page_that_is_there_alone(run, european, tmp_path):
    out = tmp_path / "m.skops"
    arguments = ["fit", european, "--target", "Diagnose", "-o", out, *CUT]
    for options, page in (([], "m.html"), (["--force"], "m_2.html")):
        following = run(*arguments, *options).out.splitlines()[-1]
        words = shlex.split(following.removeprefix("next: bicneuron "))
        assert (words[0], words[-1]) == ("explain", str(tmp_path / page))
        run(*words)
        assert (tmp_path / page).is_file()


def test_a_model_is_no_json_file(refused, european, tmp_path):
    arguments = ["fit", european, "--target", "Diagnose", "-o", tmp_path / "m.json"]
    assert "m.json must end in .skops or .onnx" in refused(*arguments)


def test_columns_with_commas_can_be_dropped(answer_of, european, tmp_path):
    arguments = ["--drop", '"a, b",f6', "--drop", "x;y", "-o", tmp_path / "m.skops", *CUT]
    answer = answer_of("fit", european, "--target", "Diagnose", *arguments)
    assert answer["dropped"] == ["a, b", "x;y", "f6"]


def test_predictions_are_those_of_the_library(run, patients, european, model_file, tmp_path):
    out = tmp_path / "predictions.csv"
    printed = run("predict", model_file, european, "-o", out)
    model = load_model(model_file)[-1]
    X = features(patients)
    written = read_csv(out, index_col=0)
    assert written.index.name == "Prüfling Nr"
    assert written.index.tolist() == patients.index.tolist()
    assert written["class"].tolist() == model.predict(X).tolist()
    assert (written["score"] == model.decision_function(X)).all()
    names = set(model.feature_names_in_[model.selected_pair_.columns])
    for told in written["columns"]:
        assert all(name in told for name in names)
        assert len(told) == len(", ".join(names)), "the same columns, the most telling first"
    n_right = (model.predict(X) == patients["Diagnose"]).sum()
    assert f"{n_right} of them agree with column 'Diagnose'" in printed.out


def test_columns_are_matched_by_name(run, answer_of, patients, european, model_file, tmp_path):
    run("predict", model_file, european, "-o", tmp_path / "one.csv")
    other = features(patients).iloc[:, ::-1].assign(more="text", half=0.5)
    other.to_csv(tmp_path / "other.csv")
    answer = answer_of("predict", model_file, tmp_path / "other.csv", "-o", tmp_path / "two.csv")
    assert "columns that are not needed left out: 'more', 'half'" in answer["notes"]
    assert "n_right" not in answer
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()


def test_missing_columns_are_named(refused, patients, model_file, tmp_path):
    patients.drop(columns=["Größe µm", "f8"]).to_csv(tmp_path / "t.csv")
    message = refused("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert "lacks 2 of the 10 columns" in message
    assert "'Größe µm', 'f8'" in message
    assert not (tmp_path / "p.csv").exists()


def test_labels_that_are_not_known_yet(answer_of, patients, model_file, tmp_path):
    patients.assign(Diagnose="").to_csv(tmp_path / "t.csv")
    answer = answer_of("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert "n_right" not in answer
    other = patients.assign(Diagnose=np.arange(100) % 2)
    other.to_csv(tmp_path / "t.csv")
    answer = answer_of("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "q.csv")
    assert answer["n_right"] == 0, "labels of another kind are all different"


def test_row_names_may_be_called_as_an_output_is(run, patients, model_file, tmp_path):
    patients.rename_axis("class").to_csv(tmp_path / "t.csv")
    run("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "p.parquet")
    written = pd.read_parquet(tmp_path / "p.parquet")
    assert written["class (row)"].tolist() == patients.index.tolist()


def test_a_network_gives_probabilities(run, answer_of, patients, european, tmp_path):
    model, out = tmp_path / "m.skops", tmp_path / "p.parquet"
    arguments = ["--target", "Diagnose", *FEW, *UNSCORED]
    run("fit", european, *arguments, "-o", model, "--seed", "3")
    answer = answer_of("predict", model, european, "-o", out)
    written = pd.read_parquet(out).set_index("Prüfling Nr")
    mine = PatternClassifier(max_patterns=2, random_state=3)
    mine.fit(features(patients), patients["Diagnose"])
    chances = written[["probability of müde", "probability of wach & fit"]].to_numpy()
    assert (chances == mine.predict_proba(features(patients))).all()
    assert written["class"].tolist() == mine.predict(features(patients)).tolist()
    first = written.iloc[0]
    pattern = mine.patterns_[first["pattern"] - 1]
    names = mine.feature_names_in_[pattern.columns]
    assert all(name in first["columns"] for name in names)
    assert len(first["columns"]) == len(", ".join(names))
    assert sum(answer["classes"].values()) == 100


def test_three_classes(run, patients, tmp_path):
    three = patients.assign(Diagnose=np.arange(100) % 3)
    three.iloc[:, 0] += 5.0 * (three["Diagnose"] == 1)
    three.iloc[:, 1] += 5.0 * (three["Diagnose"] == 2)
    three.to_csv(tmp_path / "t.csv")
    run("fit", tmp_path / "t.csv", "--target", "Diagnose", "-o", tmp_path / "m.skops", *CUT)
    run("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    model = load_model(tmp_path / "m.skops")[-1]
    written = read_csv(tmp_path / "p.csv", index_col=0)
    assert written["class"].tolist() == model.predict(features(three)).tolist()
    assert (written["score"] == model.decision_function(features(three)).max(axis=1)).all()


def test_models_of_python_are_taken_too(run, refused, patients, tmp_path):
    X, y = features(patients), patients["Diagnose"].to_numpy()
    path = save_model(
        BicNeuronClassifier(search=None, random_state=0).fit(X.to_numpy(), y), tmp_path / "m.skops"
    )
    X.to_csv(tmp_path / "t.csv")
    run("predict", path, tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    expected = load_model(path).predict(X.to_numpy()).tolist()
    assert read_csv(tmp_path / "p.csv")["class"].tolist() == expected
    X.iloc[:, 1:].to_csv(tmp_path / "t.csv")
    message = refused("predict", path, tmp_path / "t.csv", "-o", tmp_path / "q.csv")
    assert "9 features" in message


def test_a_pipeline_has_no_pattern_to_tell(run, patients, european, tmp_path):
    X, y = features(patients), patients["Diagnose"]
    model = make_pipeline(StandardScaler(), BicNeuronClassifier(search=None, random_state=0)).fit(
        X, y
    )
    path = save_model(model, tmp_path / "m.skops")
    run("predict", path, european, "-o", tmp_path / "p.csv")
    written = read_csv(tmp_path / "p.csv", index_col=0)
    chances = ["probability of müde", "probability of wach & fit"]
    assert written.columns.tolist() == ["class", "score", *chances]
    assert written["class"].tolist() == model.predict(X).tolist()
    assert (written["score"] == model.decision_function(X)).all()
    assert (written[chances] == model.predict_proba(X)).to_numpy().all()


def test_a_terminal_shows_that_something_is_done(run, monkeypatch, european, tmp_path):
    monkeypatch.setenv("FORCE_COLOR", "1")
    arguments = ["fit", european, "--target", "Diagnose", "-o", tmp_path / "m.skops", *FEW]
    shown = run(*arguments).err
    assert "reading" in shown
    assert "fitting" in shown
    assert "scoring" in shown
    assert "5/5" in shown
    short = ["--folds", "2"]
    assert run(*arguments, *short, "--force", "--quiet") == ("", "")


# --- every format


@pytest.mark.parametrize("suffix", ALL_SUFFIXES)
def test_every_format_gives_the_same_model(run, patients, model_file, tmp_path, suffix):
    table = write_any(patients, "Diagnose", tmp_path / f"table{suffix}")
    run("fit", table, "--target", "Diagnose", "-o", tmp_path / "m.skops", *CUT)
    X = features(patients)
    again, model = load_model(tmp_path / "m.skops")[-1], load_model(model_file)[-1]
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert (again.decision_function(X) == model.decision_function(X)).all()
    run("predict", tmp_path / "m.skops", table, "-o", tmp_path / "p.csv")
    written = read_csv(tmp_path / "p.csv", index_col=0)
    assert written.index.tolist() == patients.index.tolist()
    assert written["class"].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx"])
def test_predictions_in_every_format(run, european, model_file, tmp_path, suffix):
    out = tmp_path / f"p{suffix}"
    run("predict", model_file, european, "-o", out)
    read = {".parquet": pd.read_parquet, ".xlsx": pd.read_excel}.get(out.suffix, read_csv)
    options = {"sep": "\t"} if ".tsv" in suffix else {}
    frame = read(out, **options)
    run("predict", model_file, european, "-o", tmp_path / "plain.csv")
    pd.testing.assert_frame_equal(frame, read_csv(tmp_path / "plain.csv"), rtol=1e-14)


@pytest.fixture(scope="module")
def parkinsons():
    """Real data and a model of them."""
    bunch = load_dataset("parkinsons")
    return bunch, BicNeuronClassifier(search=None, random_state=0).fit(
        bunch.data, bunch.target.astype(int)
    )


@pytest.mark.real_data
@pytest.mark.parametrize("suffix", ALL_SUFFIXES)
def test_real_data_in_every_format(run, answer_of, tmp_path, parkinsons, suffix):
    bunch, mine = parkinsons
    frame = pd.DataFrame(bunch.data, columns=bunch.feature_names).assign(status=bunch.target)
    frame.index = pd.Index([f"recording {i}" for i in range(len(frame))], name="name")
    table = write_any(frame, "status", tmp_path / f"table{suffix}")
    model, out = tmp_path / "m.skops", tmp_path / "p.csv"
    run("fit", table, "--target", "status", "-o", model, *NEURON)
    answer = answer_of("predict", model, table, "-o", out)
    predicted = read_csv(out)
    assert predicted.iloc[:, 0].tolist() == frame.index.tolist()
    assert predicted["class"].tolist() == mine.predict(bunch.data).tolist()
    assert answer["n_right"] == (mine.predict(bunch.data) == bunch.target.astype(int)).sum()
