"""A pattern of a fitted model in its training table; other tables are refused."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.patterns import Pattern, check_patterns


def pattern_in_table(
    estimator: Any, X: Any, position: int, y: Any = None
) -> tuple[FloatArray, Pattern, dict[str, AnyArray | None]]:
    """Look up a pattern of a fitted model."""
    pattern = pattern_at(estimator, position)
    estimator.check_table(X, y)
    feature_names, row_names = frame_names(X)
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    names = {"feature_names": feature_names, "row_names": row_names}
    return estimator.scaled_table(X), pattern, names


def pattern_at(estimator: Any, position: int) -> Pattern:
    """The pattern of a fitted model at a position, or an error."""
    check_patterns(estimator, "the plot")
    patterns = estimator.patterns_
    if not patterns:
        raise ValueError(
            f"there is nothing to draw: {type(estimator).__name__} found no pattern, as the "
            "warning of its fit says."
        )
    if not 0 <= position < len(patterns):
        raise ValueError(f"pattern={position} is not in patterns_; give 0 to {len(patterns) - 1}.")
    found: Pattern = patterns[position]
    return found


def frame_names(X: Any) -> tuple[AnyArray | None, AnyArray | None]:
    """Names of the columns and of the rows, or None if ``X`` has none."""
    columns, index = getattr(X, "columns", None), getattr(X, "index", None)
    return (
        None if columns is None else np.asarray(columns, dtype=object),
        None if index is None else np.asarray(index, dtype=object),
    )
