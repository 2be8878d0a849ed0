"""Biclusters that differ from the nearest rows of the other classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._contrast import grow_against
from bicneuron._core._residue import block_residue
from bicneuron._shared._checks import by_size
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._coherent import sampled, seeds
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern

# Number of seeds in a task. It does not depend on n_jobs.
SEEDS_PER_TASK = 16

Seed = tuple[Any, IndexArray, int]  # label, rows, column


@dataclass(kw_only=True, eq=False, repr=False)
class ContrastBiclustering(BiclusterMiner):
    """Find groups of one class, each with the columns that distinguish it from its contrast.

    Seeds are the clusters of the rows of one class on single columns, as in
    `bicneuron.CoherentBiclustering`. Growth uses the labels. The contrast of a group is the nearest
    rows of the other classes in the columns taken so far. Each step adds the column with the
    largest Fisher ratio between the group and its contrast, and then chooses the contrast again.

    It is made to be the ``miner`` of a `BicNeuronClassifier`, with ``max_ratio=float("inf")``: its
    groups need not be more coherent than their contrast. To find hidden groups of a class, use
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
    n_seeds_ : int
        Number of (row set, column) seeds.
    classes_ : array of shape (n_classes,)
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import ContrastBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 12)), np.repeat([0, 1], 30)
    >>> X[30:45, [2, 7]] += 4
    >>> miner = ContrastBiclustering(max_columns=2).fit(X, y)
    >>> any(list(found.columns) == [2, 7] for found in miner.patterns_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "max_columns": [Interval(Integral, 1, None, closed="left")],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
    }
    uses_labels = True
    needs_labels = True
    _advice = "raise cut_distance or lower min_rows"

    cut_distance: float = 1.0
    max_columns: int = 8
    contrast_size: float = 2.0
    min_rows: int = 5
    max_seeds: int | None = 200
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        rng = check_random_state(self.random_state)
        starts = [start for label in by_size(y)[0] for start in self._starts(Z, y, label, rng)]
        tasks = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._grow)(Z, y, starts[first : first + SEEDS_PER_TASK])
            for first in range(0, len(starts), SEEDS_PER_TASK)
        )
        return list(dict.fromkeys(chain(*tasks))), len(starts)

    def _starts(
        self, Z: FloatArray, y: AnyArray, label: Any, rng: np.random.RandomState
    ) -> list[Seed]:
        """Seeds of one class with row indices of ``Z``, or a sample of ``max_seeds`` of them."""
        rows = np.flatnonzero(y == label)
        row_sets, (columns_by_set,) = seeds(
            np.ascontiguousarray(Z[rows].T),
            [self.cut_distance],
            min(self.min_rows, len(rows)),
            self.n_jobs,
        )
        starts = [
            (number, column) for number, columns in columns_by_set.items() for column in columns
        ]
        return [
            (label, rows[row_sets[number]], column)
            for number, column in sampled(starts, self.max_seeds, rng)
        ]

    def _grow(self, Z: FloatArray, y: AnyArray, starts: Sequence[Seed]) -> list[Pattern]:
        found = []
        for label, rows, column in starts:
            others = np.flatnonzero(y != label)
            size = max(1, int(min(len(others), self.contrast_size * len(rows) + 0.5)))
            columns = np.sort(grow_against(Z[rows], Z[others], column, int(self.max_columns), size))
            found.append(Pattern(rows, columns, block_residue(Z, rows, columns)))
        return found
