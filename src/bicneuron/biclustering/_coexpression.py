"""Columns that go together in a part of one class only: SDC and Di-RAPOCC."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import block_residue, observed_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import COUNT, SEVERAL, BiclusterMiner
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
    sets with a measure of at least ``min_difference`` are found. A missing value supports no set.

    *Sourced:* the measure and the search, from what is known of G. Fang et al., "Subspace
    differential coexpression analysis" (PSB 2010). *Our reading:* of more than two classes each is
    held against all others, and the summary of the sets leaves out those within a larger one.

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
        Rows of one class that support a set, and its columns; the largest measure first.
    differences_ : array of shape (n_biclusters,)
        Their measures.
    classes_ : array of shape (n_classes,)
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

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
        "max_columns": [SEVERAL],
        "n_biclusters": [COUNT, None],
    }
    uses_labels = needs_labels = True
    takes_missing = True
    _advice = "lower min_difference or min_columns, or raise max_range"
    min_difference: float = 0.1
    max_range: float = 2.0
    min_columns: int = 3
    max_columns: int = 8
    n_biclusters: int | None = 100
    standardize: bool = True
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
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
        return [Pattern(r, c, observed_residue(Z[r][:, c])) for r, c in found], n_pairs

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
    return np.asarray(similar & (one * others > 0))


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


# Columns start in a cluster if their correlation with its first component is at least this.
LEAST_CORRELATION = 0.5
# A cluster with fewer columns is not bisected.
LEAST_COLUMNS = 4

# Rows of the class and columns, the signs of these, and the measure of the block.
SignedBlock: TypeAlias = tuple[IndexArray, IndexArray, IndexArray, float]


@dataclass(kw_only=True, eq=False, repr=False)
class DiRAPOCCBiclustering(BiclusterMiner):
    """Find columns that rise and fall together in rows of one class and not in the other rows.

    Each column is in one of k clusters, with or against the others of it, or in none. The clusters
    come from bisecting the columns of the class. Then each column goes where its residue from the
    mean profile is least, over the rows of the class whose values there agree, with a penalty if it
    follows the cluster in the other rows, too, and clusters that follow each other are merged,
    until nothing changes. A cluster is reported with the rows that agree.

    *Sourced:* bisection, signed states, reassignment, merging and pruning to a number, one search
    per class with a penalty for what coheres in the other, of O. Odibat, C. Reddy, "Efficient
    mining of discriminative co-clusters from gene expression data" (Knowledge and Information
    Systems 2014). *Our reading:* all costs and thresholds, the penalty, the measure that ranks, one
    group of rows for each cluster in place of a division of all rows.

    Parameters
    ----------
    n_column_clusters : int, default=5
        Clusters of columns of each class, the paper's kappa.
    max_residue : float, default=0.5
        Largest mean squared deviation of a column from its cluster, and of a row's values from
        their mean. Columns are standardised within the classes: one of noise has 1.
    min_difference : float, default=0.2
        Least difference between the share of the class that agrees and that of the other rows.
    min_rows : int, default=5
    min_columns : int, default=3
        Smaller biclusters are not reported.
    n_biclusters : int, default=10
        Report at most this many.
    max_iter : int, default=50
        Largest number of reassignments.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        Each has rows of one class; the largest difference first.
    signs_ : list of arrays
        1 and -1 for the columns of each bicluster that go with and against its first one.
    differences_ : array of shape (n_biclusters,)
        Share of the class that agrees, less that of the other rows.
    classes_ : array of shape (n_classes,)
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import DiRAPOCCBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 12)), np.repeat(["a", "b"], 40)
    >>> X[:40, 2:6] = rng.normal(size=(40, 1)) + 0.2 * rng.normal(size=(40, 4))
    >>> DiRAPOCCBiclustering().fit(X, y).patterns_[0].columns
    array([2, 3, 4, 5])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "n_column_clusters": [COUNT],
        "min_difference": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [COUNT],
    }
    uses_labels = needs_labels = True
    _advice = "raise max_residue or n_column_clusters, or lower min_difference or min_columns"
    n_column_clusters: int = 5
    max_residue: float = 0.5
    min_difference: float = 0.2
    min_rows: int = 5
    min_columns: int = 3
    n_biclusters: int = 10
    max_iter: int = 50
    standardize: bool = True
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        blocks: list[SignedBlock] = []
        n_started = 0
        for label in self.classes_:
            own = np.flatnonzero(y == label)
            A, B = _standard(Z[own]), _standard(Z[y != label])
            states = _bisected(A, int(self.n_column_clusters))
            n_started += len(_numbers(states))
            found = self._blocks(A, B, self._settled(A, B, states))
            blocks += [(own[r], columns, signs, least) for r, columns, signs, least in found]
        blocks.sort(key=lambda block: (-block[3], block[1].tolist()))
        best = blocks[: self.n_biclusters]
        self.signs_ = [signs for _, _, signs, _ in best]
        self.differences_ = np.array([difference for *_, difference in best])
        patterns = [Pattern(r, c, block_residue(Z, r, c)) for r, c, *_ in best]
        return patterns, n_started

    def _settled(self, A: FloatArray, B: FloatArray, states: IndexArray) -> IndexArray:
        """States of the columns when nothing changes any more, or after ``max_iter`` rounds."""
        after_rounds, first_round = [states], {states.tobytes(): 0}
        while len(after_rounds) <= self.max_iter:
            states = _merged(A, self._reassigned(A, B, states), float(self.max_residue))
            first = first_round.setdefault(states.tobytes(), len(after_rounds))
            if first < len(after_rounds):  # from here on the same states come again and again
                period = len(after_rounds) - first
                return after_rounds[first + (int(self.max_iter) - first) % period]
            after_rounds.append(states)
        return states

    def _reassigned(self, A: FloatArray, B: FloatArray, states: IndexArray) -> IndexArray:
        """The best state of each column, 0 if none has a small residue."""
        bound = float(self.max_residue)
        best, least = np.zeros(len(states), dtype=np.intp), np.full(len(states), bound)
        for number in _numbers(states):
            if np.count_nonzero(np.abs(states) == number) < self.min_columns:
                continue
            agrees = self._agrees(_signed(A, states, number))
            own = A[agrees] if agrees.sum() >= self.min_rows else A
            of_class, of_others = (_profiles(rows, states, number) for rows in (own, B))
            for sign in (1, -1):
                # What follows the cluster in the other rows, too, is penalised by how well it does.
                follows = bound - (sign * B - of_others).var(axis=0)
                cost = (sign * own - of_class).var(axis=0) + np.maximum(follows, 0.0)
                is_better = cost < least
                best[is_better], least[is_better] = sign * number, cost[is_better]
        return best

    def _blocks(self, A: FloatArray, B: FloatArray, states: IndexArray) -> list[SignedBlock]:
        """Clusters that more of the class agrees with than of the other rows."""
        found = []
        for number in _numbers(states):
            columns = np.flatnonzero(np.abs(states) == number)
            agreeing, others = (self._agrees(_signed(M, states, number)) for M in (A, B))
            difference = float(agreeing.mean() - others.mean())
            is_large = agreeing.sum() >= self.min_rows and len(columns) >= self.min_columns
            if is_large and difference >= self.min_difference:
                signs = np.sign(states[columns]) * np.sign(states[columns[0]])
                found.append((np.flatnonzero(agreeing), columns, signs, difference))
        return found

    def _agrees(self, signed: FloatArray) -> BoolArray:
        """Rows whose signed values are close to their mean."""
        return np.asarray(signed.var(axis=1) <= self.max_residue)


def _standard(rows: FloatArray) -> FloatArray:
    """Columns of mean 0 and variance 1, or 0 if constant."""
    centred = rows - rows.mean(axis=0)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 1e-12, spread, np.inf))


def _bisected(A: FloatArray, n_clusters: int) -> IndexArray:
    """Bisect the columns into clusters; each starts with those tied to its first component."""
    clusters = [np.arange(A.shape[1])]
    while len(clusters) < n_clusters:
        left_over = [
            np.square(np.linalg.svd(A[:, own], compute_uv=False)[1:]).sum()
            if len(own) >= LEAST_COLUMNS
            else 0.0
            for own in clusters
        ]
        widest = int(np.argmax(left_over))
        if left_over[widest] <= 0 or len(A) < 2:
            break
        own = clusters.pop(widest)
        _, sizes, loadings = np.linalg.svd(A[:, own], full_matrices=False)
        first, second = np.abs(sizes[:2, None] * loadings[:2])
        clusters += [own[first >= second], own[first < second]]
        clusters = [own for own in clusters if len(own)]
        if len(own) in map(len, clusters):  # it could not be divided
            break
    states = np.zeros(A.shape[1], dtype=np.intp)
    for number, own in enumerate(clusters, start=1):
        component = np.linalg.svd(A[:, own], full_matrices=False)[0][:, 0]
        correlation = component @ A[:, own] / np.sqrt(len(A))
        is_tied = np.abs(correlation) >= LEAST_CORRELATION
        states[own] = np.where(is_tied, np.sign(correlation) * number, 0)
    return states


def _numbers(states: IndexArray) -> list[int]:
    """Clusters that have columns."""
    return list(np.unique(np.abs(states[states != 0])).tolist())


def _signed(rows: FloatArray, states: IndexArray, number: int) -> FloatArray:
    """The columns of one cluster with their signs."""
    columns = np.flatnonzero(np.abs(states) == number)
    return rows[:, columns] * np.sign(states[columns])


def _profiles(rows: FloatArray, states: IndexArray, number: int) -> FloatArray:
    """Mean of the signed columns of a cluster for each column, without the column itself."""
    is_member = np.abs(states) == number
    total = _signed(rows, states, number).sum(axis=1, keepdims=True)
    own = np.where(is_member, rows * np.sign(states), 0.0)
    return np.asarray((total - own) / np.maximum(is_member.sum() - is_member, 1))


def _merged(rows: FloatArray, states: IndexArray, max_residue: float) -> IndexArray:
    """Give clusters with the same profile, or the opposite one, the same number."""
    states = states.copy()
    numbers = _numbers(states)
    for place, number in enumerate(numbers):
        for other in numbers[place + 1 :]:
            if {number, other} <= set(_numbers(states)):
                profile, of_other = (
                    _signed(rows, states, which).mean(axis=1) for which in (number, other)
                )
                for sign in (1, -1):
                    distance = (profile - sign * of_other).var()
                    if distance <= max_residue * min(profile.var(), of_other.var()):
                        is_other = np.abs(states) == other
                        states[is_other] = sign * np.sign(states[is_other]) * number
                        break
    return states
