"""Column scalings that neither overflow nor lose digits, whatever the magnitudes.

Missing cells (NaN) have no effect on a scaling and stay missing. A column without any value counts
as constant.

Each column is first divided by a power of two, which is exact, so that its largest magnitude lies
between 1/2 and 1. Squares and differences of the result can then neither overflow nor underflow.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._scale_columns import deviation_sums, scale_columns

# Values sorted at once, which bounds the memory of the quartiles.
VALUES_PER_SORT = 2**20
QUARTERS = (0.25, 0.5, 0.75)


class Scaling(NamedTuple):
    """Scaled value = (x / 2**exponent - shift) / scale, for each column."""

    exponent: IndexArray
    shift: FloatArray
    scale: FloatArray

    @staticmethod
    def join(scalings: Sequence["Scaling"]) -> "Scaling":
        """One scaling from those of consecutive columns."""
        return Scaling(*map(np.concatenate, zip(*scalings, strict=True)))

    def take(self, columns: IndexArray | slice) -> "Scaling":
        """Scaling of some of the columns."""
        if not isinstance(columns, slice) and not are_within(columns, len(self.scale)):
            raise ValueError(f"a scaling of {len(self.scale)} columns does not fit those given.")
        return Scaling(self.exponent[columns], self.shift[columns], self.scale[columns])

    def apply(self, X: FloatArray, columns: IndexArray | None = None) -> FloatArray:
        """Scale ``X``, or the matching ``columns`` of it; return a new C-ordered array."""
        n_columns = X.shape[1] if columns is None else len(columns)
        exist = columns is None or are_within(columns, X.shape[1])
        if not exist or any(len(values) != n_columns for values in self):
            raise ValueError(
                f"a scaling of {len(self.scale)} columns does not fit {n_columns} of the "
                f"{X.shape[1]} columns of X."
            )
        if columns is not None:
            X = X[:, columns]
        with np.errstate(over="ignore", under="ignore"):  # when numba is disabled
            powers, scaled = _powers(self.exponent), np.empty(X.shape)
            scale_columns(X, powers, self.shift, self.scale, scaled)
        return scaled

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore", under="ignore"):
            values: FloatArray = np.ldexp(Z * self.scale + self.shift, self.exponent)
        return values

    def per_unit(self, weights: FloatArray) -> FloatArray:
        """Weights of scaled columns as weights of one unit of the columns themselves."""
        with np.errstate(over="ignore", under="ignore"):
            unscaled: FloatArray = np.ldexp(weights / self.scale, -self.exponent)
        return unscaled


def are_within(indices: IndexArray, length: int) -> bool:
    """True if all indices exist; those of a model file are checked before a kernel uses them."""
    return len(indices) == 0 or bool(0 <= indices.min() <= indices.max() < length)


def minmax_scaling(X: FloatArray) -> Scaling:
    """Smallest value to 0, largest to 1; constant columns to 0."""
    exponent, low, high = _extent(X)
    return Scaling(exponent, low, np.where(high > low, high - low, 1.0))


def zscore_scaling(X: FloatArray, minmax: Scaling | None = None) -> Scaling:
    """Mean 0 and population standard deviation 1; constant columns to 0."""
    exponent, low, _ = minmax_scaling(X) if minmax is None else minmax
    powers = _powers(exponent)
    counts = _observed_counts(X)
    mean = deviation_sums(X, powers, low, np.zeros_like(low))[0] / counts
    deviation = np.sqrt(deviation_sums(X, powers, low, mean)[1] / counts)
    return Scaling(exponent, low + mean, np.where(deviation > 0, deviation, 1.0))


def _powers(exponent: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Two powers of two whose product is 2**-exponent, which may be too large for one float."""
    held = np.maximum(exponent, -1023)
    return np.ldexp(1.0, -held), np.ldexp(1.0, held - exponent)


def _observed_counts(X: FloatArray) -> FloatArray:
    """Number of rows that have a value in each column, but at least 1."""
    if not np.isnan(X.min()):
        return np.full(X.shape[1], float(len(X)))
    counts: FloatArray = np.maximum(len(X) - np.isnan(X).sum(axis=0), 1.0)
    return counts


def _extent(X: FloatArray) -> tuple[IndexArray, FloatArray, FloatArray]:
    low, high = (X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64))
    if np.isnan(low).any():
        ends = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        low, high = (np.nan_to_num(end.astype(np.float64)) for end in ends)
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    exponent = exponent.astype(np.intp)
    return exponent, np.ldexp(low, -exponent), np.ldexp(high, -exponent)


class SoftScaling(NamedTuple):
    """Scaled value = standard(arcsinh(robust(x))), for each column; robust to heavy tails."""

    robust: Scaling
    standard: Scaling

    @staticmethod
    def join(scalings: Sequence["SoftScaling"]) -> "SoftScaling":
        """One scaling from those of consecutive columns."""
        return SoftScaling(*map(Scaling.join, zip(*scalings, strict=True)))

    def take(self, columns: IndexArray | slice) -> "SoftScaling":
        """Scaling of some of the columns."""
        return SoftScaling(self.robust.take(columns), self.standard.take(columns))

    def apply(self, X: FloatArray, columns: IndexArray | None = None) -> FloatArray:
        """Scale ``X``, or the matching ``columns`` of it; return a new C-ordered array."""
        return self.standard.apply(_soften(X, self.robust, columns))

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore"):
            return self.robust.undo(np.sinh(self.standard.undo(Z)))


def soft_scaling(X: FloatArray) -> SoftScaling:
    """Median and interquartile range of each column, then the z-scores of the result."""
    plain = zscore_scaling(X)
    low, median, high = np.concatenate(list(_quartiles(X, plain)), axis=1)
    spread = high - low
    robust = Scaling(plain.exponent, median, np.where(spread > 0, spread, plain.scale))
    return SoftScaling(robust, zscore_scaling(_soften(X, robust)))


def _soften(X: FloatArray, robust: Scaling, columns: IndexArray | None = None) -> FloatArray:
    scores = robust.apply(X, columns)
    return np.arcsinh(scores, out=scores)


def _quartiles(X: FloatArray, plain: Scaling) -> Iterator[FloatArray]:
    """A few columns at a time, so that no copy of ``X`` is made."""
    width = max(1, VALUES_PER_SORT // len(X))
    for first in range(0, X.shape[1], width):
        part = slice(first, first + width)
        columns = np.ldexp(X[:, part], -plain.exponent[part], dtype=np.float64, order="C")
        quartiles = np.quantile(columns, QUARTERS, axis=0, overwrite_input=True)
        for k in np.flatnonzero(np.isnan(quartiles[0])).tolist():
            values = columns[:, k]
            values = values[~np.isnan(values)]
            quartiles[:, k] = np.quantile(values, QUARTERS) if len(values) else 0.0
        yield quartiles
