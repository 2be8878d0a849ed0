import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


MEASURED = {
    "bench_core.py": ("faster than scipy", "time / forest", "of the bound", "Recovery"),
    "bench_cv.py": ("time / forest", "fell back"),
    "bench_network.py": ("time / forest", "x the input"),
}


def test_every_benchmark_is_tested():
    assert {script.name for script in (ROOT / "benchmarks").glob("bench_*.py")} == {*MEASURED}


@pytest.mark.parametrize("script", MEASURED)
def test_runs_at_tiny_size_and_prints_what_it_measured(script):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", ROOT / "benchmarks" / script, "--size", "tiny"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert all(words in run.stdout for words in MEASURED[script])
    assert "DIFFERENT" not in run.stdout


def test_the_demo_shows_a_pair_and_its_accuracy():
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "The pair that decides: " in run.stdout
    assert "accuracy 0." in run.stdout
