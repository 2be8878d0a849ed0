"""Tables without negative values, for methods that were made for counts."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray


def non_negative(Z: FloatArray) -> tuple[FloatArray, IndexArray, IndexArray]:
    """Subtract the smallest value if it is negative, and drop rows and columns that are then 0.

    Returns
    -------
    table : array of shape (n_kept_rows, n_kept_columns)
    rows, columns : arrays of int
        What was kept.
    """
    shifted = Z - min(float(Z.min()), 0.0)
    rows, columns = np.flatnonzero(shifted.any(axis=1)), np.flatnonzero(shifted.any(axis=0))
    return shifted[np.ix_(rows, columns)], rows, columns
