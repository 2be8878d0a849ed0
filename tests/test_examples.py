"""The gallery: every example runs, asks a question and uses public names only."""

import ast
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path):
    runpy.run_path(str(path))
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_a_question_with_public_names(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    title, underline, blank = ast.get_docstring(tree).splitlines()[:3]
    assert title.endswith("?")
    assert underline == "=" * len(title)
    assert blank == ""
    assert "\n# %%\n" in text
    assert "load_dataset" not in text
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not any(part.startswith("_") for part in node.module.split("."))
            assert not any(name.name.startswith("_") for name in node.names)
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_") or node.attr.startswith("__")
