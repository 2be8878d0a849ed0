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
    the_table_is_what_was_measured(run.stdout, content)
    for row in content["rows"]:
        its_verdict_is_that_of_its_ratio(**row)
    assert run.stdout.count(" equal") == 2  # linkage and miner
    assert "DIFFERENT" not in run.stdout


def the_table_is_what_was_measured(printed, content):
    versions, header, *lines, verdict = printed.splitlines()
    assert all(f"{name} {version}" in versions for name, version in content["machine"].items())
    assert " ".join(header.split()) == "question what size threads ratio bound holds note"
    assert [line.split()[0] for line in lines] == [row["question"] for row in content["rows"]]
    bounds = [row["holds"] for row in content["rows"] if row["holds"] is not None]
    assert verdict == f"{sum(bounds)} of {len(bounds)} bounds hold"


def its_verdict_is_that_of_its_ratio(ratio, holds, at_most, at_least, **_):
    assert ratio >= 0
    if at_most is not None:
        assert holds == (ratio <= at_most)
    elif at_least is not None:
        assert holds == (ratio >= at_least)
    else:
        assert holds is None


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
