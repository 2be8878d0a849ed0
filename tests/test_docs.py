"""The pages, before the site is built: links lead somewhere, code runs, no name is missing."""

import importlib
import re
import shlex
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.main import get_command

import bicneuron
from bicneuron import inspection
from bicneuron.cli._app import app

ROOT = Path(__file__).parents[1]
GENERATED = {"_build", "gallery", "reference"}  # folders that `make docs` makes
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not GENERATED & set(p.parts)),
]


def name(page):
    return str(page.relative_to(ROOT))


def anchors(page):
    """What headings are called in links, on GitHub and on the site."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if path == "gallery/index":
            target = ROOT / "examples" / "GALLERY_HEADER.rst"
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


# Sizes that only take time. The figures below such code have a test of their own.
QUICK = {
    "n_repeats=1": "n_splits=2, n_repeats=1",
    "n_columns=500": "n_columns=60",
    "shift=2.0, random_state=0": "shift=2.0, n_columns=60, random_state=0",
    "make_subgroup(as_frame": "make_subgroup(n_columns=60, as_frame",
    "make_subgroup(200, 1000": "make_subgroup(200, 100",
    "make_subgroup(100, 300": "make_subgroup(100, 100",
    "n_columns=400": "n_columns=60",
    "range(400)": "range(60)",
    "n_columns=200,": "n_columns=60,",
    "(return_X_y=True, as_frame=True)": "(return_X_y=True, as_frame=True); X, y = X[::3], y[::3]",
    "cv=3": "cv=2",
}


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name)
def test_code_runs(page, tmp_path, monkeypatch):
    """The blocks of a page one after the other, as a reader would."""
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text("id,age,pulse\nA,31,\nB,,70\nC,50,80\n")
    names = {}
    for block in blocks(page):
        for size, quick in QUICK.items():
            block = block.replace(size, quick)
        exec(compile(block, name(page), "exec"), names)
    if page.name == "where_it_fails.md":
        assert names["found"].summary() in page.read_text()
        assert names["found"].patterns[0].rows.tolist() == [*range(30)]
    if page.name == "plots.md":
        assert all(f"{display}.from_" in page.read_text() for display in inspection.__all__)


# --- commands


def command_lines(page):
    """Lines of code blocks, and code within the text, that run one of our commands."""
    text = page.read_text().replace("\\\n", " ")
    fenced = re.findall(
        r"^```(?:bash|console|sh|text)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    lines = [line for block in fenced for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", text)
    starts = r"^(?:\$ )?((?:bicneuron|python -m (?:studies|benchmarks|hardening)|make) .+)$"
    return [match[1] for line in lines if (match := re.match(starts, line.strip()))]


def commands():
    """Options of each command of the command line, by its name."""
    group = get_command(app)
    return {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in group.commands.items()
    }


@pytest.mark.parametrize("page", [page for page in PAGES if command_lines(page)], ids=name)
def test_commands_exist_with_their_options(page):
    known, targets = commands(), set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    for line in command_lines(page):
        program, *words = shlex.split(line, comments=True)
        options = {word.partition("=")[0] for word in words if word.startswith("-")}
        if program == "make":
            assert words[0] in targets, line
        elif program == "python":
            module, *given = words[1:]
            assert find_spec(module), line
            if module == "studies" and given and not given[0].startswith("-"):
                assert find_spec(f"studies.{given[0]}"), line
        elif words[0].startswith("-") or words[0] in {"...", "COMMAND"}:
            assert options <= {"--help", "--version"}, line
        else:
            assert words[0] in known, line
            assert options <= known[words[0]] | {"--help"}, line


def test_every_public_name_is_in_the_reference():
    lines = (ROOT / "docs" / "reference.rst").read_text().splitlines()
    module, listed = "", {}
    for line in lines:
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            listed.setdefault(module, []).append(line.strip())
        elif line.startswith(".. automodule:: "):
            listed.setdefault(line.split()[-1], [])
    at_the_top = set(listed["bicneuron"])
    subpackages = {n for n in bicneuron.__all__ if f"bicneuron.{n}" in listed}
    assert at_the_top | subpackages == set(bicneuron.__all__)
    assert not at_the_top & subpackages
    for package in subpackages:
        public = set(importlib.import_module(f"bicneuron.{package}").__all__)
        here = listed[f"bicneuron.{package}"]
        assert public - at_the_top == set(here), package
        assert len(here) == len(set(here))


def test_the_layout_is_that_of_the_layers():
    """The floors of CONTRIBUTING.md, from the top, are the layers that are checked."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    text = (ROOT / "CONTRIBUTING.md").read_text()
    floors = []
    for line in re.search(r"^```\n(\d .*?)\n\n", text, re.DOTALL | re.MULTILINE)[1].splitlines():
        number, names = line[:3].strip(), re.split(r" {3,}", line[3:])[0].split()
        if number:
            floors.append(names)
        else:  # the floor goes on
            floors[-1] += names
    assert [sorted(names) for names in floors] == [sorted(one.split(" | ")) for one in layers]
