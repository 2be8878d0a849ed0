"""Runs that are killed or interrupted, as real processes."""

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
from reproduction.__main__ import main as reproduce

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)

N_FOLDS = 18
PYTHON = [sys.executable, "-m", "bicneuron.cli"]
QUICK = ["--quick", "--models", "SP,HistGradientBoosting"]
ROOT = Path(__file__).parents[2]


def default_sigint():
    """Let Ctrl-C end a child, also where the tests run in the background and ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(out, n_jobs=2, errors=subprocess.PIPE):
    return subprocess.Popen(
        [sys.executable, "-m", "reproduction", *QUICK, "--out", str(out), "--jobs", str(n_jobs)],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        preexec_fn=default_sigint,
    )


def records(out):
    return {path: path.read_bytes() for path in out.glob("records/*/*/*/*.json")}


def wait_until(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)  # yields the processor; only the condition ends the wait


def is_alive(session):
    return bool(processes(session))


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


def reports(out):
    return {name: (out / name).read_bytes() for name in ("report.md", "report.html", "folds.csv")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    assert reproduce([*QUICK, "--out", str(out), "--jobs", "1"]) == 0
    return reports(out)


def test_a_run_survives_being_killed(undisturbed, tmp_path, capsys):
    run = start(tmp_path)
    wait_until(lambda: len(records(tmp_path)) >= 2)
    run.kill()
    run.communicate()
    wait_until(lambda: not is_alive(run.pid))
    kept = records(tmp_path)
    assert len(kept) < N_FOLDS, "nothing was left to go on with"
    assert reproduce([*QUICK, "--out", str(tmp_path), "--jobs", "1"]) == 0
    assert f"{len(kept)} of {N_FOLDS} folds done" in capsys.readouterr().err
    assert kept.items() <= records(tmp_path).items(), "a finished fold was lost or run again"
    assert len(records(tmp_path)) == N_FOLDS
    assert reports(tmp_path) == undisturbed


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_worker(tmp_path):
    run = start(tmp_path)
    wait_until(lambda: len(records(tmp_path)) >= 2)
    os.killpg(run.pid, signal.SIGINT)
    printed, errors = run.communicate(timeout=120)
    assert run.returncode == 130
    assert printed == ""
    last = errors.splitlines()[-1]
    assert last.startswith("error: interrupted")
    assert "Traceback" not in errors
    assert len(errors.splitlines()) == 2, errors
    assert 2 <= len(records(tmp_path)) < N_FOLDS
    wait_until(lambda: not is_alive(run.pid))


def has_loaded(library):
    return lambda run, errors: library in Path(f"/proc/{run.pid}/maps").read_text()


def has_processes(number):
    return lambda run, errors: len(processes(run.pid)) >= number


# What can be seen of a run from outside, in the order in which it comes. The time before the first
# is that of the Python interpreter and of a few small modules.
EARLY = {
    "numpy loads": has_loaded("_multiarray_umath"),
    "numba loads": has_loaded("libllvmlite"),
    "matplotlib loads": has_loaded("matplotlib/"),
    "the run starts": lambda run, errors: "folds done" in errors.read_text(),
    "joblib's first helper starts": has_processes(2),
    "the first worker starts": has_processes(4),
    "the second worker starts": has_processes(5),
}
INTERRUPTED = "error: interrupted; finished files are kept, nothing is half-written."


@pytest.mark.parametrize(
    "event",
    [
        pytest.param("numpy loads", marks=pytest.mark.slow),
        pytest.param("the run starts", marks=pytest.mark.slow),
        "joblib's first helper starts",
    ],
)
def test_an_early_ctrl_c_takes_one_line_too(tmp_path, event):
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        run = start(tmp_path / "out", errors=file)
    wait_until(lambda: EARLY[event](run, errors))
    os.killpg(run.pid, signal.SIGINT)
    printed, _ = run.communicate(timeout=120)
    wait_until(lambda: not is_alive(run.pid))
    lines = errors.read_text().splitlines()
    assert [line for line in lines if not line.endswith("folds done")] == [INTERRUPTED]
    assert run.returncode == 130
    assert printed == ""


@pytest.mark.slow
def test_an_impatient_ctrl_c_changes_nothing(tmp_path):
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        run = start(tmp_path / "out", errors=file)
    wait_until(lambda: EARLY["the second worker starts"](run, errors))
    wait_until(lambda: run.poll() is not None or os.killpg(run.pid, signal.SIGINT))
    printed, _ = run.communicate(timeout=120)
    wait_until(lambda: not is_alive(run.pid))
    assert errors.read_text().splitlines() == [f"0 of {N_FOLDS} folds done", INTERRUPTED]
    assert run.returncode == 130
    assert printed == ""


def start_fit(folder):
    """Fit a network, which takes less time than to score it."""
    random = np.random.default_rng(0)
    rows = (",".join(map(str, [*row, i % 2])) for i, row in enumerate(random.normal(size=(300, 9))))
    (folder / "t.csv").write_text("\n".join(["a,b,c,d,e,f,g,h,i,class", *rows]))
    command = ["fit", folder / "t.csv", "--target", "class", "-o", folder / "m.skops"]
    return subprocess.Popen(
        [*PYTHON, *command, "--model", "accurate", "--jobs", "2"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_sigint,
    )


def interrupt(run):
    """Press Ctrl-C; what was printed, if the command ends as it should."""
    os.killpg(run.pid, signal.SIGINT)
    printed, errors = run.communicate(timeout=120)
    wait_until(lambda: not is_alive(run.pid))
    assert run.returncode == 130
    lines = [line for line in errors.splitlines() if not line.startswith(("note: ", "progress: "))]
    assert lines == [INTERRUPTED]
    return printed


@pytest.mark.parametrize(
    "event", [pytest.param("numba loads", marks=pytest.mark.slow), "the first worker starts"]
)
def test_ctrl_c_leaves_no_half_model(tmp_path, event):
    run = start_fit(tmp_path)
    wait_until(lambda: EARLY[event](run, None))
    assert interrupt(run) == ""
    assert os.listdir(tmp_path) == ["t.csv"]


def find_blocks(folder):
    """Write a small table; give a command that reads it and soon writes a file."""
    rows = [f"{i}.5,{i + i % 3},{i - i % 2}" for i in range(30)]
    (folder / "t.csv").write_text("\n".join(["a,b,c", *rows]))
    return ["find", "t.csv", "-o", "p.json", "--jobs", "1"]


def test_sigterm_while_a_file_is_written_leaves_nothing(tmp_path):
    """At the worst moment: everything is in the hidden file, which has not got its name yet."""
    script = (
        "import os, signal, sys\n"
        "from bicneuron.cli import main\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, *find_blocks(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as in the background
    )
    assert run.returncode == 143
    assert run.stderr.splitlines()[-1] == INTERRUPTED
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_full_stdout_or_stderr_does_not_lose_the_result(tmp_path, stream):
    command = find_blocks(tmp_path)
    other = "stderr" if stream == "stdout" else "stdout"
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [*PYTHON, *command],
            cwd=tmp_path,
            text=True,
            **{stream: full, other: subprocess.PIPE},
        )
    assert run.returncode == 0
    assert json.loads((tmp_path / "p.json").read_text())["patterns"]
    if stream == "stdout":
        lost = "warning: the answer is incomplete, standard output: No space left on device."
        assert run.stderr.splitlines()[-1] == lost
    else:
        assert run.stdout.splitlines()[-1] == "wrote p.json"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [["--help"], ["--version"]])
def test_an_answer_that_cannot_be_printed_and_is_in_no_file_is_an_error(command):
    with open("/dev/full", "w") as full:
        run = subprocess.run([*PYTHON, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 2
    *_, line = run.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.endswith("standard output: No space left on device.")


def test_ctrl_c_while_a_model_is_scored_keeps_the_model(tmp_path):
    run = start_fit(tmp_path)
    wait_until(lambda: (tmp_path / "m.skops").exists())
    assert "balanced accuracy" not in interrupt(run)
    assert sorted(os.listdir(tmp_path)) == ["m.skops", "t.csv"]
    assert len(load_model(tmp_path / "m.skops")[-1].patterns_) > 0


# CPython ends ``python -m`` by SIGINT, whatever its exit code, if a KeyboardInterrupt passed
# through the exec of a string, as where a module that defines a dataclass is being imported.
INTERRUPTED_IN_EXEC = """
import atexit, sys
from bicneuron.cli import main
from bicneuron.cli._app import app
from bicneuron.cli._messages import in_one_line

@app.command()
def interrupted():
    atexit.register(print, "cleaned up")
    with in_one_line():
        exec("raise KeyboardInterrupt")

sys.argv = ["bicneuron", "interrupted"]
sys.exit(main())
"""


def test_ctrl_c_during_an_import_has_its_exit_code_too(tmp_path):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IN_EXEC)
    run = subprocess.run(
        [sys.executable, "-m", "interrupted"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=default_sigint,
    )
    assert run.returncode == 130
    assert run.stderr.splitlines() == [INTERRUPTED]
    assert run.stdout == "cleaned up\n"


# What compiled libraries do to an interrupt that comes while they are loaded, or in a finalizer.
DISTORTED = """
import os, signal, sys
from bicneuron.cli import main
from bicneuron.cli._app import app
from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import in_one_line

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.{sign})

@app.command()
def becomes_another_error():
    with in_one_line():
        clean_up_first()
        try:
            os.kill(os.getpid(), signal.{sign})
        except KeyboardInterrupt:
            raise ValueError("not a valid buffer format string")

@app.command()
def comes_in_a_finalizer():
    with in_one_line():
        clean_up_first()
        Finalized()
        while True:
            pass

sys.argv = ["bicneuron", "{command}"]
sys.exit(main())
"""


@pytest.mark.parametrize(("sign", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
@pytest.mark.parametrize("command", ["becomes-another-error", "comes-in-a-finalizer"])
def test_an_interrupt_that_libraries_distort(command, sign, code):
    run = subprocess.run(
        [sys.executable, "-c", DISTORTED.format(command=command, sign=sign)],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=default_sigint,
    )
    assert run.returncode == code
    assert run.stderr.splitlines() == [INTERRUPTED]
