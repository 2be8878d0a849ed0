"""Names that would run, hide or turn what a reader sees, and two commands with one output."""

import json

import pandas as pd
import pytest
from data import make_one_factor

from bicneuron.cli import main

EVIL = ["\x1b[2Jwiped", "\x9b31mred", "gpj\u202egene", "a\u200eb", "over\x85write", "\u200b=1+1"]
HARMFUL = set("\x1b\x9b\u202e\u200e\x85\u200b")
FAST = ["--model", "neuron", "--folds", "0", "--jobs", "1"]


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    X, y = make_one_factor(n_columns=len(EVIL))
    frame = pd.DataFrame(X.round(3), columns=EVIL)
    frame.index = pd.Index([f"p\x1b[1m{i}\u202e" for i in range(len(X))], name="id\x9b1m")
    frame["class"] = [["ill\u202e", "well\x1b[0m"][label] for label in y]
    folder = tmp_path_factory.mktemp("evil")
    frame.to_csv(folder / "t.csv")
    arguments = ["fit", folder / "t.csv", "--target", "class", "-o", folder / "m.skops", *FAST]
    assert main([*map(str, arguments), "--quiet"]) == 0
    return folder


def shown(printed):
    assert not HARMFUL & set(printed.out + printed.err)
    return printed.out + printed.err


def test_the_terminal_shows_no_harmful_character(run, evil, tmp_path):
    table, model = evil / "t.csv", evil / "m.skops"
    fitted = run("fit", table, "--target", "class", "-o", tmp_path / "m.skops", *FAST)
    assert r"\u202e" in shown(fitted)
    predict = ["predict", model, table, "-o", tmp_path / "p.csv"]
    assert r"well\u001b[0m: " in shown(run(*predict))
    shown(run(*predict, "--force", "--json"))


@pytest.mark.usefixtures("few_groups")
def test_files_of_find_and_explain_have_none(run, evil, tmp_path):
    paths = [tmp_path / name for name in ("f.html", "f.csv", "f.json", "e.html")]
    outputs = [word for path in paths[:3] for word in ("-o", path)]
    shown(run("find", evil / "t.csv", "--target", "class", "--jobs", "1", *outputs))
    run("explain", evil / "m.skops", evil / "t.csv", "-o", paths[3])
    for path in paths:
        assert not HARMFUL & set(path.read_text())
    for page in (paths[0], paths[3]):
        assert r"\u202egene" in page.read_text()
    assert r"\u202e" in paths[1].read_text()
    first, *_ = json.loads(paths[2].read_text())["patterns"]
    assert set(first["columns"]) <= set(EVIL)


def test_json_has_the_names_as_they_are(answer_of, evil, tmp_path):
    answer = answer_of("predict", evil / "m.skops", evil / "t.csv", "-o", tmp_path / "p.csv")
    # A mark of direction is not a part of a class.
    assert set(answer["classes"]) <= {"ill", "well\x1b[0m"}


def test_errors(refused, evil, tmp_path):
    said = refused("fit", evil / "t.csv", "--target", "\x1b[31m", "-o", tmp_path / "m.skops")
    assert not HARMFUL & set(said)
    said = refused("fit", tmp_path / "\x1b[31m.csv", "--target", "x", "-o", tmp_path / "m.skops")
    assert not HARMFUL & set(said)
    assert r"\u001b[31m.csv" in said


def test_a_file_that_appeared_meanwhile_is_kept(refused, evil, tmp_path, monkeypatch):
    """Another command wrote it after this one had looked."""
    from bicneuron.cli import _output

    check_free = _output.check_free
    # The answer of find comes before its file.
    quiet = ("--jobs", "1", "--quiet")
    outputs = {
        "predict": ["predict", evil / "m.skops", evil / "t.csv", "-o", tmp_path / "p.csv"],
        "explain": ["explain", evil / "m.skops", "-o", tmp_path / "e.html"],
        "fit": ["fit", evil / "t.csv", "--target", "class", "-o", tmp_path / "m.skops", *FAST],
        "records": ["find", evil / "t.csv", "-o", tmp_path / "f.json", *quiet],
    }
    for arguments in outputs.values():
        output = arguments[arguments.index("-o") + 1]

        def appear(path, **how):
            check_free(path, **how)
            path.write_text("of another command")

        monkeypatch.setattr(_output, "check_free", appear)
        said = refused(*arguments)
        assert f"{output} was written by another command meanwhile" in said
        assert said.endswith("choose another name or replace it with --force.")
        assert output.read_text() == "of another command"
        assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]
