"""Commands that are killed, terminated or interrupted, as real processes."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bicneuron._shared._files import is_whole
from hardening._judge import PACKAGE

PYTHON = [sys.executable, "-m"]
SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT"]
COMMANDS = ["fit", "explain", "predict", "find", "replicate", "reproduce"]
# Ended by the signal before there was anything to clean up, as asked, or finished before.
_CODES = {"SIGKILL": {-9, 0}, "SIGTERM": {-15, 143, 0}, "SIGINT": {-2, 130, 0}}


@dataclass(frozen=True)
class Inputs:
    """A table and a model of it."""

    table: Path
    model: Path

    def command(self, name: str) -> list[str]:
        """Arguments of a command that writes into the folder where it is run.

        Models keep the command that made them, so that the name of the folder would tell them
        apart.
        """
        table, model = str(self.table), str(self.model)
        fast = ["--model", "neuron", "--folds", "3", "--jobs", "1"]
        quick = ["--quick", "--models", "SP,LogisticRegression,SVC", "--jobs", "1"]
        if name == "reproduce":
            return ["reproduction", *quick, "--out", "."]
        arguments = {
            "fit": ["fit", table, "--target", "class", *fast, "-o", "m.skops"],
            "explain": ["explain", model, table, "-o", "page.html"],
            "predict": ["predict", model, table, "-o", "labels.csv"],
            "find": ["find", table, "--target", "class", "-o", "patterns.json"],
            "replicate": ["replicate", model, table, "--target", "class", "-o", "found.html"],
        }[name]
        return ["bicneuron.cli", *arguments]


def make_inputs(folder: Path) -> Inputs:
    """Write a small table with something to find in it, and fit a model to it."""
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = random.normal(size=(80, 6)) + 2.0 * y[:, None] * (np.arange(6) < 3)
    rows = [",".join([*map(str, row), "xy"[label]]) for row, label in zip(X, y, strict=True)]
    (folder / "table.csv").write_text("\n".join(["a,b,c,d,e,f,class", *rows]))
    inputs = Inputs(folder / "table.csv", folder / "m.skops")
    run(inputs.command("fit"), folder).check_returncode()
    return inputs


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end."""
    return subprocess.run(
        [*PYTHON, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def files_in(folder: Path) -> dict[str, bytes]:
    """All files, by their path in the folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def flaws(folder: Path, whole: dict[str, bytes], may_leave_parts: bool = False) -> list[str]:
    """List what is wrong with the files that a disturbed command left."""
    found = []
    for name, content in files_in(folder).items():
        if name.endswith(".part"):
            # Nobody can clean up after SIGKILL; the hidden file is never read.
            if not may_leave_parts:
                found.append(f"{name} is left")
        elif "records" in name:
            # Records tell how long a fold took, so that no two are equal.
            if not is_whole(json.loads(content)):
                found.append(f"{name} is damaged")
        elif name not in whole:
            found.append(f"{name} should not be there")
        elif content != whole[name]:
            found.append(f"{name} differs from that of an undisturbed run")
    return found


def _default_sigint() -> None:
    """Let SIGINT end a child, also where this program runs in the background and ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def disturb(inputs: Inputs, name: str, sign: str, seconds: float, whole: dict[str, bytes]) -> str:
    """Send a signal to a command after some seconds; say what is wrong then, or nothing."""
    with TemporaryDirectory() as folder:
        out = Path(folder)
        process = subprocess.Popen(
            [*PYTHON, *inputs.command(name)],
            cwd=out,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_default_sigint,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(getattr(signal, sign))
        _, errors = process.communicate(timeout=120)
        found = flaws(out, whole, may_leave_parts=sign == "SIGKILL")
        if process.returncode not in _CODES[sign]:
            found.append(f"exit code {process.returncode}")
        # Python itself may be interrupted while it starts, before anything of the package runs.
        if "Traceback" in errors and PACKAGE in errors:
            found.append(f"a traceback: {errors.splitlines()[-1]}")
        if name == "reproduce" and not found:
            again = run(inputs.command(name), out)
            written = files_in(out)
            if again.returncode or any(written[key] != whole[key] for key in _reports(whole)):
                found.append("the run cannot be finished with the same report")
    return "; ".join(found)


def signal_faults(names: list[str], signs: list[str], moments: int) -> Iterator[tuple[str, int]]:
    """Disturb commands at moments spread over their time; give lines and numbers of bad ones."""
    with TemporaryDirectory() as folder:
        inputs = make_inputs(Path(folder))
        for name in names:
            whole, duration = _undisturbed(inputs, name)
            for sign in signs:
                said = Counter[str]()
                for moment in range(moments):
                    seconds = duration * (moment + 0.5) / moments
                    found = disturb(inputs, name, sign, seconds, whole)
                    if found:
                        said[f"  after {seconds:.2f} s: {found}"] += 1
                n_bad = said.total()
                yield f"{name:10} {sign:8} {moments} moments, {n_bad} bad", n_bad
                for line in said:
                    yield line, 0
                if n_bad:
                    chosen = f"--command {name} --signal {sign} --moments {moments}"
                    yield f"  repeat: python -m hardening faults {chosen}", 0


def _undisturbed(inputs: Inputs, name: str) -> tuple[dict[str, bytes], float]:
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        run(inputs.command(name), Path(folder)).check_returncode()
        return files_in(Path(folder)), time.perf_counter() - start


def _reports(whole: dict[str, bytes]) -> list[str]:
    return [name for name in whole if "records" not in name]
