"""Sorting, in place of numpy's functions, which take several times as long to compile."""

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Computed numbers that differ by less, as a share of the larger one, are equal: the last bits of a
# sum depend on the processor. So are squares of scaled values that are less than the second number.
EQUAL, NOTHING = 1e-9, 1e-24


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


@kernel
def above(value: float) -> float:
    """The largest number that counts as equal to one that is not negative."""
    return (1.0 + EQUAL) * value + NOTHING


@kernel
def ascending_with_ties(values: AnyArray) -> IndexArray:
    """`ascending` of values that are not negative, with nearly equal ones by position."""
    order = ascending(values)
    first = 0
    for k in range(1, len(order) + 1):
        if k == len(order) or values[order[k]] > above(values[order[k - 1]]):
            if k - first > 1:
                tied = order[first:k].copy()
                by_position = ascending(tied)
                for i in range(len(tied)):
                    order[first + i] = tied[by_position[i]]
            first = k
    return order


def ranked(values: FloatArray) -> list[int]:
    """Positions of values in ascending order; nearly equal ones by position."""
    order = np.argsort(values, kind="stable")
    lower, higher = values[order[:-1]], values[order[1:]]
    with np.errstate(invalid="ignore"):  # infinite values are equal
        is_higher = higher - lower > EQUAL * np.abs(lower) + NOTHING
    level = np.concatenate([[0], np.cumsum(is_higher)])[: len(order)]
    positions: list[int] = order[np.lexsort((order, level))].tolist()
    return positions


def largest(values: FloatArray, count: int) -> IndexArray:
    """Positions of the ``count`` largest values, sorted; nearly equal ones by position."""
    limit = np.partition(values, len(values) - count)[len(values) - count]
    slack = EQUAL * abs(limit)
    above = np.flatnonzero(values > limit + slack)
    level = np.flatnonzero(np.abs(values - limit) <= slack)
    return np.sort(np.concatenate([above, level[: max(count - len(above), 0)]]))


def place_of_largest(values: FloatArray) -> int:
    """Position of the largest value, the first of those that are nearly equal."""
    return int(largest(values, 1)[0])
