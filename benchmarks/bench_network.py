"""Is a fit of the network fast and small enough? Ratios measured side by side in one run.

    python benchmarks/bench_network.py [--size full|tiny]

The data sets of `bicneuron study network`, with at most 2,000 rows as there, are read from the
folder that BICNEURON_DATA names and left out without it. One thread throughout.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator

from bench_core import seconds
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from bicneuron import BicNeuronNetwork
from bicneuron.datasets import make_twonorm
from bicneuron.experiments._problems import TABLE_SETS, Problem, load_problem
from bicneuron.experiments._protocols import NETWORK

WANTED_TIME, WANTED_MEMORY = 1.5, 4.0


def bench_fit(repeats: int, n_trees: int, tiny: bool) -> None:
    print(f"BicNeuronNetwork().fit against RandomForestClassifier({n_trees}).fit, one thread")
    print(f"{'data':>12} {'shape':>13} {'time / forest':>14} {'wanted':>7} {'neurons':>8}")
    BicNeuronNetwork(random_state=0).fit(*make_twonorm(100, random_state=0))  # loads kernels
    for problem in problems(tiny):
        model = BicNeuronNetwork(random_state=0)
        forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=1)
        ours, theirs = (
            seconds(lambda each=each, at=problem: each.fit(at.X, at.y), repeats)
            for each in (model, forest)
        )
        rows, columns = problem.X.shape
        print(
            f"{problem.name:>12} {rows:5} x {columns:5} {ours / theirs:13.2f}x "
            f"{WANTED_TIME:6.1f}x {len(model.patterns_):8}"
        )


def problems(tiny: bool) -> Iterator[Problem]:
    if tiny or not os.environ.get("BICNEURON_DATA"):
        print("   (generated data; set BICNEURON_DATA for the real sets)")
        yield Problem.from_labels("generated", *make_twonorm(100 if tiny else 2000, random_state=0))
        return
    for name in TABLE_SETS:
        yield NETWORK.prepare(load_problem(name, NETWORK.variant), 0)
    yield load_problem("spambase", NETWORK.variant)


PEAK = """
import sys
from bicneuron import BicNeuronNetwork
from bicneuron.datasets import make_twonorm
rows, columns = map(int, sys.argv[1:])
BicNeuronNetwork(random_state=0).fit(*make_twonorm(60, 6, random_state=0))
X, y = make_twonorm(rows, columns, random_state=0)


def memory(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))


before = memory("VmRSS")
BicNeuronNetwork(random_state=0).fit(X, y)
print(memory("VmHWM") - before, X.nbytes)
"""


def bench_memory(rows: int, columns: int) -> None:
    print(f"\nPeak memory that a fit adds, wanted at most {WANTED_MEMORY:.0f} x the input")
    if sys.platform != "linux":
        print("   (measured on Linux only)")
        return
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PEAK, str(rows), str(columns)],
        capture_output=True,
        text=True,
        check=True,
    )
    added, size = map(int, answer.stdout.split())
    print(
        f"{rows:8} x {columns:5}: {added / 2**20:6.0f} MB for an input of {size / 2**20:5.1f} MB, "
        f"{added / size:5.2f} x the input"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=["full", "tiny"], default="full")
    tiny = parser.parse_args().size == "tiny"
    with threadpool_limits(1):
        bench_fit(1 if tiny else 3, 10 if tiny else 300, tiny)
    bench_memory(*((200, 20) if tiny else (100_000, 50)))


if __name__ == "__main__":
    main()
