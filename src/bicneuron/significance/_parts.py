"""Units of rows, which folds keep together."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._shared._checks import by_size, check_numbers
from bicneuron.significance._known import row_numbers, strata_of_units, warn_of_dependence


class Units(NamedTuple):
    """The unit of each row (a group of rows, or the row), and the stratum of each unit."""

    of_rows: IndexArray
    strata: IndexArray


def rows_and_units(
    model: Any, X: Any, y: Any, groups: Any, strata: Any = None
) -> tuple[Any, AnyArray | None, Units]:
    """Return an indexable table, the labels, and the units of folds."""
    if y is None:
        table, labels = check_numbers(clone(model), X, to_be_scaled=True), None
    else:
        table, labels = check_numbers(clone(model), X, y, to_be_scaled=True)
        check_classification_targets(labels)
    if issparse(table):
        table = table.tocsr()
    n_rows = table.shape[0]
    warn_of_dependence(X, groups)
    of_rows = np.arange(n_rows)
    if groups is not None:
        shape = np.shape(groups)
        if shape != (n_rows,):
            raise ValueError(
                f"groups has the shape {shape}; give one group for each of the {n_rows} rows of X."
            )
        of_rows = np.unique(np.asarray(groups), return_inverse=True)[1]
    of_classes = row_numbers(labels, n_rows, "y")
    of_strata = row_numbers(strata, n_rows, "strata")
    kinds = row_numbers(np.column_stack([of_classes, of_strata]), n_rows, "rows")
    # By size, and not by the names of classes: they have no part in the folds.
    _, of_units = by_size(strata_of_units(kinds, of_rows))
    return table, labels, Units(of_rows, of_units)
