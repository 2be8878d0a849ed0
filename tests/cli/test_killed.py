"""Runs that are interrupted, as real processes; at other moments: make faults."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bicneuron.persistence import load_model

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


PYTHON = [sys.executable, "-m", "bicneuron.cli"]
QUICK = ["--quick", "--models", "SP,HistGradientBoosting"]
ROOT = Path(__file__).parents[2]
INTERRUPTED = "error: interrupted; finished files are kept, nothing is half-written."


def default_sigint():
    """Let Ctrl-C end a child, also where the tests run in the background and ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(command, **options):
    return subprocess.Popen(
        [*map(str, command)],
        cwd=ROOT,
        start_new_session=True,
        text=True,
        preexec_fn=default_sigint,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def start_fit(folder):
    """Fit a network, which takes less time than to score it."""
    random = np.random.default_rng(0)
    rows = (",".join(map(str, [*row, i % 2])) for i, row in enumerate(random.normal(size=(300, 9))))
    (folder / "t.csv").write_text("\n".join(["a,b,c,d,e,f,g,h,i,class", *rows]))
    command = ["fit", folder / "t.csv", "--target", "class", "-o", folder / "m.skops"]
    return start([*PYTHON, *command, "--model", "accurate", "--jobs", 2])


def run_child(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def wait_until(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)  # yields the processor; only the condition ends the wait


def processes(session):
    """All processes of a session that are not just waiting to be collected."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_session) == session and state != "Z":
            found.append(stat.parent.name)
    return found


def interrupt(run):
    """Press Ctrl-C; what was printed, if the command ends as it should."""
    os.killpg(run.pid, signal.SIGINT)
    return ended(run)


def ended(run):
    printed, errors = run.communicate(timeout=120)
    wait_until(lambda: not processes(run.pid))
    assert run.returncode == 130
    notes = ("read: ", "note: ", "progress: ")
    lines = [line for line in (errors or "").splitlines() if not line.startswith(notes)]
    return printed, lines


def records(out):
    return {path: path.read_bytes() for path in out.glob("records/*/*/*/*.json")}


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_leaves_no_worker(tmp_path):
    run = start([sys.executable, "-m", "reproduction", *QUICK, "--out", tmp_path, "--jobs", 2])
    wait_until(lambda: len(records(tmp_path)) >= 2)
    printed, lines = interrupt(run)
    assert printed == ""
    assert [line for line in lines if not line.endswith("folds done")] == [INTERRUPTED]
    assert 2 <= len(records(tmp_path)) < 18  # folds


@pytest.mark.slow
def test_ctrl_c_leaves_no_half_model(tmp_path):
    run = start_fit(tmp_path)
    wait_until(lambda: len(processes(run.pid)) >= 4)  # its workers
    assert interrupt(run) == ("", [INTERRUPTED])
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.slow
def test_ctrl_c_while_a_model_is_scored_keeps_the_model(tmp_path):
    run = start_fit(tmp_path)
    wait_until(lambda: (tmp_path / "m.skops").exists())
    printed, lines = interrupt(run)
    assert "balanced accuracy" not in printed
    assert lines == [INTERRUPTED]
    assert sorted(os.listdir(tmp_path)) == ["m.skops", "t.csv"]
    assert len(load_model(tmp_path / "m.skops")[-1].patterns_) > 0


def find_blocks(folder):
    """Write a small table; give a command that reads it and soon writes a file."""
    rows = [f"{i}.5,{i + i % 3},{i - i % 2}" for i in range(30)]
    (folder / "t.csv").write_text("\n".join(["a,b,c", *rows]))
    return ["find", "t.csv", "-o", "p.json", "--jobs", "1"]


@pytest.mark.slow
def test_sigterm_while_a_file_is_written_leaves_nothing(tmp_path):
    """At the worst moment: everything is in the hidden file, which has not got its name yet."""
    script = (
        "import os, signal, sys\n"
        "from bicneuron.cli import main\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.exit(main())\n"
    )
    run = run_child(
        [sys.executable, "-c", script, *find_blocks(tmp_path)],
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as in the background
    )
    assert run.returncode == 143
    assert run.stderr.splitlines()[-1] == INTERRUPTED
    assert os.listdir(tmp_path) == ["t.csv"]


@needs_full
@pytest.mark.slow
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_full_stdout_or_stderr_does_not_lose_the_result(tmp_path, stream):
    other = "stderr" if stream == "stdout" else "stdout"
    with open("/dev/full", "w") as full:
        streams = {stream: full, other: subprocess.PIPE}
        command = [*PYTHON, *find_blocks(tmp_path)]
        run = subprocess.run(command, cwd=tmp_path, text=True, **streams)
    assert run.returncode == 0
    assert json.loads((tmp_path / "p.json").read_text())["patterns"]
    lost = "warning: the answer is incomplete, standard output: No space left on device."
    last = {"stdout": run.stderr, "stderr": run.stdout}[stream].splitlines()[-1]
    assert last == (lost if stream == "stdout" else "wrote p.json")


@needs_full
def test_an_answer_that_cannot_be_printed_and_is_in_no_file_is_an_error():
    with open("/dev/full", "w") as full:
        run = subprocess.run([*PYTHON, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    *_, line = run.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.endswith("standard output: No space left on device.")


# What compiled libraries do to an interrupt that comes while they are loaded, or in a finalizer.
# CPython ends ``python -m`` by SIGINT, whatever its exit code, if a KeyboardInterrupt passed
# through the exec of a string, as where a module that defines a dataclass is being imported.
DISTORTED = """
import atexit, os, signal, sys
from bicneuron.cli import main
from bicneuron.cli._app import app
from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import in_one_line

number = int(sys.argv[2])

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), number)

@app.command()
def becomes_another_error():
    with in_one_line():
        clean_up_first()
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise ValueError("not a valid buffer format string")

@app.command()
def comes_in_a_finalizer():
    with in_one_line():
        clean_up_first()
        Finalized()
        while True:
            pass

@app.command()
def comes_in_an_exec():
    atexit.register(print, "cleaned up")
    with in_one_line():
        exec("raise KeyboardInterrupt")

sys.argv = ["bicneuron", sys.argv[1]]
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("command", "sign", "code", "printed"),
    [
        pytest.param("becomes-another-error", signal.SIGTERM, 143, "", marks=pytest.mark.slow),
        pytest.param("comes-in-a-finalizer", signal.SIGINT, 130, "", marks=pytest.mark.slow),
        ("comes-in-an-exec", signal.SIGINT, 130, "cleaned up\n"),
    ],
)
def test_an_interrupt_that_libraries_distort(tmp_path, command, sign, code, printed):
    (tmp_path / "distorted.py").write_text(DISTORTED)
    words = [sys.executable, "-m", "distorted", command, str(int(sign))]
    run = run_child(words, cwd=tmp_path, preexec_fn=default_sigint)
    assert run.returncode == code
    assert run.stderr.splitlines() == [INTERRUPTED]
    assert run.stdout == printed
