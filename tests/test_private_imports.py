"""Packages use each other by their public names; the exceptions are listed with their reasons."""

import ast
from pathlib import Path

import bicneuron

ROOT = Path(bicneuron.__file__).parent
REASONS = {
    ("network", "bicneuron.patterns._pattern"): (
        "Candidates know their rows, and a pattern its counts: one constant says what a class is."
    ),
    ("report", "bicneuron.inspection._display"): (
        "Pages and plots recognise the table of the fit by one check."
    ),
    **dict.fromkeys(
        [
            ("replication", "bicneuron.patterns._reference"),
            ("significance", "bicneuron.patterns._reference"),
        ],
        "What find_groups keeps of a table is for a second cohort alone.",
    ),
    **dict.fromkeys(
        [
            ("replication", "bicneuron.significance._known"),
            ("replication", "bicneuron.significance._questions"),
            ("replication", "bicneuron.significance._separate"),
        ],
        "Both cohorts have one test of separate groups, with strata and units of rows.",
    ),
    **dict.fromkeys(
        [("cli", "bicneuron.tables._encoding"), ("persistence", "bicneuron.tables._encoding")],
        "How a model reads tables is read before scikit-learn, which the public encoder loads.",
    ),
    **dict.fromkeys(
        [("cli", "bicneuron.tables._encoder"), ("persistence", "bicneuron.tables._encoder")],
        "Files and commands take an encoder and the model behind it apart.",
    ),
    ("significance", "bicneuron.biclustering._subgroups._given"): (
        "Groups that were given have a miner of their own, which nobody fits by hand."
    ),
    ("cli", "bicneuron.tables._given"): "A column of a table is read as one of another file is.",
    ("cli", "bicneuron.tables._files"): "Names of files are refused before anything is computed.",
}


def private_imports():
    """Package and private module of another public package that one of its files imports."""
    for path in ROOT.glob("*/**/*.py"):
        package = path.relative_to(ROOT).parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bicneuron."):
                other, *inside = node.module.split(".")[1:]
                names = [*inside, *(alias.name for alias in node.names)]
                if (
                    other != package
                    and not other.startswith("_")
                    and any(name.startswith("_") for name in names)
                ):
                    yield package, node.module


def test_private_imports_across_packages_have_a_reason():
    assert set(private_imports()) == set(REASONS)
