"""What cannot be done: one line, exit code 2, and no trace in the folder."""

import errno
import os
import resource

import pytest
from data import make_one_factor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import SubgroupBiclustering
from bicneuron.cli import main
from bicneuron.persistence import save_model

TEXT = "id,a,b,class\n" + "".join(f"p{i},{i}.5,{i * i % 7},{'xy'[i % 2]}\n" for i in range(30))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path


def listing(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


BAD = {
    "missing target": (TEXT, "klass", "has no column 'klass' for the target. Did you mean 'class'"),
    "one class": (TEXT.replace("y\n", "x\n"), "class", "has one class, 'x'"),
    "text": (TEXT.replace("3.5", "3.5 mg"), "class", "column 'a', row 4 (p3), is '3.5 mg'"),
    "duplicates": (TEXT.replace("b", "a", 1), "class", "several columns called 'a'"),
    "empty": ("", "class", "is empty"),
    "header only": (TEXT[:13], "class", "is empty"),
    "cut": (TEXT[:-6], "class", "row 30 has 2 cells for 4 columns"),
    "wrong suffix": (b"PAR1....PAR1", "class", "is a Parquet file"),
}


@pytest.mark.parametrize("command", ["fit", "find"])
@pytest.mark.parametrize(("content", "target", "said"), BAD.values(), ids=BAD)
def test_bad_tables(refused, tmp_path, command, content, target, said):
    table = tmp_path / "t.csv"
    table.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = listing(tmp_path)
    out = tmp_path / {"fit": "m.skops", "find": "p.csv"}[command]
    message = refused(command, table, "--target", target, "-o", out)
    assert said in message
    assert str(table) in message
    assert listing(tmp_path) == before


def test_files_that_are_missing_or_no_models(refused, folder, model_file):
    arguments = ["--target", "class", "-o", folder / "m.skops"]
    assert "none.csv does not exist" in refused("fit", folder / "none.csv", *arguments)
    out = ["-o", folder / "p.csv"]
    assert "none.skops: No such file or directory." in refused(
        "predict", folder / "none.skops", folder / "t.csv", *out
    )
    (folder / "bad.skops").write_bytes(model_file.read_bytes()[:-100])
    assert "Copy it again." in refused("predict", folder / "bad.skops", folder / "t.csv", *out)
    assert "t.csv" in refused("predict", folder / "t.csv", folder / "t.csv", *out)


@pytest.mark.parametrize("command", ["predict", "explain", "replicate"])
def test_the_model_comes_before_the_table(refused, european, model_file, tmp_path, command):
    out = tmp_path / "out.html" if command == "explain" else tmp_path / "out.csv"
    message = refused(command, european, model_file, "-o", out)
    said = f"{model_file} is not a table; the model comes first, and then the table."
    assert message == said


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_a_miner_does_not_predict(refused, european, tmp_path, in_pipeline):
    X, y = make_one_factor()
    miner = SubgroupBiclustering(n_patterns=2)
    model = make_pipeline(StandardScaler(), miner) if in_pipeline else miner
    path = save_model(model.fit(X, y), tmp_path / "miner.skops")
    said = f"{path} holds a SubgroupBiclustering, which does not predict; name the file of a"
    if in_pipeline:  # a miner of groups alone says who carries them
        assert said in refused("predict", path, european, "-o", tmp_path / "p.csv")
    assert said in refused("explain", path, "-o", tmp_path / "p.html")
    assert "bicneuron find" in refused("explain", path, european, "-o", tmp_path / "p.html")
    assert listing(tmp_path).keys() == {path.name}


@pytest.mark.parametrize("command", ["fit", "find", "predict", "explain", "replicate"])
def test_an_output_that_exists_is_kept(refused, european, model_file, tmp_path, command):
    suffix = {"fit": ".skops", "explain": ".html"}.get(command, ".csv")
    out = tmp_path / f"out{suffix}"
    out.write_text("mine")
    arguments = {
        "fit": [european, "--target", "Diagnose"],
        "find": [european, "--target", "Diagnose"],
        "predict": [model_file, european],
        "explain": [model_file],
        "replicate": [model_file, european],
    }[command]
    message = refused(command, *arguments, "-o", out)
    assert message == f"{out} exists; choose another name or replace it with --force."
    assert listing(tmp_path) == {out.name: b"mine"}


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_value_that_is_given_twice_is_refused(refused, european, model_file, tmp_path, command):
    outputs = ["-o", tmp_path / "a.csv", "-o", tmp_path / "b.csv"]
    message = refused(command, model_file, european, *outputs)
    assert message == "-o is given 2 times; give it once."
    assert not listing(tmp_path)


def test_two_targets_are_refused(refused, european, tmp_path):
    targets = ["--target", "Diagnose", "--target", "f6"]
    message = refused("fit", european, *targets, "-o", tmp_path / "m.skops")
    assert message == "--target is given 2 times; give it once."


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("none/m.skops", "there is no folder"),
        ("m.doc", "must end in .skops"),
        ("folder.skops", "is a folder"),
        ("folder", "is a folder"),
        ("/proc/m.skops", "/proc"),
    ],
)
def test_outputs_that_cannot_be(refused, european, tmp_path, out, said):
    (tmp_path / "folder.skops").mkdir()
    (tmp_path / "folder").mkdir()
    arguments = ["--target", "Diagnose"]
    assert said in refused("fit", european, *arguments, "-o", tmp_path / out)


def test_the_input_is_never_replaced(refused, european, model_file, tmp_path):
    copy = tmp_path / "t.csv"
    copy.write_bytes(european.read_bytes())
    message = refused("predict", model_file, copy, "-o", copy, "--force")
    assert message == f"{copy} is the input; name another file with -o."
    assert copy.read_bytes() == european.read_bytes()


@pytest.fixture(scope="module")
def groups_file(european, tmp_path_factory):
    """Groups of the same table."""
    path = tmp_path_factory.mktemp("groups") / "groups.skops"
    arguments = ["find", european, "--target", "Diagnose", "-o", path, "--quiet", "--jobs", "1"]
    assert main([*map(str, arguments)]) == 0
    return path


@pytest.mark.parametrize("command", ["fit", "predict", "find", "replicate"])
def test_a_file_that_does_not_fit_leaves_no_part(
    refused, european, model_file, groups_file, tmp_path, command
):
    old = tmp_path / ("out.skops" if command == "fit" else "out.csv")
    old.write_text("old")
    arguments = {
        "fit": [european, "--target", "Diagnose", "--model", "neuron"],
        # Its answer, which comes before the file, would be printed.
        "find": [european, "--target", "Diagnose", "--quiet"],
        "predict": [model_file, european],
        "replicate": [groups_file, european],
    }[command]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        message = refused(command, *arguments, "-o", old, "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message.startswith(f"cannot write {old}: {os.strerror(errno.EFBIG)}. Nothing was")
    assert listing(tmp_path) == {old.name: b"old"}


def test_no_space_left(refused, european, model_file, tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    message = refused("predict", model_file, european, "-o", tmp_path / "p.csv")
    assert "No space left on device" in message
    assert "name another place with -o" in message
    assert list(tmp_path.iterdir()) == []


def test_usage_errors(capsys, folder):
    for arguments in (
        ["fit", folder / "t.csv", "-o", folder / "m.skops"],
        ["fit", folder / "t.csv", "--target", "class"],
        ["fit", folder / "t.csv", "--target", "class", "-o", "m", "--model", "network"],
        ["predict", "m.skops"],
        ["nothing"],
    ):
        assert main([str(argument) for argument in arguments]) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_devices_and_pipes_are_no_outputs(folder, model_file, refused):
    os.mkfifo(folder / "pipe.csv")
    for command in (
        ["fit", folder / "t.csv", "--target", "class", "-o", "/dev/stdout"],
        ["predict", model_file, folder / "t.csv", "-o", folder / "pipe.csv", "--force"],
    ):
        assert "is not a file, and cannot be replaced" in refused(*command)


def test_links_are_followed(folder, model_file, european, run, refused):
    (folder / "link.csv").symlink_to("file.csv")
    run("predict", model_file, european, "-o", folder / "link.csv")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "file.csv").is_file()
    (folder / "lost.csv").symlink_to("nowhere/file.csv")
    message = refused("predict", model_file, european, "-o", folder / "lost.csv")
    assert message.startswith(f"there is no folder {folder}/nowhere;")


def test_a_name_that_is_too_long_is_refused_before_the_table_is_read(folder, refused):
    name = "x" * os.pathconf(folder, "PC_NAME_MAX") + ".skops"
    message = refused("fit", folder / "no.csv", "--target", "class", "-o", folder / name)
    assert message.endswith("File name too long.")
