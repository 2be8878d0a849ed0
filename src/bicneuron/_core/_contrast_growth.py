"""Columns that set a block apart from its nearest rows of the other class."""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Added to the variances, in squared units of the standardised columns: a column on which a few
# rows happen to agree does not separate them for ever.
SLACK = 0.1


@kernel
def means_and_variances(block: FloatArray, used: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Mean and population variance of each column over the rows in use, of which there are some."""
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
    """Take in columns that separate a block from its contrast, the most separating first.

    The contrast are the ``size`` rows of ``others`` nearest to the block's centroid in the columns
    taken so far (all of them before there is one; of equally near rows the first). The column with
    the largest Fisher ratio (difference of means)^2 / (sum of variances + slack) between the two
    is taken next, of equal ones the first, and the contrast is chosen anew.

    Parameters
    ----------
    anchor, others : arrays of shape (n_rows, n_columns) and (n_others, n_columns)
        Rows of the block and of the other class, with all candidate columns.
    start : int
        Column to start from; -1 starts from none.
    most : int
        Number of columns to end with; all there are if it is larger.
    size : int
        Rows of the contrast, at most ``n_others``.

    Returns
    -------
    taken : array of intp
        Columns in the order taken.
    """
    n_columns = anchor.shape[1]
    most = min(most, n_columns)
    taken = np.empty(most, np.intp)
    is_taken = np.zeros(n_columns, np.bool_)
    centre, spread = means_and_variances(anchor, np.ones(len(anchor), np.bool_))
    far = np.zeros(len(others))
    near = np.ones(len(others), np.bool_)
    column = start
    for count in range(most):
        if column < 0:
            other_centre, other_spread = means_and_variances(others, near)
            best = -1.0
            for j in range(n_columns):
                ratio = (centre[j] - other_centre[j]) ** 2 / (spread[j] + other_spread[j] + SLACK)
                if not is_taken[j] and ratio > best:
                    best, column = ratio, j
        taken[count] = column
        is_taken[column] = True
        for i in range(len(others)):
            far[i] += (others[i, column] - centre[column]) ** 2
        order = np.argsort(far, kind="mergesort")
        near[:] = False
        near[order[:size]] = True
        column = -1
    return taken
