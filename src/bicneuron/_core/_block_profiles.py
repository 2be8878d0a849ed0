"""Profiles of blocks: the mean of each column over the rows, and how far rows are from it."""

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._jit import kernel


@kernel
def block_profiles(Z: FloatArray, blocks: Blocks) -> tuple[FloatArray, FloatArray]:
    """Profiles of blocks of a complete matrix, and the largest residue of a row to each."""
    n_blocks = len(blocks.row_starts) - 1
    profiles, farthest = np.zeros(len(blocks.columns)), np.zeros(n_blocks)
    for b in range(n_blocks):
        rows, columns = block_rows(blocks, b), block_columns(blocks, b)
        profile = profiles[blocks.column_starts[b] : blocks.column_starts[b + 1]]
        for i in rows:
            for k in range(len(columns)):
                profile[k] += Z[i, columns[k]]
        profile /= len(rows)
        for i in rows:
            level = 0.0
            if len(columns) > 1:
                for k in range(len(columns)):
                    level += Z[i, columns[k]] - profile[k]
                level /= len(columns)
            residue = 0.0
            for k in range(len(columns)):
                residue += (Z[i, columns[k]] - profile[k] - level) ** 2
            farthest[b] = max(farthest[b], residue / len(columns))
    return profiles, farthest
