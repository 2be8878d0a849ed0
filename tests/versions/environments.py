"""Environments with nothing in them but what is installed here."""

import os
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@cache
def project() -> dict[str, Any]:
    """Metadata of the project in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def supported_pythons() -> dict[int, Path]:
    """Of the versions 3.x of Python that are declared, those on this machine, by x."""
    prefix = "Programming Language :: Python :: 3."
    minors = [
        int(line.removeprefix(prefix))
        for line in project()["classifiers"]
        if line.startswith(prefix)
    ]
    found = {}
    for minor in minors:
        working = filter(_works, _candidates(f"3.{minor}"))
        if python := next(working, None):
            found[minor] = python
    return found


def _candidates(version: str) -> list[Path]:
    """In PATH, or kept by pyenv, whose commands refuse to run what was not chosen before."""
    in_path = shutil.which(f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    return ([Path(in_path)] if in_path else []) + kept


def _works(python: Path) -> bool:
    tried = subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True)
    return tried.returncode == 0


class Environment:
    """A new virtual environment; its commands see nothing of the environment around it."""

    def __init__(self, python: Path, folder: Path, constraints: Path | None = None) -> None:
        self.folder = folder
        self._constraints = ["--constraint", constraints] if constraints else []
        self.variables = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "MYPY"))
        }
        subprocess.run([python, "-m", "venv", folder], check=True, env=self.variables)

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def install(self, *requirements: Any) -> None:
        """Without compiling modules that are never imported, which takes most of the time."""
        options = ["-qq", "--no-compile", *self._constraints]
        self.run("python", "-m", "pip", "install", *options, *requirements)

    def run(self, command: str, *arguments: Any) -> str:
        """Output of a command of the environment, run in the environment's folder."""
        done = subprocess.run(
            [self.folder / "bin" / command, *arguments],
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout
