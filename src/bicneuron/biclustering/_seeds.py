"""Seeds: the clusters of rows that single columns show (step 1 of the miner)."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._linkage1d import cut_starts, gap_heights


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
    dendrograms: Iterable[Dendrogram], cut_distances: Sequence[float], min_rows: int
) -> tuple[list[IndexArray], list[dict[int, list[int]]]]:
    """Cut every dendrogram at several distances.

    Returns
    -------
    row_sets : list of arrays
        Distinct clusters of at least ``min_rows`` rows.
    shown_by : list of dicts
        For each cut, the columns that show each row set, by its position in ``row_sets``.
    """
    numbers: dict[bytes, int] = {}
    row_sets: list[IndexArray] = []
    shown_by: list[dict[int, list[int]]] = [{} for _ in cut_distances]
    for column, tree in enumerate(dendrograms):
        for shown, cut_distance in zip(shown_by, cut_distances, strict=True):
            for rows in tree.clusters(cut_distance):
                if len(rows) >= min_rows:
                    key = blake2b(rows.tobytes(), digest_size=16).digest()
                    number = numbers.setdefault(key, len(row_sets))
                    if number == len(row_sets):
                        row_sets.append(rows)
                    shown.setdefault(number, []).append(column)
    return row_sets, shown_by
