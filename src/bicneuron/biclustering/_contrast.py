"""Biclusters that set themselves apart from the nearest rows of the other classes."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._contrast_growth import grow_against
from bicneuron._core._residue import block_residue
from bicneuron._sklearn._compat import Interval
from bicneuron.biclustering._bicluster import Bicluster
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.biclustering._seeds import seeds

# Seeds per task: independent of n_jobs.
TASK = 16

Seed = tuple[Any, IndexArray, int]


class ContrastBiclustering(BiclusterMiner):
    """Find groups of one class, each with the columns that tell it from its contrast.

    Seeds are the clusters of the rows of one class on single columns, as in
    `CoherentBiclustering`. Growth sees the labels: the column with the largest Fisher ratio between
    the group and its contrast (the nearest rows of the other classes in the columns so far) joins
    next, and the contrast is chosen anew.

    Parameters
    ----------
    cut_distance : float, default=1.0
        T_d: height at which the dendrogram of a column is cut, in units of the (standardised)
        columns.
    max_columns : int, default=8
        Columns of a bicluster, or all there are.
    contrast_size : float, default=2.0
        Rows of the contrast as a multiple of those of the bicluster.
    min_rows : int, default=5
        Smaller clusters are no seeds.
    max_seeds : int, default=200
        Grow from at most so many seeds of each class, a random sample; None grows from all.
    standardize : bool, default=True
        Search the column z-scores.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample that ``max_seeds`` takes.

    Attributes
    ----------
    found_ : list of Bicluster
        Each with rows of one class; class by class, in the order of the seeds.
    n_seeds_ : int
        Number of (row set, column) seeds.
    classes_ : array of shape (n_classes,)
    rows_, columns_ : bool arrays of shape (n_biclusters, n_rows) and (n_biclusters, n_columns)
    biclusters_ : tuple of ``rows_`` and ``columns_``
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron import ContrastBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 12)), np.repeat([0, 1], 30)
    >>> X[30:45, [2, 7]] += 4
    >>> miner = ContrastBiclustering(max_columns=2).fit(X, y)
    >>> any(list(found.columns) == [2, 7] for found in miner.found_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "cut_distance": [Interval(Real, 0, None, closed="left")],
        "max_columns": [Interval(Integral, 1, None, closed="left")],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
        "min_rows": [Interval(Integral, 2, None, closed="left")],
        "max_seeds": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        cut_distance: float = 1.0,
        max_columns: int = 8,
        contrast_size: float = 2.0,
        min_rows: int = 5,
        max_seeds: int | None = 200,
        standardize: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.cut_distance = cut_distance
        self.max_columns = max_columns
        self.contrast_size = contrast_size
        self.min_rows = min_rows
        self.max_seeds = max_seeds
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _mine(self, Z: FloatArray, y: AnyArray | None) -> tuple[Sequence[Bicluster], int]:
        y = np.asarray(y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_.tolist()[0]!r}; two are needed.")
        rng = check_random_state(self.random_state)
        starts = [start for label in self.classes_ for start in self._starts(Z, y, label, rng)]
        parts = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._grow)(Z, y, starts[first : first + TASK])
            for first in range(0, len(starts), TASK)
        )
        found = {bicluster: None for part in parts for bicluster in part}
        return list(found), len(starts)

    def _starts(
        self, Z: FloatArray, y: AnyArray, label: Any, rng: np.random.RandomState
    ) -> list[Seed]:
        """Seeds of one class: its label, rows of the whole matrix and the column they come from."""
        rows = np.flatnonzero(y == label)
        row_sets, (shown_by,) = seeds(
            np.ascontiguousarray(Z[rows].T),
            [self.cut_distance],
            min(self.min_rows, len(rows)),
            self.n_jobs,
        )
        starts = [
            (label, rows[row_sets[number]], column)
            for number, columns in shown_by.items()
            for column in columns
        ]
        if self.max_seeds is None or len(starts) <= self.max_seeds:
            return starts
        drawn = np.sort(rng.choice(len(starts), self.max_seeds, replace=False))
        return [starts[k] for k in drawn]

    def _grow(self, Z: FloatArray, y: AnyArray, starts: Sequence[Seed]) -> list[Bicluster]:
        found = []
        for label, rows, column in starts:
            others = np.flatnonzero(y != label)
            size = min(len(others), max(1, int(self.contrast_size * len(rows) + 0.5)))
            taken = grow_against(Z[rows], Z[others], column, int(self.max_columns), size)
            columns = np.sort(taken)
            found.append(Bicluster(rows, columns, block_residue(Z, rows, columns)))
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
