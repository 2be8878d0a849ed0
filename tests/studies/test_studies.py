"""Studies run like any other experiment: they go on where they were left."""

from dataclasses import dataclass

import pytest

from bicneuron.reproduction import ExperimentError
from bicneuron.reproduction._models import MODELS
from bicneuron.reproduction._protocols import QUICK
from studies.__main__ import QUESTIONS, main
from studies._studies import STUDIES, Study, run_study
from studies.discovery.methods import METHODS


@dataclass(frozen=True)
class Row:
    model: str
    folds: int


def rows(records):
    return [Row("SP", len(list(records)))]


@pytest.fixture
def tiny(monkeypatch):
    """A study of one perceptron; wdbc needs no file."""
    monkeypatch.setitem(STUDIES, "tiny", Study((QUICK,), (MODELS["SP"],), rows, repr))


def contents(out):
    return {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("tiny")
def test_a_study_writes_markdown_and_csv_beside_its_folds(tmp_path):
    written = run_study("tiny", tmp_path, datasets=["wdbc"])
    assert [path.name for path in written] == ["tiny.md", "tiny.csv"]
    assert written[0].read_text() == repr([Row("SP", 3)])
    assert written[1].read_text() == "model,folds\nSP,3\n"
    records = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json"))
    assert [record.parts for record in records] == [
        ("records", "quick", "wdbc", "SP", f"{fold}.json") for fold in range(3)
    ]


@pytest.mark.usefixtures("tiny")
def test_a_study_goes_on_where_it_was_left(tmp_path):
    run_study("tiny", tmp_path, datasets=["wdbc"])
    before = contents(tmp_path)
    (tmp_path / "records" / "quick" / "wdbc" / "SP" / "1.json").unlink()
    seen = []

    def track(records, n_finished, n_folds):
        seen.append((n_finished, n_folds))
        return records

    run_study("tiny", tmp_path, datasets=["wdbc"], track=track)
    run_study("tiny", tmp_path, datasets=["wdbc"], track=track)
    assert seen == [(2, 3), (3, 3)]
    kept = {path: content for path, content in before.items() if path.name != "1.json"}
    assert kept.items() <= contents(tmp_path).items()
    with pytest.raises(ExperimentError, match="seed 0, not 1"):
        run_study("tiny", tmp_path, datasets=["wdbc"], seed=1)


def test_unknown_studies_are_refused(tmp_path):
    with pytest.raises(ExperimentError, match=r"unknown study 'networks'\. Did you mean network\?"):
        run_study("networks", tmp_path)


@pytest.mark.parametrize(
    "compared",
    [*(study.models for study in STUDIES.values() if isinstance(study, Study)), METHODS],
)
def test_settings_have_names_of_their_own(compared):
    names = [each.name for each in compared]
    assert len(set(names)) == len(names)


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
    "study", [name for name in STUDIES if name not in ("discovery", "calibration")]
)
def test_studies_of_classifiers_need_the_papers_files(error_of, tmp_path, study):
    arguments = ["--datasets", "chen", "--data", tmp_path, "--out", tmp_path / "out"]
    assert str(tmp_path / "chen.csv.gz") in error_of(study, *arguments)
    assert "unknown data set" in error_of(study, "--datasets", "eeg-A-A")
    if study != "small":
        assert "--repeats is for the studies small, discovery and calibration" in error_of(
            study, "--repeats", 2
        )


def test_the_command_knows_every_study(error_of, capsys):
    assert [*QUESTIONS] == [*STUDIES]
    assert "'another'" in error_of("another")
    assert "'0'" in error_of("small", "--repeats", 0)
    assert "--seed" in error_of("small", "--seed", "-1")
    assert main(["--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for study in STUDIES:
        assert len([line for line in lines if line.startswith(f"{study}: ")]) == 1
