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
TARGET = ["--target", "Diagnose"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path


def listing(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_that_are_missing_or_no_models(refused, folder, model_file):
    arguments = ["--target", "class", "-o", folder / "m.skops"]
    assert "none.csv does not exist" in refused("fit", folder / "none.csv", *arguments)
    (folder / "bad.skops").write_bytes(model_file.read_bytes()[:-100])
    for model, said in {
        "none.skops": "none.skops: No such file or directory.",
        "bad.skops": "Copy it again.",
        "t.csv": "t.csv",
    }.items():
        out = ["-o", folder / "p.csv"]
        assert said in refused("predict", folder / model, folder / "t.csv", *out)


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_a_miner_does_not_predict(refused, european, tmp_path, in_pipeline):
    miner = SubgroupBiclustering(n_patterns=2)
    model = make_pipeline(StandardScaler(), miner) if in_pipeline else miner
    path = save_model(model.fit(*make_one_factor()), tmp_path / "miner.skops")
    said = f"{path} holds a SubgroupBiclustering, which does not predict; name the file of a"
    if in_pipeline:  # a miner of groups alone says who carries them
        assert said in refused("predict", path, european, "-o", tmp_path / "p.csv")
    assert said in refused("explain", path, "-o", tmp_path / "p.html")
    assert "bicneuron find" in refused("explain", path, european, "-o", tmp_path / "p.html")
    said = f"holds a {type(model).__name__}; replicate takes a file of groups"
    assert said in refused("replicate", path, european, "-o", tmp_path / "r.json")
    assert listing(tmp_path).keys() == {path.name}


@pytest.fixture(scope="module")
def groups_file(european, tmp_path_factory):
    """Groups of the same table."""
    path = tmp_path_factory.mktemp("groups") / "groups.skops"
    arguments = ["find", european, *TARGET, "-o", path, "--quiet", "--jobs", "1"]
    assert main([*map(str, arguments)]) == 0
    return path


@pytest.fixture
def given(european, model_file, groups_file):
    """Arguments of each command, and the suffix of what it writes."""
    return {
        "fit": ([european, *TARGET, "--model", "neuron"], ".skops"),
        # Its answer, which comes before the file, would be printed.
        "find": ([european, *TARGET, "--quiet"], ".csv"),
        "predict": ([model_file, european], ".csv"),
        "explain": ([model_file], ".html"),
        "replicate": ([groups_file, european], ".csv"),
    }


COMMANDS = ("fit", "find", "predict", "explain", "replicate")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_exists_is_kept_and_a_file_that_does_not_fit_leaves_no_part(
    refused, given, european, model_file, tmp_path, command
):
    arguments, suffix = given[command]
    out = tmp_path / f"out{suffix}"
    out.write_text("mine")
    message = refused(command, *arguments, "-o", out)
    assert message == f"{out} exists; choose another name or replace it with --force."
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if command == "replicate":  # its kernels are cached, in files, before these are limited
        main([*map(str, (command, *arguments, "-o", tmp_path / "first.csv"))])
        (tmp_path / "first.csv").unlink()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        message = refused(command, *arguments, "-o", out, "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message.startswith(f"cannot write {out}: {os.strerror(errno.EFBIG)}. Nothing was")
    assert listing(tmp_path) == {out.name: b"mine"}
    if command in ("predict", "explain", "replicate"):
        swapped = refused(command, european, model_file, "-o", tmp_path / f"new{suffix}")
        said = f"{model_file} is not a table; the model comes first, and then the table."
        assert swapped == said
    if command in ("fit", "predict", "explain"):
        option = ["--target", "f6"] if command == "fit" else ["-o", tmp_path / f"b{suffix}"]
        message = refused(command, *arguments, "-o", tmp_path / f"a{suffix}", *option)
        assert message == f"{option[0]} is given 2 times; give it once."
    assert listing(tmp_path) == {out.name: b"mine"}


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("none/m.skops", "there is no folder"),
        ("m.doc", "must end in .skops"),
        ("folder.skops", "is a folder"),
        ("/proc/m.skops", "/proc"),
        ("/dev/stdout", "is not a file, and cannot be replaced"),
        ("pipe.skops", "is not a file, and cannot be replaced"),
        ("lost.skops", "nowhere;"),
        ("x" * os.pathconf("/", "PC_NAME_MAX") + ".skops", "File name too long."),
    ],
)
def test_outputs_that_cannot_be(refused, european, tmp_path, out, said):
    """They are refused before the table is read, but for a folder that takes no file."""
    (tmp_path / "folder.skops").mkdir()
    os.mkfifo(tmp_path / "pipe.skops")
    (tmp_path / "lost.skops").symlink_to("nowhere/m.skops")
    table = european if out.startswith("/proc") else tmp_path / "folder.skops"
    assert said in refused("fit", table, *TARGET, "-o", tmp_path / out, "--force")


def test_the_input_is_never_replaced(refused, european, model_file, tmp_path):
    copy = tmp_path / "t.csv"
    copy.write_bytes(european.read_bytes())
    message = refused("predict", model_file, copy, "-o", copy, "--force")
    assert message == f"{copy} is the input; name another file with -o."
    assert copy.read_bytes() == european.read_bytes()
