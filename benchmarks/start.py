"""Overhead of the first fit in a process."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks._bench import Bench, Size

SCRIPT = """
import time
from bicneuron import BicNeuronClassifier
from benchmarks._matrices import planted
X, y = planted(400, 20)
clock = time.perf_counter
start = clock(); BicNeuronClassifier(random_state=0).fit(X, y); first = clock() - start
start = clock(); BicNeuronClassifier(random_state=0).fit(X, y); print(first, clock() - start)
"""


def rows(size: Size) -> Iterator[Bench]:
    if size == "tiny":
        return
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for state, bound in (("empty", None), ("warm", 1.0)):
            run = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", SCRIPT],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            first, second = map(float, run.stdout.split())
            yield Bench(
                "start",
                f"seconds of the first fit over the second, {state} cache",
                "400 x 20",
                first - second,
                at_most=bound,
                note=f"{first / second:.0f} x the second",
            )
