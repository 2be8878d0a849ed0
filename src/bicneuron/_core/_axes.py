"""Values of rows on axes: weighted sums of a few of many columns."""

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray
from bicneuron._core._jit import kernel


@kernel
def axis_values(
    kept: BoolArray, linear: Float32Array, squares: Float32Array, Z: Float32Array
) -> FloatArray:
    """Sums of linear z + squares z^2 over the columns that are kept."""
    n_axes, n_columns = kept.shape
    starts = np.zeros(n_axes + 1, np.intp)
    for a in range(n_axes):
        count = 0
        for j in range(n_columns):
            count += kept[a, j]
        starts[a + 1] = starts[a] + count
    places = np.empty(starts[n_axes], np.intp)
    factors, square_factors = np.empty(len(places)), np.zeros(len(places))
    for a in range(n_axes):
        k = starts[a]
        for j in range(n_columns):
            if kept[a, j]:
                places[k], factors[k] = j, linear[a, j]
                if len(squares):
                    square_factors[k] = squares[a, j]
                k += 1
    values = np.empty((n_axes, len(Z)))
    for row in range(len(Z)):
        for a in range(n_axes):
            total = 0.0
            for k in range(starts[a], starts[a + 1]):
                z = Z[row, places[k]]
                total += (factors[k] + square_factors[k] * z) * z
            values[a, row] = total
    return values
