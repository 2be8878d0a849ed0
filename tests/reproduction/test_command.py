"""The command line: what it writes, what it refuses, and with which exit code."""

import json
import shutil
import warnings
from pathlib import Path

import pytest

from bicneuron._shared._files import sealed
from reproduction import _reproduce
from reproduction.__main__ import main
from reproduction.datasets import list_datasets
from reproduction.exceptions import DamagedRecordWarning, FailedFoldError

QUICK = ["--quick", "--models", "SP,Perceptron", "--jobs", "1"]


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
    assert words in error_of("--quick", option, value, "--out", out)
    assert not out.exists()


def test_all_eeg_pairs_go_by_one_name(error_of, tmp_path):
    message = error_of("--datasets", "eeg", "--data", tmp_path, "--out", tmp_path)
    assert str(tmp_path / "eeg_raw.npz") in message
    assert "unknown data set 'eeg'" in error_of("--table", "2", "--datasets", "eeg")


def test_tipspam_is_not_to_be_had(error_of, tmp_path):
    message = error_of("--datasets", "tipspam", "--out", tmp_path)
    assert "tipspam" in message


def test_a_model_of_the_other_protocol_is_refused(error_of, tmp_path):
    arguments = ["--protocol", "paper", "--models", "SVC", "--out", tmp_path]
    assert "nothing to run" in error_of(*arguments)


@pytest.mark.parametrize("arguments", [["--table", "6"], ["--jobs", "-1"], ["--seed", "x"]])
def test_options_that_make_no_sense_are_usage_errors(capsys, arguments):
    assert main(arguments) == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_missing_data_file_is_named(error_of, tmp_path):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of(*arguments)


def test_an_altered_data_file_is_named(error_of, tmp_path):
    (tmp_path / "chen.csv.gz").write_bytes(b"not a table")
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of(*arguments)


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


def test_a_fold_that_fails_has_an_exit_code_of_its_own(capsys, monkeypatch, tmp_path):
    def fail(*_, **__):
        raise FailedFoldError("fold 3 failed")

    monkeypatch.setattr(_reproduce, "run_folds", fail)
    assert main([*QUICK, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "error: fold 3 failed\n"


def test_readings_need_the_papers_files_and_take_no_other_choice(error_of, tmp_path):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of("--readings", *arguments)
    assert "unknown data set" in error_of("--readings", "--datasets", "eeg-A-A")
    for choice in (["--table", 2], ["--protocol", "paper"], ["--models", "SP"], ["--quick"]):
        message = error_of("--readings", *choice)
        assert choice[0] in message.partition("leave out")[2]


def test_the_data_sets_are_listed(capsys, tmp_path):
    (tmp_path / "chen.csv.gz").touch()
    assert main(["--list", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    where = {line.split()[0]: place.strip() for line, place in pairs}
    assert list(where) == list_datasets()
    assert "sonar          208x60  R 97, M 111" in lines
    assert where["sonar"].startswith("Download it with fetch_dataset('sonar')")
    assert where["colon"].startswith("Save the data (from ")
    assert where["chen"] == str(tmp_path / "chen.csv.gz")
    assert where["wdbc"] == "scikit-learn"
    assert where["twonorm"] == "generated"
    assert "not available" in where["tipspam"]
