"""No part of the repository is larger than `size.toml` says."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bicneuron"
MOST_FILES, LONGEST, MOST_EXCUSED = 260, 450, 25
MADE = {"_build", "gallery", "reference", "__pycache__"}  # by make docs and by Python
BOUNDS = {
    f"{part} {entry}": most
    for part, entries in tomllib.loads((ROOT / "size.toml").read_text()).items()
    for entry, most in entries.items()
}


def lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def words(files: Iterable[Path]) -> int:
    return sum(
        len(file.read_text(encoding="utf-8").split())
        for file in files
        if MADE.isdisjoint(file.relative_to(ROOT).parts)
    )


def sizes() -> dict[str, int]:
    """Lines and words of each entry, counted."""
    packages = [path for path in SOURCE.iterdir() if path.is_dir() and path.name not in MADE]
    beside = {path.parent for path in ROOT.glob("*/__init__.py")} | {ROOT / "tests"}
    docs = (ROOT / "docs").rglob("*")
    return {
        **{f"src {folder.name}": lines(folder.rglob("*.py")) for folder in packages},
        "src top-level": lines(SOURCE.glob("*.py")),
        "lines src": lines(SOURCE.rglob("*.py")),
        "lines templates": lines(path for path in SOURCE.rglob("templates/*") if path.is_file()),
        **{f"lines {folder.name}": lines(folder.rglob("*.py")) for folder in beside},
        "words README": words([ROOT / "README.md"]),
        "words docs": words(path for path in docs if path.suffix in {".md", ".rst"}),
    }


SIZES = sizes()


@pytest.mark.parametrize("entry", sorted(SIZES))
def test_an_entry_is_no_larger_than_its_bound(entry):
    part, name = entry.split()
    assert SIZES[entry] <= BOUNDS.get(entry, 0), (
        f"size.toml: [{part}] {name} is {SIZES[entry]}, at most {BOUNDS.get(entry, 0)}"
    )


def test_each_bound_has_something_to_count():
    assert set(BOUNDS) == set(SIZES)


def test_the_bounds_of_packages_add_up_to_that_of_all():
    packages = [most for entry, most in BOUNDS.items() if entry.startswith("src ")]
    assert sum(packages) <= BOUNDS["lines src"]


def test_few_functions_are_excused_from_the_limits_of_ruff():
    excused = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for folder in ("src", "reproduction", "studies", "benchmarks", "hardening", "tests")
        for file in (ROOT / folder).rglob("*.py")
        if file.parent != SOURCE / "cli"  # a command has an argument for each option
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"# noqa: [A-Z0-9, ]*(C901|PLR09)", line)
    ]
    assert len(excused) <= MOST_EXCUSED, "\n".join(excused)


def test_no_file_is_long_and_there_are_few():
    files = [path for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    long = {
        path.name: n for path in files if path.suffix == ".py" and (n := lines([path])) > LONGEST
    }
    assert not long
    assert len([path for path in files if "__pycache__" not in path.parts]) <= MOST_FILES
