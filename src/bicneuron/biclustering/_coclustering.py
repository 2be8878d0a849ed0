"""Division of rows and columns of values that are not negative: by information, or spectral."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.cluster import SpectralCoclustering
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import HasMethods
from bicneuron.biclustering._miner import COUNT, BiclusterMiner
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

    *Sourced:* the algorithm, of I. Dhillon, S. Mallela, D. Modha, "Information-theoretic
    co-clustering" (KDD 2003). *Our reading:* of negative values the smallest is subtracted from
    all, the starts are random, and a bicluster is a cluster of rows with one of columns that occur
    together more often than independent ones would. Rows and columns of zeros are in no cluster.

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
    losses_ : array of shape (n_sweeps + 1,)
        Mutual information of rows and columns less that of their clusters, in nats, at the start
        and after each sweep.
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

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
        **{name: [COUNT] for name in ("n_row_clusters", "n_column_clusters", "n_init")},
        **{name: [COUNT] for name in ("max_iter", "min_rows", "min_columns")},
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

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        table, rows, columns = non_negative(Z)
        self.row_labels_ = np.full(len(Z), -1)
        self.column_labels_ = np.full(Z.shape[1], -1)
        self.losses_ = np.zeros(1)
        if not table.size:
            return [], 0
        joint = table / table.sum()
        rng = check_random_state(self.random_state)
        wanted = int(self.n_row_clusters), int(self.n_column_clusters)
        shape = min(wanted[0], len(joint)), min(wanted[1], joint.shape[1])
        starts = [self._divide(joint, shape, rng) for _ in range(self.n_init)]
        # Rounded, so that of equally good starts the first is kept.
        row_labels, column_labels, self.losses_ = min(starts, key=lambda s: round(s[2][-1], 9))
        self.row_labels_[rows], self.column_labels_[columns] = row_labels, column_labels
        # Pairs of clusters that occur together more often than independent ones.
        clustered = _clustered(joint, row_labels, column_labels, shape)
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
        return found, len(starts)

    def _divide(
        self, joint: FloatArray, shape: tuple[int, int], rng: np.random.RandomState
    ) -> tuple[IndexArray, IndexArray, FloatArray]:
        """Labels of rows and columns from one start, and the losses on the way."""
        row_labels, column_labels = (
            rng.permutation(np.arange(n) % k) for n, k in zip(joint.shape, shape, strict=True)
        )
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


def non_negative(Z: FloatArray) -> tuple[FloatArray, IndexArray, IndexArray]:
    """Subtract the smallest value if it is negative, and drop rows and columns that are then 0."""
    shifted = Z - min(float(Z.min()), 0.0)
    rows, columns = np.flatnonzero(shifted.any(axis=1)), np.flatnonzero(shifted.any(axis=0))
    return shifted[np.ix_(rows, columns)], rows, columns


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptedBiclustering(BiclusterMiner):
    """Use a biclustering estimator of scikit-learn as a miner.

    Any estimator whose ``fit`` sets ``biclusters_``, such as ``SpectralCoclustering`` (Dhillon
    2001) and ``SpectralBiclustering`` (Kluger et al. 2003). Both take no negative values: the
    smallest is subtracted (*our reading*), and rows and columns of zeros are left out.

    Parameters
    ----------
    estimator : estimator or None, default=None
        None stands for ``SpectralCoclustering()``. Its ``random_state`` is the seed.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        In the order of the estimator; those without rows or columns are left out.
    estimator_ : estimator
        Fitted.
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from sklearn.cluster import SpectralBiclustering
    >>> from sklearn.datasets import make_biclusters
    >>> from bicneuron.biclustering import AdaptedBiclustering
    >>> X, rows, columns = make_biclusters((30, 20), 3, random_state=0)
    >>> estimator = SpectralBiclustering(n_clusters=(3, 2), random_state=0)
    >>> len(AdaptedBiclustering(estimator=estimator).fit(X).patterns_)
    6
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "estimator": [HasMethods(["fit", "get_params"]), None],
    }
    _advice = "give the estimator other parameters"
    estimator: Any = None
    standardize: bool = False
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        table, rows, columns = non_negative(Z)
        if min(table.shape) < 2:
            raise ValueError(
                f"n_samples={len(rows)}, n_features={len(columns)} of X have values other than its "
                "smallest; two of each are needed."
            )
        given = SpectralCoclustering() if self.estimator is None else clone(self.estimator)
        self.estimator_ = given.fit(table)
        masks = list(zip(*self.estimator_.biclusters_, strict=True))
        found = [(rows[own], columns[own_columns]) for own, own_columns in masks]
        whole = [one for one in found if all(map(len, one))]
        return [Pattern(r, c, block_residue(Z, r, c)) for r, c in whole], len(found)
