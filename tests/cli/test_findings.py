"""From a table to findings, by the commands."""

import shlex

import numpy as np
import pandas as pd
import pytest

from bicneuron.datasets import make_subgroup


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """45 of 50 patients differ in 12 of 120 columns."""
    X, y, _, columns = make_subgroup(n_columns=120, as_frame=True, random_state=0)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    X.assign(diagnosis=y).to_csv(path)
    return path, set(X.columns[columns])


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("tables") / "noise.csv"
    frame = pd.DataFrame(rng.normal(size=(90, 30)), columns=[f"g{k}" for k in range(30)])
    frame.assign(diagnosis=np.repeat(["ill", "well"], 45)).to_csv(path, index=False)
    return path


def test_a_finding_goes_from_the_table_to_the_list(table, tmp_path, run, answer_of):
    path, planted = table
    model = tmp_path / "model.skops"
    fitted = answer_of("fit", path, "--target", "diagnosis", "-o", model, "--folds", "2")
    assert fitted["patterns"][0]["verdict"] == "a finding"
    assert "This is not chance (p = " in fitted["answer"]
    genes = tmp_path / "genes.csv"
    run("genes", model, path, "-o", genes)
    listed = set(pd.read_csv(genes)["column"])
    assert len(listed & planted) >= 11
    assert len(listed - planted) <= 1


def test_what_is_not_proven_is_listed_apart(table, tmp_path, run, refused):
    path, _ = table
    model, genes = tmp_path / "model.skops", tmp_path / "genes.csv"
    few = ("--set", "miners=()", "--permutations", "4", "--folds", "0")  # p is 0.2 at best
    printed = run("fit", path, "--target", "diagnosis", "-o", model, *few).out.splitlines()
    apart = printed.index("help to predict, not proven:")
    assert printed[apart + 1].startswith("1. ")
    message = refused("genes", model, path, "-o", genes)
    assert message == (
        "no pattern of this model is a finding; --all lists those that help to predict."
    )
    run("genes", model, path, "-o", genes, "--all")
    assert len(pd.read_csv(genes)) > 0


@pytest.mark.filterwarnings("default::bicneuron.exceptions.NoPatternWarning")
def test_without_a_pattern_every_command_answers(noise, tmp_path, run, refused):
    model = tmp_path / "model.skops"
    options = ["--target", "diagnosis", "--folds", "2", "--drop", "g3,g4"]
    printed = run("fit", noise, *options, "-o", model)
    assert "no pattern predicts unseen rows better than none" in printed.err
    assert printed.out.startswith("No pattern that predicts the class was found in 90 rows and")
    following = shlex.split(printed.out.splitlines()[-1].removeprefix("next: bicneuron "))
    page = tmp_path / "groups.html"
    assert following == [
        *("find", str(noise), "--target", "diagnosis", "--drop", "g3,g4", "-o", str(page))
    ]
    run(*following, "--no-test")
    assert page.is_file()
    run("predict", model, noise, "-o", tmp_path / "predictions.csv")
    predicted = pd.read_csv(tmp_path / "predictions.csv")
    assert predicted["class"].nunique() == 1
    assert (predicted["probability of ill"] == 0.5).all()
    run("explain", model, noise, "-o", tmp_path / "page.html")
    assert "found no pattern" in refused("genes", model, noise, "-o", tmp_path / "genes.csv")
