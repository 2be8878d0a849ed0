"""Sets of columns that separate the same rows.

How much likelier a row is if it belongs to the group that a set of columns with signs separates is,
as a logarithm, linear t + square q + common t^2 + constant, with t the signed sum of the row's
values, q their sum of squares, and factors that depend on the number of columns.
"""

import numpy as np

from bicneuron._core._arrays import ByteArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._jit import kernel


@kernel
def pair_gains(bins: ByteArray, first: int, last: int, table: Float32Array) -> Float32Array:
    """Gain of each pair of columns, by a table of gains of a row in two bins."""
    n_columns, n_rows = bins.shape
    n_bins = len(table)
    counts = np.zeros((n_columns, n_bins), np.float32)
    for b in range(n_columns):
        for i in range(n_rows):
            counts[b, bins[b, i]] += 1
    gains = np.zeros((last - first, n_columns), np.float32)
    mean = np.empty(n_bins, np.float32)
    for a in range(first, last):
        mean[:] = 0
        for i in range(n_rows):
            mean += table[bins[a, i]]
        mean /= n_rows
        for b in range(a + 1, n_columns):
            same, mirrored = np.float32(0), np.float32(0)
            for i in range(n_rows):
                line = table[bins[a, i]]
                same += line[bins[b, i]]
                mirrored += line[n_bins - 1 - bins[b, i]]
            for k in range(n_bins):
                same -= counts[b, k] * mean[k]
                mirrored -= counts[b, n_bins - 1 - k] * mean[k]
            if max(same, mirrored) > 0:
                gains[a - first, b] = same if same >= mirrored else -mirrored
    return gains


@kernel
def mixture_gains(
    values: Float32Array,
    columns: IndexArray,
    signs: Float32Array,
    factors: tuple[float, float, float, float],
    share: float,
) -> FloatArray:
    """Log likelihood ratio of all rows if a share of them is a group, for each set of columns."""
    linear, square, common, constant = factors
    n_sets, size = columns.shape
    n_rows = values.shape[1]
    gains = np.zeros(n_sets)
    total, squares = np.empty(n_rows), np.empty(n_rows)
    for k in range(n_sets):
        total[:] = 0.0
        squares[:] = 0.0
        for c in range(size):
            line, sign = values[columns[k, c]], signs[k, c]
            for i in range(n_rows):
                total[i] += sign * line[i]
                squares[i] += line[i] * line[i]
        for i in range(n_rows):
            t = total[i]
            ratio = linear * t + square * squares[i] + common * t * t + constant
            gains[k] += np.log(1.0 - share + share * np.exp(ratio))
    return gains
