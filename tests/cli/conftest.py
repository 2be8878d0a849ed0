"""Commands run as a user runs them, and tables to run them on."""

import json

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor

from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.cli import main


@pytest.fixture
def run(capsys):
    """Run a command that must end well; give stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed

    return run


@pytest.fixture
def answer_of(run):
    """Run a command with --json; give its one object."""

    def answer(*arguments):
        printed = run(*arguments, "--json")
        assert printed.err == ""
        assert printed.out.count("\n") == 1
        return json.loads(printed.out)

    return answer


@pytest.fixture
def refused(capsys):
    """Run a command that must be refused with exit code 2; give its line, or its lines."""

    def run(*arguments):
        capsys.readouterr()
        assert main([str(argument) for argument in arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        notes, sign, message = printed.err.partition("error: ")
        assert sign
        lines = notes.splitlines()
        assert all(
            line.startswith(("read: ", "note: ", "warning: ", "progress: ")) for line in lines
        )
        first, *problems = message.splitlines()
        assert bool(problems) == first.endswith(" problems:"), "one line for each"
        assert all(line.startswith("  ") for line in problems)
        return message.removesuffix("\n")

    return run


@pytest.fixture(scope="module")
def few_groups():
    """Search for a few groups of one kind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "bicneuron.significance._find_groups.SubgroupBiclustering",
            lambda **_: SubgroupBiclustering(kinds="shift", n_patterns=2),
        )
        yield


NAMES = ["Größe µm", "a, b", "x;y", 'say "é"', "<b>", "f 5", "f6", "f7", "f8", "f9"]


@pytest.fixture(scope="session")
def patients():
    """A frame with row names, ten features with all kinds of names, and a column of classes."""
    X, y = make_one_factor()
    frame = pd.DataFrame(np.round(X, 4), columns=NAMES)
    frame.index = pd.Index([f"Pt é {i:03d}" for i in range(len(X))], name="Prüfling Nr")
    return frame.assign(Diagnose=np.where(y == 1, "müde", "wach & fit"))


@pytest.fixture(scope="session")
def european(patients, tmp_path_factory):
    """The same as a spreadsheet in half of Europe writes it."""
    path = tmp_path_factory.mktemp("tables") / "Tabelle 1 é.csv"
    patients.to_csv(path, sep=";", decimal=",", encoding="utf-8-sig")
    return path


@pytest.fixture(scope="session")
def shown(patients, tmp_path_factory):
    """The patients, with a class that one column shows, and their file."""
    frame = patients.copy()
    frame["f8"] += 3.0 * (frame["Diagnose"] == "müde")
    path = tmp_path_factory.mktemp("tables") / "shown.csv"
    frame.to_csv(path)
    return frame, path


@pytest.fixture(scope="session")
def model_file(european, tmp_path_factory):
    """A single neuron fitted to it."""
    path = tmp_path_factory.mktemp("models") / "model.skops"
    arguments = ["fit", european, "--target", "Diagnose", "-o", path, "--quiet"]
    arguments += ["--model", "neuron", "--folds", "0"]
    assert main([*map(str, arguments)]) == 0
    return path
