"""The command line: what it writes, what it refuses, and with which exit code."""

import json
import shutil
from pathlib import Path

import pytest

from bicneuron._shared._files import sealed
from reproduction import _reproduce
from reproduction.__main__ import main
from reproduction.datasets import list_datasets
from reproduction.exceptions import FailedFoldError

QUICK = ["--quick", "--models", "SP,Perceptron", "--jobs", "1"]
WDBC = [*QUICK, "--datasets", "wdbc"]
RECORD = Path("records") / "quick" / "wdbc" / "SP" / "1.json"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Output folder of a run that ended well."""
    out = tmp_path_factory.mktemp("finished")
    assert main([*QUICK, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def finished_wdbc(tmp_path_factory):
    """The same for one data set alone, in the default output folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("wdbc"))
        assert main(WDBC) == 0
        return Path("results-quick").absolute()


@pytest.fixture
def again(finished_wdbc, tmp_path):
    """The command that wrote what is in ``tmp_path``."""
    shutil.copytree(finished_wdbc, tmp_path, dirs_exist_ok=True)
    return [*WDBC, "--out", str(tmp_path)]


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


def test_a_quick_run_writes_report_and_folds_and_a_second_one_changes_nothing(finished, capsys):
    lines = (finished / "folds.csv").read_text().splitlines()
    assert lines[0].startswith("dataset,model,protocol,fold,acc,acc_minority,acc_majority")
    assert len(lines) == 1 + 3 * 2 * 3, "three data sets, two models, three folds"
    assert {line.split(",")[2] for line in lines[1:]} == {"quick"}
    report = (finished / "report.md").read_text()
    assert "## Quick protocol\n\nThree clean folds" in report
    assert "## Clean protocol" not in report
    assert "<html" in (finished / "report.html").read_text()
    before = files(finished)
    assert main([*QUICK, "--out", str(finished)]) == 0
    assert files(finished) == before
    assert "18 of 18 folds done" in capsys.readouterr().err.splitlines()[0]


@pytest.mark.usefixtures("again")
def test_a_wider_run_adds_to_a_narrower_one(finished, tmp_path):
    """One of the models on one of the data sets, then all."""
    assert {path.parts[-3] for path in tmp_path.rglob("*.json")} == {"wdbc"}
    shutil.rmtree(tmp_path / "records" / "quick" / "wdbc" / "Perceptron")
    kept = {path: content for path, content in files(tmp_path).items() if path.suffix == ".json"}
    assert len(kept) == 3
    assert main([*QUICK, "--out", str(tmp_path)]) == 0
    assert kept.items() <= files(tmp_path).items()
    for name in ("report.md", "report.html", "folds.csv"):
        assert (tmp_path / name).read_bytes() == (finished / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--quick", "--datasets", "wdcb"), "unknown data set 'wdcb'. Did you mean wdbc?"),
        (("--quick", "--models", "SPP"), "unknown model 'SPP'. Did you mean SP?"),
        (("--quick", "--protocol", "paper"), "leave out --protocol paper"),
        (("--datasets", "eeg"), "eeg_raw.npz"),  # all pairs by one name
        (("--table", "2", "--datasets", "eeg"), "unknown data set 'eeg'"),
        (("--datasets", "tipspam"), "tipspam"),
        (("--protocol", "paper", "--models", "SVC"), "nothing to run"),
        (("--datasets", "chen"), "chen.csv.gz"),
        (("--readings", "--datasets", "chen"), "chen.csv.gz"),
        (("--readings", "--datasets", "eeg-A-A"), "unknown data set"),
        *(
            (("--readings", *other.split()), "leave out --protocol, --table, --models, --rivals")
            for other in ("--table 2", "--protocol paper", "--models SP", "--quick")
        ),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_line(error_of, tmp_path, arguments, words):
    out = tmp_path / "out"
    assert words in error_of(*arguments, "--data", tmp_path, "--out", out)
    assert not out.exists()


def test_places_where_nothing_can_be_written_are_refused(error_of, tmp_path):
    (tmp_path / "out").write_text("mine")
    for out in (tmp_path / "out", tmp_path / "out" / "deeper"):
        message = error_of(*QUICK, "--out", out)
        assert f"cannot write to {out}" in message
        assert "--out" in message
    (tmp_path / "report.md").mkdir()
    assert "report.md" in error_of(*WDBC, "--out", tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 6, "the finished folds are kept"


def test_records_of_another_seed_or_version_are_refused_or_forced(error_of, again, tmp_path):
    before = files(tmp_path)
    message = error_of(*again, "--seed", "1")
    assert "was made with seed 0, not 1" in message
    assert "--force" in message
    assert files(tmp_path) == before
    assert main([*again, "--seed", "1", "--force"]) == 0
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("*.json")]
    assert {record["settings"]["seed"] for record in records} == {1}
    record = json.loads((tmp_path / RECORD).read_text())
    record["versions"]["bicneuron"] = "0.0.1"
    (tmp_path / RECORD).write_text(json.dumps(sealed(record)))
    message = error_of(*again, "--seed", "1")
    assert str(tmp_path / RECORD) in message
    assert "was made with bicneuron 0.0.1" in message


def test_a_fold_that_fails_has_an_exit_code_of_its_own(capsys, monkeypatch, tmp_path):
    def fail(*_, **__):
        raise FailedFoldError("fold 3 failed")

    monkeypatch.setattr(_reproduce, "run_folds", fail)
    assert main([*QUICK, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "error: fold 3 failed\n"


def test_the_data_sets_are_listed(capsys, tmp_path):
    (tmp_path / "chen.csv.gz").touch()
    assert main(["--list", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    where = {line.split()[0]: place.strip() for line, place in pairs}
    assert list(where) == list_datasets()
    assert "sonar          208x60  R 97, M 111" in lines
    for name, start in (
        ("sonar", "Download it with fetch_dataset('sonar')"),
        ("colon", "Save the data (from "),
        ("chen", str(tmp_path / "chen.csv.gz")),
        ("wdbc", "scikit-learn"),
        ("twonorm", "generated"),
    ):
        assert where[name].startswith(start)
    assert "not available" in where["tipspam"]
