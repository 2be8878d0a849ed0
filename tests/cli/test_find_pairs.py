"""The ranked pairs as files."""

import json

import numpy as np
import pandas as pd
import pytest
from data import minmax

from bicneuron.cli import main
from bicneuron.metrics import mean_squared_residue

CUT = ["--miner", "pairs", "--set", "miner__cut_distance=0.5"]


@pytest.fixture(scope="module")
def pairs(european, tmp_path_factory):
    out = tmp_path_factory.mktemp("pairs") / "patterns.json"
    arguments = ["find", str(european), "--target", "Diagnose", "-o", str(out), *CUT]
    assert main(arguments) == 0
    return json.loads(out.read_text())["pairs"]


def test_pairs_come_with_names_and_true_residues(pairs, patients):
    X = patients.drop(columns="Diagnose")
    Z = pd.DataFrame(minmax(X.to_numpy()), index=X.index, columns=X.columns)
    assert len(pairs) > 2
    ratios = [pair["msr_ratio"] for pair in pairs]
    assert ratios == sorted(ratios)
    assert max(ratios) <= 0.9
    for rank, pair in enumerate(pairs, start=1):
        anchor = Z.loc[pair["rows"], pair["columns"]].to_numpy()
        contrast = Z.loc[pair["contrast_rows"], pair["columns"]].to_numpy()
        assert pair["rank"] == rank
        assert pair["residue"] == pytest.approx(mean_squared_residue(anchor), rel=1e-12)
        assert pair["contrast_residue"] == pytest.approx(mean_squared_residue(contrast), rel=1e-12)
        assert pair["msr_ratio"] == pytest.approx(pair["residue"] / pair["contrast_residue"])
        assert (pair["n_rows"], pair["n_columns"]) == anchor.shape
        assert pair["n_contrast_rows"] == len(contrast)
        assert set(patients.loc[pair["rows"], "Diagnose"]) == {pair["class"]}
        assert pair["class"] not in set(patients.loc[pair["contrast_rows"], "Diagnose"])
        assert pair["problem"] == "class 'wach & fit' against class 'müde'"
        assert 0 <= pair["score"] <= 1


def test_rows_of_a_sample_are_named_rightly(run, european, patients, tmp_path):
    out = tmp_path / "p.json"
    run("find", european, "--target", "Diagnose", "-o", out, *CUT, "--set", "max_rows=30")
    for pair in json.loads(out.read_text())["pairs"]:
        assert set(patients.loc[pair["rows"], "Diagnose"]) == {pair["class"]}
        assert pair["msr_ratio"] == pytest.approx(pair["residue"] / pair["contrast_residue"])


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".xlsx"])
def test_the_same_as_a_table(answer_of, european, pairs, tmp_path, suffix):
    out = tmp_path / f"p{suffix}"
    answer = answer_of("find", european, "--target", "Diagnose", "-o", out, *CUT)
    read = {".parquet": pd.read_parquet, ".xlsx": pd.read_excel}.get(out.suffix, pd.read_csv)
    frame = read(out, **({"sep": "\t"} if ".tsv" in suffix else {}))
    assert answer["n_pairs"] == len(frame) == len(pairs)
    assert np.allclose(frame["msr_ratio"], [pair["msr_ratio"] for pair in pairs], rtol=1e-14)
    assert frame["rows"].tolist() == ["; ".join(pair["rows"]) for pair in pairs]
    assert list(frame.columns) == list(pairs[0])


def test_three_classes_have_three_problems(run, patients, tmp_path):
    three = patients.assign(Diagnose=np.array(["a", "b", "c"])[np.arange(100) % 3])
    three.to_csv(tmp_path / "t.csv")
    out = tmp_path / "p.json"
    run("find", tmp_path / "t.csv", "--target", "Diagnose", "-o", out, *CUT)
    found = json.loads(out.read_text())["pairs"]
    assert {pair["problem"] for pair in found} == {f"class '{c}' against the rest" for c in "abc"}
    for pair in found:
        assert set(three.loc[pair["rows"], "Diagnose"]) == {pair["class"]}


@pytest.mark.filterwarnings("default::bicneuron.exceptions.NoContrastivePairWarning")
def test_without_a_pair_nothing_is_written(refused, european, tmp_path):
    arguments = ["--target", "Diagnose", "-o", tmp_path / "p.json", "--miner", "pairs"]
    arguments += ["--set", "max_ratio=0"]
    assert "no contrastive pair was found" in refused("find", european, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_pairs_need_classes_and_are_not_drawn(refused, european, tmp_path):
    out = ["-o", tmp_path / "p.json", "--miner", "pairs"]
    assert "needs classes; name their column with --target" in refused("find", european, *out)
    out += ["--target", "Diagnose", "--plots", tmp_path / "plots"]
    assert "--miner pairs has no plots" in refused("find", european, *out)
    page = ["--target", "Diagnose", "--miner", "pairs", "-o", tmp_path / "p.html"]
    assert "--miner pairs has no plots" in refused("find", european, *page)
    assert list(tmp_path.iterdir()) == []
