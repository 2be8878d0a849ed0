"""The biclusters of the other miners as files."""

import json

import numpy as np
import pandas as pd
import pytest

from bicneuron.metrics import mean_squared_residue
from bicneuron.persistence import load_about, load_model

SETTINGS = {
    "coherent": ["cut_distance=0.5"],
    "contrast": ["max_seeds=20"],
    "cheng-church": ["n_biclusters=2", "max_residue=0.05"],
    "differences": ["max_seeds=20"],
    "sdc": ["min_difference=0.05"],
    "di-rapocc": ["n_column_clusters=4"],
    "information": ["n_init=2"],
    "spectral": ["estimator=SpectralBiclustering", "estimator__n_clusters=2"],
}


@pytest.fixture(scope="module")
def patterned(tmp_path_factory):
    """Half of the cases have rows that rise and fall together in columns 0 to 4."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 12)), columns=[f"gene {j}" for j in range(12)])
    X.iloc[:25, :5] = rng.normal(size=(25, 1)) + 0.1 * rng.normal(size=(25, 5))
    X.index = pd.Index([f"P{i:03}" for i in range(80)], name="patient")
    path = tmp_path_factory.mktemp("patterned") / "table.csv"
    X.assign(status=np.repeat(["case", "control"], 40)).to_csv(path)
    return path, X


@pytest.mark.parametrize("miner", SETTINGS)
def test_biclusters_come_with_names_and_true_residues(answer_of, patterned, miner, tmp_path):
    path, X = patterned
    settings = [part for setting in SETTINGS[miner] for part in ("--set", setting)]
    out = tmp_path / "b.json"
    options = ["--target", "status", "--id", "patient", "--miner", miner, *settings]
    answer = answer_of("find", path, *options, "-o", out)
    written = json.loads(out.read_text())["biclusters"]
    assert answer["n_biclusters"] == len(written) > 0
    Z = X if miner in ("information", "spectral") else (X - X.mean()) / X.std(ddof=0)
    for rank, found in enumerate(written, start=1):
        block = Z.loc[found["rows"], found["columns"]].to_numpy()
        assert found["rank"] == rank
        assert (found["n_rows"], found["n_columns"]) == block.shape
        assert found["residue"] == pytest.approx(mean_squared_residue(block), rel=1e-6, abs=1e-9)
        assert [*found["carriers"]] == ["case", "control"] or miner in ("contrast", "di-rapocc")
        n_cases = sum(name < "P040" for name in found["rows"])
        assert n_cases <= int(found["carriers"]["case"].removesuffix(" of 40"))
        assert found["row_scores"] == sorted(found["row_scores"], reverse=True)
        assert min(found["row_scores"]) > 0, "its own rows carry it"


@pytest.mark.parametrize("miner", ["subgroups", "pairs", *SETTINGS])
def test_a_model_file_of_every_miner(run, refused, patterned, miner, tmp_path):
    path, X = patterned
    given = {"subgroups": ["n_patterns=2"], "pairs": ["max_pairs=5", "max_ratio=10"], **SETTINGS}
    settings = [part for setting in given[miner] for part in ("--set", setting)]
    options = ["--target", "status", "--miner", miner, *settings, "--jobs", "1"]
    run("find", path, *options, "-o", tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")[-1]
    assert loaded.n_jobs is None
    assert loaded.carriers(X).shape == (80, len(loaded.patterns_))
    assert loaded.transfer(X.iloc[::-1]).n_training_rows == 80
    assert load_about(tmp_path / "m.skops")["about"]["table"] == path.name
    assert loaded.feature_names_in_.tolist() == X.columns.tolist()
    message = refused("find", path, *options, "-o", tmp_path / "m.onnx")
    assert "m.onnx cannot be written: its name must end in .html, " in message


def test_without_classes(run, refused, patterned, tmp_path):
    path, _ = patterned
    options = ["--drop", "status", "--id", "patient", "-o", tmp_path / "b.csv"]
    printed = run("find", path, *options, "--miner", "differences", "--set", "max_seeds=20")
    assert " rows, 5 columns (gene 0, gene 1, gene 2, gene 3, ...), residue" in printed.out
    frame = pd.read_csv(tmp_path / "b.csv")
    assert frame["class"].isna().all()
    assert frame["carriers"].str.fullmatch(r"all rows: \d+ of 80").all()
    for miner in ("sdc", "contrast", "di-rapocc"):
        message = refused("find", path, *options, "--force", "--miner", miner)
        assert f"--miner {miner} needs classes" in message


def test_what_is_not_for_them_is_refused(refused, patterned, tmp_path):
    path, _ = patterned
    options = ["--target", "status", "--miner", "sdc", "-o"]
    message = refused("find", path, *options, tmp_path / "b.html")
    assert "--miner sdc has no plots" in message
    message = refused("find", path, *options, tmp_path / "b.csv", "--stability")
    assert "--stability is for groups; leave out --miner sdc" in message
    assert list(tmp_path.iterdir()) == []
