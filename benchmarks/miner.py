"""The miner against its naive twin, the necessary arithmetic, and Cheng and Church."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._bench import Bench, Size, fastest
from benchmarks._cheng_church import cheng_church
from benchmarks._matrices import matrix, shape_of
from bicneuron import CoherentBiclustering
from bicneuron.biclustering._coherent import seeds
from bicneuron.datasets import make_additive_biclusters

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from oracles.linkage import naive_partition
from oracles.search import naive_search

MAX_RESIDUE, MINIMUM = 0.02, (3, 3)


def rows(size: Size) -> Iterator[Bench]:
    yield against_naive_twin((16, 6) if size == "tiny" else (40, 12))
    for name, Z in mined(size):
        for cut in (0.5, 1.5):
            yield against_arithmetic(f"{name}, cut {cut}", Z, cut)
        yield against_cheng_church(name, Z, 2 if size == "tiny" else 10)


def mined(size: Size) -> Iterator[tuple[str, np.ndarray]]:
    shape = (60, 20) if size == "tiny" else (2000, 500)
    block = (shape[0] // 10, shape[1] // 10)
    X, _, _ = make_additive_biclusters(shape, n_biclusters=3, bicluster_shape=block, random_state=0)
    yield "planted", zscores(X)
    if size != "tiny":
        X, _, name = matrix("colon")
        yield name, zscores(X)


def zscores(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


def mine(Z: np.ndarray, cut: float, **settings) -> list:
    miner = CoherentBiclustering(
        cut_distance=cut, max_residue=MAX_RESIDUE, standardize=False, **settings
    )
    return miner.fit(Z).patterns_


def against_naive_twin(shape: tuple[int, int]) -> Bench:
    X, _, _ = make_additive_biclusters(shape, bicluster_shape=(8, 4), random_state=0)
    Z, cut = zscores(X), 1.0
    found: dict[str, list] = {}

    def naive() -> None:
        matrix = Z.tolist()
        found["naive"] = [
            naive_search(matrix, sorted(rows), column, MAX_RESIDUE, MINIMUM, False)
            for column in range(Z.shape[1])
            for rows in naive_partition(Z[:, column].tolist(), cut)
            if len(rows) >= MINIMUM[0]
        ]

    def ours() -> None:
        found["ours"] = mine(Z, cut, merge=False)

    ours()  # loads kernels
    seconds = fastest({"naive": naive, "ours": ours}, 1)
    blocks = {(tuple(rows), tuple(columns)) for rows, columns in found["naive"] if rows}
    equal = blocks == {(tuple(b.rows.tolist()), tuple(b.columns.tolist())) for b in found["ours"]}
    return Bench(
        "miner",
        "naive twin / ours, without merging",
        f"{shape_of(Z)}, cut {cut}",
        seconds["naive"] / seconds["ours"],
        note=f"{len(blocks)} blocks, {'equal' if equal else 'DIFFERENT'}",
    )


def against_arithmetic(name: str, Z: np.ndarray, cut: float) -> Bench:
    """Compare with the time of the matrix products alone, on the same shapes."""
    spent = {"ours": np.inf, "products": np.inf}
    for _ in range(2):
        start = time.process_time()
        found = mine(Z, cut)
        spent["ours"] = min(spent["ours"], time.process_time() - start)
        products, n_products = seconds_of_products(Z, cut)
        spent["products"] = min(spent["products"], products)
    return Bench(
        "miner",
        f"ours / products Z @ u of the definition, {name}",
        shape_of(Z),
        spent["ours"] / spent["products"],
        at_most=6,
        note=f"{n_products:,} products, {len(found)} blocks",
    )


def seconds_of_products(Z: np.ndarray, cut: float) -> tuple[float, int]:
    """Grow each distinct row set once, from its first column; one product per step.

    That is the sum over distinct seed row sets of |I| M (1 + accepted columns). The time of other
    columns of the same row set, of choosing the best, of centring and of merging is not counted.
    """
    spent, count = 0.0, 0
    row_sets, (starts,) = seeds(np.ascontiguousarray(Z.T), [cut], MINIMUM[0])
    for number, column in dict(reversed(starts)).items():
        members = row_sets[number]
        profiles = np.ascontiguousarray((Z[members] - Z[members].mean(axis=0)).T)
        squares = np.einsum("ij,ij->i", profiles, profiles)
        taken, mean, residue = [column], profiles[column].copy(), 0.0
        while len(taken) < Z.shape[1]:
            start = time.perf_counter()
            product = profiles @ mean
            spent += time.perf_counter() - start
            count += 1
            distances = squares - 2 * product + mean @ mean
            distances[taken] = np.inf
            best = int(distances.argmin())
            residue += distances[best] * len(taken) / (len(taken) + 1)
            if residue > MAX_RESIDUE * len(members) * (len(taken) + 1):
                break
            taken.append(best)
            mean += (profiles[best] - mean) / len(taken)
    return spent, count


def against_cheng_church(name: str, Z: np.ndarray, number: int) -> Bench:
    counts: dict[str, int] = {}
    rng = np.random.default_rng(0)

    def theirs() -> None:
        counts["theirs"] = len(cheng_church(Z, MAX_RESIDUE, number, rng))

    def ours() -> None:
        counts["ours"] = len(mine(Z, 1.0))

    seconds = fastest({"theirs": theirs, "ours": ours}, 1)
    each = {who: seconds[who] / max(counts[who], 1) for who in seconds}
    return Bench(
        "miner",
        f"Cheng-Church in numpy / ours, per bicluster, {name}",
        shape_of(Z),
        each["theirs"] / each["ours"],
        note=f"{counts['theirs']} and {counts['ours']} biclusters",
    )
