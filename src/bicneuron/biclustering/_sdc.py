"""Subspace differential coexpression: columns that go together in a part of one class only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._range_support import Words, differential_pairs, join_sets, pair_rows
from bicneuron._core._residue import observed_residue
from bicneuron._shared._checks import check_classes
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern


class _Level(NamedTuple):
    """Sets of equally many columns, the rows that support them, and shares of the other rows."""

    sets: IndexArray
    words: Words
    other_shares: FloatArray


@dataclass(kw_only=True, eq=False, repr=False)
class SDCBiclustering(BiclusterMiner):
    """Find all sets of columns that agree in many rows of one class and few of the others.

    A row *supports* a set of columns if its standardised values there have one sign and differ by
    at most ``max_range`` times the smallest. The measure of a set is the share of the class that
    supports it, less the largest share of the other rows that supports any pair of its columns. All
    sets with a measure of at least ``min_difference`` are found, by an exact search level by level.
    The means of the classes may be the same, and a part of the class may be enough.

    *Sourced:* the measure and the search, from what is known of the paper. *Our reading:* of more
    than two classes each is held against all others, and the summary of the sets is to leave out
    those within a larger one.

    Parameters
    ----------
    min_difference : float, default=0.1
        Smallest measure of a set, the paper's d; above 0 and at most 1.
    max_range : float, default=2.0
        Largest difference of the values of a row, as a multiple of the smallest, the paper's alpha.
    min_columns : int, default=3
        Smaller sets are not reported.
    max_columns : int, default=8
        Larger sets are not searched.
    n_biclusters : int, default=100
        Report at most this many, those with the largest measure; None for all.
    max_candidates : int, default=2_000_000
        It is an error if a level of the search has more candidates.
    standardize : bool, default=True
        Search the column z-scores. Signs count, so columns should be centred.
    n_jobs : int, default=None
        Ignored.

    Attributes
    ----------
    patterns_ : list of Pattern
        Rows of one class that support a set, and its columns; the largest measure first. A set
        within a larger one of the same class is left out.
    differences_ : array of shape (n_biclusters,)
        Their measures.
    n_seeds_ : int
        Number of pairs of columns that reach ``min_difference``, in all classes.
    classes_ : array of shape (n_classes,)
    rows_, columns_ : bool arrays of shape (n_biclusters, n_rows) and (n_biclusters, n_columns)
    biclusters_ : tuple of ``rows_`` and ``columns_``
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Notes
    -----
    The result is exact and draws nothing at random. A missing value supports no set. Where four of
    200 columns have a correlation of 0.8 in one class of 100 rows and of 0 in the other, all four
    are found with ``min_difference=0.05, max_range=4``, and in 17 of 20 tables no others.

    References
    ----------
    G. Fang, R. Kuang, G. Pandey, M. Steinbach, C. Myers, V. Kumar, "Subspace differential
    coexpression analysis: problem definition and a general approach", PSB 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import SDCBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 10)), np.repeat(["a", "b"], 40)
    >>> X[:40, 2:6] = rng.normal(size=(40, 1)) + 0.2 * rng.normal(size=(40, 4))
    >>> SDCBiclustering().fit(X, y).patterns_[0].columns
    array([2, 3, 4, 5])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "min_difference": [Interval(Real, 0, 1, closed="right")],
        "max_range": [Interval(Real, 0, None, closed="left")],
        "min_columns": [Interval(Integral, 2, None, closed="left")],
        "max_columns": [Interval(Integral, 2, None, closed="left")],
        "n_biclusters": [Interval(Integral, 1, None, closed="left"), None],
        "max_candidates": [Interval(Integral, 1, None, closed="left")],
    }

    uses_labels = True
    needs_labels = True
    takes_missing = True
    _advice = "lower min_difference or min_columns, or raise max_range"

    min_difference: float = 0.1
    max_range: float = 2.0
    min_columns: int = 3
    max_columns: int = 8
    n_biclusters: int | None = 100
    max_candidates: int = 2_000_000
    standardize: bool = True
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: AnyArray | None) -> tuple[Sequence[Pattern], int]:
        y = np.asarray(y)
        self.classes_, _ = check_classes(y)
        n_pairs = 0
        scored: list[tuple[float, int, tuple[int, ...], IndexArray]] = []
        for number, label in enumerate(self.classes_):
            rows = np.flatnonzero(y == label)
            own = np.ascontiguousarray(Z[rows].T)
            other = np.ascontiguousarray(Z[y != label].T)
            supersets: set[tuple[int, ...]] = set()  # columns of sets within the level above
            levels = list(self._levels(own, other))
            n_pairs += len(levels[0].sets)
            for level in reversed(levels):
                bits = np.unpackbits(
                    level.words.astype("<u8").view(np.uint8), axis=1, bitorder="little"
                )[:, : len(rows)]
                measures = bits.sum(axis=1) / len(rows) - level.other_shares
                names = [tuple(columns) for columns in level.sets.tolist()]
                if level.sets.shape[1] >= self.min_columns:
                    scored += [
                        (-measure, number, columns, rows[supporting == 1])
                        for columns, measure, supporting in zip(
                            names, measures.tolist(), bits, strict=True
                        )
                        if columns not in supersets
                    ]
                supersets = {
                    part for columns in names for part in combinations(columns, len(columns) - 1)
                }
        scored.sort(key=lambda one: one[:3])
        best = scored[: self.n_biclusters]
        self.differences_ = np.array([-one[0] for one in best])
        return [
            Pattern(rows, np.array(columns), observed_residue(Z[rows][:, columns]))
            for _, _, columns, rows in best
        ], n_pairs

    def _levels(self, own: FloatArray, other: FloatArray) -> Iterator[_Level]:
        """Sets of two columns, then of three and so on, while there are any."""
        least, max_range = float(self.min_difference), float(self.max_range)
        pairs, shares = differential_pairs(own, other, max_range, least)
        self._check_number(len(pairs), 2)
        level = _Level(pairs, pair_rows(own, pairs, max_range), shares)
        starts = np.searchsorted(pairs[:, 0], np.arange(len(own) + 1))
        pair_of = starts, np.ascontiguousarray(pairs[:, 1]), level.words, shares
        yield level
        for size in range(3, self.max_columns + 1):
            self._check_number(_n_joins(level.sets), size)
            level = _Level(*join_sets(*level, pair_of, own.shape[1], least))
            if not len(level.sets):
                break
            yield level

    def _check_number(self, n_candidates: int, size: int) -> None:
        if n_candidates > self.max_candidates:
            raise ValueError(
                f"{n_candidates} candidate sets of {size} columns exceed max_candidates="
                f"{self.max_candidates}; raise min_difference, or lower max_range or max_columns."
            )


def _n_joins(sets: IndexArray) -> int:
    """Number of pairs of sets that differ in their last column only."""
    if not len(sets):
        return 0
    is_new = np.any(np.diff(sets[:, :-1], axis=0) != 0, axis=1)
    sizes = np.diff(np.flatnonzero(np.r_[True, is_new, True]))
    return int((sizes * (sizes - 1) // 2).sum())
