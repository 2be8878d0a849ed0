"""Columns seen over the rows of a block, or rows over its columns: centred, with distances."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Distances and bounds on them carry rounding errors far below this share.
SAFETY = 1.0 - 1e-9


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


@kernel
def norms_of(profiles: FloatArray) -> FloatArray:
    """Euclidean norm of each profile."""
    origin = np.zeros(profiles.shape[1])
    norms = np.empty(len(profiles))
    for j in range(len(profiles)):
        norms[j] = np.sqrt(squared_distance(profiles[j], origin))
    return norms
