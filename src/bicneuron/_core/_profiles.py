"""Columns seen over the rows of a block, or rows over its columns: centred, with distances."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances and bounds on them carry rounding errors far below this share.
SAFETY = 1.0 - 1e-9

# Distance from 1 to the next number.
EPSILON = 2.0**-52

# Lines that are summed up side by side: what is read and written stays in the nearest cache.
WIDTH = 1024


class Profiles(NamedTuple):
    """Lines over some positions, each centred over them: their sums and sums of squares there.

    No profile is made yet. ``across`` is ``lines`` transposed, in C order.
    """

    lines: FloatArray
    across: FloatArray
    positions: IndexArray
    totals: FloatArray
    squares: FloatArray


@kernel
def profiles_over(lines: FloatArray, across: FloatArray, positions: IndexArray) -> Profiles:
    """The profiles of all lines.

    Four positions at a time, so that what is summed up is fetched and put back less often.
    """
    n = len(positions)
    totals, squares = np.zeros(len(lines)), np.zeros(len(lines))
    for first in range(0, len(lines), WIDTH):
        last = first + WIDTH
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
def made_profiles(profiles: Profiles, items: IndexArray) -> FloatArray:
    """The profiles of the lines ``items``, shape (n_items, n_positions)."""
    values = np.empty((len(items), len(profiles.positions)))
    for k in range(len(items)):
        line, value = profiles.lines[items[k]], values[k]
        mean = profiles.totals[items[k]] / len(value)
        for i in range(len(value)):
            value[i] = line[profiles.positions[i]] - mean
    return values


@kernel
def least_squared_distances(profiles: Profiles, point: FloatArray, size: float) -> FloatArray:
    """Lower bounds on the squared distance of each profile to a point, equal but for rounding.

    By the inner products of the lines with the point, which is centred, so that no profile has to
    be made. It is the mean of profiles of lines whose sums of squares are at most ``size``: what
    rounding can add up to is measured by these.
    """
    across, positions = profiles.across, profiles.positions
    n = len(point)
    error = 16 * n * EPSILON
    level = -error * size
    for value in point:
        level += value * value
    bounds = np.empty(len(profiles.totals))
    for first in range(0, len(bounds), WIDTH):
        last = first + WIDTH
        some = bounds[first:last]
        total, square = profiles.totals[first:last], profiles.squares[first:last]
        for j in range(len(some)):
            some[j] = square[j] * (1.0 - error) - total[j] * total[j] * (1.0 / n) + level
        for i in range(0, n - 3, 4):
            a, b = across[positions[i], first:last], across[positions[i + 1], first:last]
            c, d = across[positions[i + 2], first:last], across[positions[i + 3], first:last]
            e, f, g, h = -2 * point[i], -2 * point[i + 1], -2 * point[i + 2], -2 * point[i + 3]
            for j in range(len(some)):
                some[j] += (a[j] * e + b[j] * f) + (c[j] * g + d[j] * h)
        for i in range(n - n % 4, n):
            line, e = across[positions[i], first:last], -2 * point[i]
            for j in range(len(some)):
                some[j] += line[j] * e
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
    """Squared Euclidean distance, in four independent sums (a loop that the processor overlaps)."""
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
