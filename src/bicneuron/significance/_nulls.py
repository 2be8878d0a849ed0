"""Tables in which there is nothing to find, to hold a search against."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import helmert

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._workers import one_blas_thread
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


class RotatedRows(NamedTuple):
    """Rows that are turned at random within their class, about its mean: no groups.

    Columns have the means and covariances that they had, to the last digit. If the rows of a class
    are from one normal distribution, whatever its covariance, every turn of them is as likely
    (Langsrud, 2005): the test is exact. Rows drawn from a normal distribution with the covariance
    that was seen would vary more than the table, because they add their own chance to its chance.
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
            # One thread, because sums over threads may differ in their last bits.
            with one_blas_thread():
                # Coordinates of the deviations from the mean, one fewer than rows.
                basis = helmert(len(rows))
                deviations = basis.T @ (_random_rotation(len(basis), rng) @ (basis @ complete))
            # Filled cells have no deviation; the others make up for it, and they stay missing.
            deviations /= np.sqrt(np.maximum(1 - missing.mean(axis=0), 1 / len(rows)))
            drawn[rows] = np.where(missing, np.nan, complete.mean(axis=0) + deviations)
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


def _random_rotation(n: int, rng: np.random.Generator) -> FloatArray:
    """A rotation or reflection, each as likely as any other."""
    rotation, triangle = np.linalg.qr(rng.standard_normal((n, n)))
    # With these signs the decomposition is unique, and its first part is uniform (Mezzadri, 2007).
    turned: FloatArray = rotation * np.sign(np.diag(triangle))
    return turned
