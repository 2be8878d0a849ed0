"""Functions that `make versions` relies on, without building or installing anything."""

import io
import tarfile
from pathlib import Path
from zipfile import ZipFile

from versions.archives import AROUND, sdist_problems, wheel_problems
from versions.environments import project


def test_the_constraints_are_the_lower_bounds_of_the_project():
    lines = Path(__file__).with_name("minimum.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    extras = project()["optional-dependencies"]
    assert "bicneuron[tables,safe]" in extras["cli"]
    requirements = [
        *project()["dependencies"],
        *(line for extra in ("cli", "tables", "safe") for line in extras[extra] if ">=" in line),
    ]
    assert pinned == dict(line.partition(",")[0].split(">=") for line in requirements)


def test_the_oldest_python_that_is_listed_is_the_one_that_is_required():
    classifiers = " ".join(project()["classifiers"])
    required = project()["requires-python"].removeprefix(">=3.")
    assert f"Python :: 3.{required} " in classifiers
    assert f"Python :: 3.{int(required) - 1} " not in classifiers


def write_wheel(path, names):
    with ZipFile(path, "w") as archive:
        for name in [*names, "bicneuron-1.dist-info/METADATA"]:
            archive.writestr(name, "x")
    return path


def test_a_wheel_has_the_files_of_the_package_and_no_others(tmp_path):
    names = ["bicneuron/a.py", "bicneuron/py.typed", "bicneuron/templates/page.html"]
    for name in [*names, "bicneuron/__pycache__/a.nbi"]:
        file = tmp_path / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    whole = write_wheel(tmp_path / "w.whl", names)
    assert wheel_problems(whole, tmp_path / "src") == []
    other = write_wheel(tmp_path / "w.whl", [*names[:1], names[2], "tests/test_a.py"])
    assert wheel_problems(other, tmp_path / "src") == [
        "w.whl lacks bicneuron/py.typed",
        "w.whl has tests/test_a.py",
    ]


def test_a_source_archive_has_what_is_needed_and_no_leftovers(tmp_path):
    def write(names):
        with tarfile.open(tmp_path / "s.tar.gz", "w:gz") as archive:
            for name in names:
                archive.addfile(tarfile.TarInfo(f"bicneuron-1/{name}"), io.BytesIO())
        return tmp_path / "s.tar.gz"

    assert sdist_problems(write(AROUND)) == []
    leftovers = ["docs/_build/html/index.html", "src/bicneuron/_core/__pycache__/a.nbc"]
    assert sdist_problems(write([*AROUND - {"LICENSE"}, *leftovers])) == [
        "s.tar.gz lacks LICENSE",
        *(f"s.tar.gz has {name}" for name in leftovers),
    ]
