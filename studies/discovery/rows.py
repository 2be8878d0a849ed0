"""Rows that are searched, and their division along an axis."""

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray

CASE = "case"
# Groups with fewer rows are not reported.
MIN_ROWS = 5


def case_rows(X: FloatArray, y: AnyArray | None) -> IndexArray:
    """Rows that may be in a group: the cases, or all rows if there are no labels."""
    return np.arange(len(X)) if y is None else np.flatnonzero(y == CASE)


def upper_group(values: FloatArray) -> tuple[BoolArray, float]:
    """Divide values in two groups with the least variance within them.

    Returns
    -------
    is_upper : bool array
    separation : float
        Share of the variance that the groups explain.
    """
    order = np.argsort(values, kind="stable")
    centred = values[order] - values.mean()
    n, below = len(values), np.arange(1, len(values))
    between = np.cumsum(centred)[:-1] ** 2 * n / (below * (n - below))
    best = int(np.argmax(between))
    is_upper = np.zeros(n, dtype=bool)
    is_upper[order[best + 1 :]] = True
    total = float(np.sum(centred**2))
    return is_upper, float(between[best]) / total if total else 0.0
