"""Sets of columns that rise and fall together in some rows.

For a set of l columns with signs, the ratio of a row is how much more likely the row is if the
columns share a row effect than if they are independent, as a logarithm:

    square q + common t^2 + constant,

with q the sum of squares and t the signed sum of the row's values, and factors that depend on l.
"""

import numpy as np

from bicneuron._core._arrays import ByteArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._jit import kernel


@kernel
def pair_gains(bins: ByteArray, first: int, last: int, table: Float32Array) -> Float32Array:
    """What the table says for the bins of two columns, for each pair of columns.

    It is the sum over rows, less its mean over all ways to pair the values of one column with those
    of the other: equal values, as in counts with many zeros, say nothing. The second column is
    taken as it is and mirrored, and the larger result counts.

    Parameters
    ----------
    bins : array of shape (n_columns, n_rows)
        In which bin each value lies, ``0 <= bin < n_bins``.
    first, last : int
        One column of each pair: ``first <= column < last``. The other one comes after it.
    table : array of shape (n_bins, n_bins)

    Returns
    -------
    gains : array of shape (last - first, n_columns)
        Negative for pairs whose mirrored result is the larger; zero if neither is positive.
    """
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
    square: float,
    common: float,
    constant: float,
    share: float,
) -> FloatArray:
    """How much likelier all rows are if a share of them has a row effect, for each set of columns.

    That is the sum over rows of ``log(1 - share + share * exp(ratio))``.

    Parameters
    ----------
    values : array of shape (n_columns, n_rows)
    columns : array of shape (n_sets, l)
    signs : array of shape (n_sets, l)
    square, common, constant : float
    share : float

    Returns
    -------
    gains : array of shape (n_sets,)
    """
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
            ratio = square * squares[i] + common * total[i] * total[i] + constant
            gains[k] += np.log(1.0 - share + share * np.exp(ratio))
    return gains


@kernel
def best_additions(
    covariance: Float32Array,
    weighted: Float32Array,
    squares: Float32Array,
    weights: Float32Array,
    columns: IndexArray,
    count: int,
) -> IndexArray:
    """Columns with the largest squared covariance over their spread, for each set of columns.

    Parameters
    ----------
    covariance, weighted, squares : arrays of shape (n_sets, n_columns)
        Weighted sums over rows: of the set's row effect times the column, of the column, and of its
        squares. The spread of a column is ``squares - weighted**2 / weights``.
    weights : array of shape (n_sets,)
        Sum of the weights of the rows.
    columns : array of shape (n_sets, l)
        Those of the set, which are not chosen.
    count : int
        At most the number of other columns.

    Returns
    -------
    added : array of shape (n_sets, count)
        The best one first.
    """
    n_sets, n_columns = covariance.shape
    added = np.zeros((n_sets, count), np.intp)
    best = np.empty(count)
    for k in range(n_sets):
        best[:] = -1.0
        for j in range(n_columns):
            spread = max(squares[k, j] - weighted[k, j] * weighted[k, j] / weights[k], 1e-6)
            value = covariance[k, j] * covariance[k, j] / spread
            if value > best[count - 1]:
                own = False
                for c in range(columns.shape[1]):
                    own |= columns[k, c] == j
                if own:
                    continue
                place = count - 1
                while place > 0 and best[place - 1] < value:
                    best[place] = best[place - 1]
                    added[k, place] = added[k, place - 1]
                    place -= 1
                best[place] = value
                added[k, place] = j
    return added
