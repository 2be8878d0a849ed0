"""The installed package as others use it: from a typed program and from the command line."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from versions.environments import Environment

from bicneuron import __version__


def check_types(environment: Environment) -> None:
    """Let mypy check a program against the package in ``environment``."""
    caching = ["--cache-dir", environment.folder / "mypy"]
    against = ["--python-executable", environment.python]
    program = Path(__file__).with_name("typed_use.py")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *caching, *against]
    where = {"cwd": environment.folder, "env": environment.variables}
    subprocess.run([*mypy, program], **where, check=True)


def check_command_line(environment: Environment) -> None:
    """Ask for the version, fit a model to a table and predict its classes."""
    said = environment.run("bicneuron", "--version").strip()
    if __version__ not in said:
        raise SystemExit(f"bicneuron --version is {said!r} instead of {__version__!r}")
    table, model, answer = (environment.folder / n for n in ("t.csv", "model.skops", "answer.csv"))
    is_ill = np.arange(60) % 2 == 0
    values = np.random.default_rng(0).normal(size=(60, 3)) + 4 * is_ill[:, None]
    lines = [
        f"{','.join(f'{value:.4f}' for value in row)},{'ill' if ill else 'well'}"
        for row, ill in zip(values, is_ill, strict=True)
    ]
    table.write_text("\n".join(["a,b,c,state", *lines]))
    environment.run("bicneuron", "fit", table, "--target", "state", "-o", model, "--quiet")
    environment.run("bicneuron", "predict", model, table, "-o", answer, "--quiet")
    predicted = answer.read_text().splitlines()[1:]
    right = sum(("ill" in line) == ill for line, ill in zip(predicted, is_ill, strict=True))
    if right < 55:
        raise SystemExit(f"only {right} of 60 predictions of the command line are right")
