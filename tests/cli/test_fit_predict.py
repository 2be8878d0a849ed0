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

from bicneuron import BicNeuronClassifier, PatternClassifier
from bicneuron.metrics import cross_validated_scores
from bicneuron.persistence import load_about, load_model, save_model

FEW = ["--jobs", "1"]
NEURON = ["--model", "neuron", "--folds", "0", *FEW]
TARGET = ["--target", "Diagnose"]
CHANCES = ["probability of müde", "probability of wach & fit"]

read_csv = partial(pd.read_csv, float_precision="round_trip")


def features(patients):
    return patients.drop(columns="Diagnose")


def test_the_file_holds_the_model_of_the_library_and_says_how_it_was_made(
    patients, european, model_file
):
    loaded, X = load_model(model_file)[-1], features(patients)
    mine = BicNeuronClassifier(search=None, random_state=0).fit(X, patients["Diagnose"])
    assert loaded.feature_names_in_.tolist() == X.columns.tolist()
    assert loaded.selected_pair_ == mine.selected_pair_
    assert loaded.n_jobs is None
    assert (loaded.decision_function(X) == mine.decision_function(X)).all()
    about = load_about(model_file)["about"]
    assert shlex.split(about.pop("command"))[:3] == ["bicneuron", "fit", str(european)]
    expected = {"target": "Diagnose", "id": "Prüfling Nr", "dropped": [], "n_rows": 100}
    assert about.items() >= (expected | {"table": european.name}).items()


def test_fit_says_aloud_what_it_guessed(run, european, tmp_path):
    out = tmp_path / "model"
    printed = run("fit", european, *TARGET, "-o", out, *NEURON)
    assert printed.err.splitlines() == [
        "read: 100 rows, 12 columns: 10 numbers, 1 target; ids: 'Prüfling Nr'; 1 to check",
        "note: decimal comma",
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


def test_fit_for_scripts(answer_of, run, european, tmp_path):
    out = tmp_path / "model.skops"
    drop = ["--drop", '"a, b",f6', "--drop", "x;y"]
    answer = answer_of("fit", european, *TARGET, "-o", out, *drop, *NEURON)
    assert answer["output"] == str(out)
    assert (answer["n_rows"], answer["n_features"]) == (100, 7)
    assert answer["classes"] == {"müde": 40, "wach & fit": 60}
    assert answer["dropped"] == ["a, b", "x;y", "f6"]
    assert "decimal comma" in answer["notes"]
    assert {"n_right", "scores"}.isdisjoint(answer)
    (pattern,) = answer["patterns"]
    model = load_model(out)[-1]
    ranked = model.feature_names_in_[model.patterns_[0].ranked_columns]
    assert pattern["columns"] == ranked.tolist()
    # The decimal commas of seven columns, which are the point of no thousands in new tables.
    assert [one["kind"] for one in answer["conversions"]] == ["number"] * 7
    assert run("fit", european, *TARGET, "-o", out, "--force", "--quiet", *NEURON) == ("", "")


def test_fit_tells_its_score_first_and_then_its_patterns_once(run, shown, tmp_path):
    patients, table = shown
    out = tmp_path / "m.skops"
    printed = run("fit", table, *TARGET, "-o", out, "--folds", "2", *FEW)
    model, folds = load_model(out)[-1], {"n_splits": 2, "n_repeats": 1}
    assert (type(model).__name__, model.n_jobs) == ("PatternClassifier", None)
    scores = cross_validated_scores(model, features(patients), patients["Diagnose"], **folds)
    size = "100 rows, 10 features; müde: 40, wach & fit: 60"
    *lines, following = printed.out.splitlines()
    told = model.summary().splitlines()
    assert lines == [*str(scores).splitlines(), size, *told, f"wrote {out}"]
    assert following.startswith("next: bicneuron explain ")
    for number, (pattern, line) in enumerate(zip(model.patterns_, told, strict=True), start=1):
        evidence = pattern.evidence
        assert line.startswith(f"{number}. {len(pattern.columns)} columns (")
        assert f"; {pattern.strength:.0%}".replace("%", " % of the decision; ") in line
        counts = sorted(evidence.left_out, key=lambda one: one[0] != pattern.anchor_class)
        words = ", ".join(f"{own} of {total} {label}" for label, own, total in counts)
        again = f"chosen again in {evidence.n_found} of 2 folds"
        assert line.endswith(f"; carried on rows left out by {words}; {again}")
    # On the page, from the file alone.
    run("explain", out, "-o", tmp_path / "page.html")
    assert all(line in unescape((tmp_path / "page.html").read_text()) for line in told)


@pytest.mark.filterwarnings("default::bicneuron.exceptions.NoPatternWarning")
def test_shuffled_classes_are_said_to_be_nothing(run, patients, tmp_path):
    y = np.random.default_rng(0).permutation(patients["Diagnose"])
    patients.assign(Diagnose=y).to_csv(tmp_path / "t.csv")
    out, rows = tmp_path / "m.skops", tmp_path / "rows.csv"
    lines = run(
        "fit", tmp_path / "t.csv", *TARGET, "-o", out, "--folds", "2", *FEW
    ).out.splitlines()
    assert lines[0] == (
        "on rows left out this model is no better than always naming one class; neither is "
        "logistic regression: try more rows, other columns or another target."
    )
    assert lines[1].startswith("balanced accuracy on rows left out")
    told = "No pattern that predicts the class was found in 100 rows and 10 columns."
    assert lines.index(told) > 5
    features(patients).to_csv(rows)  # no classes: not scored
    run("explain", out, rows, "-o", tmp_path / "page.html")
    assert told in unescape((tmp_path / "page.html").read_text())
    run("predict", out, rows, "-o", tmp_path / "p.csv")
    predicted = read_csv(tmp_path / "p.csv")
    assert predicted["class"].nunique() == 1
    assert predicted[CHANCES].nunique().tolist() == [1, 1]


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
    arguments += ["--force", "--folds", "2", *FEW]
    within = answer_of(*arguments, "--strata", "batch", "--drop", "patient")
    together = answer_of(*arguments, "--groups", "patient", "--drop", "batch")
    p_within, p_together = (
        min(one.get("p_corrected") or np.nan for one in answer["patterns"])
        for answer in (within, together)
    )
    assert p_together <= 0.05 < p_within
    assert "more often" not in within["answer"]
    assert within["n_features"] == together["n_features"] == 12
    model, X = load_model(tmp_path / "m.skops")[-1], table.iloc[:, :12]
    folds = {"groups": table["patient"], "n_splits": 2, "n_repeats": 1}
    expected = cross_validated_scores(model, X, diagnosis, **folds)
    assert together["scores"] == expected.to_dict()
    # The page scores the model in the folds of the fit, in which patients stay together.
    run("explain", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for label, one in together["scores"]["classes"].items():
        n_right = round(one["recall"] * one["n_rows"])
        assert re.search(rf"{n_right} of {one['n_rows']} <span class=\"class\">.*?{label}</", page)
    assert "centre" in refused(*arguments, "--strata", "centre", "--drop", "batch,patient")


def test_the_score_for_scripts(answer_of, shown, tmp_path):
    _, table = shown
    out = tmp_path / "m.skops"
    answer = answer_of("fit", table, *TARGET, "-o", out, "--folds", "2", *FEW)
    model = load_model(out)[-1]
    assert answer["scores"]["n_splits"] == 2
    assert answer["scores"]["majority_accuracy"] == 0.6
    assert answer["no_better_than_majority"] is False
    told, pattern = answer["patterns"][0], model.patterns_[0]
    assert told["found_in_folds"] == f"{pattern.evidence.n_found} of 2"
    left_out = {label: f"{own} of {total}" for label, own, total in pattern.evidence.left_out}
    assert told["carriers_left_out"] == left_out


def test_three_classes(answer_of, run, patients, tmp_path):
    y = np.arange(100) % 3
    three = patients.assign(f8=patients["f8"] + 3.0 * y, Diagnose=y)
    three.to_csv(tmp_path / "t.csv")
    arguments = ["fit", tmp_path / "t.csv", *TARGET, "-o", tmp_path / "m.skops"]
    scores = answer_of(*arguments, "--model", "neuron", "--folds", "2", *FEW)["scores"]
    assert list(scores["model"]) == ["accuracy", "balanced_accuracy"]
    assert scores["majority_balanced_accuracy"] == pytest.approx(1 / 3)
    run("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    model = load_model(tmp_path / "m.skops")[-1]
    written = read_csv(tmp_path / "p.csv", index_col=0)
    assert written["class"].tolist() == model.predict(features(three)).tolist()
    assert (written["score"] == model.decision_function(features(three)).max(axis=1)).all()


def test_a_class_of_one_row_is_fitted_and_not_scored(run, patients, tmp_path):
    y = np.array(["rare", *["b"] * 49, *["c"] * 50])
    patients.assign(f8=patients["f8"] + 3.0 * (y == "b"), Diagnose=y).to_csv(tmp_path / "t.csv")
    arguments = ["fit", tmp_path / "t.csv", *TARGET, "-o", tmp_path / "m.skops", *FEW]
    reason = "cross-validation needs two rows of each class; 'rare' has one."
    assert f"not scored: {reason}" in run(*arguments).out.splitlines()


def test_a_terminal_shows_that_something_is_done(run, monkeypatch, european, tmp_path):
    monkeypatch.setenv("FORCE_COLOR", "1")
    arguments = ["fit", european, *TARGET, "-o", tmp_path / "m.skops", *FEW]
    shown = run(*arguments, "--folds", "3").err
    assert all(word in shown for word in ("reading", "fitting", "scoring", "3/3"))


def test_predictions_are_those_of_the_library(run, patients, european, model_file, tmp_path):
    out, X = tmp_path / "predictions.csv", features(patients)
    printed = run("predict", model_file, european, "-o", out)
    model, written = load_model(model_file)[-1], read_csv(out, index_col=0)
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


def test_columns_are_matched_by_name(
    run, answer_of, refused, patients, european, model_file, tmp_path
):
    run("predict", model_file, european, "-o", tmp_path / "one.csv")
    other = features(patients).iloc[:, ::-1].assign(more="text", half=0.5)
    other.to_csv(tmp_path / "other.csv")
    answer = answer_of("predict", model_file, tmp_path / "other.csv", "-o", tmp_path / "two.csv")
    assert "2 left out" in answer["read"]
    assert "n_right" not in answer
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    patients.drop(columns=["Größe µm", "f8"]).to_csv(tmp_path / "t.csv")
    message = refused("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert "lacks 2 of the 10 columns" in message
    assert "'Größe µm', 'f8'" in message
    assert not (tmp_path / "p.csv").exists()


def test_labels_that_are_not_known_yet(answer_of, patients, model_file, tmp_path):
    predict = ["predict", model_file, tmp_path / "t.csv", "--force", "-o", tmp_path / "p.csv"]
    patients.assign(Diagnose="").to_csv(tmp_path / "t.csv")
    assert "n_right" not in answer_of(*predict)
    patients.assign(Diagnose=np.arange(100) % 2).to_csv(tmp_path / "t.csv")
    assert answer_of(*predict)["n_right"] == 0, "labels of another kind are all different"


def test_row_names_may_be_called_as_an_output_is(run, patients, model_file, tmp_path):
    patients.rename_axis("class").to_csv(tmp_path / "t.csv")
    run("predict", model_file, tmp_path / "t.csv", "-o", tmp_path / "p.parquet")
    written = pd.read_parquet(tmp_path / "p.parquet")
    assert written["class (row)"].tolist() == patients.index.tolist()


def test_a_network_gives_probabilities(run, answer_of, patients, european, tmp_path):
    model, out, X = tmp_path / "m.skops", tmp_path / "p.parquet", features(patients)
    run("fit", european, *TARGET, *FEW, "--folds", "0", "-o", model, "--seed", "3")
    answer = answer_of("predict", model, european, "-o", out)
    written = pd.read_parquet(out).set_index("Prüfling Nr")
    mine = PatternClassifier(max_patterns=2, random_state=3).fit(X, patients["Diagnose"])
    assert (written[CHANCES].to_numpy() == mine.predict_proba(X)).all()
    assert written["class"].tolist() == mine.predict(X).tolist()
    first = written.iloc[0]
    names = mine.feature_names_in_[mine.patterns_[first["pattern"] - 1].columns]
    assert all(name in first["columns"] for name in names)
    assert len(first["columns"]) == len(", ".join(names))
    assert sum(answer["classes"].values()) == 100


def test_models_and_pipelines_of_python_are_taken_too(run, refused, patients, european, tmp_path):
    X, y = features(patients), patients["Diagnose"]
    one = BicNeuronClassifier(search=None, random_state=0)
    path = save_model(one.fit(X.to_numpy(), y.to_numpy()), tmp_path / "m.skops")
    X.to_csv(tmp_path / "t.csv")
    run("predict", path, tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    expected = one.predict(X.to_numpy()).tolist()
    assert read_csv(tmp_path / "p.csv")["class"].tolist() == expected
    X.iloc[:, 1:].to_csv(tmp_path / "t.csv")
    out = ["-o", tmp_path / "q.csv"]
    assert "9 features" in refused("predict", path, tmp_path / "t.csv", *out)
    steps = make_pipeline(StandardScaler(), one).fit(X, y)
    run("predict", save_model(steps, tmp_path / "steps.skops"), european, *out)
    written = read_csv(tmp_path / "q.csv", index_col=0)
    assert written.columns.tolist() == ["class", "score", *CHANCES], "no pattern to tell"
    assert written["class"].tolist() == steps.predict(X).tolist()
    assert (written["score"] == steps.decision_function(X)).all()
    assert (written[CHANCES] == steps.predict_proba(X)).to_numpy().all()
