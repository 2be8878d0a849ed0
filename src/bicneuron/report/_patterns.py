"""Patterns as pages and lists show them: their two sides, the order of columns, their shares."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._formats import class_name
from bicneuron._shared._names import feature_names
from bicneuron._shared._scaling import observed_means
from bicneuron.patterns import Pattern, pattern_facts, sides_of

# Patterns that a page lists.
MOST_PATTERNS = 10
# Columns of a pattern, and terms of a formula, that are shown at once.
MOST_TERMS = 12
# Columns of a pattern that can be unfolded; all are in the lists.
MOST_COLUMNS = 60


def table_values(model: Any, X: Any) -> tuple[FloatArray, list[str]]:
    """The numbers of a dense table, and the names of its columns."""
    if issparse(X):
        raise TypeError("X is sparse, but its rows and columns are listed; give X.toarray().")
    values: FloatArray = check_numbers(model, X, reset=False, accept_sparse=False)
    return values, feature_names(model)


def class_labels(y: Any) -> AnyArray | None:
    """The classes of rows, as an array; refuse several labels per row."""
    if y is not None and np.ndim(y) != 1:
        raise ValueError(f"y has the shape {np.shape(y)}; give one class for each row.")
    return None if y is None else np.asarray(y)


def side_names(pattern: Pattern) -> tuple[str, str]:
    """The two sides in words."""
    own = "all rows" if pattern.anchor_class is None else str(pattern.anchor_class)
    has_contrast = len(pattern.contrast_rows) > 0
    return own, class_name(pattern.contrast_class) if has_contrast else "all other rows"


def side_means(
    pattern: Pattern, values: FloatArray, carriers: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Means of the columns on both sides, without missing cells, most important columns first."""
    block = values[:, pattern.ranked_columns]
    rows, contrast = sides_of(pattern, carriers)
    return mean_of(block[rows]), mean_of(block[contrast])


def mean_of(values: FloatArray) -> FloatArray:
    """Mean of each column over the cells that are not missing; NaN if all are."""
    return np.where(np.isnan(values).all(axis=0), np.nan, observed_means(values))


def page_patterns(
    model: Any,
    carriers: BoolArray | None,
    values: FloatArray | None,
    of_classes: Mapping[Any, FloatArray],
    most: int | None,
) -> list[dict[str, Any]]:
    """Describe the strongest patterns of a model, at most so many."""
    names = feature_names(model)
    described = []
    for k, pattern in enumerate(model.patterns_[:most]):
        columns = pattern.ranked_columns
        if carriers is not None and values is not None:
            means = np.array(side_means(pattern, values, carriers[:, k]))
        else:
            centres = model.in_table_units(pattern.neuron.centroids, pattern.columns)
            means = centres[:, pattern.column_order]
        is_pair = pattern.kind != "class"
        described.append(
            {
                "number": k + 1,
                "problem": pattern.neuron.target,
                "group": class_name(pattern.anchor_class),
                "contrast": class_name(pattern.contrast_class),
                "group_class": pattern.anchor_class,
                "contrast_class": pattern.contrast_class,
                "is_pair": is_pair,
                "n_rows": len(pattern.rows) if is_pair else None,
                "n_contrast": len(pattern.contrast_rows) if is_pair else None,
                "share": pattern.strength,
                "facts": pattern_facts(pattern),
                "are_means": carriers is not None,
                "n_columns": len(columns),
                "columns": [
                    {
                        "name": names[columns[place]],
                        "group_mean": float(means[0, place]),
                        "contrast_mean": float(means[1, place]),
                        "class_means": [
                            float(of_class[columns[place]]) for of_class in of_classes.values()
                        ],
                    }
                    for place in range(min(len(columns), MOST_COLUMNS))
                ],
            }
        )
    return described
