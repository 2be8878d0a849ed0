"""Local search for coherent blocks: refine and expand under a bound on the residue."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_rows, starts_of
from bicneuron._core._grow import can_grow, grow
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import Profiles, made_profiles, profiles_over
from bicneuron._core._prune import prune

# A search alternates expansion and row addition this often at the most.
MAX_SWEEPS = 20


@kernel
def search_block(
    lines: tuple[FloatArray, FloatArray],
    profiles: Profiles,
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
    profiles : Profiles
        Of the columns over the row set of the seed.
    seed : int
        The column to start from; -1 starts from all of them.
    max_residue, minimum, max_columns, add_rows
        Bound on H, smallest numbers of rows and columns, number of columns at which growth stops,
        and whether outside rows may join.

    Returns
    -------
    rows, columns : sorted arrays, both empty when no block of the minimum size was found.
    """
    rows = profiles.positions
    if seed < 0:
        every = made_profiles(profiles, np.arange(len(lines[1])))
        kept, columns = prune(every, max_residue, minimum[0], minimum[1])
        if len(kept) == 0:
            return kept, columns
        if len(kept) < len(rows):
            rows = rows[kept]
            profiles = profiles_over(lines[1], lines[0], rows)
    else:
        columns = np.array([seed])
    for _ in range(MAX_SWEEPS):
        columns = grow(profiles, columns, max_residue, max_columns)
        if not add_rows:
            break
        before = len(rows)
        across = profiles_over(lines[0], lines[1], columns)
        rows = grow(across, rows, max_residue, len(lines[0]))
        if len(rows) == before:
            break
        profiles = profiles_over(lines[1], lines[0], rows)
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
    ``minimum`` asks for two columns or more. Where most seeds have led to a block so far, the next
    ones are grown without a look at whether they can.
    """
    n_rows, n_columns = np.zeros(len(seeds.columns), np.intp), np.zeros(len(seeds.columns), np.intp)
    all_rows, all_columns = np.empty(1024, np.intp), np.empty(1024, np.intp)
    row_end = column_end = n_found = 0
    grows = np.empty(len(seeds.columns), np.bool_)
    for s in range(len(seeds.row_starts) - 1):
        rows = block_rows(seeds, s)
        first, last = seeds.column_starts[s], seeds.column_starts[s + 1]
        for k in range(first, last):
            seed = seeds.columns[k]
            # A column that stays alone is no block, unless further rows change what is near it.
            may_grow = seed < 0 or add_rows or 2 * n_found > first
            grows[k] = may_grow or can_grow(lines, rows, seed, max_residue)
        if not np.any(grows[first:last]):
            continue
        profiles = profiles_over(lines[1], lines[0], rows)
        for k in range(first, last):
            if grows[k]:
                seed = seeds.columns[k]
                r, c = search_block(
                    lines, profiles, seed, max_residue, minimum, max_columns, add_rows
                )
                n_rows[k], n_columns[k] = len(r), len(c)
                n_found += len(c) > 0
                all_rows, all_columns = put(all_rows, row_end, r), put(all_columns, column_end, c)
                row_end, column_end = row_end + len(r), column_end + len(c)
    return Blocks(
        starts_of(n_rows),
        all_rows[:row_end].copy(),
        starts_of(n_columns),
        all_columns[:column_end].copy(),
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
