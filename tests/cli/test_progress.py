"""How far long work is, in a log."""

import re

import numpy as np
import pandas as pd
import pytest

from bicneuron.cli import _progress

LINE = re.compile(
    r"progress: (?P<on>[^,]+)"
    r"(, (?P<done>\d+) of (?P<total>\d+) (?P<unit>\w+) \((?P<percent>\d+)%\))?"
    r", \d:\d\d:\d\d so far(, about \d:\d\d:\d\d left)?"
)


CLASSES = ("--target", "status", "--jobs", "1")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 30))
    X[:8, :8] += 4
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)])
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    frame.assign(status=np.repeat(["case", "control"], 20)).to_csv(path, index=False)
    return path


@pytest.fixture
def logged(run, monkeypatch):
    """Run a command with little time between two lines; give its stderr."""
    monkeypatch.setattr(_progress, "SECONDS", 0.002)
    return lambda *arguments: run(*arguments).err.splitlines()


def progress_of(lines):
    """The lines of progress by what was being done; all others are notes."""
    told = {}
    for line in lines:
        if not line.startswith(("read: ", "note: ")):
            match = LINE.fullmatch(line)
            assert match, line
            told.setdefault(match["on"], []).append(match)
    return told


def test_a_log_tells_how_far_a_search_and_its_tests_are(logged, table, tmp_path):
    told = progress_of(logged("find", table, *CLASSES, "-o", tmp_path / "p.json"))
    steps = [match for match in told["searching"] if match["total"]]
    (n_steps,) = {int(match["total"]) for match in steps}
    assert {int(match["done"]) for match in steps} <= {*range(n_steps + 1)}
    done = [int(match["done"]) for match in steps]
    assert done == sorted(done)
    for match in steps:
        percent = 100 * int(match["done"]) / n_steps
        assert int(match["percent"]) == pytest.approx(percent, abs=0.5)
        assert ("left" in match.string) == (match["done"] != "0")


def test_a_log_tells_how_far_a_fit_is(logged, table, tmp_path):
    quick = ("--model", "neuron", "--folds", "2", "-o", tmp_path / "m.skops")
    told = progress_of(logged("fit", table, *CLASSES, *quick))
    assert {match["unit"] for match in told["scoring"] if match["total"]} == {"folds"}


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_a_log_for_scripts_has_no_progress(logged, table, tmp_path, option):
    assert logged("find", table, *CLASSES, option, "-o", tmp_path / "p.json") == []


@pytest.mark.parametrize(
    ("done", "total", "passed", "expected"),
    [
        (0, 0, 7.4, "progress: searching, 0:00:07 so far"),
        (0, 8, 7.4, "progress: searching, 0 of 8 parts (0%), 0:00:07 so far"),
        (2, 8, 40, "progress: searching, 2 of 8 parts (25%), 0:00:40 so far, about 0:02:00 left"),
        (1, 9, 725, "progress: searching, 1 of 9 parts (11%), 0:12:05 so far, about 1:36:40 left"),
    ],
)
def test_a_line_of_progress(done, total, passed, expected):
    assert _progress.progress_line("searching", "parts", done, total, passed) == expected
