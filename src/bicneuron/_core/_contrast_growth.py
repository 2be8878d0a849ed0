"""Growth by the columns that best separate a block from its contrast."""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._sorting import above, ascending_with_ties

# Added to the sum of variances, in squared units of the standardised columns. Without it a column
# on which a few rows agree by chance would have an arbitrarily large ratio.
VARIANCE_FLOOR = 0.1


@kernel
def means_and_variances(block: FloatArray, used: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Mean and population variance of each column over the rows in use, at least one."""
    n_rows, n_columns = block.shape
    mean, variance = np.zeros(n_columns), np.zeros(n_columns)
    count = 0
    for i in range(n_rows):
        if used[i]:
            count += 1
            for j in range(n_columns):
                mean[j] += block[i, j]
    mean /= count
    for i in range(n_rows):
        if used[i]:
            for j in range(n_columns):
                variance[j] += (block[i, j] - mean[j]) ** 2
    return mean, variance / count


@kernel
def grow_against(
    anchor: FloatArray, others: FloatArray, start: int, most: int, size: int
) -> IndexArray:
    """Add the columns that separate a block from its contrast, the best first."""
    n_columns = anchor.shape[1]
    most = min(most, n_columns)
    taken = np.empty(most, np.intp)
    is_taken = np.zeros(n_columns, np.bool_)
    centre, spread = means_and_variances(anchor, np.ones(len(anchor), np.bool_))
    distances = np.zeros(len(others))
    near = np.ones(len(others), np.bool_)
    column = start
    for count in range(most):
        if column < 0:
            other_centre, other_spread = means_and_variances(others, near)
            best = -1.0
            for j in range(n_columns):
                variances = spread[j] + other_spread[j] + VARIANCE_FLOOR
                ratio = (centre[j] - other_centre[j]) ** 2 / variances
                if not is_taken[j] and ratio > above(best):
                    best, column = ratio, j
        taken[count] = column
        is_taken[column] = True
        for i in range(len(others)):
            distances[i] += (others[i, column] - centre[column]) ** 2
        order = ascending_with_ties(distances)
        for i in range(len(others)):
            near[order[i]] = i < size
        column = -1
    return taken
