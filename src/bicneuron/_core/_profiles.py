"""Columns seen over the rows of a block, or rows over its columns: centred, with distances."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances and bounds on them carry rounding errors far below this share.
SAFETY = 1.0 - 1e-9

# Lines that are summed up side by side: what is read and written stays in the nearest cache.
WIDTH = 1024


class Profiles(NamedTuple):
    """Lines over some positions, each centred over them: of all lines the means, no profile made.

    ``across`` is ``lines`` transposed, in C order.
    """

    lines: FloatArray
    across: FloatArray
    positions: IndexArray
    means: FloatArray


@kernel
def profiles_over(lines: FloatArray, across: FloatArray, positions: IndexArray) -> Profiles:
    """The profiles of all lines."""
    means = np.zeros(len(lines))
    for first in range(0, len(means), WIDTH):
        some = means[first : first + WIDTH]
        for position in positions:
            line = across[position, first : first + WIDTH]
            for j in range(len(some)):
                some[j] += line[j]
    means /= len(positions)
    return Profiles(lines, across, positions, means)


@kernel
def made_profiles(profiles: Profiles, items: IndexArray) -> FloatArray:
    """The profiles of the lines ``items``, shape (n_items, n_positions)."""
    values = np.empty((len(items), len(profiles.positions)))
    for k in range(len(items)):
        line, mean, value = profiles.lines[items[k]], profiles.means[items[k]], values[k]
        for i in range(len(value)):
            value[i] = line[profiles.positions[i]] - mean
    return values


@kernel
def squared_distances_to(profiles: Profiles, point: FloatArray) -> FloatArray:
    """Squared Euclidean distance of each profile to a point, with no profile made.

    Four positions at a time, so that what is summed up is fetched and put back less often.
    """
    across, positions = profiles.across, profiles.positions
    squares = np.zeros(len(profiles.means))
    n = len(point)
    for first in range(0, len(squares), WIDTH):
        last = first + WIDTH
        some, means = squares[first:last], profiles.means[first:last]
        for i in range(0, n - 3, 4):
            a, b = across[positions[i], first:last], across[positions[i + 1], first:last]
            c, d = across[positions[i + 2], first:last], across[positions[i + 3], first:last]
            for j in range(len(some)):
                some[j] += (
                    (a[j] - means[j] - point[i]) ** 2 + (b[j] - means[j] - point[i + 1]) ** 2
                ) + ((c[j] - means[j] - point[i + 2]) ** 2 + (d[j] - means[j] - point[i + 3]) ** 2)
        for i in range(n - n % 4, n):
            line = across[positions[i], first:last]
            for j in range(len(some)):
                some[j] += (line[j] - means[j] - point[i]) ** 2
    return squares


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
