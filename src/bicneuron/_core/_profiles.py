"""Columns seen over the rows of a block, or rows over its columns: centred, with distances."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances and bounds on them carry rounding errors far below this share.
SAFETY = 1.0 - 1e-9

# Lines that are summed up side by side: what is read and written stays in the nearest cache.
WIDTH = 1024


class Profiles(NamedTuple):
    """Lines over some positions, each centred over them, and made when it is first asked for.

    ``across`` is ``lines`` transposed, in C order.
    """

    lines: FloatArray
    across: FloatArray
    positions: IndexArray
    means: FloatArray
    made: BoolArray
    values: FloatArray


@kernel
def profiles_over(lines: FloatArray, across: FloatArray, positions: IndexArray) -> Profiles:
    """Profiles of which none is made yet."""
    m, n = len(lines), len(positions)
    means = np.zeros(m)
    for first in range(0, m, WIDTH):
        some = means[first : first + WIDTH]
        for position in positions:
            line = across[position, first : first + WIDTH]
            for j in range(len(some)):
                some[j] += line[j]
    means /= n
    return Profiles(lines, across, positions, means, np.zeros(m, np.bool_), np.empty((m, n)))


@kernel
def profile(profiles: Profiles, j: int) -> FloatArray:
    """The profile of line ``j``."""
    values: FloatArray = profiles.values[j]
    if not profiles.made[j]:
        profiles.made[j] = True
        for i in range(len(values)):
            values[i] = profiles.lines[j, profiles.positions[i]] - profiles.means[j]
    return values


@kernel
def squared_distances_to(profiles: Profiles, point: FloatArray) -> FloatArray:
    """Squared Euclidean distance of each profile to a point, with no profile made."""
    squares = np.zeros(len(profiles.means))
    for first in range(0, len(squares), WIDTH):
        some, means = squares[first : first + WIDTH], profiles.means[first : first + WIDTH]
        for i in range(len(point)):
            line = profiles.across[profiles.positions[i], first : first + WIDTH]
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
