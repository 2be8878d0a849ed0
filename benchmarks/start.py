"""Overhead of the first fit in a process, and how long an answer takes beside one search."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import planted
from bicneuron import SubgroupBiclustering, find_groups
from bicneuron.cli import main
from bicneuron.significance._questions import ClassQuestion

MODELS = {
    "classifier": "BicNeuronClassifier(random_state=0)",
    "network": "BicNeuronNetwork(random_state=0)",
    "readable network": "PatternClassifier(random_state=0)",
}
SCRIPT = """
import time
from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier
from benchmarks._matrices import planted
X, y = planted(400, 20)
clock = time.process_time
start = clock(); {model}.fit(X, y).predict(X); first = clock() - start
start = clock(); {model}.fit(X, y).predict(X); print(first, clock() - start)
"""

# What a command imports, and the libraries without which it cannot start.
NEEDED = "import numba, pandas, pyarrow.csv, sklearn.base, typer._adapters"
IMPORTS = "import bicneuron.cli._app, bicneuron.significance, bicneuron.tables, bicneuron.report"


def rows(size: Size) -> Iterator[Bench]:
    if size == "tiny":
        return
    yield from answers()
    yield permutations()
    what = "imports of find / those of the libraries that it needs"
    ratio = imported(f"{NEEDED}; {IMPORTS}") / imported(NEEDED)
    yield Bench("start", what, "", ratio, at_most=1.4)
    for name, model in MODELS.items():
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            for state, bound in (("empty", None), ("warm", 1.0)):
                run = subprocess.run(
                    [sys.executable, "-W", "ignore", "-c", SCRIPT.format(model=model)],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                first, second = map(float, run.stdout.split())
                yield Bench(
                    "start",
                    f"CPU seconds of the first fit over the second, {name}, {state} cache",
                    "400 x 20",
                    first - second,
                    at_most=bound,
                    note=f"{first / second:.0f} x the second",
                )


def answers() -> Iterator[Bench]:
    """The whole answer, and the command with its page, in CPU seconds of one search."""
    X, y = planted(100, 2000)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        pd.DataFrame(X).assign(y=y).to_csv(f"{folder}/t.csv", index=False)
        words = ["find", f"{folder}/t.csv", "--target", "y", "--force", "-o", f"{folder}/p.html"]
        jobs = {
            "fit": lambda: SubgroupBiclustering().fit(X),
            "find_groups": lambda: find_groups(X, y, random_state=0),
            "page": lambda: main([*words, "--quiet", "--jobs", "1"]),
        }
        seconds = fastest(jobs, 5)
    for what, most in (("find_groups", 4.0), ("page", 6.0)):
        ratio = seconds[what] / seconds["fit"]
        yield Bench("start", f"{what} / one fit", "100 x 2000", ratio, at_most=most)


def permutations() -> Bench:
    """The test of 20 groups, beside drawing the orders of the labels alone."""
    rng = np.random.default_rng(0)
    carriers, y = rng.random((100_000, 20)) < 0.2, rng.integers(0, 2, 100_000)
    test = partial(ClassQuestion(y).ties, carriers, 999, 0)
    seconds = fastest({"test": test, "draws": lambda: [rng.permutation(y) for _ in range(999)]}, 2)
    what = "999 permutations of 20 groups / drawing 999 orders"
    return Bench("start", what, "100000 rows", seconds["test"] / seconds["draws"], at_most=2.5)


def imported(script: str) -> float:
    """Least CPU seconds of a process that imports something."""
    script += "; import time; print(time.process_time())"
    command = [sys.executable, "-W", "ignore", "-c", script]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(4)]
    return min(float(run.stdout) for run in runs)
