"""Faults put into copies of the package by Cosmic Ray, one at a time, to see which tests fail."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
LEAST_NOTICED = 0.85
_SECONDS = 300.0  # for the tests of one mutant
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "_build", ".ci")
# Operators whose mutants fail at once (bitwise ones, on floats or in annotations), or which change
# nothing, such as the decorator of kernels that run as plain Python.
_LEFT_OUT = re.compile(r"RemoveDecorator|_BitOr_|_(RShift|LShift|BitXor|BitOr|BitAnd|Is|IsNot)$")


class Part(NamedTuple):
    """Files of the package, and the tests that should fail if one of them is changed.

    Parameters
    ----------
    files : str
        Pattern of the files.
    tests : tuple of str
        Files and folders.
    plain : bool, default=False
        Run kernels as plain Python: compiling each changed kernel would take minutes.
    """

    files: str
    tests: tuple[str, ...]
    plain: bool = False


PARTS = {
    "kernels": Part(
        "src/bicneuron/_core/_*.py", ("tests/core", "tests/estimators", "tests/contrast"), True
    ),
    "contrast": Part(
        "src/bicneuron/patterns/_pairing.py",
        ("tests/contrast", "tests/classifier/test_classifier_oracle.py"),
    ),
    "network": Part(
        "src/bicneuron/network/_*.py",
        ("tests/network", "src/bicneuron/network", "tests/explanation/test_network.py"),
    ),
    "records": Part(
        "reproduction/_records.py",
        ("tests/reproduction/test_records.py", "tests/reproduction/test_runner.py"),
    ),
    "tables": Part("src/bicneuron/tables/_*.py", ("tests/tables",)),
}


class Planted(NamedTuple):
    """A fault that people make, and the tests that must fail."""

    title: str
    before: str
    after: str
    part: Part


PLANTED = [
    Planted(
        "a flipped sign in the residue",
        "- block[0, j]) - row_effect",
        "- block[0, j]) + row_effect",
        Part("src/bicneuron/_core/_residue.py", ("tests/core/test_residue.py",), True),
    ),
    Planted(
        "a lost rename",
        "            os.replace(temporary, path)",
        "            pass",
        Part("src/bicneuron/_shared/_files.py", ("tests/writing/test_atomic.py",)),
    ),
    Planted(
        "a skipped fold",
        "key=lambda fold: fold.size, reverse=True)",
        "key=lambda fold: fold.size, reverse=True)[1:]",
        Part("reproduction/_runner.py", ("tests/reproduction/test_runner.py",)),
    ),
    Planted(
        "an unescaped label",
        "autoescape=True",
        "autoescape=False",
        Part("src/bicneuron/_shared/_html.py", ("tests/report/test_report.py",)),
    ),
    Planted(
        "a shared random state",
        "np.random.default_rng([seed, slot])",
        "np.random.mtrand._rand",
        Part("src/bicneuron/network/_hidden.py", ("tests/network/test_network.py",)),
    ),
]


def mutants(n_mutants: int, seed: int, part: str | None, jobs: int) -> Iterator[tuple[str, int]]:
    """Yield lines and the number of bad ones: planted faults unnoticed, too many mutants alive."""
    names = [part] if part else [*PARTS]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as threads:
        # The project may be worked on meanwhile.
        original = Path(folder, "original")
        shutil.copytree(ROOT, original, ignore=_NOT_COPIED)
        if part is None:
            failures = threads.map(partial(_fails, original), PLANTED)
            for fault, failed in zip(PLANTED, failures, strict=True):
                yield f"{fault.title}: {'noticed' if failed else 'not noticed'}", not failed
        share = -(-n_mutants // len(names))
        mutate = partial(_mutate, original, n_mutants=share, seed=seed)
        n_noticed = n_tried = 0
        for name, results in zip(names, threads.map(mutate, names), strict=True):
            if results is None:
                yield f"{name}: tests fail although nothing is changed", 1
                continue
            alive = [diff for killed, diff in results if not killed]
            yield "\n".join([*alive, f"{name}: {len(results) - len(alive)} of {len(results)}"]), 0
            n_noticed, n_tried = n_noticed + len(results) - len(alive), n_tried + len(results)
    line = f"{n_noticed} of {n_tried} mutants noticed, seed {seed}"
    yield line, n_noticed < LEAST_NOTICED * n_tried


def _fails(original: Path, fault: Planted) -> bool:
    """Plant a fault in a copy of the project; True if the tests fail."""
    copy = _copy(original, fault.title)
    path = copy / fault.part.files
    path.write_text(path.read_text().replace(fault.before, fault.after))
    return not _passes(copy, fault.part)


def _mutate(
    original: Path, name: str, n_mutants: int, seed: int
) -> Sequence[tuple[bool, str]] | None:
    """Try mutants of a part, drawn at random; None if tests fail with nothing changed."""
    from cosmic_ray.commands.init import init
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_db import use_db

    part, copy = PARTS[name], _copy(original, name)
    if not _passes(copy, part):
        return None
    with use_db(str(copy.with_suffix(".sqlite"))) as session:
        init(sorted(copy.glob(part.files)), session, {})
        every = [mutation for item in session.work_items for mutation in item.mutations]
    every = [mutation for mutation in every if not _LEFT_OUT.search(mutation.operator_name)]
    every.sort(key=lambda one: (str(one.module_path), one.operator_name, one.occurrence))
    chosen = np.sort(np.random.default_rng(seed).permutation(len(every))[:n_mutants])
    results = []
    for number in chosen.tolist():
        result = mutate_and_test([every[number]], _command(copy, part), _SECONDS)
        results.append((result.is_killed, str(result.diff)))
    return results


def _copy(original: Path, name: str) -> Path:
    copy = original.with_name(name)
    shutil.copytree(original, copy)
    return copy


def _passes(copy: Path, part: Part) -> bool:
    from cosmic_ray.testing import run_tests
    from cosmic_ray.work_item import TestOutcome

    outcome: Any = run_tests(_command(copy, part), _SECONDS)[0]
    return bool(outcome == TestOutcome.SURVIVED)


def _command(copy: Path, part: Part) -> str:
    """Command that runs the tests of a part in a copy of the project."""
    settings = [f"PYTHONPATH={copy / 'src'}", "BICNEURON_DATA="]
    settings += ["NUMBA_DISABLE_JIT=1"] if part.plain else []
    profile = ["--hypothesis-profile", "traced"] if part.plain else []
    tests = [sys.executable, "-m", "pytest", "-x", "-q", *profile, *part.tests]
    start = 'cd "$0" && exec env "$@"'
    return shlex.join(["sh", "-c", start, os.fspath(copy), *settings, *tests])
