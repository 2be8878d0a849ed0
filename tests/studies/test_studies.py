"""Studies run like any other experiment: they go on where they were left."""

from dataclasses import dataclass, replace
from importlib import import_module

import pytest

from reproduction._models import MODELS
from reproduction._protocols import QUICK
from reproduction.exceptions import ExperimentError
from studies.__main__ import QUESTIONS, main
from studies._classifiers import classifier_study
from studies._study import run_study


@dataclass(frozen=True)
class Row:
    model: str
    folds: int


def rows(records):
    return [Row("SP", len(list(records)))]


# A study of one perceptron; wdbc needs no file.
TINY = replace(
    classifier_study("tiny", (QUICK,), (MODELS["SP"],), repr, dict), summarise=rows, plot=None
)
STUDIES = {name: import_module(f"studies.{name}").STUDY for name in QUESTIONS}


def contents(out):
    return {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_study_writes_markdown_and_csv_beside_its_folds(tmp_path):
    written = run_study(TINY, tmp_path, datasets=["wdbc"])
    assert [path.name for path in written] == ["tiny.md", "tiny.csv"]
    assert written[0].read_text() == repr([Row("SP", 3)])
    assert written[1].read_text() == "model,folds\nSP,3\n"
    records = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json"))
    assert [record.parts for record in records] == [
        ("records", "quick", "wdbc", "SP", f"{fold}.json") for fold in range(3)
    ]


def test_a_study_goes_on_where_it_was_left(tmp_path):
    run_study(TINY, tmp_path, datasets=["wdbc"])
    before = contents(tmp_path)
    (tmp_path / "records" / "quick" / "wdbc" / "SP" / "1.json").unlink()
    seen = []

    def track(records, n_finished, n_folds):
        seen.append((n_finished, n_folds))
        return records

    for _ in range(2):
        run_study(TINY, tmp_path, datasets=["wdbc"], track=track)
    assert seen == [(2, 3), (3, 3)]
    kept = {path: content for path, content in before.items() if path.name != "1.json"}
    assert kept.items() <= contents(tmp_path).items()
    with pytest.raises(ExperimentError, match="seed 0, not 1"):
        run_study(TINY, tmp_path, datasets=["wdbc"], seed=1)


# --- the command


@pytest.fixture
def error_of(capsys):
    """Run a command that must be refused; give its one line."""

    def run(*arguments):
        capsys.readouterr()
        assert main([str(argument) for argument in arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        (line,) = printed.err.splitlines()
        assert line.startswith("error: ")
        return line

    return run


@pytest.mark.parametrize(
    "study", sorted({*STUDIES} - {"discovery", "calibration", "columns", "replication"})
)
def test_studies_of_classifiers_need_the_papers_files(error_of, tmp_path, study):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of(study, *arguments)
    assert "unknown data set" in error_of(study, "--datasets", "eeg-A-A")
    if study != "small":
        words = "--repeats is for the studies small, discovery, calibration and replication"
        assert words in error_of(study, "--repeats", 2)


def test_the_command_knows_every_study(error_of, capsys):
    assert "'networks'" in error_of("networks")
    assert "'0'" in error_of("small", "--repeats", 0)
    assert "--seed" in error_of("small", "--seed", "-1")
    assert main(["--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for study in STUDIES:
        assert len([line for line in lines if line.startswith(f"{study}: ")]) == 1
