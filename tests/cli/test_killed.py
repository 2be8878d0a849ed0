"""Runs that are killed or interrupted, as real processes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)

N_FOLDS = 36
COMMAND = [
    *(sys.executable, "-m", "bicneuron.cli", "reproduce", "--quick"),
    *("--models", "SP,LogisticRegression,SVC,HistGradientBoosting"),
]


def start(out, n_jobs=2):
    return subprocess.Popen(
        [*COMMAND, "--out", str(out), "--jobs", str(n_jobs)],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def records(out):
    return {path: path.read_bytes() for path in out.glob("records/*/*/*/*.json")}


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)  # yields the processor; only the condition ends the wait


def is_alive(session):
    """Whether any process of a session is left that is not just waiting to be collected."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_session) == session and state != "Z":
            return True
    return False


def reports(out):
    return {name: (out / name).read_bytes() for name in ("report.md", "report.html", "folds.csv")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    run = start(out, n_jobs=1)
    _, errors = run.communicate()
    assert run.returncode == 0, errors
    return reports(out)


def test_a_run_survives_being_killed_again_and_again(undisturbed, tmp_path):
    moments = random.Random(0)
    kept = {}
    for n_least in (0, 2, 10):
        run = start(tmp_path)
        if not n_least:
            pause = time.monotonic() + moments.uniform(0, 3)
            wait_until(lambda pause=pause: time.monotonic() > pause)
        else:
            wait_until(lambda n_least=n_least: len(records(tmp_path)) >= n_least)
        run.kill()
        run.communicate()
        wait_until(lambda session=run.pid: not is_alive(session))
        now = records(tmp_path)
        assert kept.items() <= now.items(), "a finished fold was lost or run again"
        kept = now
    assert len(kept) < N_FOLDS, "nothing was left to go on with"
    run = start(tmp_path)
    _, errors = run.communicate()
    assert run.returncode == 0, errors
    assert f"{len(kept)} of {N_FOLDS} folds are there" in errors
    assert kept.items() <= records(tmp_path).items()
    assert len(records(tmp_path)) == N_FOLDS
    assert reports(tmp_path) == undisturbed


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished_and_leaves_no_worker(tmp_path, n_jobs):
    run = start(tmp_path, n_jobs)
    wait_until(lambda: len(records(tmp_path)) >= 2)
    os.killpg(run.pid, signal.SIGINT)
    printed, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert printed == ""
    last = errors.splitlines()[-1]
    assert last.startswith("error: interrupted")
    assert "Traceback" not in errors
    assert len(errors.splitlines()) == 2, errors
    assert 2 <= len(records(tmp_path)) < N_FOLDS
    wait_until(lambda: not is_alive(run.pid), seconds=30)
