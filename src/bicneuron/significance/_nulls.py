"""Tables in which there is nothing to find, to hold a search against."""

from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.biclustering._miner import with_means
from bicneuron.significance._labels import LabelShuffler

Table = tuple[Any, AnyArray | None]


class ShuffledLabels(NamedTuple):
    """The same table with its labels in another order."""

    X: Any
    classes: AnyArray
    shuffler: LabelShuffler

    def draw(self, rng: np.random.Generator) -> Table:
        """One more."""
        return self.X, self.classes[self.shuffler.draw(rng)]


class NormalRows(NamedTuple):
    """Rows from one normal distribution per class, with its mean and covariance: no groups.

    Columns are as correlated as they were, and no row belongs together with others.
    """

    X: FloatArray
    y: AnyArray | None

    def draw(self, rng: np.random.Generator) -> Table:
        """One more."""
        drawn = np.empty_like(self.X)
        for rows in _rows_of_classes(self.y, len(self.X)):
            block = self.X[rows]
            missing = np.isnan(block)
            complete = with_means(block)
            mean = complete.mean(axis=0)
            # Random sums of the deviations have their covariance.
            factors = rng.standard_normal((len(rows), len(rows))) / np.sqrt(max(len(rows) - 1, 1))
            # One thread, because sums over threads may differ in their last bits.
            with threadpool_limits(1, user_api="blas"):
                deviations = factors @ (complete - mean)
            # Filled cells have no deviation; the others make up for it, and they stay missing.
            deviations /= np.sqrt(np.maximum(1 - missing.mean(axis=0), 1 / len(rows)))
            drawn[rows] = np.where(missing, np.nan, mean + deviations)
        return drawn, self.y


class ShuffledColumns(NamedTuple):
    """Each column in another order within the classes: its values, and no group of rows."""

    X: FloatArray
    y: AnyArray | None

    def draw(self, rng: np.random.Generator) -> Table:
        """One more."""
        drawn = np.empty_like(self.X)
        for rows in _rows_of_classes(self.y, len(self.X)):
            drawn[rows] = rng.permuted(self.X[rows], axis=0)
        return drawn, self.y


def _rows_of_classes(y: AnyArray | None, n_rows: int) -> list[AnyArray]:
    if y is None:
        return [np.arange(n_rows)]
    return [np.flatnonzero(y == label) for label in np.unique(y)]
