"""Groups of large tables: time, memory, and whether planted ones are first."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks._bench import Bench, Size, fastest, peak_memory
from bicneuron import SubgroupBiclustering

TALL, TALL_SMALL = (100_000, 500), (2000, 500)
WIDE, WIDE_SMALL = (100, 850_000), (100, 20_000)
# Share of the rows of a planted group, rows of the table, and tables in which it has to be first.
SMALL_GROUPS = ((0.05, (2000, 10_000, 100_000), 1.0), (0.01, (20_000, 100_000), 0.8))
FIT = """
from benchmarks.large import {table} as table
from bicneuron import SubgroupBiclustering
planted = table(*map(int, sys.argv[1:]))
SubgroupBiclustering().fit(planted.X[:60, :40])
print(added(lambda: SubgroupBiclustering().fit(planted.X)), 4 * planted.X.size)
"""


class Planted(NamedTuple):
    """A table, and the rows and columns of a group in it."""

    X: Any
    rows: Any
    columns: Any

    def found(self, least_rows: float, least_columns: float) -> bool:
        """Whether the group is the first pattern."""
        patterns = SubgroupBiclustering().fit(self.X).patterns_
        return bool(
            patterns
            and _jaccard(patterns[0].rows, self.rows) >= least_rows
            and _jaccard(patterns[0].columns, self.columns) >= least_columns
        )


def tall(n_rows: int, n_columns: int, seed: int = 0, share: float = 0.05) -> Planted:
    """Normal columns, twelve of which are shifted by 2 in a share of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    rows = np.sort(rng.permutation(n_rows)[: round(share * n_rows)])
    columns = np.sort(rng.permutation(n_columns)[:12])
    X[np.ix_(rows, columns)] += 2
    return Planted(X, rows, columns)


def wide(n_rows: int, n_columns: int, seed: int = 0) -> Planted:
    """Normal, skewed and heavy-tailed columns of any scale; 24 are shifted by 2 in 15 rows."""
    rng = np.random.default_rng([seed, n_columns])
    X = np.empty((n_rows, n_columns), np.float32)
    shapes = rng.integers(3, size=n_columns)
    columns = np.sort(rng.permutation(n_columns)[:24])
    rows = np.sort(rng.permutation(n_rows)[:15])
    for first in range(0, n_columns, 10_000):
        own = shapes[first : first + 10_000]
        normal = rng.standard_normal((n_rows, len(own)))
        skewed = rng.exponential(size=normal.shape)
        heavy = rng.standard_t(3, size=normal.shape) / np.sqrt(3)
        block = np.choose(own, (normal, skewed, heavy))
        block[np.ix_(rows, np.flatnonzero(np.isin(first + np.arange(len(own)), columns)))] += 2
        X[:, first : first + len(own)] = (block + rng.normal(size=len(own))) * 10 ** rng.uniform(
            -3, 3, len(own)
        )
    return Planted(X, rows, columns)


def rows(size: Size) -> Iterator[Bench]:
    n_tables = {"tiny": 1, "usual": 2, "full": 10}[size]
    tiny = size == "tiny"
    for what, make, large, small, most in (
        ("rows", tall, (1600, 20) if tiny else TALL, (800, 20) if tiny else TALL_SMALL, 15),
        ("columns", wide, (30, 2000) if tiny else WIDE, (30, 500) if tiny else WIDE_SMALL, 20),
    ):
        tables = {"large": make(*large), "small": make(*small)}
        jobs = {k: lambda X=one.X: SubgroupBiclustering().fit(X) for k, one in tables.items()}
        seconds = fastest(jobs, 1 if size == "usual" or tiny else 2)
        yield Bench(
            "large",
            f"time of {large[0]:,} x {large[1]:,} / {small[0]:,} x {small[1]:,}",
            what,
            seconds["large"] / seconds["small"],
            at_most=None if tiny else most,
        )
    if tiny:
        return
    peak = peak_memory(FIT.format(table="wide"), *WIDE)
    if peak is not None:
        shape = f"{WIDE[0]:,} x {WIDE[1]:,}"
        what = "added at the peak / table of float32"
        yield Bench("large", what, shape, peak[0] / peak[1], at_most=3)
    for share, many, wanted in SMALL_GROUPS:
        for n_rows in many:
            tables = (tall(n_rows, TALL[1], seed, share) for seed in range(n_tables))
            yield _recovery(f"group of {share:.0%}", f"{n_rows:,} x 500", tables, wanted, share)
    for n_columns in (20_000, 100_000, 850_000):
        tables = (wide(100, n_columns, seed) for seed in range(n_tables))
        yield _recovery("15 rows, 24 columns", f"100 x {n_columns:,}", tables, 0.9)


def _recovery(
    what: str, shape: str, tables: Iterator[Planted], wanted: float, share: float = 1.0
) -> Bench:
    """How often a planted group is the first pattern."""
    least = (0.9, 0.0) if share < 0.05 else (0.95, 0.95) if share < 1 else (0.9, 0.6)
    found = [table.found(*least) for table in tables]
    note = f"{sum(found)} of {len(found)} tables"
    ratio = float(np.mean(found))
    return Bench("large", f"{what} is first", shape, ratio, at_least=wanted, note=note)


def _jaccard(a: Any, b: Any) -> float:
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))
