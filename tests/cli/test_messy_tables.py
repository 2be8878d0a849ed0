"""Tables as people keep them: fitted, predicted and explained with the same steps."""

import shlex

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor

from bicneuron.cli import main
from bicneuron.persistence import load_model

FAST = ["--model", "neuron", "--folds", "0", "--jobs", "1"]


@pytest.fixture(scope="module")
def plain():
    """Numbers, with a class that they show."""
    X, y = make_one_factor(n_columns=8)
    frame = pd.DataFrame(X.round(2), columns=list("abcdefgh"))
    frame["c"] = (frame["c"] * 10_000).round() / 10 + 5000.5
    frame["e"] = (frame["e"] > frame["e"].median()).astype(float)
    frame["f"] = (frame["f"].rank() % 3).round()
    frame.index = pd.Index([f"p{i}" for i in range(len(X))], name="patient")
    return frame.assign(ill=[["no", "yes"][label] for label in y])


def messy(plain):
    """The same as people write it."""
    return pd.DataFrame(
        {
            "'a'": [f"{value} mg/dl" for value in plain["a"]],
            "b": [f"{value:.2f}%" for value in plain["b"]],
            "c": [f"{value:,.1f}" for value in plain["c"]],
            "d": [f"<{value}" if i % 9 == 0 else value for i, value in enumerate(plain["d"])],
            "e": plain["e"].map({0.0: "no", 1.0: "yes"}),
            "f": plain["f"].map({0.0: "Ulm", 1.0: "Bonn", 2.0: "Köln"}),
            "g": plain["g"],
            "h": plain["h"],
            "again": plain["h"],
            "country": "DE",
            "remark": [f"seen by {name}" for name in plain.index],
            "ill": plain["ill"],
        }
    )


@pytest.fixture(scope="module")
def fitted(plain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    messy(plain).to_csv(folder / "t.csv")
    arguments = ["fit", folder / "t.csv", "--target", "ill", "-o", folder / "m.skops", *FAST]
    assert main([*map(str, arguments), "--quiet"]) == 0
    return folder


def test_fit_tells_what_it_read(run, fitted, tmp_path):
    arguments = ["fit", fitted / "t.csv", "--target", "ill", "-o", tmp_path / "m.skops", *FAST]
    told = run(*arguments, "--show-reading")
    assert told.err.splitlines() == [
        "read: 100 rows, 13 columns: 7 numbers, 1 yes/no, 1 category, 2 left out, 1 target; "
        "ids: 'patient'; nothing was guessed"
    ]
    shown = told.out[: told.out.index("100 rows")]
    assert "unit 'mg/dl' left out" in shown
    assert "a different text in most rows" in shown
    model = load_model(fitted / "m.skops")[-1]
    assert model.feature_names_in_.tolist() == [
        *("a", "b", "c", "d", "e = yes", "f = Bonn", "f = Köln", "f = Ulm", "g", "h", "again")
    ]
    kinds = [one.kind for one in load_model(fitted / "m.skops")[0].encoding_.conversions]
    assert kinds == [*["number"] * 4, "yes/no", "category", *["left out"] * 2]


def test_predict_does_the_same_to_a_new_table(run, answer_of, fitted, plain, tmp_path):
    other = messy(plain)[::-1]
    # Written by somebody else, with the same meaning.
    other["c"] = [text.replace(",", " ").replace(".", ",") for text in other["c"]]
    other["e"] = other["e"].map({"no": "FALSE", "yes": "TRUE"})
    other["f"] = other["f"].str.upper()
    other["d"] = [str(value).removeprefix("<") for value in other["d"]]
    other.to_excel(tmp_path / "new.xlsx")
    run("predict", fitted / "m.skops", fitted / "t.csv", "-o", tmp_path / "one.csv")
    answer_of("predict", fitted / "m.skops", tmp_path / "new.xlsx", "-o", tmp_path / "two.csv")
    one = pd.read_csv(tmp_path / "one.csv", index_col=0)
    two = pd.read_csv(tmp_path / "two.csv", index_col=0)
    pd.testing.assert_frame_equal(one, two.loc[one.index])


def test_new_tables_that_do_not_fit(refused, answer_of, fitted, plain, tmp_path):
    other = messy(plain).astype(object)
    other.loc["p3", "'a'"] = "7 mmol/l"
    other.loc["p4", "e"] = "perhaps"
    other.drop(columns="b").to_csv(tmp_path / "new.csv")
    arguments = ["predict", fitted / "m.skops", tmp_path / "new.csv", "-o", tmp_path / "p.csv"]
    first, *problems = refused(*arguments).splitlines()
    assert first.endswith("new.csv has 3 problems:")
    said = (
        "lacks 1 of the 9 columns that the model was fitted on: 'b'",
        "'a', row 4 (p3), is '7 mmol/l', which has the unit mmol/l, and the others are in mg/dl",
        "'e', row 5 (p4), is 'perhaps', which is none of the words",
    )
    for problem, words in zip(problems, said, strict=True):
        assert words in problem
    other = messy(plain)
    other.loc["p3", "f"] = "Rom"
    other.to_csv(tmp_path / "new.csv")
    notes = answer_of(*arguments)["notes"]
    assert any("'f': 'Rom' in 1 of 100 rows was not seen in the fit" in note for note in notes)


def test_the_page_lists_the_steps(run, fitted, tmp_path):
    run("explain", fitted / "m.skops", fitted / "t.csv", "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "How each column was read" in page
    assert "limits such as &lt;0.5 taken as the limit itself" in page
    assert "e = yes" in page


def test_a_frame_of_words_is_read_by_the_model_itself(run, fitted, tmp_path):
    """In Python the model file is a pipeline that takes the table as it is."""
    model = load_model(fitted / "m.skops")
    table = pd.read_csv(fitted / "t.csv", dtype=str, keep_default_na=False)
    table = table.rename(columns={"'a'": "a"})
    run("predict", fitted / "m.skops", fitted / "t.csv", "-o", tmp_path / "p.csv")
    told = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    X = table[[*model.feature_names_in_]]
    assert model.predict(X).tolist() == told["class"].tolist()
    assert model.decision_function(X).tolist() == told["score"].tolist()


def test_genes_in_rows_and_classes_apart(run, answer_of, refused, plain, tmp_path):
    genes = plain.drop(columns="ill").T.rename_axis("Name")
    genes.insert(0, "Description", "na")
    size = f"#1.2\n{len(genes)}\t{len(plain)}\n"
    (tmp_path / "g.gct").write_text(size + genes.to_csv(sep="\t"))
    plain[["ill"]][::-1].to_csv(tmp_path / "pheno.csv")
    apart = ["--phenotype", tmp_path / "pheno.csv", "--id", "patient"]
    model, page = tmp_path / "m.skops", tmp_path / "r.html"
    answer = answer_of("fit", tmp_path / "g.gct", "--target", "ill", *apart, "-o", model, *FAST)
    assert (answer["n_rows"], answer["n_features"]) == (100, 8)
    following = [*map(str, [model, tmp_path / "g.gct", *apart])]
    assert {*shlex.split(answer["next"])} >= {"explain", *following}
    run("explain", model, tmp_path / "g.gct", *apart, "-o", page)
    assert "p7" in page.read_text()
    genes.drop(columns="Description").to_csv(tmp_path / "g.csv")
    scored = answer_of("predict", model, tmp_path / "g.gct", *apart, "-o", tmp_path / "p.csv")
    assert scored["n_right"] > 50
    run("predict", model, tmp_path / "g.csv", "-o", tmp_path / "q.csv")
    one, two = (pd.read_csv(tmp_path / name, index_col=0) for name in ("p.csv", "q.csv"))
    pd.testing.assert_frame_equal(one, two)
    plain[["ill"]].rename(index=str.upper).to_csv(tmp_path / "pheno.csv")
    message = refused("fit", tmp_path / "g.gct", "--target", "ill", *apart, "-o", model, "--force")
    assert "must have one row for each sample, and has not for 100 of 100" in message


def test_a_wrong_guess_of_rows_and_columns_is_turned_back(answer_of, tmp_path):
    """Samples are called 1, 2, ..., and so are the columns."""
    X, y = make_one_factor(n_columns=8)
    samples = pd.DataFrame(X.round(2), columns=[str(j) for j in range(1, 9)])
    samples.insert(0, "sample", range(1, len(X) + 1))
    samples.to_csv(tmp_path / "t.csv", index=False)
    phenotype = pd.DataFrame({"id": samples["sample"], "ill": np.where(y, "yes", "no")})
    phenotype.to_csv(tmp_path / "p.csv", index=False)
    arguments = ["fit", tmp_path / "t.csv", "--phenotype", tmp_path / "p.csv", "--id", "id"]
    arguments += ["--target", "ill", "-o", tmp_path / "m.skops", *FAST, "--force"]
    wrong = answer_of(*arguments)
    assert (wrong["n_rows"], wrong["n_features"]) == (8, 100)
    assert any(
        note.endswith("names of columns; if not: --read transpose=no") for note in wrong["notes"]
    )
    right = answer_of(*arguments, "--read", "transpose=no")
    assert (right["n_rows"], right["n_features"]) == (100, 8)
