"""Column scaling that is robust to heavy tails: arcsinh of robust scores, standardised.

It is linear near the median and logarithmic in the tails. It is monotone, so every scaled value has
a value in the column's own units.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._estimators._scaling import Scaling, zscore_scaling

# Values sorted at once, which bounds the memory of the quartiles.
VALUES_PER_SORT = 2**20
QUARTERS = (0.25, 0.5, 0.75)


class SoftScaling(NamedTuple):
    """Scaled value = standard(arcsinh(robust(x))), for each column."""

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
        """Scale ``X``, or those columns of it that this is the scaling of; a new array, C order."""
        return self.standard.apply(_soften(X, self.robust, columns))

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore"):
            return self.robust.undo(np.sinh(self.standard.undo(Z)))


def soft_scaling(X: FloatArray) -> SoftScaling:
    """Median and interquartile range of each column, then the z-scores of the result.

    Where the quartiles are equal, the standard deviation takes the place of their difference;
    constant columns become 0. Missing cells have no effect and stay missing.
    """
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
