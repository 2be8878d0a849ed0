"""Coherent biclusters grown from clusters of the rows on single columns.

The steps of the miner (Z is the matrix of column z-scores, T_d is ``cut_distance``, T_m is
``max_residue``, H is the mean squared residue):

1. **Seeds.** Average linkage of the rows on each single column, cut at T_d. Every cluster of at
   least ``min_rows`` rows is a seed (`seeds`, `_core._linkage1d`).
2. **Expansion.** Add the column whose inclusion gives the smallest H while that is at most T_m
   (`_core._grow`).
3. **Refinement.** With ``search="prune"`` the row or column of largest residue is deleted from all
   columns while H > T_m (`_core._prune`). With ``add_rows`` rows outside the seed are added, best
   first, while H is at most T_m. Steps 2 and 3 alternate until nothing changes (`_core._search`).
4. **Discard.** Drop what is smaller than ``min_rows`` x ``min_columns``.
5. **Merging.** Drop duplicates and biclusters inside another one. Then unite the overlapping pair
   of lowest union H while that is at most T_m (`_core._merge`); what remains may overlap.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, chain, groupby, pairwise
from numbers import Real
from operator import itemgetter
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import chunks, pack_blocks, starts_of, unpack_blocks
from bicneuron._core._contrast import grow_against
from bicneuron._core._linkage1d import clusters_of_columns
from bicneuron._core._merge import merge_blocks
from bicneuron._core._residue import block_residue, blocks_residue
from bicneuron._core._search import search_blocks, search_pruned_blocks
from bicneuron._shared._checks import by_size
from bicneuron._shared._compat import Interval, StrOptions
from bicneuron.biclustering._miner import COUNT, SEVERAL, BiclusterMiner
from bicneuron.patterns import Pattern

# Number of values that a task sorts. It does not depend on n_jobs.
VALUES_PER_TASK = 2**18
# Largest numbers of row sets, and of rows in them, in a task. They do not depend on n_jobs.
ROW_SETS_PER_TASK = 64
ROWS_PER_TASK = 2**20

# Position of a row set in their list, and the column to start from, or -1 for all columns.
Start: TypeAlias = tuple[int, int]
Block: TypeAlias = tuple[IndexArray, IndexArray]
Seed = TypeVar("Seed")


@dataclass(kw_only=True, eq=False, repr=False)
class CoherentBiclustering(BiclusterMiner):
    """Find overlapping coherent biclusters, after Huang et al. (2011; arXiv 1603.06859).

    The rows are clustered on each single column by average linkage, cut at ``cut_distance``. Each
    cluster is a seed. A local search adds columns to it while the mean squared residue (MSR; Cheng
    and Church 2000) is at most ``max_residue``. Overlapping biclusters are then merged under the
    same bound. The order of the rows does not matter: equal values are in the same cluster, and of
    two equal distances on a column the one at the lower values is merged first.

    Parameters
    ----------
    cut_distance : float, default=1.0
        T_d: height at which the dendrogram of a column is cut. Larger values give larger seeds.
    max_residue : float, default=0.02
        T_m: largest mean squared residue of a bicluster, in squared units of the columns.
    min_rows, min_columns : int, default=3
        Smaller biclusters are not reported.
    max_columns : int, default=None
        Largest number of columns of a bicluster; None sets no limit.
    max_seeds : int, default=None
        Search from a random sample of at most this many seeds; None uses all seeds.
    search : {"grow", "prune"}, default="grow"
        "grow" starts from the column of the seed and adds the best column while the bound holds;
        "prune" starts from all columns and deletes the worst row or column, which is slower.
    add_rows : bool, default=False
        Add rows outside the seed, best first, while the bound holds.
    merge : bool, default=True
        Drop biclusters inside another one and unite overlapping ones while the bound holds.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        In the order of the seeds: by column, then from low to high values.
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron import CoherentBiclustering
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, *_ = make_additive_biclusters((60, 20), bicluster_shape=(20, 6), random_state=0)
    >>> (20, 6) in [one.shape for one in CoherentBiclustering(cut_distance=0.5).fit(X).patterns_]
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "max_columns": [SEVERAL, None],
        "search": [StrOptions({"grow", "prune"})],
        "add_rows": ["boolean"],
        "merge": ["boolean"],
    }
    _advice = "raise max_residue, change cut_distance or lower min_rows or min_columns"
    cut_distance: float = 1.0
    max_residue: float = 0.02
    min_rows: int = 3
    min_columns: int = 3
    max_columns: int | None = None
    max_seeds: int | None = None
    search: Literal["grow", "prune"] = "grow"
    add_rows: bool = False
    merge: bool = True
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        return self.mine_path(Z, [self.cut_distance])[0]

    def mine_path(
        self, Z: FloatArray, cut_distances: Sequence[float]
    ) -> list[tuple[list[Pattern], int]]:
        """What ``fit`` finds in scaled data at several cuts, and the number of seeds of each."""
        columns_of = np.ascontiguousarray(Z.T)
        row_sets, found = seeds(columns_of, cut_distances, self.min_rows, self.n_jobs)
        path = []
        for starts in found:
            some = [(rows, -1) for rows, _ in starts] if self.search == "prune" else starts
            path.append(sampled(some, self.max_seeds, check_random_state(self.random_state)))
        outcomes = self._search(Z, columns_of, row_sets, sorted(set(chain(*path))))
        blocks = ([outcomes[start] for start in starts if start in outcomes] for starts in path)
        return [
            (self._merged(Z, columns_of, of_cut), len(starts))
            for of_cut, starts in zip(blocks, path, strict=True)
        ]

    def _search(
        self, Z: FloatArray, columns_of: FloatArray, row_sets: list[IndexArray], starts: list[Start]
    ) -> dict[Start, Block]:
        """Rows and columns found from each of the sorted seeds that leads to a block."""
        groups = [
            (row_sets[number], [column for _, column in group])
            for number, group in groupby(starts, key=itemgetter(0))
        ]
        costs = [max(len(rows), ROWS_PER_TASK // ROW_SETS_PER_TASK) for rows, _ in groups]
        parts = [*chunks(costs, ROWS_PER_TASK)]
        tasks = Parallel(n_jobs=self.n_jobs, require="sharedmem", return_as="generator")(
            delayed(search_pruned_blocks if self.search == "prune" else search_blocks)(
                (Z, columns_of),
                pack_blocks((rows, np.array(columns)) for rows, columns in groups[chunk]),
                float(self.max_residue),
                (int(self.min_rows), int(self.min_columns)),
                self._max_columns(Z),
                bool(self.add_rows),
            )
            for chunk in parts
        )
        n_starts = [sum(len(columns) for _, columns in groups[part]) for part in parts]
        first = accumulate([0, *n_starts])  # start of each task
        return {
            starts[place + number]: (rows, columns)
            for place, found in zip(first, tasks, strict=False)
            for number, rows, columns in found
            if len(rows)
        }

    def _max_columns(self, Z: FloatArray) -> int:
        return Z.shape[1] if self.max_columns is None else int(self.max_columns)

    def _merged(
        self, Z: FloatArray, columns_of: FloatArray, outcomes: Iterable[Block]
    ) -> list[Pattern]:
        """Step 5: the distinct blocks, merged if ``merge`` is set, as biclusters."""
        distinct = {digest(*block): block for block in outcomes}
        blocks = pack_blocks(distinct.values())
        if self.merge:
            blocks = merge_blocks(columns_of, blocks, self.max_residue, self._max_columns(Z))
        residues = blocks_residue(Z, blocks).tolist()
        return [
            Pattern(rows=rows, columns=columns, msr=residue)
            for (rows, columns), residue in zip(unpack_blocks(blocks), residues, strict=True)
        ]


def seeds(
    columns_of: FloatArray, cut_distances: Sequence[float], min_rows: int, n_jobs: int | None = None
) -> tuple[list[IndexArray], list[list[Start]]]:
    """Cluster the rows on each single column, at several cuts of its dendrogram.

    Returns the different sets of rows and, for each cut, the number of a set and a column that
    shows it, the columns of a set one after another.
    """
    n_columns, n_rows = columns_of.shape
    size = max(1, VALUES_PER_TASK // n_rows)
    # A generator: all clusters together would be as large as the matrix.
    tasks = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(_clusters)(columns_of[first : first + size], cut_distances, min_rows)
        for first in range(0, n_columns, size)
    )
    numbers: dict[bytes, int] = {}
    row_sets: list[IndexArray] = []
    found: list[list[Start]] = [[] for _ in cut_distances]
    for first, clusters in zip(range(0, n_columns, size), tasks, strict=True):
        for column, cut, key, rows in clusters:
            number = numbers.setdefault(key, len(row_sets))
            if number == len(row_sets):
                row_sets.append(rows.copy())  # a view would keep the whole task in memory
            found[cut].append((number, first + column))
    for starts in found:
        places = {number: place for place, (number, _) in reversed([*enumerate(starts)])}
        starts.sort(key=lambda start: places[start[0]])
    return row_sets, found


def sampled(seeds: list[Seed], most: int | None, rng: np.random.RandomState) -> list[Seed]:
    """All seeds, or a uniform sample of ``most`` of them in the same order."""
    if most is None or len(seeds) <= most:
        return seeds
    drawn = np.sort(rng.choice(len(seeds), most, replace=False))
    return [seeds[k] for k in drawn]


def digest(*arrays: IndexArray) -> bytes:
    """Hash of arrays, a short key that different arrays do not share in practice."""
    hashed = blake2b(digest_size=16)
    for array in arrays:
        hashed.update(len(array).to_bytes(8, "little"))
        hashed.update(array.data)
    return hashed.digest()


def _clusters(
    columns: FloatArray, cut_distances: Sequence[float], min_rows: int
) -> list[tuple[int, int, bytes, IndexArray]]:
    """Column, position of the cut, digest and rows of each cluster of at least ``min_rows``."""
    owners, cuts, sizes, rows = clusters_of_columns(
        columns, np.argsort(columns, axis=1), np.array(cut_distances, np.float64), int(min_rows)
    )
    pieces = [rows[start:stop] for start, stop in pairwise(starts_of(sizes).tolist())]
    keys = [blake2b(piece.data, digest_size=16).digest() for piece in pieces]
    return list(zip(owners.tolist(), cuts.tolist(), keys, pieces, strict=True))


# Number of seeds in a task. It does not depend on n_jobs.
SEEDS_PER_TASK = 16

ClassSeed = tuple[Any, IndexArray, int]  # label, rows, column


@dataclass(kw_only=True, eq=False, repr=False)
class ContrastBiclustering(BiclusterMiner):
    """Find groups of one class, each with the columns that distinguish it from its contrast.

    Seeds are the clusters of the rows of one class on single columns, as in
    `bicneuron.CoherentBiclustering`. The contrast of a group is the nearest rows of the other
    classes in the columns taken so far. Each step adds the column with the largest Fisher ratio
    between the group and its contrast, and then chooses the contrast again.

    As the ``miner`` of a `BicNeuronClassifier` it needs ``max_ratio=float("inf")``: its groups need
    not be more coherent than their contrast. For hidden groups of a class use
    `bicneuron.SubgroupBiclustering`.

    Parameters
    ----------
    cut_distance : float, default=1.0
        T_d: height at which the dendrogram of a column is cut.
    max_columns : int, default=8
        Number of columns of a bicluster; all columns if there are fewer.
    contrast_size : float, default=2.0
        Number of rows of the contrast, as a multiple of that of the bicluster.
    min_rows : int, default=5
        Smallest number of rows of a seed.
    max_seeds : int, default=200
        Grow from a random sample of at most this many seeds of each class; None uses all seeds.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        Each has rows of one class. They are ordered by class, then by seed.
    classes_ : array of shape (n_classes,)
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron.biclustering import ContrastBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> X, y, _ = make_subgroups("shift", random_state=0)
    >>> len(ContrastBiclustering(max_columns=2).fit(X, y).patterns_[0].columns)
    2
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "max_columns": [COUNT],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
    }
    uses_labels = needs_labels = True
    _advice = "raise cut_distance or lower min_rows"
    cut_distance: float = 1.0
    max_columns: int = 8
    contrast_size: float = 2.0
    min_rows: int = 5
    max_seeds: int | None = 200
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        rng = check_random_state(self.random_state)
        starts = [start for label in by_size(y)[0] for start in self._starts(Z, y, label, rng)]
        tasks = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._grow)(Z, y, starts[first : first + SEEDS_PER_TASK])
            for first in range(0, len(starts), SEEDS_PER_TASK)
        )
        return list(dict.fromkeys(chain(*tasks))), len(starts)

    def _starts(
        self, Z: FloatArray, y: AnyArray, label: Any, rng: np.random.RandomState
    ) -> list[ClassSeed]:
        """Seeds of one class with row indices of ``Z``, or a sample of ``max_seeds`` of them."""
        rows = np.flatnonzero(y == label)
        row_sets, (starts,) = seeds(
            np.ascontiguousarray(Z[rows].T),
            [self.cut_distance],
            min(self.min_rows, len(rows)),
            self.n_jobs,
        )
        return [
            (label, rows[row_sets[number]], column)
            for number, column in sampled(starts, self.max_seeds, rng)
        ]

    def _grow(self, Z: FloatArray, y: AnyArray, starts: Sequence[ClassSeed]) -> list[Pattern]:
        found = []
        for label, rows, column in starts:
            others = np.flatnonzero(y != label)
            size = max(1, int(min(len(others), self.contrast_size * len(rows) + 0.5)))
            columns = np.sort(grow_against(Z[rows], Z[others], column, int(self.max_columns), size))
            found.append(Pattern(rows, columns, block_residue(Z, rows, columns)))
        return found
