"""Windows on a line that hold many values: the seeds and first steps of an additive search.

In a block of row effects plus column effects the difference of two columns is almost the same in
all rows, whatever the row effects are. On the line of these differences the rows of the block lie
close together.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel


@kernel
def densest_window(values: FloatArray, width: float) -> tuple[int, float]:
    """Largest number of sorted ``values`` in a window of this width, and where the first begins."""
    best, start, first = 0, 0.0, 0
    for last in range(len(values)):
        while values[last] - values[first] > width:
            first += 1
        if last - first + 1 > best:
            best, start = last - first + 1, values[first]
    return best, start


@kernel
def pair_windows(
    columns_of: FloatArray, firsts: IndexArray, seconds: IndexArray, width: float
) -> tuple[IndexArray, FloatArray]:
    """Densest window of the difference of two columns, for each pair of columns."""
    n_pairs = len(firsts)
    counts, starts = np.empty(n_pairs, np.intp), np.empty(n_pairs)
    for k in range(n_pairs):
        difference = np.sort(columns_of[seconds[k]] - columns_of[firsts[k]])
        counts[k], starts[k] = densest_window(difference, width)
    return counts, starts


@kernel
def grow_by_windows(
    columns_of: FloatArray,
    pair: tuple[int, int],
    start: float,
    width: float,
    least: tuple[int, int],
) -> tuple[IndexArray, IndexArray]:
    """Rows and columns of a small tight block, from the window of one pair of columns."""
    first, second = pair
    difference = columns_of[second] - columns_of[first]
    rows = np.flatnonzero((difference >= start) & (difference <= start + width))
    columns = np.empty(least[1], np.intp)
    columns[0], columns[1] = first, second
    n_columns = 2
    mean = (columns_of[first][rows] + columns_of[second][rows]) / 2
    is_taken = np.zeros(len(columns_of), np.bool_)
    is_taken[first] = is_taken[second] = True
    while n_columns < least[1]:
        best, best_count, best_start = -1, least[0] - 1, 0.0
        for column in range(len(columns_of)):
            if not is_taken[column]:
                count, begin = densest_window(np.sort(columns_of[column][rows] - mean), width)
                if count > best_count:
                    best, best_count, best_start = column, count, begin
        if best < 0:
            break
        difference = columns_of[best][rows] - mean
        inside = (difference >= best_start) & (difference <= best_start + width)
        rows = rows[inside]
        mean = (mean[inside] * n_columns + columns_of[best][rows]) / (n_columns + 1)
        is_taken[best] = True
        columns[n_columns] = best
        n_columns += 1
    return rows, columns[:n_columns]
