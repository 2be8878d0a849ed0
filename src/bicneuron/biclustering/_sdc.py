"""Subspace differential coexpression: columns that go together in a part of one class only."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from numbers import Integral, Real
from typing import Any, ClassVar, TypeAlias

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import observed_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern

MAX_CANDIDATES = 2_000_000  # of a level; more are an error

# Sets of equally many columns, in order; the rows that support each, as bits of an integer, and the
# largest share of the other rows that supports a pair of it.
Level: TypeAlias = dict[tuple[int, ...], tuple[int, float]]


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
    {shared}

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
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Notes
    -----
    The result is exact and draws nothing at random. A missing value supports no set. Signs count,
    so columns should be centred.

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
        "max_columns": [Interval(Integral, 2, None, closed="left")],
        "n_biclusters": [Interval(Integral, 1, None, closed="left"), None],
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
    standardize: bool = True
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        n_pairs = 0
        scored: list[tuple[float, int, tuple[int, ...], int]] = []
        for number, label in enumerate(self.classes_):
            own = np.ascontiguousarray(Z[y == label].T)
            levels = list(self._levels(own, np.ascontiguousarray(Z[y != label].T)))
            n_pairs += len(levels[0])
            parts: set[tuple[int, ...]] = set()  # of the sets of the level above
            for level in reversed(levels):
                scored += [
                    (against - rows.bit_count() / own.shape[1], number, columns, rows)
                    for columns, (rows, against) in level.items()
                    if len(columns) >= self.min_columns and columns not in parts
                ]
                parts = {
                    part for columns in level for part in combinations(columns, len(columns) - 1)
                }
        scored.sort(key=lambda one: one[:3])
        best = scored[: self.n_biclusters]
        self.differences_ = np.array([-one[0] for one in best])
        found = [
            (np.flatnonzero(y == self.classes_[number])[_places(rows)], np.array(columns))
            for _, number, columns, rows in best
        ]
        return [
            Pattern(rows, columns, observed_residue(Z[rows][:, columns])) for rows, columns in found
        ], n_pairs

    def _levels(self, own: FloatArray, other: FloatArray) -> Iterator[Level]:
        """Sets of two columns, then of three and so on, while there are any."""
        least, max_range = float(self.min_difference), float(self.max_range)
        level = pairs = differential_pairs(own, other, max_range, least)
        _check_number(len(pairs), 2)
        yield level
        for size in range(3, self.max_columns + 1):
            counts = Counter(columns[:-1] for columns in level).values()
            _check_number(sum(count * (count - 1) // 2 for count in counts), size)
            level = join_sets(level, pairs, own.shape[1], least)
            if not level:
                break
            yield level


def differential_pairs(own: FloatArray, other: FloatArray, max_range: float, least: float) -> Level:
    """Pairs of columns with a measure of at least ``least``; both tables have columns as lines."""
    pairs: Level = {}
    for first in range(len(own)):
        supporting = supports(own, first, max_range)
        against = supports(other, first, max_range).sum(axis=1) / other.shape[1]
        measures = supporting.sum(axis=1) / own.shape[1] - against
        for k in np.flatnonzero(measures >= least).tolist():
            rows = np.packbits(supporting[k], bitorder="little").tobytes()
            pairs[first, first + 1 + k] = int.from_bytes(rows, "little"), float(against[k])
    return pairs


def supports(columns_of: FloatArray, first: int, max_range: float) -> BoolArray:
    """Rows where a column and each later one have one sign and similar sizes."""
    one, others = columns_of[first], columns_of[first + 1 :]
    size, sizes = np.abs(one), np.abs(others)
    similar = np.abs(size - sizes) <= max_range * np.minimum(size, sizes)
    both: BoolArray = similar & (one * others > 0)
    return both


def join_sets(level: Level, pairs: Level, n_rows: int, least: float) -> Level:
    """All sets with one column more that reach ``least``: the measure never rises with a column."""
    larger: Level = {}
    for _, group in groupby(level.items(), key=lambda item: item[0][:-1]):
        for (left, (rows, share)), (right, (other_rows, other_share)) in combinations(group, 2):
            pair_rows, pair_share = pairs.get((left[-1], right[-1]), (0, np.inf))
            common, against = rows & other_rows & pair_rows, max(share, other_share, pair_share)
            if common.bit_count() / n_rows - against >= least:
                larger[*left, right[-1]] = common, against
    return larger


def _places(rows: int) -> IndexArray:
    """Places of the bits that are set."""
    return np.array([place for place in range(rows.bit_length()) if rows >> place & 1], np.intp)


def _check_number(n_candidates: int, size: int) -> None:
    if n_candidates > MAX_CANDIDATES:
        raise ValueError(
            f"{n_candidates} candidate sets of {size} columns exceed {MAX_CANDIDATES}; raise "
            "min_difference, or lower max_range or max_columns."
        )
