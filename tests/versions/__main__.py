"""Build and check the archives, install the wheel where nothing else is, and use it there.

    PYTHONPATH=tests python -m versions

- In an environment of the newest Python and the newest dependencies: models, types as mypy sees
  them from outside, and with the extra ``cli`` the command line.
- In one of the oldest Python and the declared minimum of each core dependency: the same models,
  whose labels must be equal and whose scores may differ by rounding only.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from versions.archives import build_archives
from versions.comparison import TOLERANCE, differences
from versions.environments import ROOT, Environment, supported_pythons
from versions.use import check_command_line, check_types

HERE = Path(__file__).parent


def main() -> None:
    with TemporaryDirectory() as folder:
        run(Path(folder))


def run(folder: Path) -> None:
    pythons = supported_pythons()
    oldest, newest = next(iter(pythons.values())), list(pythons.values())[-1]
    print(f"Python {', '.join(pythons)} found", flush=True)
    wheel = build_archives(ROOT, folder)
    with ThreadPoolExecutor(2) as pool:
        at_minimum = pool.submit(use_at_minimum, oldest, wheel, folder / "minimum")
        at_newest = pool.submit(use_at_newest, newest, wheel, folder / "newest")
        found = differences(at_minimum.result(), at_newest.result())
    name = max(found, key=found.get)
    print(f"largest difference: {found[name]:.3g} ({name}); {TOLERANCE:g} is allowed")
    if not found[name] <= TOLERANCE:
        raise SystemExit("\n".join(f"{name}: {found[name]:.3g}" for name in found if found[name]))


def use_at_minimum(python: Path, wheel: Path, folder: Path) -> dict[str, np.ndarray]:
    """Outcome of the models with the declared minimum of each core dependency."""
    environment = Environment(python, folder)
    environment.install("--constraint", HERE / "minimum.txt", wheel)
    return fits(environment)


def use_at_newest(python: Path, wheel: Path, folder: Path) -> dict[str, np.ndarray]:
    """Outcome of the models with the newest dependencies, once types and commands are checked."""
    environment = Environment(python, folder)
    environment.install(wheel)
    outcome = fits(environment)
    check_types(environment)
    environment.install(f"{wheel}[cli]")
    check_command_line(environment)
    return outcome


def fits(environment: Environment) -> dict[str, np.ndarray]:
    file = environment.folder / "outcome.npz"
    environment.run("python", "-W", "error", HERE / "fits.py", file)
    print(f"fitted with {environment.versions()}", flush=True)
    with np.load(file) as outcome:
        return dict(outcome)


if __name__ == "__main__":
    main()
