"""Seeds: clusters of the rows on single columns (step 1 of the miner)."""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import starts_of
from bicneuron._core._linkage1d import clusters_of_columns

# Number of values that a task sorts. It does not depend on n_jobs.
VALUES_PER_TASK = 2**18
# With fewer rows one thread is used: most of the time is then spent in Python, not in sorting.
MIN_ROWS_FOR_THREADS = 2**12


def seeds(
    columns_of: FloatArray, cut_distances: Sequence[float], min_rows: int, n_jobs: int | None = None
) -> tuple[list[IndexArray], list[dict[int, list[int]]]]:
    """Cluster the rows on each single column, at several cuts of its dendrogram.

    Parameters
    ----------
    columns_of : float64 array of shape (n_columns, n_rows), C order
    cut_distances : sequence of float
    min_rows : int
        Smaller clusters are left out.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    row_sets : list of arrays
        Distinct clusters.
    columns_by_set : list of dicts
        For each cut, the columns with each row set, by its position in ``row_sets``.
    """
    n_columns, n_rows = columns_of.shape
    size = max(1, VALUES_PER_TASK // n_rows)
    # A generator: all clusters together would be as large as the matrix.
    n_jobs = n_jobs if n_rows >= MIN_ROWS_FOR_THREADS else 1
    tasks = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(_clusters)(columns_of[first : first + size], cut_distances, min_rows)
        for first in range(0, n_columns, size)
    )
    numbers: dict[bytes, int] = {}
    row_sets: list[IndexArray] = []
    columns_by_set: list[dict[int, list[int]]] = [{} for _ in cut_distances]
    for first, clusters in zip(range(0, n_columns, size), tasks, strict=True):
        for column, cut, key, rows in clusters:
            number = numbers.setdefault(key, len(row_sets))
            if number == len(row_sets):
                row_sets.append(rows.copy())  # a view would keep the whole task in memory
            columns_by_set[cut].setdefault(number, []).append(first + column)
    return row_sets, columns_by_set


def digest(*arrays: IndexArray) -> bytes:
    """Hash of arrays, a short key that different arrays do not share in practice."""
    hashed = blake2b(digest_size=16)
    for array in arrays:
        hashed.update(len(array).to_bytes(8, "little"))
        hashed.update(array.data)
    return hashed.digest()


def _clusters(
    columns: FloatArray, cut_distances: Sequence[float], min_rows: int
) -> list[tuple[int, int, bytes, IndexArray]]:
    """Column, position of the cut, digest and rows of each cluster of at least ``min_rows``."""
    owners, cuts, sizes, rows = clusters_of_columns(
        columns, np.argsort(columns, axis=1), np.array(cut_distances, np.float64), int(min_rows)
    )
    pieces = [rows[start:stop] for start, stop in pairwise(starts_of(sizes).tolist())]
    return list(zip(owners.tolist(), cuts.tolist(), map(digest, pieces), pieces, strict=True))
