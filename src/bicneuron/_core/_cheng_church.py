"""One bicluster by the algorithm of Cheng and Church (2000).

`delete_many` deletes all lines whose residue exceeds threshold * H together, first rows, then
columns; `prune` deletes one line at a time; `add_lines` adds columns, rows and mirrored rows whose
residue is at most H. The residue of a line outside the block is its mean squared deviation from its
own mean plus the effects of the block.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._profiles import centred_profiles
from bicneuron._core._prune import prune


def find_block(
    Z: FloatArray,
    max_residue: float,
    threshold: float,
    minimum: tuple[int, int],
    mirror: bool,
    few_lines: int = 100,
) -> tuple[IndexArray, IndexArray, BoolArray]:
    """Rows and columns of one block, and which of the rows are mirrored."""
    rows, columns = delete_many(Z, max_residue, threshold, minimum, few_lines)
    lines = np.ascontiguousarray(Z[np.ix_(rows, columns)].T)
    kept = prune(centred_profiles(lines, np.arange(len(rows))), max_residue, *minimum)
    rows, columns = rows[kept[0]], columns[kept[1]]
    if not len(rows):
        return rows, columns, np.zeros(0, dtype=bool)
    return add_lines(Z, rows, columns, mirror)


def delete_many(
    Z: FloatArray, max_residue: float, threshold: float, minimum: tuple[int, int], few_lines: int
) -> tuple[IndexArray, IndexArray]:
    """Rows and columns that remain after multiple node deletion; never fewer than ``minimum``."""
    lines = [np.arange(size) for size in Z.shape]
    block = Z
    while True:
        before = block.shape
        for axis in (0, 1):
            squares = np.square(_residues(block))
            residue = squares.mean()
            if residue <= max_residue:
                return lines[0], lines[1]
            if block.shape[axis] > few_lines:
                kept = squares.mean(axis=1 - axis) <= threshold * residue
                if kept.sum() >= minimum[axis]:
                    lines[axis], block = lines[axis][kept], np.compress(kept, block, axis)
        if block.shape == before:
            return lines[0], lines[1]


def add_lines(
    Z: FloatArray, rows: IndexArray, columns: IndexArray, mirror: bool
) -> tuple[IndexArray, IndexArray, BoolArray]:
    """Rows and columns after node addition, and which of the rows are mirrored."""
    signs = np.zeros(len(Z))  # 0 outside the block, -1 for mirrored rows
    signs[rows] = 1.0
    is_column = np.zeros(Z.shape[1], dtype=bool)
    is_column[columns] = True
    n_lines = 0
    while n_lines < np.count_nonzero(signs) + is_column.sum():
        n_lines = np.count_nonzero(signs) + is_column.sum()
        inside = signs[signs != 0, None] * Z[signs != 0]
        block = inside[:, is_column]
        row_effects = block.mean(axis=1, keepdims=True) - block.mean()
        deviations = inside - inside.mean(axis=0) - row_effects
        is_column |= np.square(deviations).mean(axis=0) <= np.square(_residues(block)).mean()
        for sign in (1.0, -1.0) if mirror else (1.0,):
            block = signs[signs != 0, None] * Z[np.ix_(signs != 0, is_column)]
            column_effects = block.mean(axis=0) - block.mean()
            outside = sign * Z[np.ix_(signs == 0, is_column)]
            deviations = outside - outside.mean(axis=1, keepdims=True) - column_effects
            fits = np.square(deviations).mean(axis=1) <= np.square(_residues(block)).mean()
            signs[np.flatnonzero(signs == 0)[fits]] = sign
    rows = np.flatnonzero(signs)
    return rows, np.flatnonzero(is_column), signs[rows] < 0


def _residues(block: FloatArray) -> FloatArray:
    of_rows = block.mean(axis=1, keepdims=True)
    return np.asarray(block - block.mean(axis=0) - of_rows + block.mean())
