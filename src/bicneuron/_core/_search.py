"""Local search from many seeds (steps 2 to 4 of the miner).

`search_blocks` and, for search="prune", `search_pruned_blocks` must equal this loop:

    for rows, column in seeds:
        if search == "prune":
            rows, columns = prune(rows, all columns)
        else:
            columns = [column]
        for _ in range(MAX_SWEEPS):
            columns = grow(columns over rows, at most max_columns)
            if add_rows:
                rows = grow(rows over columns)
            if nothing changed:
                break
        discard the block if it is smaller than ``minimum``

Seeds with the same row set share the sums of `profiles_over`. `grow` stops where no column can be
added and keeps the bound, so columns change again only after rows were added and nothing is to be
removed later. `can_grow` recognises most seeds that no other column can join, which are discarded
in the end; it is skipped where rows may be added or most seeds so far have led to a block.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_rows
from bicneuron._core._grow import can_grow, grow, mean_and_residue
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import Profiles, compute_profiles, profiles_over, squared_distance
from bicneuron._core._prune import prune
from bicneuron._core._sorting import ascending

# A search alternates expansion and row addition at most this often (step 3 of the miner). The limit
# bounds the cost where each sweep adds a single row or column.
MAX_SWEEPS = 20


@kernel
def search_block(
    lines: tuple[FloatArray, FloatArray],
    profiles: Profiles,
    columns: IndexArray,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> tuple[IndexArray, IndexArray]:
    """Grow one block."""
    rows = profiles.positions
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
    return rows[ascending(rows)], columns[ascending(columns)]


@kernel
def search_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> list[tuple[int, IndexArray, IndexArray]]:
    """`search_block` from many seeds: the number of each that leads to a block, and the block."""
    found = [(0, seeds.rows[:0], seeds.columns[:0])]  # the type for the compiler
    n_found = 0
    grows = np.empty(len(seeds.columns), np.bool_)
    for s in range(len(seeds.row_starts) - 1):
        rows = block_rows(seeds, s)
        first, last = seeds.column_starts[s], seeds.column_starts[s + 1]
        for k in range(first, last):
            seed = seeds.columns[k]
            skip_test = add_rows or 2 * n_found > first
            grows[k] = skip_test or can_grow(lines, rows, seed, max_residue)
        if np.any(grows[first:last]):
            profiles = profiles_over(lines[1], lines[0], rows)
        for k in range(first, last):
            if grows[k]:
                seed = seeds.columns[k : k + 1]
                r, c = search_block(
                    lines, profiles, seed, max_residue, minimum, max_columns, add_rows
                )
                if len(c) > 0:
                    n_found += 1
                    found.append((k, r, c))
    return found[1:]


@kernel
def search_pruned_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> list[tuple[int, IndexArray, IndexArray]]:
    """`search_block` from all columns, pruned, of each row set of ``seeds``, as `search_blocks`."""
    count = len(seeds.row_starts) - 1
    found = [(0, seeds.rows[:0], seeds.columns[:0])]
    for s in range(count):
        rows = block_rows(seeds, s)
        profiles = profiles_over(lines[1], lines[0], rows)
        values = compute_profiles(profiles, np.arange(len(lines[1])))
        kept, columns = prune(values, max_residue, minimum[0], minimum[1])
        if len(kept) < len(rows) and len(kept) > 0:
            profiles = profiles_over(lines[1], lines[0], rows[kept])
        if len(columns) > max_columns:
            # Those nearest to the mean profile, in ascending order.
            values = compute_profiles(profiles, columns)
            mean, _ = mean_and_residue(values)
            distances = np.empty(len(columns))
            for k in range(len(columns)):
                distances[k] = squared_distance(values[k], mean)
            columns = columns[ascending(distances)[:max_columns]]
            columns = columns[ascending(columns)]
        if len(kept) > 0:
            r, c = search_block(
                lines, profiles, columns, max_residue, minimum, max_columns, add_rows
            )
            found.append((s, r, c))
    return found[1:]
