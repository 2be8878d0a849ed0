"""Exact average linkage of one feature.

On a line only neighbours ever merge, at a distance equal to the difference of their means, so the
whole dendrogram is one height per gap between neighbouring values: the height at which the two
sides of the gap become one cluster. Any cut is read off by comparing the heights with it.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances that differ by less than this share of the values between which they lie are tied.
# Scaled data carry rounding errors that depend on the order of the rows, and on data given to a
# few decimals, where distances are often equal, they would decide.
TIED = 1e-10


@kernel
def gap_heights(values: FloatArray) -> FloatArray:
    """Heights at which average linkage closes the gaps between sorted ``values``.

    Ties: of two equal distances the one lower on the line merges first. That depends on the values
    alone, never on the order of the rows they came from; see `TIED` for what equal means.

    Parameters
    ----------
    values : array of shape (n,), n >= 1
        In ascending order.

    Returns
    -------
    heights : array of shape (n - 1,)
        ``heights[i]`` is the cophenetic distance of ``values[i]`` and ``values[i + 1]``.

    Notes
    -----
    A nearest-neighbour chain, O(n) time and memory: average linkage is reducible, so mutual nearest
    neighbours may be merged at once, in any order. Clusters left of the reading point form the
    chain (each one's nearest neighbour is the next), those right of it wait. Both live in the same
    arrays with a gap between them, since a merge frees a place whenever a cluster moves.
    """
    n = len(values)
    mean = values.copy()
    size = np.ones(n)
    last = np.arange(n)  # index of the cluster's largest value
    height = np.zeros(n)
    heights = np.empty(n - 1)
    chain, waiting = 1, 1  # clusters [0, chain) and [waiting, n)
    while chain > 1 or waiting < n:
        top = chain - 1
        to_left = mean[top] - mean[top - 1] if chain > 1 else np.inf
        to_right = mean[waiting] - mean[top] if waiting < n else np.inf
        size_here = abs(mean[top]) + min(to_left, to_right)
        mutual = to_left <= to_right + TIED * size_here
        if mutual:
            below = top - 1
            waiting -= 1
            total = size[below] + size[top]
            # Rounding can make a distance an ulp smaller than the merges it follows.
            merged = max(to_left, height[below], height[top])
            heights[last[below]] = merged
            # In this form equal means stay exactly equal.
            mean[waiting] = mean[below] + (mean[top] - mean[below]) * (size[top] / total)
            last[waiting] = last[top]
            size[waiting] = total
            height[waiting] = merged
            chain -= 2
        if chain == 0 or not mutual:
            mean[chain] = mean[waiting]
            size[chain] = size[waiting]
            last[chain] = last[waiting]
            height[chain] = height[waiting]
            chain += 1
            waiting += 1
    return heights


@kernel
def cut_starts(heights: FloatArray, cut_distance: float) -> IndexArray:
    """Boundaries of the clusters when the dendrogram is cut at ``cut_distance``.

    Cluster ``c`` holds the sorted values ``starts[c]`` to ``starts[c + 1] - 1``. A height that
    exceeds the cut by rounding only does not.
    """
    n = len(heights) + 1
    highest = cut_distance * (1.0 + TIED)
    starts = np.empty(n + 1, dtype=np.intp)
    starts[0] = 0
    count = 1
    for i in range(n - 1):
        if heights[i] > highest:
            starts[count] = i + 1
            count += 1
    starts[count] = n
    return starts[: count + 1].copy()


@kernel
def clusters_of_columns(
    columns: FloatArray, orders: IndexArray, cut_distances: FloatArray, min_rows: int
) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
    """Cluster the rows on each column alone, at several cuts.

    Parameters
    ----------
    columns, orders : arrays of shape (n_columns, n_rows)
        The columns, as lines, and the rows of each from its lowest value to its highest.
    cut_distances : array
    min_rows : int
        Smaller clusters are left out.

    Returns
    -------
    owners, cuts, sizes : arrays
        Column, position of the cut and number of rows of each cluster: column by column, then by
        cut, lowest values first.
    rows : array
        Those of all clusters, one after the other, each time sorted.
    """
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
            for row in range(n_rows):  # so that the rows of each cluster are sorted
                k = cluster_of[row]
                if ends[k] >= 0:
                    rows[ends[k]] = row
                    ends[k] += 1
    return owners[:count], cuts[:count], sizes[:count], rows[:end]
