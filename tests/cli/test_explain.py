"""A page from a model file and a table."""

from html import escape

import numpy as np
import pandas as pd

from bicneuron import BicNeuronNetwork
from bicneuron.neurons import GaussianNeuron
from bicneuron.persistence import load_about, load_model, save_model
from bicneuron.report import write_report


def test_the_page_is_that_of_the_library(run, patients, european, model_file, tmp_path):
    out, mine = tmp_path / "report.html", tmp_path / "mine.html"
    printed = run("explain", model_file, european, "--rows", "Pt é 007,Pt é 012", "-o", out)
    wrote, following = printed.out.splitlines()
    assert wrote == f"wrote {out}"
    assert following.startswith(f"next: bicneuron predict {model_file} OTHER_TABLE -o ")
    write_report(
        mine,
        load_model(model_file)[-1],
        patients.drop(columns="Diagnose"),
        patients["Diagnose"].to_numpy(),
        about=load_about(model_file)["about"],
        rows=["Pt é 007", "Pt é 012"],
    )
    assert out.read_bytes() == mine.read_bytes()
    page = out.read_text()
    assert "Pt é 007" in page


def test_without_a_table_or_its_target(answer_of, run, patients, model_file, tmp_path):
    out = tmp_path / "report.html"
    assert answer_of("explain", model_file, "-o", out)["output"] == str(out)
    model = load_model(model_file)[-1]
    first = model.feature_names_in_[model.patterns_[0].columns[0]]
    assert escape(first) in out.read_text()
    patients.drop(columns="Diagnose").to_parquet(tmp_path / "t.parquet")
    run("explain", model_file, tmp_path / "t.parquet", "-o", out, "--force", "--quiet")
    assert "Pt é 000" in out.read_text()


def test_rows_without_names_go_by_their_numbers(run, refused, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 5)), columns=list("abcde"))
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(frame, frame["a"] > 0)
    path = save_model(model, tmp_path / "m.skops")
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "report.html"
    run("explain", path, tmp_path / "t.csv", "--rows", "40", "-o", out)
    assert "40" in out.read_text()
    again = ["explain", path, tmp_path / "t.csv", "-o", tmp_path / "other.html"]
    assert refused(*again, "--rows", "41").startswith("--rows: there is no row '41'.")
    assert "give one after the model" in refused("explain", path, *again[3:], "--rows", "1")
