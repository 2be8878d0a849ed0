"""Compare the same models in two environments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

TOLERANCE = 1e-6


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, float]:
    """Largest difference of each outcome; infinite for other labels, other shapes and NaN."""
    if set(first) != set(second):
        raise ValueError(f"only one has {sorted(set(first) ^ set(second))}")
    return {name: _difference(first[name], second[name]) for name in first}


def _difference(first: Any, second: Any) -> float:
    if first.shape != second.shape:
        return np.inf
    if first.dtype.kind != "f":
        return 0.0 if np.array_equal(first, second) else np.inf
    largest = float(np.abs(first - second).max())
    return np.inf if np.isnan(largest) else largest
