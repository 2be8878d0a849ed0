"""Clusters of hierarchical trees, from which the search for groups starts."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray

# Columns that trees are built on, and components that choose them.
TREE_COLUMNS, TREE_COMPONENTS = (500, 2000), 20


def tree_clusters(
    Z: Float32Array, pools: list[BoolArray], fewest: int, most: int, n_jobs: int | None
) -> list[BoolArray]:
    """Clusters of Ward trees of some pools of rows, neither too small nor too large."""
    leading = np.linalg.eigh(Z @ Z.T)[1][:, ::-1][:, :TREE_COMPONENTS]
    explained = np.square(leading.T @ Z).sum(axis=0)
    order = np.argsort(-explained, kind="stable")
    sizes = dict.fromkeys(min(count, Z.shape[1]) for count in TREE_COLUMNS)
    columns = [np.sort(order[:size]) for size in sizes]
    found = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_clusters)(Z, np.flatnonzero(pool), own, fewest, most)
        for pool, own in product(pools, columns)
    )
    step = len(columns)
    return [np.concatenate(found[k : k + step]) for k in range(0, len(found), step)]


def _clusters(
    Z: Float32Array, rows: IndexArray, columns: IndexArray, fewest: int, most: int
) -> BoolArray:
    tree = linkage(_distances(Z[np.ix_(rows, columns)].astype(np.float64)), "ward")
    clusters: list[BoolArray] = []
    for members in _merged(tree, rows):
        if fewest <= len(members) <= most:
            clusters.append(np.zeros(len(Z), dtype=bool))
            clusters[-1][members] = True
    return np.array(clusters, dtype=bool).reshape(-1, len(Z))


def _merged(tree: FloatArray, rows: IndexArray) -> Iterator[list[int]]:
    """Rows of the clusters in the order in which they are made."""
    members = [[row] for row in rows.tolist()]
    for left, right, *_ in tree:
        members.append(members[int(left)] + members[int(right)])
        yield members[-1]


def _distances(A: FloatArray) -> FloatArray:
    """Euclidean distances of rows, in the order that `linkage` takes; one matrix product."""
    products = A @ A.T
    squares = np.diag(products)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0.0))
    condensed: FloatArray = squareform(distances, checks=False)
    return condensed
