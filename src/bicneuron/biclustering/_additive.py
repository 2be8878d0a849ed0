"""Blocks of row effects plus column effects: Cheng and Church, and differences of columns."""

from dataclasses import dataclass
from itertools import chain, product
from math import lgamma, log
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from scipy.special import erf
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._cheng_church import find_block
from bicneuron._core._differences import grow_by_windows, pair_windows
from bicneuron._core._profiles import centred_profiles
from bicneuron._core._prune import prune
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import COUNT, BiclusterMiner, slices
from bicneuron.patterns import Pattern


@dataclass(kw_only=True, eq=False, repr=False)
class ChengChurchBiclustering(BiclusterMiner):
    """Find large coherent biclusters one after the other, by Cheng and Church (2000).

    From the whole table, rows and columns of large residue are deleted until the mean squared
    residue (MSR) is at most ``max_residue``; then all rows and columns are added that fit as well
    as those inside. The cells of what was found are replaced by noise, uniform over the range of
    the table, and the search starts again.

    *Sourced:* the steps and the threshold, of "Biclustering of expression data" (ISMB 2000). *Our
    reading:* deletion stops at the smallest sizes, the search ends when no block of that size is
    left or one is found again, and missing cells are means of their columns.

    Parameters
    ----------
    max_residue : float, default=0.02
        The paper's delta: largest mean squared residue, in squared units of the columns.
    n_biclusters : int, default=10
        Report at most this many.
    threshold : float, default=1.2
        The paper's alpha: of more than 100 rows, or columns, those are deleted together whose
        residue exceeds this multiple of that of the block. With a larger one fewer rows are lost.
    mirror : bool, default=False
        Also add rows that fit with the opposite sign, as the paper does; `mirrored_` marks them.
    min_rows, min_columns : int, default=3
        Smaller biclusters are not reported.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        In the order in which they were found.
    mirrored_ : bool array of shape (n_biclusters, n_rows)
        Rows of each bicluster that fit with the opposite sign.
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import ChengChurchBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:40, :12] = rng.normal(size=(40, 1)) + rng.normal(size=12)
    >>> miner = ChengChurchBiclustering(standardize=False, n_biclusters=1).fit(X)
    >>> miner.patterns_[0].columns.tolist() == list(range(12))
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "threshold": [Interval(Real, 1, None, closed="left")],
        "mirror": ["boolean"],
    }
    _advice = "raise max_residue or lower min_rows or min_columns"
    max_residue: float = 0.02
    n_biclusters: int = 10
    threshold: float = 1.2
    mirror: bool = False
    min_rows: int = 3
    min_columns: int = 3
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        found: list[Pattern] = []
        self.mirrored_ = np.empty((0, len(Z)), dtype=bool)
        minimum = int(self.min_rows), int(self.min_columns)
        if len(Z) < minimum[0] or Z.shape[1] < minimum[1]:
            return found, 0
        rng = check_random_state(self.random_state)
        masked, lowest, highest = Z.copy(), Z.min(), Z.max()
        while len(found) < self.n_biclusters:
            rows, columns, is_mirrored = find_block(
                masked, float(self.max_residue), float(self.threshold), minimum, self.mirror
            )
            block = Pattern(rows, columns, block_residue(Z, rows, columns))
            # Found again: even the noise in its place meets the bound.
            if not len(rows) or block in found:
                return found, len(found) + 1
            found.append(block)
            mirrored = np.isin(np.arange(len(Z)), rows[is_mirrored])
            self.mirrored_ = np.vstack([self.mirrored_, mirrored])
            masked[np.ix_(rows, columns)] = rng.uniform(lowest, highest, block.shape)
        return found, len(found)


# Pairs of columns whose differences are looked at.
MAX_PAIRS = 100_000
# Pairs and seeds in a task. They do not depend on n_jobs.
PAIRS_PER_TASK, SEEDS_PER_TASK = 4096, 16
# Columns of the small blocks whose rows and columns are refined.
FIRST_COLUMNS = (3, 4)
# While a block is refined, a line may have this multiple of the largest residue.
LOOSENESS = 2.0
MAX_SWEEPS = 20
# A block that shares more of the cells of the smaller with a stronger one is not reported.
MAX_SHARED = 0.5
# The seeds of one column are at most this multiple of the average number, and at least so many.
SEEDS_PER_COLUMN = 4

# Two columns and the start of the window of their difference; rows and columns.
Seed: TypeAlias = tuple[int, int, float]
Block: TypeAlias = tuple[IndexArray, IndexArray]


@dataclass(kw_only=True, eq=False, repr=False)
class DifferenceBiclustering(BiclusterMiner):
    """Find blocks of row effects plus column effects, whatever the size of the effects.

    In such a block the *difference* of two of its columns is almost the same in all its rows. Seeds
    are pairs of columns whose difference has more rows in a narrow window than independent columns
    would have. They grow by the columns that keep most rows, and rows and columns are then refined
    in turn. No published system; it finds the blocks that `bicneuron.CoherentBiclustering` misses.

    What is found is left out if it may be chance: the Chernoff bound on the probability that
    independent normal entries are so coherent, times the number of blocks of all sizes, must be
    below 1. In values with many ties, such as small counts, it may still be chance.

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
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron.biclustering import DifferenceBiclustering
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, *_ = make_additive_biclusters((60, 20), bicluster_shape=(20, 6), random_state=0)
    >>> DifferenceBiclustering().fit(X).patterns_[0].shape
    (20, 6)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "max_seeds": [COUNT],
    }
    _advice = "change max_residue, raise max_seeds, or lower min_rows or min_columns"
    max_residue: float = 0.02
    min_rows: int = 3
    min_columns: int = 3
    max_seeds: int = 300
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        if len(Z) < self.min_rows or Z.shape[1] < self.min_columns:
            return [], 0
        columns_of = np.ascontiguousarray(Z.T)
        # One standard deviation on either side of the mean of a difference at the largest residue.
        width = 2 * float(np.sqrt(2 * self.max_residue))
        seeds = self._seeds(columns_of, width)
        tasks = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._grow)(Z, columns_of, seeds[part], width)
            for part in slices(len(seeds), SEEDS_PER_TASK)
        )
        blocks = {(block[0].tobytes(), block[1].tobytes()): block for block in chain(*tasks)}
        return _ranked(Z, list(blocks.values())), len(seeds)

    def _seeds(self, columns_of: FloatArray, width: float) -> list[Seed]:
        """Pairs of columns with the most rows in a window beyond expectation, and the windows."""
        n_columns, n_rows = columns_of.shape
        firsts, seconds = self._pairs(n_columns)
        windows = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(pair_windows)(columns_of, firsts[part], seconds[part], width)
            for part in slices(len(firsts), PAIRS_PER_TASK)
        )
        counts, starts = map(np.concatenate, zip(*windows, strict=True))
        variances = columns_of.var(axis=1)
        spread = np.sqrt(2 * (variances[firsts] + variances[seconds]))
        shares = np.ones(len(firsts))
        np.divide(width / 2, spread, out=shares, where=spread > 0)
        expected = n_rows * np.where(spread > 0, erf(shares), 1.0)
        excess = (counts - expected) / np.sqrt(np.maximum(expected, 1e-300))
        # Rounded, so that the last bits do not decide between equal pairs.
        order = np.argsort(-np.round(excess, 9), kind="stable")
        best = order[(counts >= self.min_rows)[order]]
        # No column has more than its share of them.
        most = max(SEEDS_PER_COLUMN, SEEDS_PER_COLUMN * int(self.max_seeds) // n_columns)
        used, chosen = [0] * n_columns, list[Seed]()
        for seed in zip(*(some[best].tolist() for some in (firsts, seconds, starts)), strict=True):
            first, second, _ = seed
            if len(chosen) < self.max_seeds and used[first] < most and used[second] < most:
                used[first] += 1
                used[second] += 1
                chosen.append(seed)
        return chosen

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
        self, Z: FloatArray, columns_of: FloatArray, seeds: list[Seed], width: float
    ) -> list[Block]:
        found = []
        for (first, second, start), n_columns in product(seeds, FIRST_COLUMNS):
            least = int(self.min_rows), min(n_columns, len(columns_of))
            rows, columns = grow_by_windows(columns_of, (first, second), start, width, least)
            block = self._refine(Z, rows, np.sort(columns))
            if len(block[0]):
                found.append(block)
        return found

    def _refine(self, Z: FloatArray, rows: IndexArray, columns: IndexArray) -> Block:
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


def _ranked(Z: FloatArray, blocks: list[Block]) -> list[Pattern]:
    """Blocks that chance does not explain, the clearest first, without near copies."""
    variance = float(Z.var(axis=0).mean())
    scored = []
    for rows, columns in blocks:
        residue, size = block_residue(Z, rows, columns), (len(rows), len(columns))
        if variance <= 0:
            continue
        # The logarithm of 1 over the bound on the probability of any block like this one.
        degrees = (size[0] - 1) * (size[1] - 1)
        share = min(max(residue * size[0] * size[1] / (degrees * variance), 1e-12), 1.0)
        choices = sum(
            lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + log(n)
            for n, k in zip(Z.shape, size, strict=True)
        )
        evidence = degrees / 2 * (share - 1 - log(share)) - choices
        if evidence > 0:
            found = Pattern(rows, columns, residue)
            scored.append((-evidence, rows.tolist(), columns.tolist(), found))
    kept: list[tuple[set[int], set[int]]] = []
    ranked = []
    for _, rows, columns, found in sorted(scored, key=lambda block: block[:3]):
        own = set(rows), set(columns)
        sizes = [min(len(rows) * len(columns), len(r) * len(c)) for r, c in kept]
        shared = [len(own[0] & r) * len(own[1] & c) for r, c in kept]
        if all(n / size <= MAX_SHARED for n, size in zip(shared, sizes, strict=True)):
            kept.append(own)
            ranked.append(found)
    return ranked
