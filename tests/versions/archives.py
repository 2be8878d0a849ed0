"""The wheel and the source archive: built, and checked for what is in them."""

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

# Of the files of the package; whatever else is found among them got there by accident.
KINDS = {".py", ".pyi", ".html", ".js", ".css", ".csv", ".toml", ".typed"}
# What the source archive must have besides the package.
AROUND = {
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "PKG-INFO"),
    *("README.md", "SECURITY.md", "conftest.py", "pyproject.toml"),
    *("benchmarks/__main__.py", "docs/conf.py", "examples/demo.py", "studies/__main__.py"),
    *("tests/conftest.py", "tests/versions/minimum.txt"),
}
# Folders of results and caches, and suffixes of compiled files.
LEFTOVERS = {"__pycache__", ".venv", ".hypothesis", "_build", "gallery", "results", "dist"}
COMPILED = {".pyc", ".nbi", ".nbc", ".so"}


def build_archives(root: Path, folder: Path) -> Path:
    """Build the source archive and the wheel from it, check both, and give the wheel."""
    built = folder / "built"
    # Not isolated: with pip, which set up this environment, the same build has been isolated.
    _python("build", "--no-isolation", "--quiet", "--outdir", built, root)
    (sdist,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    _python("twine", "check", "--strict", sdist, wheel)
    if problems := [*sdist_problems(sdist), *wheel_problems(wheel, root / "src")]:
        raise SystemExit("\n".join(problems))
    return wheel


def _python(module: str, *arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)


def wheel_problems(wheel: Path, source: Path) -> list[str]:
    """Files of the package that are missing, and files that do not belong to it."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {
        path.relative_to(source).as_posix() for path in source.rglob("*") if path.suffix in KINDS
    }
    return [
        *(f"{wheel.name} lacks {name}" for name in sorted(wanted - names)),
        *(f"{wheel.name} has {name}" for name in sorted(names - wanted)),
    ]


def sdist_problems(sdist: Path) -> list[str]:
    """Files that are missing, and leftovers of work."""
    with tarfile.open(sdist) as archive:
        names = {Path(*Path(name).parts[1:]) for name in archive.getnames()}
    lacking = sorted(AROUND - {name.as_posix() for name in names})
    leftover = sorted(
        str(name) for name in names if LEFTOVERS & set(name.parts) or name.suffix in COMPILED
    )
    return [
        *(f"{sdist.name} lacks {name}" for name in lacking),
        *(f"{sdist.name} has {name}" for name in leftover),
    ]
