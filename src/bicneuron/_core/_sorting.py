"""Sorting, in place of numpy's functions, which take several times as long to compile."""

import numpy as np

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._core._jit import kernel


@kernel
def ascending(values: AnyArray) -> IndexArray:
    """Positions of values, none of them NaN, in ascending order; ties by position (merge sort)."""
    n = len(values)
    order, merged = np.arange(n), np.empty(n, np.intp)
    width = 1
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            left, right = begin, middle
            for k in range(begin, end):
                at_end = right == end
                if left < middle and (at_end or values[order[left]] <= values[order[right]]):
                    merged[k] = order[left]
                    left += 1
                else:
                    merged[k] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order
