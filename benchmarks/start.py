"""Overhead of the first fit in a process."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks._bench import Bench, Size

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


def rows(size: Size) -> Iterator[Bench]:
    if size == "tiny":
        return
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
