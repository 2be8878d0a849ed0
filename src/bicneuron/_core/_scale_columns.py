"""Columns shifted and divided, and the sums that a scaling is found from."""

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._jit import kernel

# Scaled values are clipped to this size, so that their squares and sums stay finite.
FARTHEST = 1e150
# Robust scores are multiples of 1 over this: their last bits are those of the table's units.
ROUNDED = 1e5
# Rows summed together before they are added to the total, which loses less to rounding.
ROWS_PER_SUM = 4096


@kernel
def scale_columns(
    X: FloatArray,
    powers: tuple[FloatArray, FloatArray],
    shift: FloatArray,
    scale: FloatArray,
    scaled: FloatArray,
) -> None:
    """``scaled = (x * power * power - shift) / scale`` of all columns, held within `FARTHEST`."""
    for i in range(len(X)):
        for k in range(X.shape[1]):
            x = X[i, k] * powers[0][k] * powers[1][k]
            value = (x - shift[k]) / scale[k]
            value = FARTHEST if value > FARTHEST else value
            scaled[i, k] = -FARTHEST if value < -FARTHEST else value


@kernel
def robust_scores(
    X: FloatArray,
    centre: FloatArray,
    spread: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    clip: float,
) -> FloatArray:
    """``(clip((x - centre) / spread) - shift) / scale``, rounded; 0 for missing values."""
    scores = np.empty(X.shape)
    for i in range(len(X)):
        for k in range(X.shape[1]):
            value = (X[i, k] - centre[k]) / spread[k]
            value = clip if value > clip else value
            value = -clip if value < -clip else value
            value = np.rint((value - shift[k]) / scale[k] * ROUNDED) / ROUNDED
            scores[i, k] = 0.0 if np.isnan(value) else value + 0.0  # no negative zero
    return scores


@kernel
def deviation_sums(
    X: FloatArray, powers: tuple[FloatArray, FloatArray], low: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sums over rows of ``x * power * power - low - mean`` and of its square, for each column."""
    sums, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for first in range(0, len(X), ROWS_PER_SUM):
        part_sums, part_squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for i in range(first, min(first + ROWS_PER_SUM, len(X))):
            for k in range(X.shape[1]):
                deviation = X[i, k] * powers[0][k] * powers[1][k] - low[k] - mean[k]
                deviation = 0.0 if np.isnan(deviation) else deviation
                part_sums[k] += deviation
                part_squares[k] += deviation * deviation
        sums += part_sums
        squares += part_squares
    return sums, squares
