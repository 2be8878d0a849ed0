"""The rows that a report explains."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray

# The most certain of the misclassified rows, at most this many.
MOST_WRONG = 3


def choose_rows(
    scores: FloatArray, predicted: AnyArray, y: AnyArray | None, classes: AnyArray
) -> list[tuple[int, str]]:
    """Choose rows to explain, each with the reason.

    Parameters
    ----------
    scores : array of shape (n_rows,) or (n_rows, n_classes)
        Values of the decision function.
    predicted : array of shape (n_rows,)
    y : array of shape (n_rows,) or None
    classes : array of shape (n_classes,)

    Returns
    -------
    list of (int, str)
        Positions of the most certain row of each class, the least certain of all, and misclassified
        rows.
    """
    certainty = _certainty(scores)
    correct = np.ones(len(predicted), dtype=bool) if y is None else predicted == y
    chosen: dict[int, str] = {}
    for label in classes.tolist():
        rows = np.flatnonzero((predicted == label) & correct)
        if len(rows):
            chosen[int(rows[certainty[rows].argmax()])] = f"most certain of {label}"
    chosen.setdefault(int(certainty.argmin()), "least certain")
    wrong = np.flatnonzero(~correct)
    for row in wrong[np.argsort(-certainty[wrong], kind="stable")][:MOST_WRONG].tolist():
        chosen.setdefault(row, "wrong")
    return list(chosen.items())


def find_rows(rows: Sequence[Any], names: Sequence[Any]) -> list[tuple[int, str]]:
    """Find rows that are given by name or, if there is no such name, by position."""
    positions = {name: position for position, name in reversed(list(enumerate(names)))}
    chosen = {}
    for row in rows:
        by_position = isinstance(row, int | np.integer) and -len(names) <= row < len(names)
        if row in positions:
            position = positions[row]
        elif by_position:
            position = int(row) % len(names)
        else:
            raise ValueError(
                f"rows has {row!r}, which is neither a name of a row of X nor a position; X has "
                f"{len(names)} rows, the first is {names[0]!r}."
            )
        chosen[position] = "chosen"
    return list(chosen.items())


def _certainty(scores: FloatArray) -> FloatArray:
    """Distance to the decision boundary, or the margin over the second-best class."""
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.sort(scores, axis=1)
    margin: FloatArray = best[:, -1] - best[:, -2]
    return margin
