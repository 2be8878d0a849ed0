"""Mean squared residue of the unions of pairs of blocks (step 5 of the miner).

The module must equal

    rows, columns = rows_a | rows_b, columns_a | columns_b
    allowed = len(columns) <= max_columns and H(rows, columns) <= max_residue
    residue = H(rows, columns) if allowed else infinity

for every pair (a, b). It does less work in this order:

1. `far_apart` rules out most pairs from sums over the columns of one block of the pair, the *host*,
   which are computed once for all pairs of that host. With J its columns, D_i the squared distance
   of row i to the mean of its rows over J, G the guest's own rows and R all rows, the residue sum
   is at least sum_R D_i - (sum_G sqrt(D_i))^2 / |R|, and a union has |J| + |J of the guest|
   columns at most.
2. `union_residues` adds the columns of the other unions one by one. By the identity in `_grow`,
   column number m + 1 adds |z - u|^2 m / (m + 1) >= 0 to the residue sum, so a union is given up
   when the sum exceeds ``max_residue`` times the largest number of cells it can have, or when it
   has more than ``max_columns`` columns.

Both rule out a pair only where the residue must exceed ``max_residue``, or where the union is too
wide. All others are computed in full by `union_residues`, so the result cannot change.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._jit import kernel

# Error of the sums in `row_distances`, as a share of the sum of squares. It is below m * 2**-52 for
# m columns plus the error of the column means. A generous value costs little: it only leaves a few
# more pairs to `union_residues`.
SUM_ERROR = 1e-6


def residues_of_pairs(
    columns_of: FloatArray,
    blocks: Blocks,
    first: IndexArray,
    second: IndexArray,
    max_residue: float,
    max_columns: int,
) -> FloatArray:
    """`union_residues` of many pairs, most of which `far_apart` rules out."""
    width = np.diff(blocks.column_starts)
    hosts = np.where(width[first] > width[second], first, second)
    order = np.argsort(hosts, kind="stable")
    hosts, guests = hosts[order], (first + second - hosts)[order]
    close = order[~far_apart(columns_of, blocks, hosts, guests, max_residue)]
    residues = np.full(len(first), np.inf)
    residues[close] = union_residues(
        columns_of, blocks, first[close], second[close], max_residue, max_columns
    )
    return residues


@kernel
def far_apart(
    columns_of: FloatArray,
    blocks: Blocks,
    hosts: IndexArray,
    guests: IndexArray,
    max_residue: float,
) -> BoolArray:
    """True for pairs whose union exceeds ``max_residue`` over the columns of the host alone."""
    n_rows = columns_of.shape[1]
    apart = np.zeros(len(hosts), np.bool_)
    in_host = np.zeros(n_rows, np.bool_)
    stop = 0
    while stop < len(hosts):
        start, host, n_guest_rows = stop, hosts[stop], 0
        while stop < len(hosts) and hosts[stop] == host:
            n_guest_rows += len(block_rows(blocks, guests[stop]))
            stop += 1
        if n_guest_rows < n_rows:
            continue
        rows, columns = block_rows(blocks, host), block_columns(blocks, host)
        lower, upper = row_distances(columns_of, rows, columns)
        in_host[rows] = True
        host_total = np.sum(lower[rows])
        for k in range(start, stop):
            total, guest_lengths, n = host_total, 0.0, len(rows)
            for row in block_rows(blocks, guests[k]):
                if not in_host[row]:
                    total += lower[row]
                    guest_lengths += np.sqrt(upper[row])
                    n += 1
            m = len(columns) + len(block_columns(blocks, guests[k]))
            apart[k] = total - guest_lengths * guest_lengths / n > max_residue * n * m
        in_host[rows] = False
    return apart


@kernel
def row_distances(
    columns_of: FloatArray, rows: IndexArray, columns: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds on D_i of `far_apart`, for every row of the matrix."""
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
    return distances - SUM_ERROR * squares, distances + SUM_ERROR * squares


@kernel
def union_residues(
    columns_of: FloatArray,
    blocks: Blocks,
    first: IndexArray,
    second: IndexArray,
    max_residue: float,
    max_columns: int,
) -> FloatArray:
    """Mean squared residue of the union of each pair."""
    residues = np.full(len(first), np.inf)
    columns, starts = blocks.columns, blocks.column_starts
    for k in range(len(first)):
        a, b = first[k], second[k]
        rows = union_of_sorted(blocks.rows, blocks.row_starts, a, b)
        n = len(rows)
        i, end_a = starts[a], starts[a + 1]
        j, end_b = starts[b], starts[b + 1]
        most_allowed = max_residue * n * (end_a - i + end_b - j)  # columns in both count twice
        mean = np.zeros(n)
        profile = np.empty(n)
        total = 0.0
        m = 0
        while (i < end_a or j < end_b) and total <= most_allowed and m < max_columns:
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
                difference = profile[r] - level - mean[r]
                square += difference * difference
                mean[r] += difference * share
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
