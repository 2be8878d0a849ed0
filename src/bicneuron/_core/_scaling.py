"""Column scaling that neither overflows nor loses digits, whatever the size of the values.

Each column is first divided by a power of two, which is exact, so that its largest magnitude lies
between 1/2 and 1. Squares and differences of what is left can then neither overflow nor vanish.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Scaled values beyond this are as far out as can be told. Their squares and sums stay finite.
FARTHEST = 1e150
# Rows that are summed up together.
PIECE = 4096


class Scaling(NamedTuple):
    """Scaled value = (x / 2**exponent - shift) / scale, for each column."""

    exponent: IndexArray
    shift: FloatArray
    scale: FloatArray

    def take(self, columns: IndexArray | slice) -> "Scaling":
        """Give the scaling of some of the columns."""
        return Scaling(self.exponent[columns], self.shift[columns], self.scale[columns])

    def apply(self, X: FloatArray, columns: IndexArray | None = None) -> FloatArray:
        """Scale ``X``, or those columns of it that this is the scaling of; a new array, C order."""
        n_columns = X.shape[1] if columns is None else len(columns)
        there = columns is None or are_within(columns, X.shape[1])
        if not there or any(len(part) != n_columns for part in self):
            raise ValueError(
                f"a scaling of {len(self.scale)} columns does not fit {n_columns} of the "
                f"{X.shape[1]} columns of X."
            )
        if columns is not None:
            X = X[:, columns]
        with np.errstate(over="ignore", under="ignore"):  # for whom no compiler translates it
            powers, scaled = _powers(self.exponent), np.empty(X.shape)
            scale_columns(X, powers, self.shift, self.scale, scaled)
        return scaled

    def undo(self, Z: FloatArray) -> FloatArray:
        """Give scaled values in the columns' own units."""
        with np.errstate(over="ignore", under="ignore"):
            values: FloatArray = np.ldexp(Z * self.scale + self.shift, self.exponent)
        return values

    def per_unit(self, weights: FloatArray) -> FloatArray:
        """Weights of scaled columns as weights of one unit of the columns themselves."""
        with np.errstate(over="ignore", under="ignore"):
            unscaled: FloatArray = np.ldexp(weights / self.scale, -self.exponent)
        return unscaled


def are_within(indices: IndexArray, length: int) -> bool:
    """Whether a kernel may use indices that a model file may have brought."""
    return len(indices) == 0 or bool(0 <= indices.min() <= indices.max() < length)


@kernel
def scale_columns(
    X: FloatArray,
    powers: tuple[FloatArray, FloatArray],
    shift: FloatArray,
    scale: FloatArray,
    scaled: FloatArray,
) -> None:
    """``scaled = (x * power * power - shift) / scale`` of all columns, held within `FARTHEST`.

    numpy makes a large array twice as fast as a kernel would.
    """
    for i in range(len(X)):
        for k in range(X.shape[1]):
            x = X[i, k] * powers[0][k] * powers[1][k]
            value = (x - shift[k]) / scale[k]
            value = FARTHEST if value > FARTHEST else value
            scaled[i, k] = -FARTHEST if value < -FARTHEST else value


def minmax_scaling(X: FloatArray) -> Scaling:
    """Smallest value to 0, largest to 1; constant columns to 0."""
    exponent, low, high = _extent(X)
    return Scaling(exponent, low, np.where(high > low, high - low, 1.0))


def zscore_scaling(X: FloatArray, minmax: Scaling | None = None) -> Scaling:
    """Mean 0 and population standard deviation 1; constant columns to 0.

    ``minmax`` is `minmax_scaling` of ``X``, where that is known.
    """
    exponent, low, _ = minmax_scaling(X) if minmax is None else minmax
    powers = _powers(exponent)
    mean = deviation_sums(X, powers, low, np.zeros_like(low))[0] / len(X)
    deviation = np.sqrt(deviation_sums(X, powers, low, mean)[1] / len(X))
    return Scaling(exponent, low + mean, np.where(deviation > 0, deviation, 1.0))


@kernel
def deviation_sums(
    X: FloatArray, powers: tuple[FloatArray, FloatArray], low: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sums over the rows of ``x * power * power - low - mean`` and of its square, for each column.

    A few rows at a time are summed up by themselves: less is lost to rounding.
    """
    sums, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for first in range(0, len(X), PIECE):
        part_sums, part_squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for i in range(first, min(first + PIECE, len(X))):
            for k in range(X.shape[1]):
                deviation = X[i, k] * powers[0][k] * powers[1][k] - low[k] - mean[k]
                part_sums[k] += deviation
                part_squares[k] += deviation * deviation
        sums += part_sums
        squares += part_squares
    return sums, squares


def _powers(exponent: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Two powers of two whose product is 2**-exponent, which one of them may not hold.

    Products with them are as exact as `numpy.ldexp`, and many times faster.
    """
    held = np.maximum(exponent, -1023)
    return np.ldexp(1.0, -held), np.ldexp(1.0, held - exponent)


def _extent(X: FloatArray) -> tuple[IndexArray, FloatArray, FloatArray]:
    low, high = (X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64))
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    exponent = exponent.astype(np.intp)
    return exponent, np.ldexp(low, -exponent), np.ldexp(high, -exponent)
