"""Faults put into copies of the package, one at a time: do the tests notice?"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from hardening._mutations import Mutation, mutations

ROOT = Path(__file__).parents[1]
SOURCE = Path("src", "bicneuron")
LEAST_NOTICED = 0.85
ALIVE, NOTICED, ENDLESS = "alive", "noticed", "endless"
_SECONDS = 300.0  # for the tests of one mutant
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "_build", ".ci")


@dataclass(frozen=True)
class Part:
    """Files of the package, and what is to be noticed by which tests.

    Parameters
    ----------
    files : str
        Pattern of the files.
    tests : tuple of str
        Files and folders. Those named like a changed file come first.
    plain : bool, default=False
        Run kernels as plain Python: compiling each changed kernel would take minutes.
    """

    files: str
    tests: tuple[str, ...]
    plain: bool = False


PARTS = {
    "kernels": Part(
        "_core/_*.py", ("tests/core", "tests/estimators", "tests/contrast"), plain=True
    ),
    "contrast": Part(
        "contrast/_*.py",
        ("tests/contrast", "src/bicneuron/contrast", "tests/classifier/test_classifier_oracle.py"),
    ),
    "network": Part(
        "network/_*.py",
        ("tests/network", "src/bicneuron/network", "tests/explanation/test_network.py"),
    ),
    "records": Part(
        "reproduction/_records.py",
        ("tests/reproduction/test_records.py", "tests/reproduction/test_runner.py"),
    ),
    "tables": Part("tables/_*.py", ("tests/tables",)),
}


class Planted(NamedTuple):
    """A fault that people make, and the tests that must notice."""

    title: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]
    plain: bool = False


PLANTED = [
    Planted(
        "a flipped sign in the residue",
        "_core/_residue.py",
        "- lines[0, k]) - row_effect",
        "- lines[0, k]) + row_effect",
        ("tests/core/test_residue.py",),
        plain=True,
    ),
    Planted(
        "a lost rename",
        "_writing/_atomic.py",
        "        os.replace(temporary, path)",
        "        pass",
        ("tests/writing/test_atomic.py",),
    ),
    Planted(
        "a skipped fold",
        "reproduction/_runner.py",
        "key=lambda fold: fold.size, reverse=True)",
        "key=lambda fold: fold.size, reverse=True)[1:]",
        ("tests/reproduction/test_runner.py",),
    ),
    Planted(
        "an unescaped label",
        "_writing/_page.py",
        "autoescape=True",
        "autoescape=False",
        ("tests/report/test_report.py",),
    ),
    Planted(
        "a shared random state",
        "network/_hidden.py",
        "np.random.default_rng([seed, slot])",
        "np.random.mtrand._rand",
        ("tests/network/test_network.py",),
    ),
]


class Mutant(NamedTuple):
    """A changed file and the tests that should fail."""

    part: str
    file: Path
    mutation: Mutation
    tests: tuple[str, ...]
    plain: bool

    def __str__(self) -> str:
        before, after = (" ".join(text.split()) for text in self.mutation[3:])
        return f"{self.file}:{self.mutation.line}: {before}  ->  {after}"


def mutants(n_mutants: int, seed: int, part: str | None, jobs: int) -> Iterator[tuple[str, int]]:
    """Give lines and the number of bad ones: planted faults unnoticed, too many mutants alive."""
    planted = [] if part else [_planted(fault) for fault in PLANTED]
    names = [part] if part else [*PARTS]
    chosen = _sample(names, n_mutants, seed)
    noticed, total = Counter[str](), Counter[str]()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as threads:
        copies = Copies(Path(folder))
        for name in names:
            seconds = copies.try_unchanged(name)
            if seconds is None:
                yield f"{name}: tests fail although nothing is changed", 1
                return
            yield f"{name}: tests of what is not changed pass in {seconds:.0f} s", 0
        everything = [*planted, *chosen]
        for mutant, end in zip(everything, threads.map(copies, everything), strict=True):
            total[mutant.part] += 1
            noticed[mutant.part] += end != ALIVE
            if end != NOTICED or mutant.part not in PARTS:
                yield f"{end} {mutant.part}: {mutant}", 0
    for name in total:
        yield f"{name}: {noticed[name]} of {total[name]} noticed", 0
    for fault in planted:
        if not noticed[fault.part]:
            yield f"not noticed: {fault.part}", 1
    n_noticed = sum(noticed[name] for name in names)
    line = f"{n_noticed} of {len(chosen)} mutants noticed, seed {seed}"
    yield line, n_noticed < LEAST_NOTICED * len(chosen)


def _planted(fault: Planted) -> Mutant:
    file = SOURCE / fault.file
    source = (ROOT / file).read_text()
    start = source.index(fault.before)
    line = source[:start].count("\n") + 1
    mutation = Mutation(line, start, start + len(fault.before), fault.before, fault.after)
    return Mutant(fault.title, file, mutation, fault.tests, fault.plain)


def _sample(names: Sequence[str], n_mutants: int, seed: int) -> list[Mutant]:
    """As many of each part, as far as it has them."""
    of_part = sorted((_all_mutants(name) for name in names), key=len)
    random, chosen = np.random.default_rng(seed), list[Mutant]()
    for place, everything in enumerate(of_part):
        share = (n_mutants - len(chosen)) // (len(of_part) - place)
        taken = sorted(random.permutation(len(everything))[:share])
        chosen += [everything[number] for number in taken]
    return chosen


def _all_mutants(name: str) -> list[Mutant]:
    part = PARTS[name]
    return [
        Mutant(name, path.relative_to(ROOT), mutation, _tests(part, path), part.plain)
        for path in sorted((ROOT / SOURCE).glob(part.files))
        for mutation in mutations(path.read_text())
    ]


def _tests(part: Part, path: Path) -> tuple[str, ...]:
    """Tests of a part, those named like the file first."""
    named = [Path(test, f"test{path.stem}.py") for test in part.tests]
    return (*(str(test) for test in named if (ROOT / test).exists()), *part.tests)


class Copies:
    """A copy of the project for each thread that asks, in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._of_thread = threading.local()
        # The project may be worked on meanwhile.
        self._original = folder / "original"
        shutil.copytree(ROOT, self._original, ignore=_NOT_COPIED)

    def try_unchanged(self, name: str) -> float | None:
        """Seconds that the tests of a part take with nothing changed, or None if they fail."""
        start = time.perf_counter()
        end = self._end(PARTS[name].tests, PARTS[name].plain)
        return time.perf_counter() - start if end == ALIVE else None

    def __call__(self, mutant: Mutant) -> str:
        """Whether the tests fail, do not end, or notice nothing."""
        path = self._copy() / mutant.file
        original = self._original / mutant.file
        path.write_text(mutant.mutation.apply(original.read_text()))
        try:
            return self._end(mutant.tests, mutant.plain)
        finally:
            shutil.copy2(original, path)

    def _copy(self) -> Path:
        if not hasattr(self._of_thread, "copy"):
            self._of_thread.copy = self._folder / str(threading.get_ident())
            shutil.copytree(self._original, self._of_thread.copy)
        copy: Path = self._of_thread.copy
        return copy

    def _end(self, tests: Sequence[str], plain: bool) -> str:
        copy = self._copy()
        environment = {key: value for key, value in os.environ.items() if key != "BICNEURON_DATA"}
        environment |= {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {"NUMBA_DISABLE_JIT": "1"} if plain else {}
        profile = ["--hypothesis-profile", "traced"] if plain else []
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", *profile, *dict.fromkeys(tests)],
            cwd=copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return NOTICED if process.wait(_SECONDS) else ALIVE
        except subprocess.TimeoutExpired:
            return ENDLESS
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
