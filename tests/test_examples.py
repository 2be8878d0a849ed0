"""The demo and the gallery: examples run, ask a question and use public names only."""

import ast
import re
import runpy
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# Pages that show what the demo prints.
PAGES = ["README.md", "docs/start.md"]


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


def test_the_demo_finds_what_was_planted_and_the_pages_show_it(tmp_path):
    """One test, so that the demo runs once however many workers there are."""
    printed = StringIO()
    with chdir(tmp_path), redirect_stdout(printed):
        names = runpy.run_path(str(ROOT / "examples" / "demo.py"))
    scores, text = names["scores"], printed.getvalue()
    (pattern,) = names["model"].patterns_
    assert set(names["X"].columns[pattern.columns]) == names["planted"]
    assert pattern.carrier_counts == {"control": (0, 50), "patient": (45, 50)}
    assert scores.model["balanced_accuracy"].mean >= 0.93
    assert str(scores) in text
    assert "above logistic regression" in text
    assert "Why is row s" in text
    assert text.endswith(f"{tmp_path / 'demo.html'}\n")
    balanced = scores.model["balanced_accuracy"]
    assert f"{balanced.mean:.3f}" in (tmp_path / "demo.html").read_text()
    for page in PAGES:
        check_scores_on_page((ROOT / page).read_text(), scores)


def check_scores_on_page(text, scores):
    """To .01: one row may be predicted differently on another machine."""
    title, *lines = str(scores).splitlines()
    shown = text[text.index(title) :].splitlines()[1 : 1 + len(lines)]
    number = re.compile(r"[-+]?\d+\.\d+")
    for line, expected in zip(shown, lines, strict=True):
        assert number.sub("", line) == number.sub("", expected)
        values = [float(value) for value in number.findall(line)]
        assert values == pytest.approx([*map(float, number.findall(expected))], abs=0.011)
