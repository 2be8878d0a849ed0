"""Seeds: the clusters of rows that single columns show (step 1 of the miner)."""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import starts_of
from bicneuron._core._linkage1d import clusters_of_columns, gap_heights

# Values that a task sorts: independent of n_jobs, although no result depends on it. Threads help
# only where columns are so long that sorting them takes the time, and not what Python does.
VALUES, LONG = 2**18, 2**12


class Dendrogram(NamedTuple):
    """Average linkage of the rows on one column: their order on the line and the gaps' heights."""

    order: IndexArray
    heights: FloatArray


def dendrogram(column: FloatArray) -> Dendrogram:
    """Build the whole dendrogram of one column, from which any cut can be read."""
    order = np.argsort(column)
    return Dendrogram(order, gap_heights(column[order]))


def seeds(
    columns_of: FloatArray, cut_distances: Sequence[float], min_rows: int, n_jobs: int | None = None
) -> tuple[list[IndexArray], list[dict[int, list[int]]]]:
    """Cluster the rows on each column alone, at several cuts of its dendrogram.

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
    shown_by : list of dicts
        For each cut, the columns that show each row set, by its position in ``row_sets``.
    """
    n_columns, n_rows = columns_of.shape
    size = max(1, VALUES // n_rows)
    # One after the other as they are ready: together they are as large as the matrix.
    n_jobs = n_jobs if n_rows >= LONG else 1
    parts = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(_clusters)(columns_of[first : first + size], cut_distances, min_rows)
        for first in range(0, n_columns, size)
    )
    numbers: dict[bytes, int] = {}
    row_sets: list[IndexArray] = []
    shown_by: list[dict[int, list[int]]] = [{} for _ in cut_distances]
    for first, clusters in zip(range(0, n_columns, size), parts, strict=True):
        for column, cut, key, rows in clusters:
            number = numbers.setdefault(key, len(row_sets))
            if number == len(row_sets):
                row_sets.append(rows.copy())  # of its own: the others need not stay
            shown_by[cut].setdefault(number, []).append(first + column)
    return row_sets, shown_by


def digest(*arrays: IndexArray) -> bytes:
    """A short stand-in for arrays, so that keys take no room; two that differ never share one."""
    hashed = blake2b(digest_size=16)
    for array in arrays:
        hashed.update(len(array).to_bytes(8, "little"))
        hashed.update(array.data)
    return hashed.digest()


def _clusters(
    columns: FloatArray, cut_distances: Sequence[float], min_rows: int
) -> list[tuple[int, int, bytes, IndexArray]]:
    """Column, position of the cut, a digest and the rows of each large cluster."""
    owners, cuts, sizes, rows = clusters_of_columns(
        columns, np.argsort(columns, axis=1), np.array(cut_distances, np.float64), int(min_rows)
    )
    pieces = [rows[start:stop] for start, stop in pairwise(starts_of(sizes).tolist())]
    return list(zip(owners.tolist(), cuts.tolist(), map(digest, pieces), pieces, strict=True))
