"""Lists of columns and rows from a model file and its table."""

import csv
import re

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.persistence import load_model, save_model
from bicneuron.report import pattern_lists
from bicneuron.report._lists import csv_text
from bicneuron.significance import column_evidence
from bicneuron.tables import read_table, write_table

SMALL = ["--folds", "0", "--set", "max_patterns=3"]


def test_the_lists_are_those_of_the_library(run, patients, european, model_file, tmp_path):
    names = ("g.csv", "ranking.csv", "rows.csv", "p.gmt", "all.txt", "all.rnk")
    files = {name: tmp_path / name for name in names}
    columns, ranking, rows, gmt, background, rnk = files.values()
    options = ["--ranking", ranking, "--rows", rows, "--gmt", gmt]
    options += ["--background", background, "--rnk", rnk]
    printed = run("genes", model_file, european, "-o", columns, *options)
    model, X, y = (
        load_model(model_file)[-1],
        patients.drop(columns="Diagnose"),
        patients["Diagnose"],
    )
    evidence = column_evidence(model, X, y, random_state=0)
    lists = pattern_lists(model, X, y, evidence=evidence)
    assert columns.read_text() == csv_text(lists.columns)
    assert ranking.read_text() == csv_text(lists.ranking)
    assert rows.read_text() == csv_text(lists.rows)
    assert gmt.read_text() == lists.gmt
    assert background.read_text().splitlines() == X.columns.tolist()
    assert rnk.read_text() == lists.rnk[1]
    first, second, *wrote = printed.out.splitlines()
    assert first.startswith("1 pattern, ")
    assert lists.ranking[0]["column"] in first
    assert second == f"pattern 1: {evidence[0].words}"
    assert wrote == [f"wrote {path}" for path in files.values()]
    lines = [*csv.DictReader(columns.read_text().splitlines())]
    for line in lines:
        mean = patients.loc[patients["Diagnose"] == "müde", line["column"]].mean()
        assert float(line["mean of müde"]) == pytest.approx(mean)
        assert line["proven"] == str(float(line["p_corrected"]) <= 0.05)


def test_groups_have_columns_with_evidence(run, answer_of, tmp_path):
    """From a table to lists for enrichment tools, in two commands."""
    X, y, (group,) = make_subgroups(
        shift=3.0, n_cases=30, n_controls=30, n_columns=80, share=0.5, random_state=0
    )
    frame = pd.DataFrame(X).rename(columns="g{}".format).assign(status=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    model, out, gmt = tmp_path / "m.skops", tmp_path / "g.csv", tmp_path / "p.gmt"
    search = ["--set", "kinds=shift", "--set", "n_patterns=3"]
    run("find", tmp_path / "t.csv", "--target", "status", "-o", model, *search)
    rnk = tmp_path / "all.rnk"
    told = answer_of("genes", model, tmp_path / "t.csv", "-o", out, "--gmt", gmt, "--rnk", rnk)
    planted = {f"g{j}" for j in group.columns}
    assert told["n_proven"] in (10, 11), "of ten, less than one false one is expected"
    assert {line["column"] for line in told["columns"][:10]} == planted
    assert (
        "columns have evidence of their own (false discovery rate 5% over 80 columns)"
        in told["evidence"]["1"]
    )
    sets = [line.split("\t") for line in gmt.read_text().splitlines()]
    assert {name for one in sets for name in one[2:]} >= planted
    assert sum(len(one) - 2 for one in sets) == told["n_proven"]
    ranked = [line.split("\t") for line in rnk.read_text().splitlines()]
    assert len(ranked) == 80
    effects = [float(effect) for _, effect in ranked]
    assert effects == sorted(effects, reverse=True)
    extremes = sorted(ranked, key=lambda line: -abs(float(line[1])))[:10]
    assert {name for name, _ in extremes} == planted


def test_what_the_search_set_aside_is_set_aside_again(run, tmp_path):
    X, y, _ = make_subgroups(
        shift=3.0, n_cases=30, n_controls=30, n_columns=40, share=0.5, random_state=0
    )
    frame = pd.DataFrame(X).rename(columns="g{}".format).assign(status=y)
    frame["batch"] = np.where(np.arange(60) % 3, "a", "b")
    frame.to_csv(tmp_path / "t.csv", index=False)
    model, out = tmp_path / "m.skops", tmp_path / "g.csv"
    search = ["--strata", "batch", "--set", "kinds=shift", "--set", "n_patterns=1"]
    run("find", tmp_path / "t.csv", "--drop", "status", "-o", model, *search)
    run("genes", model, tmp_path / "t.csv", "-o", out)
    assert "proven" in out.read_text().splitlines()[0]
    named = tmp_path / "named.csv"
    run("genes", model, tmp_path / "t.csv", "-o", named, "--strata", "batch")
    assert named.read_text() == out.read_text()
    # The batches may be in another file.
    frame.drop(columns="batch").to_csv(tmp_path / "apart.csv", index=False)
    printed = run("genes", model, tmp_path / "apart.csv", "-o", out, "--force")
    assert "columns are not tested" in printed.err
    assert "--strata" in printed.err
    assert "proven" not in out.read_text()


def test_for_scripts(answer_of, european, model_file, tmp_path):
    out = tmp_path / "genes.csv"
    told = answer_of("genes", model_file, european, "-o", out)
    assert told["output"] == str(out)
    assert told["n_patterns"] == 1
    assert [line["rank"] for line in told["columns"]] == [*range(1, told["n_columns"] + 1)]


def test_categories_of_the_fit_are_applied_again(run, tmp_path):
    X, y = make_one_factor()
    frame = pd.DataFrame(X[:, :5], columns=list("abcde")).assign(
        smoker=np.where(y == 1, "yes", "no"), status=np.where(y == 1, "ill", "well")
    )
    frame.loc[:5, "smoker"] = "no"
    frame.to_csv(tmp_path / "t.csv", index=False)
    model, out = tmp_path / "m.skops", tmp_path / "g.csv"
    run("fit", tmp_path / "t.csv", "--target", "status", "-o", model, *SMALL)
    run("genes", model, tmp_path / "t.csv", "-o", out)
    lines = [*csv.DictReader(out.read_text().splitlines())]
    smokers = [line for line in lines if line["column"] == "smoker = yes"]
    assert smokers
    share = (frame["smoker"] == "yes")[frame["status"] == "ill"].mean()
    assert float(smokers[0]["mean of ill"]) == pytest.approx(share)


def test_a_miner_has_lists_too(run, tmp_path):
    X, _ = make_one_factor(n_columns=20)
    X[:15, :8] += 3.0
    frame = pd.DataFrame(X).rename(columns="g{}".format)
    path = save_model(SubgroupBiclustering(n_patterns=2).fit(frame), tmp_path / "m.skops")
    frame.to_csv(tmp_path / "t.csv", index=False)
    run("genes", path, tmp_path / "t.csv", "-o", tmp_path / "g.csv")
    lines = [*csv.DictReader((tmp_path / "g.csv").read_text().splitlines())]
    assert {line["column"] for line in lines if line["pattern"] == "1"} <= {
        f"g{k}" for k in range(20)
    }
    assert {line["group"] for line in lines} == {"all rows"}


def test_refusals_write_nothing(refused, patients, european, model_file, tmp_path):
    out = tmp_path / "genes.csv"
    table = tmp_path / "other.csv"
    patients[::-1].to_csv(table)
    assert "give the X of fit" in refused("genes", model_file, table, "-o", out)
    assert "must end in .csv" in refused("genes", model_file, european, "-o", "genes.doc")
    sets = refused("genes", model_file, european, "-o", tmp_path / "genes.gmt")
    assert sets.endswith("genes.gmt must end in .csv; name genes.gmt with --gmt.")
    gmt = ["--gmt", tmp_path / "p.csv"]
    assert "p.csv must end in .gmt" in refused("genes", model_file, european, "-o", out, *gmt)
    same = ["--rows", out]
    assert "same file" in refused("genes", model_file, european, "-o", out, *same)
    X, y = make_one_factor()
    pipeline = make_pipeline(StandardScaler(), SubgroupBiclustering(n_patterns=2)).fit(X, y)
    path = save_model(pipeline, tmp_path / "pipeline.skops")
    assert "is a Pipeline" in refused("genes", path, european, "-o", out)
    old = tmp_path / "old.csv"
    old.write_text("mine")
    assert "old.csv exists" in refused("genes", model_file, european, "-o", out, "--ranking", old)
    assert old.read_text() == "mine"
    assert not out.exists()


def test_another_table_is_refused_by_its_difference(refused, run, patients, model_file, tmp_path):
    columns = [name for name in patients.columns if name != "Diagnose"]
    ill, well = np.unique(patients["Diagnose"])
    swapped = patients.assign(Diagnose=np.where(patients["Diagnose"] == ill, well, ill))
    appended = pd.concat([patients, patients[:3]])
    raised = patients.copy()
    raised.iloc[[4, 6], [patients.columns.get_loc(name) for name in columns]] += 100
    out = tmp_path / "g.csv"
    for name, table, message in (
        ("swapped", swapped, "y is not .* it differs in 100 of 100 rows, the first is row 0;"),
        ("appended", appended, "X has 103 rows, but the model was fitted to 100;"),
        ("raised", raised, "X is not .*: 2 of 100 rows differ, the first is row 4;"),
    ):
        table.to_csv(tmp_path / f"{name}.csv")
        assert re.search(message, refused("genes", model_file, tmp_path / f"{name}.csv", "-o", out))
    assert not out.exists()
    # Columns in another order, and a table without the classes, are the table of the fit.
    patients[columns[::-1]].to_csv(tmp_path / "same.csv")
    run("genes", model_file, tmp_path / "same.csv", "-o", out)


def test_rows_without_a_class_are_left_out_as_by_fit(run, patients, tmp_path):
    some = patients.astype({"Diagnose": object})
    some.iloc[[3, 50], some.columns.get_loc("Diagnose")] = None
    some.to_csv(tmp_path / "t.csv")
    run("fit", tmp_path / "t.csv", "--target", "Diagnose", "-o", tmp_path / "m.skops", *SMALL)
    said = run("genes", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "g.csv").err
    assert "rows without a class in 'Diagnose' left out: 2" in said
    assert (tmp_path / "g.csv").exists()


def test_no_list_has_formulas(run, tmp_path):
    """Hostile names of rows, columns and classes are not run, and come back as they are."""
    X, y = make_one_factor()
    frame = pd.DataFrame(X, columns=[f"=c{j}" for j in range(X.shape[1])])
    frame.insert(0, "@id", [f"+p{i}" for i in range(len(X))])
    frame["class"] = np.where(np.asarray(y) == np.unique(y)[0], "-ill", "'=well")
    table, model = tmp_path / "t.csv", tmp_path / "m.skops"
    write_table(frame, table)
    run("fit", table, "--target", "class", "--id", "@id", "-o", model, *SMALL)
    names = ("genes.csv", "predictions.csv", "patterns.tsv")
    safe, raw = ([tmp_path / f"{kind}_{name}" for name in names] for kind in ("safe", "raw"))
    for files, options in ((safe, []), (raw, ["--keep-formulas"])):
        run("genes", model, table, "-o", files[0], *options)
        run("predict", model, table, "--id", "@id", "-o", files[1], *options)
        run("find", table, "--target", "class", "--id", "@id", "-o", files[2], *options)
    for path in safe:
        for cells in csv.reader(
            path.read_text().splitlines(), delimiter="\t" if "tsv" in path.name else ","
        ):
            for cell in cells:
                if cell.startswith(("=", "+", "-", "@")):
                    [*map(float, cell.split("; "))]  # numbers, or it would be run
    assert any("\n=c" in path.read_text() for path in raw)
    read = read_table(safe[1], target="class", id_column="@id")
    assert read.features.index.tolist() == frame["@id"].tolist()
    assert {*read.labels} == {"-ill", "'=well"}
