"""Information-theoretic co-clustering."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner, non_negative
from bicneuron.patterns import Pattern

# Stands for the logarithm of 0: no line goes to a cluster that excludes one of its entries.
NEVER = -1e9
# Sweeps end when the loss falls by less.
TOLERANCE = 1e-12


@dataclass(kw_only=True, eq=False, repr=False)
class InformationCoclustering(BiclusterMiner):
    """Divide rows and columns into clusters with the most mutual information (Dhillon 2003).

    The table over its sum is a joint distribution of rows and columns. Rows and columns are
    reassigned to clusters in turn, so that the mutual information that is lost when lines are
    replaced by clusters never rises. Of ``n_init`` starts the one with the least loss is kept.

    It is made for counts and other values of one unit that are not negative. Of negative values the
    smallest is subtracted from all. Rows and columns of zeros belong to no cluster.

    *Sourced:* the algorithm. *Our reading:* the shift, random starts, and that a bicluster is a
    cluster of rows with one of columns that occur together more often than independent ones would.

    Parameters
    ----------
    n_row_clusters, n_column_clusters : int, default=3
        Clusters, at most as many as there are lines; those that become empty are lost.
    n_init : int, default=10
        Number of random starts.
    max_iter : int, default=100
        Largest number of sweeps of a start.
    min_rows, min_columns : int, default=2
        Smaller biclusters are not reported.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        Those that share most information first.
    row_labels_, column_labels_ : arrays of shape (n_rows,) and (n_columns,)
        Cluster of each row and column, -1 for those of zeros.
    information_loss_ : float
        Mutual information of rows and columns less that of their clusters, in nats.
    losses_ : array of shape (n_sweeps + 1,)
        The loss at the start and after each sweep.
    n_seeds_ : int
        Number of starts.
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    References
    ----------
    I. Dhillon, S. Mallela, D. Modha, "Information-theoretic co-clustering", KDD 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import InformationCoclustering
    >>> counts = np.kron(np.eye(2), np.ones((4, 3))) * 5 + 1
    >>> miner = InformationCoclustering(n_row_clusters=2, n_column_clusters=2, random_state=0)
    >>> [found.shape for found in miner.fit(counts).patterns_]
    [(4, 3), (4, 3)]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "n_row_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_column_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "min_rows": [Interval(Integral, 1, None, closed="left")],
        "min_columns": [Interval(Integral, 1, None, closed="left")],
    }
    _advice = "change n_row_clusters or n_column_clusters, or lower min_rows or min_columns"

    n_row_clusters: int = 3
    n_column_clusters: int = 3
    n_init: int = 10
    max_iter: int = 100
    min_rows: int = 2
    min_columns: int = 2
    standardize: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        table, rows, columns = non_negative(Z)
        self.row_labels_ = np.full(len(Z), -1)
        self.column_labels_ = np.full(Z.shape[1], -1)
        self.losses_, self.information_loss_ = np.zeros(1), 0.0
        if not table.size:
            return [], 0
        joint = table / table.sum()
        rng = check_random_state(self.random_state)
        starts = [self._divide(joint, rng) for _ in range(self.n_init)]
        # Rounded, so that of equally good starts the first is kept.
        row_labels, column_labels, self.losses_ = min(starts, key=lambda s: round(s[2][-1], 9))
        self.information_loss_ = float(self.losses_[-1])
        self.row_labels_[rows], self.column_labels_[columns] = row_labels, column_labels
        clustered = _clustered(joint, row_labels, column_labels, self._n_clusters(joint))
        return self._blocks(Z, clustered), len(starts)

    def _n_clusters(self, joint: FloatArray) -> tuple[int, int]:
        """Numbers of clusters of rows and of columns, not more than there are."""
        n_rows, n_columns = joint.shape
        return min(int(self.n_row_clusters), n_rows), min(int(self.n_column_clusters), n_columns)

    def _divide(
        self, joint: FloatArray, rng: np.random.RandomState
    ) -> tuple[IndexArray, IndexArray, FloatArray]:
        """Labels of rows and columns from one start, and the losses on the way."""
        n_rows, n_columns = joint.shape
        shape = self._n_clusters(joint)
        row_labels = rng.permutation(np.arange(n_rows) % shape[0])
        column_labels = rng.permutation(np.arange(n_columns) % shape[1])
        everything = _information(joint)
        losses = [everything - _information(_clustered(joint, row_labels, column_labels, shape))]
        for _ in range(self.max_iter):
            row_labels = _reassign(joint, row_labels, column_labels, shape)
            column_labels = _reassign(joint.T, column_labels, row_labels, shape[::-1])
            clustered = _clustered(joint, row_labels, column_labels, shape)
            losses.append(everything - _information(clustered))
            if losses[-2] - losses[-1] < TOLERANCE:
                break
        return row_labels, column_labels, np.array(losses)

    def _blocks(self, Z: FloatArray, clustered: FloatArray) -> list[Pattern]:
        """Pairs of clusters that occur together more often than independent ones."""
        expected = np.outer(clustered.sum(axis=1), clustered.sum(axis=0))
        gains = _entropy_terms(clustered, expected)
        found = []
        for place in np.argsort(-gains, axis=None, kind="stable").tolist():
            r, c = divmod(place, gains.shape[1])
            rows = np.flatnonzero(self.row_labels_ == r)
            columns = np.flatnonzero(self.column_labels_ == c)
            is_large = len(rows) >= self.min_rows and len(columns) >= self.min_columns
            if is_large and gains[r, c] > TOLERANCE:
                found.append(Pattern(rows, columns, block_residue(Z, rows, columns)))
        return found


def _clustered(
    joint: FloatArray, row_labels: IndexArray, column_labels: IndexArray, shape: tuple[int, int]
) -> FloatArray:
    """Joint distribution of the clusters."""
    return np.eye(shape[0])[row_labels].T @ joint @ np.eye(shape[1])[column_labels]


def _reassign(
    joint: FloatArray, labels: IndexArray, other_labels: IndexArray, shape: tuple[int, int]
) -> IndexArray:
    """Move each row to the row cluster with the nearest distribution over the column clusters."""
    by_column_cluster = joint @ np.eye(shape[1])[other_labels]
    clusters = np.eye(shape[0])[labels].T @ by_column_cluster
    totals = clusters.sum(axis=1, keepdims=True)
    logarithms = np.full(shape, NEVER)
    shares = np.divide(clusters, totals, out=np.zeros(shape), where=totals > 0)
    np.log(shares, out=logarithms, where=shares > 0)
    fits = by_column_cluster @ logarithms.T
    best = fits.argmax(axis=1)
    # A row stays where it is unless another cluster is truly better.
    every = np.arange(len(labels))
    is_better = fits[every, best] > fits[every, labels] + 1e-15
    return np.where(is_better, best, labels)


def _information(joint: FloatArray) -> float:
    """Mutual information of rows and columns, in nats."""
    return float(_entropy_terms(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum())


def _entropy_terms(joint: FloatArray, expected: FloatArray) -> FloatArray:
    """``p log(p / q)``, with 0 for p = 0."""
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    return joint * np.log(ratio)
