"""Additive biclusters from the differences of two columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.special import erf
from sklearn.utils import check_random_state

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._differences import grow_by_windows, pair_windows
from bicneuron._core._profiles import centred_profiles
from bicneuron._core._prune import prune
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern

# Pairs of columns whose differences are looked at.
MAX_PAIRS = 100_000
# Pairs and seeds in a task. They do not depend on n_jobs.
PAIRS_PER_TASK, SEEDS_PER_TASK = 4096, 16
# Columns of the small blocks whose rows and columns are refined: with more they have fewer rows
# that are there by chance, but a block may have no more.
FIRST_COLUMNS = (3, 4)
# While a block is refined, a line may have this multiple of the largest residue.
LOOSENESS = 2.0
MAX_SWEEPS = 20
# A block that shares more of the cells of the smaller with a stronger one is not reported.
MAX_SHARED = 0.5
# The seeds of one column are at most this multiple of the average number, and at least so many.
SEEDS_PER_COLUMN = 4


@dataclass(kw_only=True, eq=False, repr=False)
class DifferenceBiclustering(BiclusterMiner):
    """Find blocks of row effects plus column effects, whatever the size of the effects.

    In such a block the rows differ widely on every single column, where other miners look for
    seeds, but the *difference* of two of its columns is almost the same in all its rows. Seeds are
    pairs of columns whose difference has more rows in a narrow window than independent columns
    would have. They grow by the columns that keep most rows, and rows and columns are then refined
    in turn. The largest mean squared residue (MSR) of a block decides the width of the window.

    What is found is ranked, and left out if it may be chance: the Chernoff bound on the probability
    that independent normal entries are so coherent, times the number of blocks of all sizes, must
    be below 1.

    Parameters
    ----------
    max_residue : float, default=0.02
        Largest mean squared residue of a bicluster, in squared units of the columns.
    min_rows, min_columns : int, default=3
        Smaller biclusters are not reported.
    max_seeds : int, default=300
        Grow from at most this many pairs of columns, those with the most rows beyond expectation,
        of 100,000 pairs drawn at random if there are more.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        The least likely under chance first. Two share at most half of the cells of the smaller one.
    n_seeds_ : int
        Number of pairs of columns that were grown.
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Notes
    -----
    No published system; it is the answer to the blocks that `bicneuron.CoherentBiclustering`
    misses. In values with many ties, such as small counts, what is found may be chance.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import DifferenceBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> X[:30, :8] = rng.normal(size=(30, 1)) + rng.normal(size=8)
    >>> DifferenceBiclustering(standardize=False).fit(X).patterns_[0].shape
    (30, 8)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "max_seeds": [Interval(Integral, 1, None, closed="left")],
    }
    _advice = "change max_residue, raise max_seeds, or lower min_rows or min_columns"

    max_residue: float = 0.02
    min_rows: int = 3
    min_columns: int = 3
    max_seeds: int = 300
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        if len(Z) < self.min_rows or Z.shape[1] < self.min_columns:
            return [], 0
        columns_of = np.ascontiguousarray(Z.T)
        # One standard deviation on either side of the mean of a difference at the largest residue.
        width = 2 * float(np.sqrt(2 * self.max_residue))
        firsts, seconds, starts = self._seeds(columns_of, width)
        tasks = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._grow)(Z, columns_of, firsts[part], seconds[part], starts[part], width)
            for part in _parts(len(firsts), SEEDS_PER_TASK)
        )
        blocks = {
            (rows.tobytes(), columns.tobytes()): (rows, columns)
            for task in tasks
            for rows, columns in task
        }
        return _ranked(Z, list(blocks.values())), len(firsts)

    def _seeds(
        self, columns_of: FloatArray, width: float
    ) -> tuple[IndexArray, IndexArray, FloatArray]:
        """Pairs of columns with the most rows in a window beyond expectation, and the windows."""
        n_columns, n_rows = columns_of.shape
        firsts, seconds = self._pairs(n_columns)
        windows = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(pair_windows)(columns_of, firsts[part], seconds[part], width)
            for part in _parts(len(firsts), PAIRS_PER_TASK)
        )
        counts = np.concatenate([counts for counts, _ in windows])
        starts = np.concatenate([starts for _, starts in windows])
        variances = columns_of.var(axis=1)
        spread = np.sqrt(2 * (variances[firsts] + variances[seconds]))
        shares = np.ones(len(firsts))
        np.divide(width / 2, spread, out=shares, where=spread > 0)
        expected = n_rows * np.where(spread > 0, erf(shares), 1.0)
        excess = (counts - expected) / np.sqrt(np.maximum(expected, 1e-300))
        # Rounded, so that the last bits do not decide between equal pairs.
        order = np.argsort(-np.round(excess, 9), kind="stable")
        chosen = _spread_over_columns(
            firsts[order],
            seconds[order],
            (counts >= self.min_rows)[order],
            n_columns,
            int(self.max_seeds),
        )
        best = order[chosen]
        return firsts[best], seconds[best], starts[best]

    def _pairs(self, n_columns: int) -> tuple[IndexArray, IndexArray]:
        """All pairs of columns, or a sample of them in the same order."""
        n_pairs = n_columns * (n_columns - 1) // 2
        if n_pairs <= MAX_PAIRS:
            return np.triu_indices(n_columns, 1)
        rng = check_random_state(self.random_state)
        firsts, seconds = rng.randint(n_columns, size=(2, MAX_PAIRS))
        # Two draws of one column are moved apart; a pair may be drawn twice.
        seconds = np.where(firsts == seconds, (seconds + 1) % n_columns, seconds)
        codes = np.unique(np.minimum(firsts, seconds) * n_columns + np.maximum(firsts, seconds))
        return codes // n_columns, codes % n_columns

    def _grow(
        self,
        Z: FloatArray,
        columns_of: FloatArray,
        firsts: IndexArray,
        seconds: IndexArray,
        starts: FloatArray,
        width: float,
    ) -> list[tuple[IndexArray, IndexArray]]:
        found = []
        for seed in zip(firsts.tolist(), seconds.tolist(), starts.tolist(), strict=True):
            for n_columns in FIRST_COLUMNS:
                least = int(self.min_rows), min(n_columns, len(columns_of))
                small = grow_by_windows(columns_of, seed[:2], seed[2], width, least)
                rows, columns = self._refine(Z, small[0], np.sort(small[1]))
                if len(rows):
                    found.append((rows, columns))
        return found

    def _refine(
        self, Z: FloatArray, rows: IndexArray, columns: IndexArray
    ) -> tuple[IndexArray, IndexArray]:
        """Choose columns by rows and rows by columns until nothing changes, then keep the bound."""
        bound = float(self.max_residue)
        minimum = int(self.min_rows), int(self.min_columns)
        nothing = rows[:0], columns[:0]
        for _ in range(MAX_SWEEPS):
            before = rows, columns
            values = Z[rows] - Z[np.ix_(rows, columns)].mean(axis=1, keepdims=True)
            effects = values.mean(axis=0)
            columns = np.flatnonzero(np.square(values - effects).mean(axis=0) <= LOOSENESS * bound)
            if len(columns) < minimum[1]:
                return nothing
            values = Z[:, columns] - effects[columns]
            values -= values.mean(axis=1, keepdims=True)
            rows = np.flatnonzero(np.square(values).mean(axis=1) <= LOOSENESS * bound)
            if len(rows) < minimum[0]:
                return nothing
            if np.array_equal(rows, before[0]) and np.array_equal(columns, before[1]):
                break
        lines = np.ascontiguousarray(Z[np.ix_(rows, columns)].T)
        kept = prune(centred_profiles(lines, np.arange(len(rows))), bound, *minimum)
        return rows[kept[0]], columns[kept[1]]


def _parts(length: int, size: int) -> list[slice]:
    return [slice(first, first + size) for first in range(0, length, size)]


def _spread_over_columns(
    firsts: IndexArray, seconds: IndexArray, usable: AnyArray, n_columns: int, n_wanted: int
) -> IndexArray:
    """Positions of the first usable pairs, of which no column has more than its share."""
    most = max(SEEDS_PER_COLUMN, SEEDS_PER_COLUMN * n_wanted // n_columns)
    used = [0] * n_columns
    chosen: list[int] = []
    for place, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist(), strict=True)):
        if len(chosen) == n_wanted:
            break
        if usable[place] and used[first] < most and used[second] < most:
            used[first] += 1
            used[second] += 1
            chosen.append(place)
    return np.array(chosen, dtype=np.intp)


def _ranked(Z: FloatArray, blocks: list[tuple[IndexArray, IndexArray]]) -> list[Pattern]:
    """Blocks that chance does not explain, the clearest first, without near copies."""
    variance = float(Z.var(axis=0).mean())
    scored = []
    for rows, columns in blocks:
        residue = block_residue(Z, rows, columns)
        evidence = _evidence(Z.shape, (len(rows), len(columns)), residue, variance)
        if evidence > 0:
            found = Pattern(rows, columns, residue)
            scored.append((-evidence, rows.tolist(), columns.tolist(), found))
    kept: list[tuple[set[int], set[int]]] = []
    ranked = []
    for _, rows, columns, found in sorted(scored, key=lambda block: block[:3]):
        own = set(rows), set(columns)
        if all(_shared(own, other) <= MAX_SHARED for other in kept):
            kept.append(own)
            ranked.append(found)
    return ranked


def _evidence(
    shape: tuple[int, ...], size: tuple[int, int], residue: float, variance: float
) -> float:
    """Logarithm of 1 over the bound on the probability of any block like this one."""
    degrees = (size[0] - 1) * (size[1] - 1)
    if variance <= 0:
        return 0.0
    share = min(max(residue * size[0] * size[1] / (degrees * variance), 1e-12), 1.0)
    choices = sum(
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + log(n)
        for n, k in zip(shape, size, strict=True)
    )
    return degrees / 2 * (share - 1 - log(share)) - choices


def _shared(a: tuple[set[int], set[int]], b: tuple[set[int], set[int]]) -> float:
    """Cells in common, as a share of the smaller block."""
    smaller = min(len(a[0]) * len(a[1]), len(b[0]) * len(b[1]))
    return len(a[0] & b[0]) * len(a[1] & b[1]) / smaller
