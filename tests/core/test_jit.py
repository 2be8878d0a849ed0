"""Compilation with and without a place for a cache."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bicneuron
from bicneuron._core._jit import fused, kernel

CALL = """
import numpy as np
from bicneuron._core._blocks import starts_of
print(starts_of(np.array([2, 3])).tolist())
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package without compiled files."""
    target = tmp_path / "site" / "bicneuron"
    source = Path(bicneuron.__file__).parent
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def call(package, **environment):
    """Output of `CALL` in a new process that imports that copy."""
    inherited = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", CALL],
        env={**inherited, "PYTHONPATH": str(package.parent), **environment},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.compiled_only
def test_install_without_a_place_for_a_cache(package):
    (package / "_core" / "__pycache__").write_text("a file, so that no folder can be made here")
    nowhere = str(package / "_core" / "__pycache__" / "below a file")
    assert call(package, HOME=nowhere, XDG_CACHE_HOME=nowhere, LOCALAPPDATA=nowhere) == (
        "[0, 2, 5]\n"
    )


@pytest.mark.compiled_only
def test_machine_code_is_kept(package):
    assert call(package) == "[0, 2, 5]\n"
    kept = list((package / "_core" / "__pycache__").glob("_blocks.starts_of-*.nbi"))
    assert len(kept) == 1


def test_function_without_a_file():
    namespace = {}
    exec("def twice(x):\n    return 2 * x", namespace)
    assert kernel(namespace["twice"])(21) == 42


def sorts_in_kernels():
    """Numpy's sorting functions in all kernels, as (file, line, name)."""
    for file in sorted(Path(bicneuron.__file__).parent.rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(name, ast.Name) and name.id == "kernel"
                for name in function.decorator_list
            ):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("sort"):
                        yield file.name, call.lineno, ast.unparse(call.func)


def test_sorting_in_kernels_cannot_be_mixed_up():
    assert {name for *_, name in sorts_in_kernels()} == {"np.sort"}


@pytest.mark.compiled_only
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_product_and_a_sum_are_rounded_once(kind):
    tiny = kind(2.0) ** (-1 - np.finfo(kind).nmant // 2)
    found = kernel(lambda a, b, c: fused(a, b, c))(1 + tiny, 1 + tiny, -1 - 2 * tiny)
    assert found == tiny**2
    assert isinstance(found, float)
