"""Discriminative co-clustering with signs, after Di-RAPOCC."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern

# Columns start in a cluster if their correlation with its first component is at least this.
LEAST_CORRELATION = 0.5
# A cluster with fewer columns is not bisected.
LEAST_COLUMNS = 4


class _SignedBlock(NamedTuple):
    """Rows of the class and columns, the signs of these, and the measure of the block."""

    rows: IndexArray
    columns: IndexArray
    signs: IndexArray
    difference: float


@dataclass(kw_only=True, eq=False, repr=False)
class DiRAPOCCBiclustering(BiclusterMiner):
    """Find columns that rise and fall together in rows of one class and not in the other rows.

    Each column takes one of the states -k..k: in one of k clusters, with or against the others of
    it, or in none. The clusters come from bisecting the columns of the class. Then each column
    takes the state with the least residue from the mean profile of the cluster, over the rows of
    the class whose values there agree, and with a penalty if it follows the cluster in the other
    rows, too. Clusters that follow each other are merged, until nothing changes. A cluster is
    reported with the rows that agree, if these are a larger share of the class than of the others.

    *Sourced:* bisection, signed states of the columns, reassignment until nothing changes, merging,
    refinement, pruning to a number, one search per class with a penalty for what coheres in the
    other. *Our reading:* all costs and thresholds, the penalty, the measure that ranks, one
    group of rows for each cluster of columns in place of a division of all rows.

    Parameters
    ----------
    n_column_clusters : int, default=5
        Clusters of columns of each class, the paper's kappa.
    max_residue : float, default=0.5
        Largest mean squared deviation of a column from its cluster, and of a row's values from
        their mean. Columns are standardised within the classes, so that a column of noise has 1.
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
    n_seeds_ : int
        Number of clusters of columns that were started, in all classes.
    classes_ : array of shape (n_classes,)
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Notes
    -----
    It draws nothing at random. The columns that go together have to show in the leading components
    of the class; for a few among hundreds use `SDCBiclustering`. In noise it may report blocks of a
    few columns; a larger ``min_columns`` or ``min_difference`` excludes them.

    References
    ----------
    O. Odibat, C. Reddy, "Efficient mining of discriminative co-clusters from gene expression data",
    Knowledge and Information Systems 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import DiRAPOCCBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 12)), np.repeat(["a", "b"], 40)
    >>> X[:40, 2:6] = rng.normal(size=(40, 1)) + 0.2 * rng.normal(size=(40, 4))
    >>> X[:, 3] *= -1
    >>> miner = DiRAPOCCBiclustering().fit(X, y)
    >>> miner.patterns_[0].columns, miner.signs_[0]
    (array([2, 3, 4, 5]), array([ 1, -1,  1,  1]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "n_column_clusters": [Interval(Integral, 1, None, closed="left")],
        "min_difference": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    uses_labels = True
    needs_labels = True
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

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        blocks: list[_SignedBlock] = []
        n_started = 0
        for label in self.classes_:
            own = np.flatnonzero(y == label)
            A, B = _standard(Z[own]), _standard(Z[y != label])
            states = _bisected(A, int(self.n_column_clusters))
            n_started += len(_numbers(states))
            settled = self._settled(A, B, states)
            blocks += [
                block._replace(rows=own[block.rows]) for block in self._blocks(A, B, settled)
            ]
        blocks.sort(key=lambda block: (-block.difference, block.columns.tolist()))
        best = blocks[: self.n_biclusters]
        self.signs_ = [block.signs for block in best]
        self.differences_ = np.array([block.difference for block in best])
        return [
            Pattern(b.rows, b.columns, block_residue(Z, b.rows, b.columns)) for b in best
        ], n_started

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

    def _blocks(self, A: FloatArray, B: FloatArray, states: IndexArray) -> list[_SignedBlock]:
        """Clusters that more of the class agrees with than of the other rows."""
        found = []
        for number in _numbers(states):
            columns = np.flatnonzero(np.abs(states) == number)
            agreeing, others = (self._agrees(_signed(M, states, number)) for M in (A, B))
            difference = float(agreeing.mean() - others.mean())
            is_large = agreeing.sum() >= self.min_rows and len(columns) >= self.min_columns
            if is_large and difference >= self.min_difference:
                signs = np.sign(states[columns]) * np.sign(states[columns[0]])
                found.append(_SignedBlock(np.flatnonzero(agreeing), columns, signs, difference))
        return found

    def _agrees(self, signed: FloatArray) -> BoolArray:
        """Rows whose signed values are close to their mean."""
        spread = signed.var(axis=1)
        agrees: BoolArray = spread <= self.max_residue
        return agrees


def _standard(rows: FloatArray) -> FloatArray:
    """Columns of mean 0 and variance 1, or 0 if constant."""
    centred = rows - rows.mean(axis=0)
    spread = centred.std(axis=0)
    standard: FloatArray = centred / np.where(spread > 1e-12, spread, np.inf)
    return standard


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
    numbers: list[int] = np.unique(np.abs(states[states != 0])).tolist()
    return numbers


def _signed(rows: FloatArray, states: IndexArray, number: int) -> FloatArray:
    """The columns of one cluster with their signs."""
    columns = np.flatnonzero(np.abs(states) == number)
    return rows[:, columns] * np.sign(states[columns])


def _profiles(rows: FloatArray, states: IndexArray, number: int) -> FloatArray:
    """Mean of the signed columns of a cluster for each column, without the column itself."""
    is_member = np.abs(states) == number
    total = _signed(rows, states, number).sum(axis=1, keepdims=True)
    own = np.where(is_member, rows * np.sign(states), 0.0)
    profiles: FloatArray = (total - own) / np.maximum(is_member.sum() - is_member, 1)
    return profiles


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
