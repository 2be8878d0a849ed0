"""Seeds: the clusters of rows that single columns show (step 1 of the miner)."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._linkage1d import cut_starts, gap_heights

# Values that a task sorts: independent of n_jobs, although no result depends on it. Threads help
# only where columns are so long that sorting them takes the time, and not what Python does.
VALUES, LONG = 2**18, 2**12


class Dendrogram(NamedTuple):
    """Average linkage of the rows on one column: their order on the line and the gaps' heights."""

    order: IndexArray
    heights: FloatArray

    def clusters(self, cut_distance: float) -> Iterator[IndexArray]:
        """Sorted rows of each cluster at the cut T_d, lowest values first."""
        starts = cut_starts(self.heights, cut_distance)
        for start, stop in pairwise(starts.tolist()):
            yield np.sort(self.order[start:stop])


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
    for column, clusters in enumerate(chain.from_iterable(parts)):
        for cut, key, rows in clusters:
            number = numbers.setdefault(key, len(row_sets))
            if number == len(row_sets):
                row_sets.append(rows)
            shown_by[cut].setdefault(number, []).append(column)
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
) -> list[list[tuple[int, bytes, IndexArray]]]:
    """For each column the position of the cut, a digest and the rows of each large cluster."""
    trees = map(dendrogram, columns)
    return [
        [
            (cut, digest(rows), rows)
            for cut, cut_distance in enumerate(cut_distances)
            for rows in tree.clusters(cut_distance)
            if len(rows) >= min_rows
        ]
        for tree in trees
    ]
