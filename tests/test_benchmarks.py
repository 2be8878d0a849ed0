import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.model_hashes import PARTS, digest

ROOT = Path(__file__).parents[1]
QUESTIONS = sorted(
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if "\ndef rows(" in path.read_text()
)
# The first has no tiny size, the others take long.
UNASKED = {"start", "cluster", "memory", "models"}
ASKED = [question for question in QUESTIONS if question not in UNASKED]


def ask(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_table_of_every_question_at_tiny_size(tmp_path):
    """One test, because each worker of pytest would measure for itself."""
    run = ask(*ASKED, "--size", "tiny", "--json", tmp_path / "bench.json")
    assert run.returncode == 0, run.stderr
    content = json.loads((tmp_path / "bench.json").read_text())
    assert {row["question"] for row in content["rows"]} == {*ASKED}
    for row in content["rows"]:
        if row["at_most"] is not None:
            assert row["holds"] == (row["ratio"] <= row["at_most"])
    assert run.stdout.count(" equal") == 2  # linkage and miner
    assert "DIFFERENT" not in run.stdout


def test_an_unknown_question_is_refused_by_name():
    run = ask("speed")
    assert run.returncode == 2
    assert "unknown question 'speed'" in run.stderr


@pytest.mark.parametrize("part", PARTS)
def test_a_hash_of_a_model_is_that_of_its_values(part):
    name, values = next(PARTS[part]())
    again = next(PARTS[part]())[1]
    assert name
    assert digest(*values) == digest(*again)
    assert digest(*values) != digest(*values, 0.0)
