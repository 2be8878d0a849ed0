"""Are the kernels and a plain fit fast and small enough? Ratios measured side by side in one run.

    python benchmarks/bench_core.py [--size full|tiny]

Real data sets are read from the folder that BICNEURON_DATA names and left out without it. One
thread throughout. Last answers (2 cores, aarch64): linkage 4,000x faster than scipy at n = 10,000
and 9,000x at 20,000; a fit takes 0.004 to 0.3 of the time of RandomForestClassifier(300), 2.4 on
colon (62 x 2,000).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering._seeds import dendrogram
from bicneuron.datasets import make_additive_biclusters, make_twonorm
from bicneuron.metrics import best_match

REAL = {
    "parkinsons": 1.0,
    "sonar": 1.0,
    "singh": 1.0,
    "spambase": 1.0,
    "twonorm": 1.0,
    "colon": 3.0,
}


def seconds(job: Callable[[], object], repeats: int) -> float:
    """Fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def bench_linkage(sizes: dict[int, float]) -> None:
    print("\nAverage linkage of one column, whole dendrogram")
    print(f"{'n':>8} {'faster than scipy':>18} {'wanted':>8} {'of np.argsort':>14}  partitions")
    dendrogram(np.arange(3.0))
    for n, wanted in sizes.items():
        column = np.random.default_rng(0).normal(size=n)
        ours = seconds(lambda column=column: dendrogram(column), 5)
        tree: list[np.ndarray] = []
        theirs = seconds(
            lambda column=column, tree=tree: tree.append(linkage(column[:, None], "average")), 1
        )
        sort = seconds(lambda column=column: np.argsort(column), 5)
        cuts = (0.05, 0.5, 1.0, 1.5)
        equal = all(same_partition(dendrogram(column), tree[0], cut) for cut in cuts)
        print(
            f"{n:8} {theirs / ours:17.0f}x {wanted:7.0f}x {ours / sort:13.1f}x  "
            f"{'equal' if equal else 'DIFFERENT'} at cuts {cuts}"
        )


def same_partition(ours, theirs, cut: float) -> bool:
    labels = fcluster(theirs, cut, "distance")
    clusters = list(ours.clusters(cut))
    return len(clusters) == labels.max() and all(np.ptp(labels[rows]) == 0 for rows in clusters)


def bench_fit(repeats: int, n_trees: int, tiny: bool) -> None:
    print(f"\nBicNeuronClassifier().fit against RandomForestClassifier({n_trees}).fit, one thread")
    print(f"{'data':>12} {'shape':>12} {'time / forest':>14} {'wanted':>7} {'pairs':>6}")
    BicNeuronClassifier(random_state=0).fit(*make_twonorm(300, random_state=0))  # loads kernels
    for name, X, y in training_sets(tiny):
        model = BicNeuronClassifier(random_state=0, on_no_pair="raise")
        ours = seconds(lambda model=model, X=X, y=y: model.fit(X, y), repeats)
        forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=1)
        theirs = seconds(lambda forest=forest, X=X, y=y: forest.fit(X, y), repeats)
        print(
            f"{name:>12} {X.shape[0]:5} x {X.shape[1]:4} {ours / theirs:13.3f}x "
            f"{REAL.get(name, 1.0):6.1f}x {len(model.pairs_):6}"
        )


def training_sets(tiny: bool):
    folder = os.environ.get("BICNEURON_DATA")
    if tiny or not folder:
        print("   (generated data; set BICNEURON_DATA for the real sets)")
        yield "generated", *make_twonorm(300 if tiny else 7400, random_state=0)
        return
    import pandas as pd

    for name in REAL:
        table = pd.read_csv(Path(folder) / f"{name}.csv.gz")
        yield name, table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


PEAK = """
import sys
import numpy as np
from bicneuron import BicNeuronClassifier
from bicneuron.datasets import make_twonorm
rows, columns = map(int, sys.argv[1:])
warm, y = make_twonorm(60, 6, random_state=0)
BicNeuronClassifier(random_state=0).fit(warm, y)
X, y = make_twonorm(rows, columns, random_state=0)
y[: rows // 8] = 1
X[: rows // 8, :4] = np.random.default_rng(0).normal(3, 0.05, (rows // 8, 4))


def memory(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))


before = memory("VmRSS")
model = BicNeuronClassifier(random_state=0).fit(X, y)
print(memory("VmHWM") - before, X.nbytes, len(model.pairs_))
"""


def bench_memory(shapes: list[tuple[int, int]]) -> None:
    print("\nPeak memory that a fit adds, wanted below 3 x input + 100 MB")
    if sys.platform != "linux":
        print("   (measured on Linux only)")
        return
    for rows, columns in shapes:
        answer = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PEAK, str(rows), str(columns)],
            capture_output=True,
            text=True,
            check=True,
        )
        added, size, pairs = map(int, answer.stdout.split())
        print(
            f"{rows:8} x {columns:5}: {added / 2**20:6.0f} MB for an input of "
            f"{size / 2**20:5.1f} MB and {pairs} pairs, "
            f"{added / (3 * size + 100 * 2**20):5.2f} of the bound"
        )


def bench_recovery(seeds: range) -> None:
    print(f"\nRecovery of a planted 60 x 12 block in 300 x 80, {len(seeds)} seeds (cell Jaccard)")
    print(f"{'block':>28} {'search':>7} {'add_rows':>9} {'mean':>6} {'least':>6} {'wanted':>7}")
    cases = {
        "levels +-3, row effects 0.1": ({}, {"grow": "0.95", "prune": "0.80"}),
        "no levels, row effects 1": ({"level": 0.0, "row_effect": 1.0}, {}),
    }
    for name, (block, wanted) in cases.items():
        for search in ("grow", "prune"):
            for add_rows in (False, True):
                matches = []
                for seed in seeds:
                    X, rows, columns = make_additive_biclusters(random_state=seed, **block)
                    miner = CoherentBiclustering(
                        cut_distance=0.5, search=search, add_rows=add_rows
                    ).fit(X)
                    matches.append(best_match(miner.found_, (rows[0], columns[0])))
                bound = "-" if add_rows else wanted.get(search, "-")
                print(
                    f"{name:>28} {search:>7} {add_rows!s:>9} {np.mean(matches):6.2f} "
                    f"{np.min(matches):6.2f} {bound:>7}"
                )


def bench_compilation() -> None:
    print("\nFirst fit in a fresh process, against a second fit in it")
    script = (
        "import time; from bicneuron import BicNeuronClassifier;"
        "from bicneuron.datasets import make_twonorm; X, y = make_twonorm(400, random_state=0);"
        "t = time.perf_counter; a = t(); BicNeuronClassifier(random_state=0).fit(X, y); b = t();"
        "BicNeuronClassifier(random_state=0).fit(X, y); print(b - a, t() - b)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for state in ("empty cache", "warm cache"):
            answer = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", script],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            first, second = map(float, answer.stdout.split())
            print(f"{state:>14}: {first:6.2f} s, then {second:6.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=["full", "tiny"], default="full")
    tiny = parser.parse_args().size == "tiny"
    with threadpool_limits(1):
        bench_linkage({300: 0.0} if tiny else {10_000: 150.0, 20_000: 300.0})
        bench_fit(1 if tiny else 3, 10 if tiny else 300, tiny)
    bench_memory([(200, 20)] if tiny else [(200_000, 50), (200, 5_000)])
    bench_recovery(range(1 if tiny else 10))
    if not tiny:
        bench_compilation()


if __name__ == "__main__":
    main()
