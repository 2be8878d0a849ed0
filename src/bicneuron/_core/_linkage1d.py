"""Exact average linkage of one feature (step 1 of the miner).

On a line only neighbouring clusters merge, at a distance equal to the difference of their means. So
the dendrogram is one height for each gap between neighbouring values: the height at which the
values below and above the gap join one cluster. A cut compares these heights with a distance.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances that differ by less than this share of the values they are computed from count as equal.
# In data given to a few decimals distances are often equal. The rounding errors of scaling depend
# on the order of the rows and would otherwise break these ties.
TIE_TOLERANCE = 1e-10


@kernel
def gap_heights(values: FloatArray) -> FloatArray:
    """Heights at which average linkage closes the gaps between sorted ``values``."""
    n = len(values)
    mean = values.copy()
    size = np.ones(n)
    last = np.arange(n)  # index of the cluster's largest value
    height = np.zeros(n)
    heights = np.empty(n - 1)
    chain, unread = 1, 1  # clusters [0, chain) and [unread, n)
    while chain > 1 or unread < n:
        top = chain - 1
        to_left = mean[top] - mean[top - 1] if chain > 1 else np.inf
        to_right = mean[unread] - mean[top] if unread < n else np.inf
        magnitude = abs(mean[top]) + min(to_left, to_right)
        mutual = to_left <= to_right + TIE_TOLERANCE * magnitude
        if mutual:
            below = top - 1
            unread -= 1
            total = size[below] + size[top]
            # Rounding can put a distance slightly below the heights of earlier merges.
            merged = max(to_left, height[below], height[top])
            heights[last[below]] = merged
            # This form keeps equal means exactly equal.
            mean[unread] = mean[below] + (mean[top] - mean[below]) * (size[top] / total)
            last[unread] = last[top]
            size[unread] = total
            height[unread] = merged
            chain -= 2
        if chain == 0 or not mutual:
            mean[chain] = mean[unread]
            size[chain] = size[unread]
            last[chain] = last[unread]
            height[chain] = height[unread]
            chain += 1
            unread += 1
    return heights


@kernel
def cut_starts(heights: FloatArray, cut_distance: float) -> IndexArray:
    """Boundaries of the clusters when the dendrogram is cut at ``cut_distance``."""
    cuts = np.flatnonzero(heights > cut_distance * (1.0 + TIE_TOLERANCE))
    starts = np.zeros(len(cuts) + 2, np.intp)
    for k in range(len(cuts)):
        starts[k + 1] = cuts[k] + 1
    starts[-1] = len(heights) + 1
    return starts


@kernel
def clusters_of_columns(
    columns: FloatArray, orders: IndexArray, cut_distances: FloatArray, min_rows: int
) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
    """Cluster the rows on each column alone, at several cuts."""
    n_rows = columns.shape[1]
    most = columns.size * len(cut_distances)
    rows = np.empty(most, np.intp)
    owners = np.empty(most // min_rows, np.intp)
    cuts, sizes = np.empty_like(owners), np.empty_like(owners)
    cluster_of = np.empty(n_rows, np.intp)
    count = end = 0
    for c in range(len(columns)):
        order = orders[c]
        heights = gap_heights(columns[c][order])
        for cut in range(len(cut_distances)):
            starts = cut_starts(heights, cut_distances[cut])
            ends = np.full(len(starts) - 1, -1)
            for k in range(len(ends)):
                cluster_of[order[starts[k] : starts[k + 1]]] = k
                size = starts[k + 1] - starts[k]
                if size >= min_rows:
                    owners[count], cuts[count], sizes[count] = c, cut, size
                    ends[k] = end
                    count += 1
                    end += size
            for row in range(n_rows):  # ascending, so the rows of each cluster are sorted
                k = cluster_of[row]
                if ends[k] >= 0:
                    rows[ends[k]] = row
                    ends[k] += 1
    return owners[:count], cuts[:count], sizes[:count], rows[:end]


def dendrogram(column: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Average linkage of the rows on one column: their order, and the heights of the gaps."""
    order = np.argsort(column)
    return order, gap_heights(column[order])
