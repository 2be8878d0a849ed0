"""Mean squared residue (MSR) H: the deviation of a block from row effects plus column effects."""

import numpy as np
import numpy.typing as npt

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows, submatrix
from bicneuron._core._jit import kernel

# Residues up to this share of the spread of a block count as zero. An entry is the result of a few
# operations, each with a relative error of at most 2**-53; eight units of 2**-52 cover them.
ZERO_RESIDUE = 8 * 2.0**-52
# Missing cells are filled in until they move by this share of the range, or so many times.
FILL_TOLERANCE, MAX_FILLS = 1e-9, 500


@kernel
def residues(block: FloatArray) -> FloatArray:
    """Residue ``b_ij - colmean_j - rowmean_i + mean`` of each entry of a non-empty block."""
    n_rows, n_columns = block.shape
    residue, means = np.empty((n_rows, n_columns)), np.zeros(n_columns)
    for i in range(n_rows):
        row_effect = block[i, 0] - block[0, 0]
        for j in range(n_columns):
            residue[i, j] = (block[i, j] - block[0, j]) - row_effect
            means[j] += residue[i, j]
    means /= n_rows
    spread = largest = 0.0
    for i in range(n_rows):
        row_sum = 0.0
        for j in range(n_columns):
            residue[i, j] -= means[j]
            row_sum += residue[i, j]
        row_mean = row_sum / n_columns
        for j in range(n_columns):
            residue[i, j] -= row_mean
            spread = max(spread, abs(block[i, j] - block[0, j]))
            largest = max(largest, abs(residue[i, j]))
    if largest <= ZERO_RESIDUE * spread:
        residue[:] = 0.0
    return residue


@kernel
def mean_square(values: FloatArray) -> float:
    """Mean of the squared entries of a non-empty matrix."""
    n_rows, n_columns = values.shape
    total = 0.0
    for i in range(n_rows):
        for j in range(n_columns):
            total += values[i, j] * values[i, j]
    return total / values.size


@kernel
def mean_squared_residue(block: FloatArray) -> float:
    """H(I, J) of a non-empty block; exactly zero for one row or one column."""
    return mean_square(residues(block))


@kernel
def block_residue(Z: FloatArray, rows: IndexArray, columns: IndexArray) -> float:
    """H(I, J) of the submatrix of ``Z`` on ``rows`` (I) and ``columns`` (J)."""
    return mean_squared_residue(submatrix(Z, rows, columns))


@kernel
def blocks_residue(Z: FloatArray, blocks: Blocks) -> FloatArray:
    """H of each block of ``Z``, shape (n_blocks,)."""
    n_blocks = len(blocks.row_starts) - 1
    residue = np.empty(n_blocks)
    for b in range(n_blocks):
        residue[b] = block_residue(Z, block_rows(blocks, b), block_columns(blocks, b))
    return residue


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


def residue_ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Ratio r of the residues of anchor blocks and of their contrasts, elementwise."""
    above = np.asarray(numerator, dtype=np.float64)
    below = np.asarray(denominator, dtype=np.float64)
    ratio = np.full(np.broadcast_shapes(above.shape, below.shape), np.inf)
    with np.errstate(over="ignore"):
        np.divide(above, below, out=ratio, where=below > 0)
    return ratio


def observed_residue(block: FloatArray) -> float:
    """Mean squared residue of the cells that are not missing (NaN); 0 if all are."""
    missing = np.isnan(block)
    if not missing.any():
        return mean_squared_residue(block)
    if missing.all():
        return 0.0
    known = block[~missing]
    complete = np.where(missing, known.mean(), block)
    for _ in range(MAX_FILLS):
        row_means = complete.mean(axis=1, keepdims=True)
        expected = row_means + complete.mean(axis=0) - complete.mean()
        moved = np.abs(expected - complete)[missing].max()
        complete = np.where(missing, expected, block)
        if moved <= FILL_TOLERANCE * np.ptp(known):
            break
    return float(np.mean((complete - expected)[~missing] ** 2))
