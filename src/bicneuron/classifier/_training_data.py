"""The rows that a classifier is trained on: checked, sampled, with their min-max scaling."""

from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._checks import by_size, check_classes
from bicneuron._shared._filling import with_means
from bicneuron._shared._scaled_matrix import ScaledMatrix, scaling_of
from bicneuron._shared._scaling import Scaling, minmax_scaling
from bicneuron.classifier._problems import BinaryProblem


class TrainingData(NamedTuple):
    """Rows that are used, and classes of all rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows_used, n_columns)
    y : array of shape (n_rows_used,)
    rows_used : array of intp
        Positions of these rows among all rows.
    classes : array of shape (n_classes,)
        Sorted.
    by_size : tuple of arrays of shape (n_classes,)
        Classes in an order that their names have no part in, and their sizes.
    class_sizes : array of shape (n_classes,)
        Among all rows.
    scaling : Scaling
        Min-max scaling of the rows used.
    """

    X: Any
    y: AnyArray
    rows_used: IndexArray
    classes: AnyArray
    by_size: tuple[AnyArray, IndexArray]
    class_sizes: IndexArray
    scaling: Scaling

    @property
    def used_sizes(self) -> dict[Any, int]:
        """Rows of each class that are used."""
        labels, sizes = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), sizes.tolist(), strict=True))


def without_gaps(X: Any) -> Any:
    """Replace missing values (NaN; of a sparse matrix, stored ones) by the mean of their column.

    ``X`` itself if none is missing; 0 in a column without values.
    """
    if isinstance(X, np.ndarray):
        return with_means(X)
    missing = np.isnan(X.data)
    if not missing.any():
        return X
    X = X.copy()
    n_rows, n_columns = X.shape
    column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    sums = np.bincount(column[~missing], X.data[~missing], n_columns)
    n_missing = np.bincount(column[missing], minlength=n_columns)
    X.data[missing] = (sums / np.maximum(n_rows - n_missing, 1))[column[missing]]
    return X


def prepare(X: Any, y: AnyArray, max_rows: int | None, seed: int) -> TrainingData:
    """Draw at most ``max_rows`` rows of each class, in their order, and find their scaling."""
    classes, class_sizes = check_classes(y)
    ordered = by_size(y)[0]
    rows_used = np.arange(len(y))
    if max_rows is not None:
        rng = np.random.default_rng(seed)
        samples = [rng.permutation(np.flatnonzero(y == label))[:max_rows] for label in ordered]
        rows_used = np.sort(np.concatenate(samples))
        X, y = X[rows_used], y[rows_used]
    scaling = scaling_of(minmax_scaling, X)
    sizes = ordered, np.sort(class_sizes)[::-1]
    return TrainingData(X, y, rows_used, classes, sizes, class_sizes, scaling)


def problem_rows(
    problem: BinaryProblem, Z: ScaledMatrix, y: AnyArray
) -> tuple[IndexArray, ScaledMatrix, AnyArray]:
    """The rows of a binary problem, their scaled values and the labels of their sides."""
    rows = problem.rows(y)
    block: FloatArray | ScaledMatrix = Z if len(rows) == len(Z) else Z[rows]
    return rows, block, problem.labels(y[rows])
