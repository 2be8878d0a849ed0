"""Mean squared residue of the union of two blocks, given up where it is too large."""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._jit import kernel

# Sums carry rounding errors far below this share of what they add up.
ROUNDING = 1e-6


def residues_of_pairs(
    columns_of: FloatArray,
    blocks: Blocks,
    first: IndexArray,
    second: IndexArray,
    max_residue: float,
) -> FloatArray:
    """`union_residues` of many pairs, most of which `far_apart` settles.

    The wider part is the host: over its columns the rows of the other differ the most.
    """
    width = np.diff(blocks.column_starts)
    hosts = np.where(width[first] > width[second], first, second)
    order = np.argsort(hosts, kind="stable")
    hosts, guests = hosts[order], (first + second - hosts)[order]
    left = order[~far_apart(columns_of, blocks, hosts, guests, max_residue)]
    residues = np.full(len(first), np.inf)
    residues[left] = union_residues(columns_of, blocks, first[left], second[left], max_residue)
    return residues


@kernel
def far_apart(
    columns_of: FloatArray,
    blocks: Blocks,
    hosts: IndexArray,
    guests: IndexArray,
    max_residue: float,
) -> BoolArray:
    """Tell pairs whose union surely exceeds ``max_residue`` over the columns of the host alone.

    With D_i the squared distance of row i to the mean row of the host, both centred over its
    columns, the rows of the union have the sum of their D_i as summed squared residue there, less
    what the guest's rows move the mean, which is at most (sum of their sqrt(D_i))^2 / rows.

    ``hosts`` is sorted. The distances of all rows are computed once for each host, and only where
    its guests have no fewer rows together: else the unions themselves cost less.
    """
    n_rows = columns_of.shape[1]
    apart = np.zeros(len(hosts), np.bool_)
    in_host = np.zeros(n_rows, np.bool_)
    stop = 0
    while stop < len(hosts):
        start, host, n_guests = stop, hosts[stop], 0
        while stop < len(hosts) and hosts[stop] == host:
            n_guests += len(block_rows(blocks, guests[stop]))
            stop += 1
        if n_guests < n_rows:
            continue
        rows, columns = block_rows(blocks, host), block_columns(blocks, host)
        least, most = row_distances(columns_of, rows, columns)
        in_host[rows] = True
        own = np.sum(least[rows])
        for k in range(start, stop):
            total, way, n = own, 0.0, len(rows)
            for row in block_rows(blocks, guests[k]):
                if not in_host[row]:
                    total += least[row]
                    way += np.sqrt(most[row])
                    n += 1
            m = len(columns) + len(block_columns(blocks, guests[k]))
            apart[k] = total - way * way / n > max_residue * n * m
        in_host[rows] = False
    return apart


@kernel
def row_distances(
    columns_of: FloatArray, rows: IndexArray, columns: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds, but for rounding equal, on the squared distance of each row to the mean of ``rows``.

    All of them over ``columns`` and centred over these.
    """
    sums, squares = np.zeros(columns_of.shape[1]), np.zeros(columns_of.shape[1])
    for c in columns:
        column = columns_of[c]
        level = 0.0
        for row in rows:
            level += column[row]
        level /= len(rows)
        for i in range(len(column)):
            difference = column[i] - level
            sums[i] += difference
            squares[i] += difference * difference
    distances = squares - sums * sums / len(columns)
    return distances - ROUNDING * squares, distances + ROUNDING * squares


@kernel
def union_residues(
    columns_of: FloatArray,
    blocks: Blocks,
    first: IndexArray,
    second: IndexArray,
    max_residue: float,
) -> FloatArray:
    """Mean squared residue of the union of each pair; infinity where it exceeds ``max_residue``.

    Column by column, by the sum that `_grow` explains: it only grows, so most unions are given
    up after a few columns.
    """
    residues = np.full(len(first), np.inf)
    columns, starts = blocks.columns, blocks.column_starts
    for k in range(len(first)):
        a, b = first[k], second[k]
        rows = union_of_sorted(blocks.rows, blocks.row_starts, a, b)
        n = len(rows)
        i, end_a = starts[a], starts[a + 1]
        j, end_b = starts[b], starts[b + 1]
        hopeless = max_residue * n * (end_a - i + end_b - j)
        mean = np.zeros(n)
        profile = np.empty(n)
        total = 0.0
        m = 0
        while (i < end_a or j < end_b) and total <= hopeless:
            # The next column of the union of two sorted lists.
            if j == end_b or (i < end_a and columns[i] <= columns[j]):
                column = columns[i]
                j += j < end_b and columns[j] == column
                i += 1
            else:
                column = columns[j]
                j += 1
            level = 0.0
            for r in range(n):
                profile[r] = columns_of[column, rows[r]]
                level += profile[r]
            level /= n
            square = 0.0
            share = 1.0 / (m + 1)
            for r in range(n):
                away = profile[r] - level - mean[r]
                square += away * away
                mean[r] += away * share
            total += square * m * share
            m += 1
        if i == end_a and j == end_b and total <= max_residue * n * m:
            residues[k] = total / (n * m)
    return residues


@kernel
def union_of_sorted(values: IndexArray, starts: IndexArray, a: int, b: int) -> IndexArray:
    """Sorted union of two sorted segments of ``values``."""
    i, j = starts[a], starts[b]
    union = np.empty(starts[a + 1] - i + starts[b + 1] - j, np.intp)
    count = 0
    while i < starts[a + 1] or j < starts[b + 1]:
        if j == starts[b + 1] or (i < starts[a + 1] and values[i] <= values[j]):
            value = values[i]
        else:
            value = values[j]
        while i < starts[a + 1] and values[i] == value:
            i += 1
        while j < starts[b + 1] and values[j] == value:
            j += 1
        union[count] = value
        count += 1
    return union[:count].copy()
