"""Every regular expression of the package takes time in proportion to the text.

The patterns are module constants, so that they can be found. Each one is driven, with the methods
that its module uses, through 50,000 characters of repeated short strings of its own alphabet and an
end that does not match. Exponential time ends the child process by its limit on CPU time; quadratic
time exceeds the limit of a case.
"""

import ast
import importlib
import pickle
import random
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import _constants as sre
from re import _parser as parser

import pytest

import bicneuron

SOURCES = Path(bicneuron.__file__).parent
METHODS = {"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}

LENGTH = 50_000
# Seconds of CPU time: linear cases take milliseconds.
MOST_OF_CASE = 0.25
NO_MATCH = "\n\0"
CATEGORIES = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_NOT_DIGIT: "w",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "w",
    sre.CATEGORY_WORD: "w",
    sre.CATEGORY_NOT_WORD: "!",
}


@cache
def modules() -> dict[str, ast.Module]:
    """Modules by name, those that can have no pattern left out."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text("utf-8")
        if re.search(r"\bre\b|_regex\b|\.str\b", text):
            parts = path.relative_to(SOURCES.parent).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(text)
    return found


def imports_re(tree: ast.Module) -> bool:
    return any(
        (isinstance(node, ast.Import) and any(alias.name == "re" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "re")
        for node in ast.walk(tree)
    )


def calls_of_re(tree: ast.AST) -> list[str]:
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


def attributes_used(tree: ast.AST) -> set[tuple[str, str]]:
    return {
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def patterns() -> dict[str, tuple[re.Pattern, list[str]]]:
    """Patterns by name, with the methods that are used."""
    used = {pair for tree in modules().values() for pair in attributes_used(tree)}
    found = {}
    for module, tree in modules().items():
        if not imports_re(tree):
            continue
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


def test_there_are_no_patterns_for_other_engines():
    for module, tree in modules().items():
        names = {name for _, name in attributes_used(tree)}
        assert "str" not in names, f"{module}: patterns given to pandas are run by re"
        assert not [name for name in names if name.endswith("_regex")], module


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
    "pattern",
    [
        r"(?:[0-9]*[0-9][0-9]*(?:; )?)*x",
        r"\s*x",
        *(pytest.param(p, marks=pytest.mark.slow) for p in (r"(a|aa)+b", r"font: [^;]*;")),
    ],
)
def test_patterns_that_are_not_linear_are_noticed(pattern):
    slow = {"slow": (re.compile(pattern), ["search"])}
    done = subprocess.run(
        [sys.executable, __file__], input=pickle.dumps(slow), capture_output=True, check=False
    )
    assert done.returncode != 0
    assert done.stdout.decode().splitlines()[-1].startswith("slow.search")


# What follows runs in the child process.


def alphabet(tree: parser.SubPattern) -> list[str]:
    """Return characters that stand for each part of a pattern."""
    characters = set()
    for kind, value in parts_of(tree):
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            characters.update(members(kind, value))
    return sorted(characters)


def parts_of(tree: parser.SubPattern) -> Iterator[tuple[object, object]]:
    for kind, value in tree:
        yield kind, value
        for inner in inner_patterns(kind, value):
            yield from parts_of(inner)


def inner_patterns(kind: object, value: object) -> list[parser.SubPattern]:
    if kind is sre.BRANCH:
        return value[1]
    if kind is sre.ATOMIC_GROUP:
        return [value]
    return [part for part in value if isinstance(part, parser.SubPattern)] if kind in NESTED else []


REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
NESTED = REPEATS | {sre.SUBPATTERN, sre.ASSERT, sre.ASSERT_NOT}


def members(kind: object, value: object) -> list[str]:
    """Return a few characters that a part of one character matches."""
    if kind is sre.LITERAL:
        return [chr(value)]
    if kind is sre.ANY:
        return ["w"]
    excluded = [(sre.LITERAL, value)] if kind is sre.NOT_LITERAL else value
    listed = []
    for inner, what in excluded:
        if inner is sre.LITERAL:
            listed.append(chr(what))
        elif inner is sre.RANGE:
            listed += [chr(what[0]), chr(what[1])]
        elif inner is sre.CATEGORY:
            listed.append(CATEGORIES[what])
    if kind is sre.NOT_LITERAL or value[0][0] is sre.NEGATE:
        return [c for c in "w!" if c not in listed]
    return listed


def spell(tree: parser.SubPattern, rng: random.Random, groups: dict[int, str]) -> str:
    """Spell a text that the pattern matches, look-around aside."""
    text = ""
    for kind, value in tree:
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            text += rng.choice(members(kind, value))
        elif kind in REPEATS:
            least, most, inner = value
            for _ in range(rng.randint(least, min(most, least + 2))):
                text += spell(inner, rng, groups)
        elif kind is sre.SUBPATTERN:
            groups[value[0]] = spell(value[3], rng, groups)
            text += groups[value[0]]
        elif kind is sre.GROUPREF:
            text += groups.get(value, "")
        elif kind in (sre.BRANCH, sre.ATOMIC_GROUP):
            text += spell(rng.choice(inner_patterns(kind, value)), rng, groups)
    return text


def cases(pattern: re.Pattern) -> Iterator[tuple[str, str]]:
    """Yield a beginning and what is repeated behind it."""
    rng = random.Random(0)
    source = pattern.pattern
    tree = parser.parse(source if isinstance(source, str) else source.decode("latin-1"))
    letters = alphabet(tree)
    inner = [value[2] for kind, value in parts_of(tree) if kind in REPEATS and value[1] > 1]
    starts = [""]
    for _ in range(5):
        text = spell(tree, rng, {})
        starts += [text[: rng.randint(0, len(text))], text]
    # Openings of a match, for searches that begin again at each of them.
    repeated = {*letters, *starts}
    for body in [tree, *inner, *inner]:
        for _ in range(6):
            text = spell(body, rng, {}) + spell(body, rng, {}) * rng.randint(0, 1)
            repeated |= {text, text[: rng.randint(1, 6)]}
    for _ in range(30):
        repeated.add("".join(rng.choices(letters, k=rng.randint(2, 6))))
    for unit in sorted(repeated - {""}):
        yield "", unit
        yield rng.choice(starts), unit


def drive(found: dict[str, tuple[re.Pattern, list[str]]]) -> None:
    import resource

    for name, (pattern, methods) in found.items():
        for start, unit in cases(pattern):
            text = start + unit * (LENGTH // len(unit)) + NO_MATCH
            content = text if isinstance(pattern.pattern, str) else text.encode()
            for method in methods:
                print(f"{name}.{method}: {start!r} and {unit!r} repeated", flush=True)
                begun = time.process_time()
                resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + 2, resource.RLIM_INFINITY))
                act(pattern, method, content)
                taken = time.process_time() - begun
                assert taken < MOST_OF_CASE, f"{taken:.2f} s"
    print("done")


def act(pattern: re.Pattern, method: str, content: str | bytes) -> None:
    if method in ("sub", "subn"):
        getattr(pattern, method)(content[:0], content)
    elif method == "finditer":
        deque(pattern.finditer(content), maxlen=0)
    else:
        getattr(pattern, method)(content)


if __name__ == "__main__":
    drive(pickle.load(sys.stdin.buffer))
