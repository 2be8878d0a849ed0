"""Classes and missing values as people write them: fitted and predicted as what they mean."""

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor

FAST = ["--model", "neuron", "--folds", "0", "--jobs", "1"]


@pytest.fixture(scope="module")
def clean():
    X, y = make_one_factor(n_columns=8)
    frame = pd.DataFrame(X.round(2) + 20, columns=list("abcdefgh"))
    frame.iloc[2::9, 1] = np.nan
    frame.iloc[4::11, 2] = np.nan
    frame.index = pd.Index([f"p{i}" for i in range(len(X))], name="patient")
    return frame.assign(outcome=[["remission", "relapse"][label] for label in y])


def messy(clean):
    """The same with codes for missing values, and classes in several spellings."""
    frame = clean.astype({"c": str}).replace({"c": {"nan": "nicht bestimmt"}})
    frame["b"] = frame["b"].fillna(-9)
    words = frame["outcome"].tolist()
    words[words.index("relapse")] = "relaps"
    words[words.index("relapse")] = "Relapse "
    return frame.assign(outcome=words)


def fit(run, frame, folder, *options):
    frame.to_csv(folder / "t.csv")
    arguments = ["fit", folder / "t.csv", "--target", "outcome", "-o", folder / "m.skops", *FAST]
    printed = run(*arguments, *options)
    run("predict", folder / "m.skops", folder / "t.csv", "-o", folder / "p.csv")
    return printed.err.splitlines(), pd.read_csv(folder / "p.csv")


@pytest.mark.filterwarnings("ignore:class 'relaps' against the rest")
def test_options_give_the_model_of_the_clean_table(run, clean, tmp_path):
    (tmp_path / "clean").mkdir()
    _, wanted = fit(run, clean, tmp_path / "clean")
    (tmp_path / "messy").mkdir()
    notes, _ = fit(run, messy(clean), tmp_path / "messy", "--read", "missing=nicht bestimmt")
    n = (clean["outcome"] == "relapse").sum() - 1
    (tmp_path / "messy" / "m.skops").unlink()
    (tmp_path / "messy" / "p.csv").unlink()
    assert (
        f"note: 'relaps' (1 row) looks like 'relapse' ({n}): --read merge=relaps=relapse" in notes
    )
    (question,) = [note for note in notes if "--read missing=-9" in note]
    assert question.startswith("note: 'b' holds -9 in ")
    options = ["--read", "merge=relaps=relapse", "--read", "missing=-9,nicht bestimmt"]
    notes, predicted = fit(run, messy(clean), tmp_path / "messy", *options)
    assert not [note for note in notes if "--" in note]
    pd.testing.assert_frame_equal(predicted, wanted)


@pytest.mark.parametrize("option", ["merge=relaps", "cut=age=65"])
def test_options_that_say_nothing(option, refused, clean, tmp_path):
    clean.to_csv(tmp_path / "t.csv")
    arguments = ["fit", tmp_path / "t.csv", "--target", "outcome", "-o", tmp_path / "m.skops"]
    assert f"{option} is none of" in refused(*arguments, "--read", option)


def test_predict_takes_further_codes(run, clean, tmp_path):
    fit(run, clean, tmp_path)
    clean.fillna(-777).to_csv(tmp_path / "new.csv")
    model, new = tmp_path / "m.skops", tmp_path / "new.csv"
    codes = ["--read", "missing=b=-777", "--read", "missing=-777"]
    run("predict", model, new, *codes, "-o", tmp_path / "n.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "n.csv"), pd.read_csv(tmp_path / "p.csv"))
