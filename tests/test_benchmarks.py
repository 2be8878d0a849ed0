import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUESTIONS = sorted(
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("_")
)


def ask(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Everything at tiny size: what was printed, and the file for tracking."""
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    run = ask("--size", "tiny", "--json", file)
    assert run.returncode == 0, run.stderr
    return run.stdout, json.loads(file.read_text())


def test_every_question_has_rows(tiny):
    _, content = tiny
    answered = {row["question"] for row in content["rows"]}
    unasked = {"start"}  # has no tiny size
    if find_spec("distributed") is None:
        unasked |= {"cluster"}
    assert answered == {*QUESTIONS} - unasked


def test_one_table_with_versions_and_every_row(tiny):
    printed, content = tiny
    versions, header, *lines, verdict = printed.splitlines()
    assert all(f"{name} {version}" in versions for name, version in content["machine"].items())
    assert " ".join(header.split()) == "question what size threads ratio bound holds note"
    assert [line.split()[0] for line in lines] == [row["question"] for row in content["rows"]]
    bounds = [row["holds"] for row in content["rows"] if row["holds"] is not None]
    assert verdict == f"{sum(bounds)} of {len(bounds)} bounds hold"


def test_ratios_and_verdicts_are_consistent(tiny):
    for row in tiny[1]["rows"]:
        assert row["ratio"] >= 0
        if row["at_most"] is not None:
            assert row["holds"] == (row["ratio"] <= row["at_most"])
        elif row["at_least"] is not None:
            assert row["holds"] == (row["ratio"] >= row["at_least"])
        else:
            assert row["holds"] is None


def test_what_is_compared_is_equal(tiny):
    printed, _ = tiny
    assert printed.count(" equal") == 2  # linkage and miner
    assert "DIFFERENT" not in printed


def test_an_unknown_question_is_refused_by_name():
    run = ask("speed")
    assert run.returncode == 2
    assert "unknown question 'speed'" in run.stderr


def test_the_demo_shows_a_pair_and_its_accuracy():
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "The pair that decides: " in run.stdout
    assert "accuracy 0." in run.stdout
