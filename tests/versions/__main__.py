"""Build and check the archives, install the wheel where nothing else is, and use it there.

    PYTHONPATH=tests python -m versions

Twice: with the newest Python and dependencies, and with the oldest that are declared. The same
models are fitted in both: labels must be equal, and scores may differ by rounding only.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from versions.archives import build_archives
from versions.environments import ROOT, Environment, supported_pythons
from versions.use import check_command_line, check_types

from benchmarks.machines import difference

HERE = Path(__file__).parent
TOLERANCE = 1e-6


def main() -> None:
    with TemporaryDirectory() as folder:
        run(Path(folder))


def run(folder: Path) -> None:
    pythons = supported_pythons()
    print(f"Python {', '.join(f'3.{minor}' for minor in pythons)} found", flush=True)
    wheel = build_archives(ROOT, folder)
    oldest, newest = min(pythons), max(pythons)
    at_minimum = Environment(pythons[oldest], folder / "minimum", HERE / "minimum.txt")
    at_newest = Environment(pythons[newest], folder / "newest")
    with ThreadPoolExecutor(2) as pool:
        oldest_outcome, newest_outcome = pool.map(use, (at_minimum, at_newest), (wheel, wheel))
    check_types(at_newest)
    for name, values in oldest_outcome.items():
        if words := difference([values], [newest_outcome[name]], TOLERANCE):
            raise SystemExit(f"{name}: {words}")


def use(environment: Environment, wheel: Path) -> dict[str, np.ndarray]:
    """Outcome of the models with the core dependencies, then the command line with its own."""
    environment.install(wheel)
    outcome = fits(environment)
    environment.install(f"{wheel}[cli]")
    check_command_line(environment)
    return outcome


def fits(environment: Environment) -> dict[str, np.ndarray]:
    file = environment.folder / "outcome.npz"
    environment.run("python", "-W", "error", HERE / "fits.py", file)
    print(environment.run("python", "-m", "pip", "list"), flush=True)
    with np.load(file) as outcome:
        return dict(outcome)


if __name__ == "__main__":
    main()
