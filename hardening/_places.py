"""Disks that are full, folders that cannot be written or are shared, clocks that go back."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening._signals import COMMANDS, PYTHON, Inputs, files_in, flaws, make_inputs, run

# The clock goes back by an hour each time that somebody looks.
_BACKWARDS = """
import itertools, runpy, sys, time
start, hours = time.time(), itertools.count()
time.time = lambda: start - 3600.0 * next(hours)
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__")
"""


def place_faults() -> Iterator[tuple[str, int]]:
    """Give lines and numbers of bad ones."""
    with TemporaryDirectory() as folder:
        inputs = make_inputs(Path(folder))
        whole = {}
        for name in COMMANDS:
            with TemporaryDirectory() as out:
                run(inputs.command(name), Path(out)).check_returncode()
                whole[name] = files_in(Path(out))
        for title, fault in _FAULTS.items():
            if title == "read-only folder" and _writes_everywhere():
                yield f"{title}: left out, this user may write everywhere", 0
                continue
            for name in COMMANDS:
                with TemporaryDirectory() as out:
                    found = fault(inputs, name, Path(out), whole[name])
                yield f"{title:18} {name:10} {'; '.join(found) or 'holds'}", bool(found)


Whole = dict[str, bytes]
Fault = Callable[[Inputs, str, Path, Whole], list[str]]


def _full_disk(inputs: Inputs, name: str, out: Path, whole: Whole) -> list[str]:
    """No file may grow beyond a limit, which is what a full disk looks like to a program."""
    found = []
    for limit in (0, 100, 1000):

        def limited(limit: int = limit) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = subprocess.run(
            [*PYTHON, *inputs.command(name)],
            cwd=out,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limited,
        )
        found += _refusal(process)
        found += flaws(out, whole)
    return found


def _read_only(inputs: Inputs, name: str, out: Path, whole: Whole) -> list[str]:
    out.chmod(0o555)
    found = _refusal(run(inputs.command(name), out))
    out.chmod(0o755)
    return found + flaws(out, {})


def _writes_everywhere() -> bool:
    """True if permissions do not hold for this user, as for root."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        return os.access(folder, os.W_OK)


def _two_runs(inputs: Inputs, name: str, out: Path, whole: Whole) -> list[str]:
    """Both may succeed, or one is refused because the output is there."""
    command = [*PYTHON, *inputs.command(name)]
    pipes = {"cwd": out, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(2)]
    errors = [process.communicate()[1] for process in processes]
    codes = sorted(process.returncode for process in processes)
    found = [] if codes in ([0, 0], [0, 2]) else [f"exit codes {codes}"]
    if any("Traceback" in text for text in errors):
        found.append("a traceback")
    missing = [key for key in whole if key not in files_in(out)]
    return found + flaws(out, whole) + [f"{key} is missing" for key in missing]


def _clock_back(inputs: Inputs, name: str, out: Path, whole: Whole) -> list[str]:
    """A clock that goes back, and then a year during which files come from the future."""
    command = inputs.command(name)
    process = subprocess.run(
        [sys.executable, "-c", _BACKWARDS, *command],
        cwd=out,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        return [f"exit code {process.returncode}: {process.stderr.splitlines()[-1:]}"]
    found = flaws(out, whole)
    if name == "reproduce":
        records = {key: content for key, content in files_in(out).items() if "records" in key}
        future = time.time() + 365 * 24 * 3600
        for path in out.rglob("*"):
            os.utime(path, (future, future))
        again = run(command, out)
        kept = files_in(out)
        if again.returncode or any(kept[key] != records[key] for key in records):
            found.append("finished folds were run again")
    return found


def _refusal(process: subprocess.CompletedProcess[str]) -> list[str]:
    """List what is wrong with the end of a command that could not write."""
    lines = process.stderr.splitlines()
    if process.returncode <= 0:
        return [f"exit code {process.returncode}"]
    if "Traceback" in process.stderr or not any(line.startswith("error: ") for line in lines):
        return [f"no plain error: {lines[-1:]}"]
    return []


_FAULTS: dict[str, Fault] = {
    "full disk": _full_disk,
    "read-only folder": _read_only,
    "two runs": _two_runs,
    "clock going back": _clock_back,
}
