"""Commands: what they write, what they refuse, and with which exit code."""

import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from bicneuron._shared._seal import sealed
from bicneuron.cli import main
from bicneuron.cli._app import GONE, app
from bicneuron.cli._messages import in_one_line
from bicneuron.cli._options import REMOVED
from bicneuron.datasets import list_datasets
from bicneuron.exceptions import DamagedRecordWarning
from bicneuron.reproduction import FailedFoldError

QUICK = ["reproduce", "--quick", "--models", "SP,Perceptron", "--jobs", "1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Output folder of a run that ended well."""
    out = tmp_path_factory.mktemp("finished")
    assert main([*QUICK, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def finished_wdbc(tmp_path_factory):
    """The same for one data set alone."""
    out = tmp_path_factory.mktemp("wdbc")
    assert main([*QUICK, "--datasets", "wdbc", "--out", str(out)]) == 0
    return out


@pytest.fixture
def again(finished_wdbc, tmp_path):
    """The command that wrote what is in ``tmp_path``."""
    shutil.copytree(finished_wdbc, tmp_path, dirs_exist_ok=True)
    return [*QUICK, "--datasets", "wdbc", "--out", str(tmp_path)]


@pytest.fixture
def error_of(capsys):
    """Run a command that must be refused; give its one line."""

    def run(*arguments):
        capsys.readouterr()
        assert main([str(argument) for argument in arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        lines = [line for line in printed.err.splitlines() if not line.endswith("folds done")]
        assert len(lines) == 1, printed.err
        assert lines[0].startswith("error: ")
        return lines[0]

    return run


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_quick_run_writes_report_and_folds(finished):
    lines = (finished / "folds.csv").read_text().splitlines()
    assert lines[0].startswith("dataset,model,protocol,fold,acc,acc_minority,acc_majority")
    assert len(lines) == 1 + 3 * 2 * 3, "three data sets, two models, three folds"
    assert {line.split(",")[2] for line in lines[1:]} == {"quick"}
    report = (finished / "report.md").read_text()
    assert "wdbc" in report
    assert "## Quick protocol\n\nThree clean folds" in report
    assert "## Clean protocol" not in report
    assert "<html" in (finished / "report.html").read_text()


def test_a_second_run_changes_nothing(finished, capsys):
    before = files(finished)
    assert main([*QUICK, "--out", str(finished)]) == 0
    assert files(finished) == before
    assert "18 of 18 folds done" in capsys.readouterr().err.splitlines()[0]


@pytest.mark.usefixtures("again")
def test_a_wider_run_adds_to_a_narrower_one(finished, tmp_path):
    """One of the models on one of the data sets, then all."""
    shutil.rmtree(tmp_path / "records" / "quick" / "wdbc" / "Perceptron")
    kept = {path: content for path, content in files(tmp_path).items() if path.suffix == ".json"}
    assert len(kept) == 3
    assert main([*QUICK, "--out", str(tmp_path)]) == 0
    assert kept.items() <= files(tmp_path).items()
    for name in ("report.md", "report.html", "folds.csv"):
        assert (tmp_path / name).read_bytes() == (finished / name).read_bytes()


def test_one_data_set_by_name(finished_wdbc):
    assert {path.parts[-3] for path in finished_wdbc.rglob("*.json")} == {"wdbc"}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--datasets", "wdcb", "unknown data set 'wdcb'. Did you mean wdbc?"),
        ("--datasets", "chen", "unknown data set 'chen'"),
        ("--models", "SPP", "unknown model 'SPP'. Did you mean SP?"),
        ("--protocol", "paper", "leave out --protocol paper"),
    ],
)
def test_unknown_names_are_refused(error_of, tmp_path, option, value, words):
    out = tmp_path / "out"
    assert words in error_of("reproduce", "--quick", option, value, "--out", out)
    assert not out.exists()


def test_all_eeg_pairs_go_by_one_name(error_of, tmp_path):
    message = error_of("reproduce", "--datasets", "eeg", "--data", tmp_path, "--out", tmp_path)
    assert str(tmp_path / "eeg_raw.npz") in message
    assert "unknown data set 'eeg'" in error_of("reproduce", "--table", "2", "--datasets", "eeg")


def test_tipspam_is_not_to_be_had(error_of, tmp_path):
    message = error_of("reproduce", "--datasets", "tipspam", "--out", tmp_path)
    assert "tipspam" in message


def test_a_model_of_the_other_protocol_is_refused(error_of, tmp_path):
    arguments = ["--protocol", "paper", "--models", "SVC", "--out", tmp_path]
    assert "nothing to run" in error_of("reproduce", *arguments)


@pytest.mark.parametrize("arguments", [["--table", "6"], ["--jobs", "-1"], ["--seed", "x"]])
def test_options_that_make_no_sense_are_usage_errors(capsys, arguments):
    assert main(["reproduce", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_missing_data_file_is_named(error_of, tmp_path):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of("reproduce", *arguments)


def test_an_altered_data_file_is_named(error_of, tmp_path):
    (tmp_path / "chen.csv.gz").write_bytes(b"not a table")
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of("reproduce", *arguments)


def test_an_output_folder_that_is_a_file_is_refused(error_of, tmp_path):
    (tmp_path / "out").write_text("mine")
    for out in (tmp_path / "out", tmp_path / "out" / "deeper"):
        message = error_of(*QUICK, "--out", out)
        assert f"cannot write to {out}" in message
        assert "--out" in message
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_where_a_file_must_go_is_refused(error_of, tmp_path):
    (tmp_path / "report.md").mkdir()
    assert "report.md" in error_of(*QUICK, "--out", tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 18, "the finished folds are kept"


def test_records_of_another_seed_are_refused_or_forced(error_of, again, tmp_path):
    before = files(tmp_path)
    message = error_of(*again, "--seed", "1")
    assert "was made with seed 0, not 1" in message
    assert "--force" in message
    assert files(tmp_path) == before
    assert main([*again, "--seed", "1", "--force"]) == 0
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("*.json")]
    assert {record["settings"]["seed"] for record in records} == {1}


def test_records_of_another_version_are_refused(error_of, again, tmp_path):
    path = tmp_path / "records" / "quick" / "wdbc" / "SP" / "1.json"
    record = json.loads(path.read_text())
    record["versions"]["bicneuron"] = "0.0.1"
    path.write_text(json.dumps(sealed(record)))
    message = error_of(*again)
    assert str(path) in message
    assert "was made with bicneuron 0.0.1" in message


def test_a_half_written_record_is_named_and_its_fold_run_again(capsys, again, tmp_path):
    path = tmp_path / "records" / "quick" / "wdbc" / "SP" / "1.json"
    whole = json.loads(path.read_text())
    path.write_bytes(path.read_bytes()[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("always", DamagedRecordWarning)
        assert main(again) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "damaged" in line]
    assert str(path) in line
    assert "run again" in line
    assert json.loads(path.read_text())["acc"] == whole["acc"]


def test_help_comes_without_the_heavy_libraries():
    script = (
        "import sys; from bicneuron.cli import main; "
        "codes = [main([*given, '--help']) for given in ([], *zip(sys.argv[1:]))]; "
        "heavy = {'numpy', 'sklearn', 'numba', 'pandas', 'scipy', 'pyarrow', 'rich'}; "
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else any(codes))"
    )
    commands = ("fit", "predict", "find", "replicate", "explain", "datasets", "reproduce")
    ended = subprocess.run(
        [sys.executable, "-c", script, *commands], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("Usage: bicneuron") == 1 + len(commands)


def test_without_typer_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [name for name in sys.modules if name.startswith("bicneuron.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["--help"]) == 2
    assert "pip install 'bicneuron[cli]'" in capsys.readouterr().err


def test_the_default_output_folder_is_in_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main([*QUICK, "--datasets", "wdbc"]) == 0
    assert Path("results-quick/report.md").is_file()


def test_a_terminal_shows_how_far_the_run_is(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main([*QUICK, "--datasets", "wdbc", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().err
    assert "6/6" in shown
    assert "left" in shown


def test_warnings_take_one_line_each(capsys):
    with in_one_line():
        warnings.simplefilter("always")
        warnings.warn("rows in\nanother order", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: rows in another order\n"


def test_a_fold_that_fails_has_an_exit_code_of_its_own(capsys):
    with pytest.raises(typer.Exit) as ended, in_one_line():
        raise FailedFoldError("fold 3 failed")
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "error: fold 3 failed\n"


def test_a_mistake_of_ours_is_not_hidden():
    with pytest.raises(ValueError, match="a bug"), in_one_line():
        raise ValueError("a bug")


def test_readings_need_the_papers_files_and_take_no_other_choice(error_of, tmp_path):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of("reproduce", "--readings", *arguments)
    assert "unknown data set" in error_of("reproduce", "--readings", "--datasets", "eeg-A-A")
    for choice in (["--table", 2], ["--protocol", "paper"], ["--models", "SP"], ["--quick"]):
        message = error_of("reproduce", "--readings", *choice)
        assert choice[0] in message.partition("leave out")[2]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mien", "find"),
        ("mine", "find"),
        ("FIT", "fit"),
        ("predcit", "predict"),
        ("train", "fit"),
        ("validate", "replicate"),
    ],
)
def test_a_mistyped_command_names_the_nearest(error_of, typed, meant):
    line = error_of(typed, "table.csv", "--target", "class")
    assert line == f"error: no command {typed!r}; did you mean {meant!r}?"


def test_a_command_like_no_other_lists_them(error_of):
    assert "no command 'xyzzy'; there are find, replicate" in error_of("xyzzy")


def test_studies_are_no_command(error_of):
    line = error_of("study", "scores")
    assert line.endswith(
        "'study'; studies are run by python -m studies in a clone of the repository."
    )


COMMANDS = {"find": 14, "fit": 15, "replicate": 15, "predict": 15, "explain": 15}


def options_in(shown):
    return {*re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_option(command, capsys):
    parameters = get_command(app).commands[command].params
    every = {max(one.opts, key=len) for one in parameters if one.param_type_name == "option"}
    assert main([command, "--help"]) == 0
    assert options_in(capsys.readouterr().out) == every | {"--help"}
    assert len(every) <= COMMANDS[command]


@pytest.mark.parametrize(("option", "instead"), REMOVED.items())
def test_an_option_that_is_gone_names_what_to_use(error_of, option, instead):
    given = ["find", "t.csv", option, "x", "-o", "p.csv"]
    assert error_of(*given) == f"error: there is no option {option} any more: {instead}."


@pytest.mark.parametrize(("command", "instead"), GONE.items())
def test_a_command_that_is_gone_names_what_to_use(error_of, command, instead):
    line = f"error: there is no command {command!r} any more: {instead}."
    assert error_of(command, "--help") == line


def test_help_tells_exit_codes_and_examples(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "0 done" in lines
    commands = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line]
    assert commands[:5] == ["find", "replicate", "predict", "fit", "explain"], "as README"
    assert not any(line.endswith("...") and "COMMAND" not in line for line in lines)  # cut short
    for code in ("1 a fold", "2 it cannot be run", "130 interrupted"):
        assert sum(line.startswith(code) for line in lines) == 1
    for command in ("fit", "predict", "find", "replicate", "explain", "datasets", "reproduce"):
        assert main([command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert f"  Examples:\n    bicneuron {command}" in shown


# --- datasets


def test_the_data_sets_are_listed(capsys, tmp_path):
    assert main(["datasets", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(not line.startswith(" ") for line in lines) == len(list_datasets())
    assert main(["datasets", "--data", str(tmp_path), "--json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["datasets"]}
    assert list(found) == list_datasets()
    assert found["sonar"]["shape"] == [208, 60]
    assert found["sonar"]["classes"] == {"R": 97, "M": 111}
    assert found["sonar"]["where"].startswith("Download it with fetch_dataset('sonar')")
    assert found["chen"]["where"].startswith("Save the data (from ")
    assert found["wdbc"]["where"] == "scikit-learn"
    assert found["twonorm"]["where"] == "generated"
    assert "not available" in found["tipspam"]["where"]


@pytest.mark.real_data
def test_files_that_are_there_are_named(capsys):
    assert main(["datasets", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    found = [entry["where"] for entry in answer["datasets"] if entry["name"] != "tipspam"]
    assert all(Path(where).parent == Path(answer["data_home"]) for where in found)
    assert all(Path(where).is_file() for where in found)
