"""The demo and the gallery: examples run, ask a question and use public names only."""

import ast
import re
import runpy
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from bicneuron import PatternClassifier, find_groups
from bicneuron.datasets import make_subgroup
from bicneuron.metrics import cross_validated_scores

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# Those that fit several models or draw much; `make docs` runs all examples, too.
LONG = {
    *("plot_network_patterns", "plot_explain_one_row", "plot_rivals", "plot_hidden_groups"),
    *("plot_pipeline_and_grid_search", "plot_how_sure"),
}
# Pages that show the scores of a network.
PAGES = ["README.md", "docs/start.md"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow) if path.stem in LONG else path
        for path in EXAMPLES
    ],
    ids=lambda path: path.stem,
)
def test_an_example_runs_and_draws(path):
    runpy.run_path(str(path))
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_a_question_with_public_names(path):
    text = path.read_text(encoding="utf-8")
    title, underline, blank = ast.get_docstring(ast.parse(text)).splitlines()[:3]
    assert title.endswith("?")
    assert (underline, blank) == ("=" * len(title), "")
    assert "\n# %%\n" in text
    assert "load_dataset" not in text
    assert not re.search(r"[. ]_[a-z]", text), "a private name"


@pytest.mark.slow
def test_the_demo_finds_what_was_planted_and_the_readme_shows_it(tmp_path):
    """One test, so that the demo runs once however many workers there are."""
    printed = StringIO()
    with chdir(tmp_path), redirect_stdout(printed):
        names = runpy.run_path(str(ROOT / "examples" / "demo.py"))
    made, text = names["made"], printed.getvalue()
    assert names["members"] == {*made.members[0]}
    assert names["genes"] == {*made.signature}
    assert names["wrong"] == []
    assert names["n_planted"] >= 0.8 * len(names["named"]) > 0
    pages = ("groups.html", "again.html", "model.html")
    assert all((tmp_path / "demo" / page).stat().st_size > 10_000 for page in pages)
    readme = (ROOT / "README.md").read_text()
    answer, again = (
        next(line for line in text.splitlines() if words in line)
        for words in ("in 12 of 1,000 columns", "of 1 group is found again")
    )
    assert answer in readme
    assert again in readme
    assert answer in (ROOT / "docs/index.md").read_text()
    assert f"in {len(made.members[1])} of 80 rows here" in again
    ours, logistic = (
        float(re.search(rf"{model} +(0\.\d+)", text)[1])
        for model in ("this model", "logistic regression")
    )
    assert ours > logistic


@pytest.mark.slow
def test_pages_show_the_answer_and_the_scores_of_their_code():
    X, y, _, _ = make_subgroup(as_frame=True, random_state=0)
    found = find_groups(X, y, random_state=0)
    assert found.summary() in (ROOT / "README.md").read_text()
    model = PatternClassifier(random_state=0).fit(X, y)
    scores = cross_validated_scores(model, X, y, n_repeats=1)
    title, *lines = str(scores).splitlines()
    number = re.compile(r"[-+]?\d+\.\d+")
    for text in ((ROOT / page).read_text() for page in PAGES):
        shown = text[text.index(title) :].splitlines()[1 : 1 + len(lines)]
        for line, expected in zip(shown, lines, strict=True):
            assert number.sub("", line) == number.sub("", expected)
            # To .01: one row may be predicted differently on another machine.
            values = [float(value) for value in number.findall(line)]
            assert values == pytest.approx([*map(float, number.findall(expected))], abs=0.011)
