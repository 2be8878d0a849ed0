"""The nearest rows of the other class, and how far apart two blocks of the same columns lie."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._jit import kernel


@kernel
def centroid(Z: FloatArray, rows: IndexArray, columns: IndexArray) -> FloatArray:
    """Mean of ``Z[rows]`` over ``columns``."""
    mean = np.zeros(len(columns))
    for r in rows:
        for j in range(len(columns)):
            mean[j] += Z[r, columns[j]]
    return mean / len(rows)


def nearest_rows(Z: FloatArray, blocks: Blocks, pool: IndexArray, sizes: IndexArray) -> Blocks:
    """For each block the ``sizes[b]`` rows of ``pool`` nearest to its centroid, in its columns.

    Euclidean distance; of two equally far rows the lower index is nearer. ``pool`` is sorted and
    holds at least ``sizes[b]`` rows.

    Returns
    -------
    contrast : Blocks
        With the columns of ``blocks`` and rows in order of distance.
    """
    squares = squared_distances(Z, blocks, pool)
    nearest = [pool[smallest(line, k)] for line, k in zip(squares, sizes.tolist(), strict=True)]
    row_starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes, dtype=np.intp)])
    rows = np.concatenate([np.empty(0, np.intp), *nearest])
    return Blocks(row_starts, rows, blocks.column_starts, blocks.columns)


@kernel
def squared_distances(Z: FloatArray, blocks: Blocks, pool: IndexArray) -> FloatArray:
    """Squared distance of each row of ``pool`` to the centroid of each block, in its columns."""
    squares = np.zeros((len(blocks.row_starts) - 1, len(pool)))
    for b in range(len(squares)):
        columns = block_columns(blocks, b)
        centre = centroid(Z, block_rows(blocks, b), columns)
        for i in range(len(pool)):
            for j in range(len(columns)):
                squares[b, i] += (Z[pool[i], columns[j]] - centre[j]) ** 2
    return squares


def smallest(values: FloatArray, count: int) -> IndexArray:
    """Positions of the ``count`` smallest values, in order, ties by position; linear in n."""
    limit = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < limit)
    level = np.flatnonzero(values == limit)[: count - len(below)]
    return np.concatenate([below[np.argsort(values[below], kind="stable")], level])


@kernel
def centroid_distances(Z: FloatArray, anchors: Blocks, contrasts: Blocks) -> FloatArray:
    """Euclidean distance between the centroids of each block and its contrast."""
    distances = np.empty(len(anchors.row_starts) - 1)
    for b in range(len(distances)):
        columns = block_columns(anchors, b)
        one = centroid(Z, block_rows(anchors, b), columns)
        other = centroid(Z, block_rows(contrasts, b), columns)
        distances[b] = np.sqrt(np.sum((one - other) ** 2))
    return distances


@kernel
def farthest_distances(Z: FloatArray, anchors: Blocks, contrasts: Blocks) -> FloatArray:
    """Euclidean distance between the farthest two rows, one of a block and one of its contrast."""
    distances = np.empty(len(anchors.row_starts) - 1)
    for b in range(len(distances)):
        columns = block_columns(anchors, b)
        farthest = 0.0
        for r in block_rows(anchors, b):
            for s in block_rows(contrasts, b):
                square = 0.0
                for c in columns:
                    square += (Z[r, c] - Z[s, c]) ** 2
                farthest = max(farthest, square)
        distances[b] = np.sqrt(farthest)
    return distances
