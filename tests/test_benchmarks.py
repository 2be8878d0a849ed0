import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("bench_*.py")), ids=str)
def test_runs_at_tiny_size_and_prints_what_it_measured(script):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", script, "--size", "tiny"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "faster than scipy" in run.stdout
    assert "DIFFERENT" not in run.stdout
    assert "Recovery" in run.stdout


def test_the_demo_shows_a_pair_and_its_accuracy():
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "The pair that decides: " in run.stdout
    assert "accuracy 0." in run.stdout
