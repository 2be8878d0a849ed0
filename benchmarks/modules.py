"""Modules that a fit and a search for groups run through: ``python -m benchmarks.modules``."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bicneuron
from bicneuron.cli._app import app
from bicneuron.datasets import make_subgroup

ROOT = str(Path(bicneuron.__file__).parent)


def modules(function: Callable[[], Any]) -> list[str]:
    """Modules with a function that is called; the first run, which imports, does not count."""
    files = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    function()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return sorted(
        str(Path(file).relative_to(ROOT))
        for file in files
        if file.startswith(ROOT) and file.endswith(".py")
    )


def main() -> None:
    """Print the modules of both, and how many there are."""
    X, y, *_ = make_subgroup(60, 20, group_shape=(15, 4), as_frame=True, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        table, page = f"{folder}/t.csv", f"{folder}/p.html"
        X.assign(y=y).to_csv(table)
        find = ["find", table, "--target", "y", "-o", page, "--force"]
        model = bicneuron.BicNeuronClassifier(search=None, random_state=0)
        for title, run in (
            ("BicNeuronClassifier(search=None).fit(X, y)", lambda: model.fit(X, y)),
            ("bicneuron find", lambda: app(find, standalone_mode=False, obj=find)),
        ):
            found = modules(run)
            packages = {Path(file).parts[0] for file in found}
            print(f"{title}: {len(found)} modules, {len(packages)} packages", *found, sep="\n  ")


if __name__ == "__main__":
    main()
