"""Groups that are the words of one column.

A column of words becomes a column of 0 and 1 for each word. The rows with a word then share as many
columns as there are words, which is one fact about them and no group.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray


def n_facts(values: FloatArray) -> int:
    """Number of columns, where columns of two values that exclude each other count as one."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    has_two = ((values == low) | (values == high) | np.isnan(values)).all(axis=0)
    sets: list[BoolArray] = []  # rows with a word, for each column of words
    for own in (values == high)[:, has_two].T:
        place = next((k for k, one in enumerate(sets) if not (one & own).any()), None)
        if place is None:
            sets.append(own.copy())
        else:
            sets[place] |= own
    return len(sets) + int(np.sum(~has_two))
