"""matplotlib is asked for when something is drawn, and not before."""

import subprocess
import sys

import pytest

from bicneuron.inspection import ExplanationDisplay


def test_importing_the_displays_does_not_import_matplotlib():
    code = (
        f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
        "import bicneuron.inspection\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"run pip install 'bicneuron\[plot\]'"):
        ExplanationDisplay(["any"], [1.0], title="", label="").plot()
