"""Seeds: the clusters of rows that single columns show (step 1 of the miner)."""

from collections.abc import Iterable, Iterator
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
    dendrograms: Iterable[Dendrogram], cut_distance: float, min_rows: int
) -> list[tuple[IndexArray, IndexArray]]:
    """Cut every dendrogram and list the distinct row sets with the columns that show them."""
    columns_of: dict[bytes, tuple[IndexArray, list[int]]] = {}
    for column, tree in enumerate(dendrograms):
        for rows in tree.clusters(cut_distance):
            if len(rows) >= min_rows:
                key = blake2b(rows.tobytes(), digest_size=16).digest()
                columns_of.setdefault(key, (rows, []))[1].append(column)
    return [(rows, np.array(columns)) for rows, columns in columns_of.values()]
