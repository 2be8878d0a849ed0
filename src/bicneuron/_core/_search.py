"""Local search for coherent blocks: refine and expand under a bound on the residue."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._grow import can_grow, grow
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import centred_profiles, norms_of
from bicneuron._core._prune import prune

# A search alternates expansion and row addition this often at the most.
MAX_SWEEPS = 20


@kernel
def search_block(
    lines: tuple[FloatArray, FloatArray],
    rows: IndexArray,
    profiles: FloatArray,
    norms: FloatArray,
    seed: int,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> tuple[IndexArray, IndexArray]:
    """Steps 2 and 3 of the miner from one seed: refine, expand, and again to a fixed point.

    Parameters
    ----------
    lines : (rows of Z, columns of Z)
        Arrays of shape (n_rows, n_columns) and (n_columns, n_rows).
    rows : array
        Row set of the seed.
    profiles, norms : arrays of shape (n_columns, len(rows)) and (n_columns,)
        `centred_profiles` of the columns over ``rows``, and their norms.
    seed : int
        The column to start from; -1 starts from all of them.
    max_residue, minimum, max_columns, add_rows
        Bound on H, smallest numbers of rows and columns, number of columns at which growth stops,
        and whether outside rows may join.

    Returns
    -------
    rows, columns : sorted arrays, both empty when no block of the minimum size was found.
    """
    if seed < 0:
        kept, columns = prune(profiles.copy(), max_residue, minimum[0], minimum[1])
        rows = rows[kept]
        if len(rows) == 0:
            return rows, columns
        if len(kept) < profiles.shape[1]:
            profiles = centred_profiles(lines[1], rows)
            norms = norms_of(profiles)
    else:
        columns = np.array([seed])
    for _ in range(MAX_SWEEPS):
        columns = grow(profiles, norms, columns, max_residue, max_columns)
        if not add_rows:
            break
        before = len(rows)
        row_profiles = centred_profiles(lines[0], columns)
        rows = grow(row_profiles, norms_of(row_profiles), rows, max_residue, len(row_profiles))
        if len(rows) == before:
            break
        profiles = centred_profiles(lines[1], rows)
        norms = norms_of(profiles)
    if len(columns) < minimum[1]:
        return rows[:0], columns[:0]
    return np.sort(rows), np.sort(columns)


@kernel
def search_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> Blocks:
    """`search_block` from many seeds, one block for each of them.

    ``seeds`` lists distinct row sets; the columns of each are its seeds, or -1 for all columns.
    ``minimum`` asks for two columns or more.
    """
    size = len(seeds.columns)
    row_starts, column_starts = np.zeros(size + 1, np.intp), np.zeros(size + 1, np.intp)
    all_rows, all_columns = np.empty(1024, np.intp), np.empty(1024, np.intp)
    count = 0
    for s in range(len(seeds.row_starts) - 1):
        rows = block_rows(seeds, s)
        profiles, norms = np.empty((0, 0)), np.empty(0)
        for seed in block_columns(seeds, s):
            r = c = np.empty(0, np.intp)
            # A column that stays alone is no block, unless further rows change what is near it.
            if seed < 0 or add_rows or can_grow(lines[1], rows, seed, max_residue):
                if len(profiles) == 0:
                    profiles = centred_profiles(lines[1], rows)
                    norms = norms_of(profiles)
                r, c = search_block(
                    lines, rows, profiles, norms, seed, max_residue, minimum, max_columns, add_rows
                )
            all_rows = put(all_rows, row_starts[count], r)
            all_columns = put(all_columns, column_starts[count], c)
            row_starts[count + 1] = row_starts[count] + len(r)
            column_starts[count + 1] = column_starts[count] + len(c)
            count += 1
    return Blocks(
        row_starts,
        all_rows[: row_starts[-1]].copy(),
        column_starts,
        all_columns[: column_starts[-1]].copy(),
    )


@kernel
def put(array: IndexArray, start: int, values: IndexArray) -> IndexArray:
    """Write ``values`` at ``start``, into a larger array where they do not fit."""
    end = start + len(values)
    if end > len(array):
        larger = np.empty(2 * end, np.intp)
        larger[:start] = array[:start]
        array = larger
    array[start:end] = values
    return array
