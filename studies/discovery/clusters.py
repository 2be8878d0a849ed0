"""Rivals: clusters of the cases on the most variable columns."""

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.rows import MIN_ROWS, case_rows
from studies.discovery.t_test import largest, t_statistics

MOST_VARIABLE = (100, 500)
N_CLUSTERS = range(2, 9)
# Principal components that a mixture is fitted to: there are too few rows for more.
N_COMPONENTS = 10
# Clusters that share more of their rows are copies of each other.
COPIES = 0.75


def k_means(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Clusters of k-means for several k and numbers of columns, the clearest first."""

    def divide(Z: FloatArray, k: int) -> IndexArray:
        labels: IndexArray = KMeans(k, n_init=10, random_state=0).fit_predict(Z)
        return labels

    return _ranked(X, _clusters(X, y, divide), n_columns)


def gaussian_mixture(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Components of Gaussian mixtures on principal components, the clearest first."""

    def divide(Z: FloatArray, k: int) -> IndexArray:
        scores = PCA(min(N_COMPONENTS, *Z.shape), random_state=0).fit_transform(Z)
        mixture = GaussianMixture(k, covariance_type="diag", n_init=5, random_state=0)
        labels: IndexArray = mixture.fit_predict(scores)
        return labels

    return _ranked(X, _clusters(X, y, divide), n_columns)


def most_variable(X: FloatArray, rows: IndexArray, how_many: int) -> tuple[FloatArray, IndexArray]:
    """Centred values of the columns that vary most within the rows, and these columns.

    They are not scaled, because a group increases the variance of its columns.
    """
    columns = largest(X[rows].var(axis=0), how_many)
    chosen = X[np.ix_(rows, columns)]
    return chosen - chosen.mean(axis=0), columns


def _clusters(
    X: FloatArray, y: AnyArray | None, divide: Callable[[FloatArray, int], IndexArray]
) -> Iterator[IndexArray]:
    """Rows of each cluster that is large enough."""
    rows = case_rows(X, y)
    for how_many in MOST_VARIABLE:
        Z, _ = most_variable(X, rows, how_many)
        for k in N_CLUSTERS:
            labels = divide(Z, k)
            for label in range(k):
                members = rows[labels == label]
                if MIN_ROWS <= len(members) < len(X):
                    yield members


def _ranked(X: FloatArray, clusters: Iterator[IndexArray], n_columns: int) -> list[BlockLike]:
    """Clusters with their best columns, by the mean t of these; copies go to the end."""
    scored = []
    for rows in clusters:
        inside = np.zeros(len(X), dtype=bool)
        inside[rows] = True
        sizes = np.abs(t_statistics(X, inside))
        columns = largest(sizes, n_columns)
        scored.append((float(sizes[columns].mean()), rows, columns))
    # Two clusters that are all rows have the same t: the smaller one is the group.
    scored.sort(key=lambda cluster: (-round(cluster[0], 9), len(cluster[1])))
    distinct: list[BlockLike] = []
    copies: list[BlockLike] = []
    kept: list[set[int]] = []
    for _, rows, columns in scored:
        own = set(rows.tolist())
        if any(len(own & other) > COPIES * len(own | other) for other in kept):
            copies.append((rows, columns))
        else:
            kept.append(own)
            distinct.append((rows, columns))
    return distinct + copies
