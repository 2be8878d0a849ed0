"""Whether numbers are measurements; readers of tables ask before scikit-learn is loaded."""

import numpy as np

from bicneuron._core._arrays import AnyArray

# More numbers than these are no classes, unless they are numbered with so many rows each.
MOST_CLASSES, ROWS_EACH = 10, 5


def are_numbers(values: AnyArray) -> bool:
    """Whether numbers are measurements, and not the numbers of classes.

    Classes are whole numbers, at most ten of them or, counted from 0 or 1, with five rows each.
    """
    different, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    n = len(different)
    is_counted = different.tolist() in ([*range(n)], [*range(1, n + 1)])
    are_many = n > MOST_CLASSES and not (is_counted and counts.min() >= ROWS_EACH)
    return bool(np.any(different % 1 > 0)) or are_many
