"""Every command that is printed as the next one works as it is printed."""

import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork
from bicneuron.persistence import save_model

GENES = [f"g {j}" for j in range(24)]
QUICK = ("--jobs", "1")


def cohort(seed, *, shift=3.0, name="P"):
    """A fifth of the rows, all of them cases, is shifted in eight columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 24))
    X[:12, :8] += shift
    frame = pd.DataFrame(X.round(4), columns=GENES)
    frame.index = pd.Index([f"{name}{i:03d}" for i in range(60)], name="sample")
    return frame.assign(
        status=np.repeat(["case", "control"], 30),
        batch=np.where(np.arange(60) % 2, "one", "two"),
        age=rng.integers(30, 80, 60),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of one cohort in several forms, and of another one."""
    folder = tmp_path_factory.mktemp("a folder's")
    plain = cohort(0).drop(columns=["batch", "age"])
    plain.to_csv(folder / "first.csv")
    cohort(1, name="Q").drop(columns=["batch", "age"]).to_csv(folder / "other.csv")
    cohort(1, name="Q")[GENES].to_csv(folder / "no classes.csv")
    cohort(0).to_csv(folder / "known.csv")
    cohort(2, shift=0.0).drop(columns=["batch", "age"]).to_csv(folder / "noise.csv")
    plain.rename(columns={"status": "it's a class"}).to_csv(folder / "names.csv", sep=";")
    return folder


@pytest.fixture(scope="module")
def models(folder, few_groups):
    """Model files that commands take."""
    from bicneuron.cli import main

    first, target = folder / "first.csv", ("--target", "status")
    commands = {
        "groups": ["find", first, *target, *QUICK],
        "neuron": ["fit", first, *target, "--model", "neuron", "--folds", "0", *QUICK],
    }
    for name, command in commands.items():
        words = [*command, "-o", folder / f"{name}.skops", "--quiet"]
        assert main([*map(str, words)]) == 0
    frame = cohort(0)
    network = BicNeuronNetwork(n_neurons=5, random_state=0)
    pipeline = make_pipeline(StandardScaler(), network).fit(frame[GENES], frame["status"])
    save_model(pipeline, folder / "pipeline.skops")
    return folder


CLASS = ("--target", "status")
QUOTED = ("names.csv", "--target", "it's a class")
# The command, files that are there already, and the name of the command that follows: None for
# none, and any where the answer decides.
SITUATIONS = {
    "a finding in a model": (
        ["find", "first.csv", *CLASS, *QUICK, "-o", "p.html", "-o", "p.skops"],
        ["p_again.html"],
        "replicate",
    ),
    "nothing proven, packed": (
        ["find", "noise.csv", *CLASS, *QUICK, "-o", "p.csv.gz"],
        ["p_2.csv.gz", "model.skops"],
        "any",
    ),
    "known structure": (
        ["find", "known.csv", *CLASS, "--strata", "batch", "--covariates", "age", "-o", "p.skops"],
        [],
        "any",
    ),
    "names to be quoted": (
        ["find", *QUOTED, "--drop", "g 3,g 4", *QUICK, "-o", "my groups.skops"],
        [],
        "any",
    ),
    "predictions again": (
        ["predict", "neuron.skops", "other.csv", "-o", "p.csv"],
        ["p.html", "p_2.html"],
        "explain",
    ),
    "predictions of a pipeline": (
        ["predict", "pipeline.skops", "first.csv", "-o", "p.csv"],
        [],
        None,
    ),
    "carriers in another table": (
        ["predict", "groups.skops", "no classes.csv", "-o", "p.csv"],
        ["p.html"],
        "replicate",
    ),
    "a page": (["explain", "neuron.skops", "first.csv", "-o", "m.html"], ["m.csv"], "predict"),
}


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoPatternWarning")  # of noise
@pytest.mark.parametrize(("command", "there", "follows"), SITUATIONS.values(), ids=SITUATIONS)
def test_the_next_command_works(run, models, tmp_path, monkeypatch, command, there, follows):
    monkeypatch.chdir(tmp_path)
    for path in models.iterdir():
        (tmp_path / path.name).symlink_to(path)
    for name in there:
        (tmp_path / name).write_text("")
    *_, last = run(*command).out.splitlines()
    assert last.startswith("next: ") or follows in (None, "any")
    assert not last.startswith("next: ") or follows is not None
    if last.startswith("next: "):
        bicneuron, *words = shlex.split(last.removeprefix("next: "))
        assert bicneuron == "bicneuron"
        assert follows in (words[0], "any")
        run(*("other.csv" if word == "OTHER_TABLE" else word for word in words))
