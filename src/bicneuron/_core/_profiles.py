"""Profiles of lines over the positions of a block, and distances to them.

A *line* is a column of the matrix and a *position* one of the rows of a block, or the other way
round. The profile of a line is the line at these positions, centred. The module must equal

    z_j = lines[j, positions] - mean(lines[j, positions])       for every line j
    distance_j = sum((z_j - point) ** 2)                        for every line j

`profiles_over` sums lines and squares once for a set of positions. `squared_distance_bounds` needs
no profiles: |z_j - p|^2 = sum x^2 - (sum x)^2 / n - 2 sum x p + |p|^2 with x = lines[j, positions]
and p centred, lowered by the largest rounding error. It decides only which profiles are left out;
results come from `compute_profiles` and `squared_distance`.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

EPSILON = 2.0**-52  # distance from 1 to the next number
# Factors that make a computed distance a safe bound: `squared_distance` adds n non-negative terms,
# so its relative error is below n * EPSILON, less than 1e-9 up to 4 million positions.
ROUND_DOWN = 1.0 - 1e-9
ROUND_UP = 1.0 / ROUND_DOWN
# Lines that one pass sums: these sums, and the pieces of the matrix it reads, stay in the cache.
LINES_PER_PASS = 1024


class Profiles(NamedTuple):
    """Lines, and the sums from which their profiles over ``positions`` are computed."""

    lines: FloatArray
    across: FloatArray
    positions: IndexArray
    totals: FloatArray
    squares: FloatArray


@kernel
def profiles_over(lines: FloatArray, across: FloatArray, positions: IndexArray) -> Profiles:
    """Sum each line and its squares over ``positions``."""
    n = len(positions)
    totals, squares = np.zeros(len(lines)), np.zeros(len(lines))
    for first in range(0, len(lines), LINES_PER_PASS):
        last = first + LINES_PER_PASS
        total, square = totals[first:last], squares[first:last]
        for i in range(0, n - 3, 4):
            a, b = across[positions[i], first:last], across[positions[i + 1], first:last]
            c, d = across[positions[i + 2], first:last], across[positions[i + 3], first:last]
            for j in range(len(total)):
                total[j] = total[j] + a[j] + b[j] + c[j] + d[j]
                square[j] += (a[j] * a[j] + b[j] * b[j]) + (c[j] * c[j] + d[j] * d[j])
        for i in range(n - n % 4, n):
            line = across[positions[i], first:last]
            for j in range(len(total)):
                total[j] += line[j]
                square[j] += line[j] * line[j]
    return Profiles(lines, across, positions, totals, squares)


@kernel
def compute_profiles(profiles: Profiles, items: IndexArray) -> FloatArray:
    """The profiles of the lines ``items``, shape (n_items, n_positions)."""
    values = np.empty((len(items), len(profiles.positions)))
    for k in range(len(items)):
        line, value = profiles.lines[items[k]], values[k]
        mean = profiles.totals[items[k]] / len(value)
        for i in range(len(value)):
            value[i] = line[profiles.positions[i]] - mean
    return values


@kernel
def squared_distance_bounds(profiles: Profiles, point: FloatArray, max_square: float) -> FloatArray:
    """Lower bounds on the squared distance of each profile to a centred point."""
    across, positions = profiles.across, profiles.positions
    n = len(point)
    error = 16 * n * EPSILON
    level = -error * max_square
    for value in point:
        level += value * value
    bounds = np.empty(len(profiles.totals))
    for first in range(0, len(bounds), LINES_PER_PASS):
        last = first + LINES_PER_PASS
        bound = bounds[first:last]
        total, square = profiles.totals[first:last], profiles.squares[first:last]
        for j in range(len(bound)):
            bound[j] = square[j] * (1.0 - error) - total[j] * total[j] * (1.0 / n) + level
        for i in range(0, n - 3, 4):
            a, b = across[positions[i], first:last], across[positions[i + 1], first:last]
            c, d = across[positions[i + 2], first:last], across[positions[i + 3], first:last]
            e, f, g, h = -2 * point[i], -2 * point[i + 1], -2 * point[i + 2], -2 * point[i + 3]
            for j in range(len(bound)):
                bound[j] += (a[j] * e + b[j] * f) + (c[j] * g + d[j] * h)
        for i in range(n - n % 4, n):
            line, e = across[positions[i], first:last], -2 * point[i]
            for j in range(len(bound)):
                bound[j] += line[j] * e
    return bounds


@kernel
def centred_profiles(lines: FloatArray, positions: IndexArray) -> FloatArray:
    """``lines[:, positions]`` with each line centred."""
    profiles = np.empty((len(lines), len(positions)))
    for j in range(len(lines)):
        mean = 0.0
        for i in range(len(positions)):
            profiles[j, i] = lines[j, positions[i]]
            mean += profiles[j, i]
        mean /= len(positions)
        for i in range(len(positions)):
            profiles[j, i] -= mean
    return profiles


@kernel
def squared_distance(a: FloatArray, b: FloatArray) -> float:
    """Squared Euclidean distance, as four independent sums that the processor overlaps."""
    w = x = y = z = 0.0
    whole = len(b) - len(b) % 4
    for i in range(0, whole, 4):
        w += (a[i] - b[i]) ** 2
        x += (a[i + 1] - b[i + 1]) ** 2
        y += (a[i + 2] - b[i + 2]) ** 2
        z += (a[i + 3] - b[i + 3]) ** 2
    for i in range(whole, len(b)):
        w += (a[i] - b[i]) ** 2
    return (w + x) + (y + z)
