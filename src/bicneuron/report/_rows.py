"""Which rows a page explains."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray

# Of the wrong ones, the most certain.
MOST_WRONG = 3


def choose_rows(
    scores: FloatArray, predicted: AnyArray, y: AnyArray | None, classes: AnyArray
) -> list[tuple[int, str]]:
    """Positions to look at, each with a reason.

    Parameters
    ----------
    scores : array of shape (n_rows,) or (n_rows, n_classes)
        Of the decision function.
    predicted : array of shape (n_rows,)
    y : array of shape (n_rows,) or None
    classes : array of shape (n_classes,)

    Returns
    -------
    list of (int, str)
        The most certain row of each class, the least certain of all, and wrong ones.
    """
    certainty = _certainty(scores)
    right = np.ones(len(predicted), dtype=bool) if y is None else predicted == y
    chosen: dict[int, str] = {}
    for label in classes.tolist():
        rows = np.flatnonzero((predicted == label) & right)
        if len(rows):
            chosen[int(rows[certainty[rows].argmax()])] = f"most certain of {label}"
    chosen.setdefault(int(certainty.argmin()), "least certain")
    wrong = np.flatnonzero(~right)
    for row in wrong[np.argsort(-certainty[wrong], kind="stable")][:MOST_WRONG].tolist():
        chosen.setdefault(row, "wrong")
    return list(chosen.items())


def find_rows(rows: Sequence[Any], names: Sequence[Any]) -> list[tuple[int, str]]:
    """Positions of rows that are given by name, or else by position."""
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    chosen = {}
    for row in rows:
        by_position = isinstance(row, int | np.integer) and -len(names) <= row < len(names)
        if row in places:
            place = places[row]
        elif by_position:
            place = int(row) % len(names)
        else:
            raise ValueError(
                f"rows has {row!r}, which is neither a name of a row of X nor a position; X has "
                f"{len(names)} rows, the first is {names[0]!r}."
            )
        chosen[place] = "chosen"
    return list(chosen.items())


def _certainty(scores: FloatArray) -> FloatArray:
    """Distance from the nearest other decision."""
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.sort(scores, axis=1)
    margin: FloatArray = best[:, -1] - best[:, -2]
    return margin
