"""Contrasts: the rows of the other class nearest to a block, and columns that tell them apart."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows, starts_of
from bicneuron._core._jit import kernel
from bicneuron._core._sorting import above, ascending_with_ties

# Added to the sum of variances, in squared units of the standardised columns. Without it a column
# on which a few rows agree by chance would have an arbitrarily large ratio.
VARIANCE_FLOOR = 0.1


@kernel
def nearest_rows(Z: FloatArray, blocks: Blocks, pool: IndexArray, sizes: IndexArray) -> Blocks:
    """The ``sizes[b]`` rows of ``pool`` nearest to the centroid of each block, in its columns."""
    row_starts = starts_of(sizes)
    rows = np.empty(row_starts[-1], np.intp)
    for b in range(len(sizes)):
        columns, members = block_columns(blocks, b), block_rows(blocks, b)
        centre, squares = np.zeros(len(columns)), np.zeros(len(pool))
        for row in members:
            for j in range(len(columns)):
                centre[j] += Z[row, columns[j]]
        centre /= len(members)
        for i in range(len(pool)):
            for j in range(len(columns)):
                squares[i] += (Z[pool[i], columns[j]] - centre[j]) ** 2
        nearest = smallest(squares, sizes[b])
        for i in range(sizes[b]):
            rows[row_starts[b] + i] = pool[nearest[i]]
    return Blocks(row_starts, rows, blocks.column_starts, blocks.columns)


@kernel
def smallest(values: FloatArray, count: int) -> IndexArray:
    """Positions of the ``count`` smallest values, in ascending order; ties by position."""
    limit = value_of_rank(values, count - 1)
    positions, at_limit = np.empty(count, np.intp), np.empty(count, np.intp)
    n_below = n_at_limit = 0
    for i in range(len(values)):
        if above(values[i]) < limit:
            positions[n_below] = i
            n_below += 1
        elif values[i] <= above(limit) and n_at_limit < count:
            at_limit[n_at_limit] = i
            n_at_limit += 1
    below = positions[:n_below].copy()
    order = ascending_with_ties(values[below])
    for i in range(n_below):
        positions[i] = below[order[i]]
    for i in range(n_below, count):
        positions[i] = at_limit[i - n_below]
    return positions


@kernel
def value_of_rank(values: FloatArray, rank: int) -> float:
    """The value at ``rank`` in ascending order, by quickselect."""
    parted = values.copy()
    low, high = 0, len(parted) - 1
    while low < high:
        pivot = parted[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while parted[i] < pivot:
                i += 1
            while parted[j] > pivot:
                j -= 1
            if i <= j:
                parted[i], parted[j] = parted[j], parted[i]
                i, j = i + 1, j - 1
        if j < rank < i:
            break
        low, high = (low, j) if rank <= j else (i, high)
    return float(parted[rank])


@kernel
def means_and_variances(block: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and population variance of each column."""
    n_rows, n_columns = block.shape
    mean, variance = np.zeros(n_columns), np.zeros(n_columns)
    for i in range(n_rows):
        mean += block[i]
    mean /= n_rows
    for i in range(n_rows):
        for j in range(n_columns):
            variance[j] += (block[i, j] - mean[j]) ** 2
    return mean, variance / n_rows


@kernel
def grow_against(
    anchor: FloatArray, others: FloatArray, start: int, most: int, size: int
) -> IndexArray:
    """Add the columns that separate a block from its contrast, the best first."""
    n_columns = anchor.shape[1]
    most = min(most, n_columns)
    taken = np.empty(most, np.intp)
    is_taken = np.zeros(n_columns, np.bool_)
    centre, spread = means_and_variances(anchor)
    distances = np.zeros(len(others))
    near = np.ones(len(others), np.bool_)
    column = start
    for count in range(most):
        if column < 0:
            other_centre, other_spread = means_and_variances(others[near])
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
