"""Missing cells of a scaled table, estimated by its principal components.

The cells that a row has give its scores on the main components of the table, and these predict its
missing cells if their columns have much in common with others (factor analysis by principal
components).
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._filling import fill_rows
from bicneuron._shared._scaling import filled

MOST_COMPONENTS = 10
# The components of a table with missing cells are found so many times, each time with the estimates
# of the time before.
ROUNDS = 10
# A table with more columns than this is represented by so many of its rows.
MOST_ROWS = 250
# A column has a variance of about 1; this share of it, at least, is its own.
LEAST_NOISE = 0.01
# Share of the variance of a cell that the rest of its row has to explain. A cell that is little
# more than a guess would look like a value near the mean, which may be the mark of a class.
LEAST_EXPLAINED = 0.5
# Not 0: where the rest of a row explains nothing, rounding can make the share negative.
EVERY_CELL = -np.inf


class Filling(NamedTuple):
    """A row is ``mean + loadings @ factors`` and independent errors of variance ``noise``."""

    mean: FloatArray
    loadings: FloatArray
    noise: FloatArray

    def take(self, columns: IndexArray) -> "Filling":
        """Filling of tables that have only some of the columns."""
        return Filling(self.mean[columns], self.loadings[columns], self.noise[columns])

    def apply(self, Z: FloatArray) -> FloatArray:
        """Replace NaN by an estimate where the rest of the row explains enough of the cell."""
        return fill_rows(Z, *self, LEAST_EXPLAINED) if np.isnan(Z).any() else Z


def filling_of(Z: FloatArray) -> Filling:
    """Learn how to fill tables like ``Z``, which is scaled."""
    n_rows, n_columns = Z.shape
    if n_columns > MOST_ROWS:
        Z = Z[np.linspace(0, n_rows - 1, min(n_rows, MOST_ROWS)).astype(np.intp)]
    complete = filled(Z)
    filling = _components(complete)
    if complete is not Z:
        for _ in range(ROUNDS - 1):
            filling = _components(fill_rows(Z, *filling, EVERY_CELL))
    return filling


def _components(Z: FloatArray) -> Filling:
    """The main principal components, less what noise adds to their variance."""
    n_rows, n_columns = Z.shape
    mean = Z.mean(axis=0)
    centred = Z - mean
    wide = n_columns > n_rows
    products = centred @ centred.T if wide else centred.T @ centred
    variances, vectors = np.linalg.eigh(products / n_rows)
    variances, vectors = np.maximum(variances[::-1], 0.0), vectors[:, ::-1]
    n_all = min(n_rows - 1, n_columns)
    n_main = max(min(MOST_COMPONENTS, n_all - 1), 0)
    main, rest = variances[:n_main], variances[n_main:n_all].mean() if n_all else 0.0
    axes = vectors[:, :n_main]
    if wide:
        axes = centred.T @ axes / np.sqrt(np.maximum(n_rows * main, np.finfo(float).tiny))
    loadings = axes * np.sqrt(np.maximum(main - rest, 0.0))
    own = np.square(centred).mean(axis=0) - np.square(loadings).sum(axis=1)
    return Filling(mean, loadings, np.maximum(own, LEAST_NOISE))
