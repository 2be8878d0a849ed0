"""Every regular expression of the package takes time in proportion to the text."""

import ast
import importlib
import pickle
import random
import re
import signal
import subprocess
import sys
from collections import deque
from functools import cache
from pathlib import Path

import pytest

import bicneuron

SOURCES = Path(bicneuron.__file__).parent
METHODS = {"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}

LENGTH = 32_000
# Seconds of CPU time, after which the process is ended: linear cases take milliseconds.
MOST_OF_CASE = 0.1
NO_MATCH = "\n\0"
# What stands for a class of characters.
CLASSES = {r"\d": "7", r"\s": " ", r"\w": "w", r"\S": "w", r"\D": "w", r"\W": "!"}


@cache
def modules():
    """Modules by name, those that can have no pattern left out."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text("utf-8")
        if re.search(r"\bre\b|_regex\b|\.str\b", text):
            parts = path.relative_to(SOURCES.parent).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(text)
    return found


def calls_of_re(tree):
    """Names of the functions of ``re`` that are called, `re.escape` aside."""
    return [
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr != "escape"
    ]


def attributes_used(tree):
    return {
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def patterns():
    """Patterns by name, with the methods that are used."""
    used = {pair for tree in modules().values() for pair in attributes_used(tree)}
    found = {}
    for module, tree in modules().items():
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        in_module = attributes & METHODS
        values = vars(importlib.import_module(module))
        for name, value in values.items():
            if isinstance(value, re.Pattern):
                methods = {method for owner, method in used if owner == name} & METHODS
                found[f"{module}.{name}"] = (value, sorted(methods or in_module))
            elif isinstance(value, dict | list | tuple):
                parts = value.values() if isinstance(value, dict) else value
                for place, part in enumerate(parts):
                    if isinstance(part, re.Pattern):
                        found[f"{module}.{name}[{place}]"] = (part, sorted(in_module))
    return found


def test_every_pattern_is_a_constant_of_its_module():
    for module, tree in modules().items():
        n_compiled = calls_of_re(tree).count("compile")
        assert n_compiled == len(calls_of_re(tree)), f"{module}: name the pattern in a constant"
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert not calls_of_re(node), f"{module}.{node.name} compiles a pattern"
            if isinstance(node, ast.ImportFrom):
                assert node.module != "re", f"{module}: import re, not names of it"
        names = {name for _, name in attributes_used(tree)}
        assert "str" not in names, f"{module}: patterns given to pandas are run by re"
        of_arrow = {"match_substring_regex"}  # by RE2, which is linear
        assert not [name for name in names - of_arrow if name.endswith("_regex")], module


def test_every_pattern_is_linear():
    found = patterns()
    assert len(found) > 20
    assert [name for name, (_, methods) in found.items() if not methods] == []
    done = subprocess.run(
        [sys.executable, __file__], input=pickle.dumps(found), capture_output=True, check=False
    )
    last = done.stdout.decode().splitlines()[-1:]
    assert done.returncode == 0, f"stopped in {last}: {done.stderr.decode()}"
    assert last == ["done"]


@pytest.mark.parametrize(
    "pattern", [r"(?:[0-9]*[0-9][0-9]*(?:; )?)*x", r"\s*x", r"(a|aa)+b", r"font: [^;]*;"]
)
def test_patterns_that_are_not_linear_are_noticed(pattern):
    slow = {"slow": (re.compile(pattern), ["search"])}
    done = subprocess.run(
        [sys.executable, __file__], input=pickle.dumps(slow), capture_output=True, check=False
    )
    assert done.returncode != 0
    assert done.stdout.decode().splitlines()[-1].startswith("slow.search")


# What follows runs in the child process.


def units(pattern):
    """Short texts to repeat: pieces of what the pattern spells, and random words of its letters."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    for written, character in CLASSES.items():
        source = source.replace(written, character)
    spelled = re.sub(r"\\(.)", r"\1", re.sub(r"\(\?[:=!<P]*|[\[\]()|^$]|[*+?]", "", source))
    found = {spelled[k : k + n] for k in range(len(spelled)) for n in (1, 2, 6)}
    letters, random_words = sorted({*spelled, *"7w !"}), random.Random(0)
    for _ in range(20):
        found.add("".join(random_words.choices(letters, k=random_words.randint(2, 6))))
    return sorted(found)


def drive(found):
    for name, (pattern, methods) in found.items():
        for unit in units(pattern):
            text = unit * (LENGTH // len(unit)) + NO_MATCH
            content = text if isinstance(pattern.pattern, str) else text.encode()
            for method in methods:
                print(f"{name}.{method}: {unit!r} repeated", flush=True)
                signal.setitimer(signal.ITIMER_PROF, MOST_OF_CASE)
                act(pattern, method, content)
    print("done")


def act(pattern, method, content):
    if method in ("sub", "subn"):
        getattr(pattern, method)(content[:0], content)
    elif method == "finditer":
        deque(pattern.finditer(content), maxlen=0)
    else:
        getattr(pattern, method)(content)


if __name__ == "__main__":
    drive(pickle.load(sys.stdin.buffer))
