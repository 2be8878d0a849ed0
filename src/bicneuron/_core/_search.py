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

It does less work in this order:

1. Seeds with the same row set share the sums of `profiles_over`.
2. `grow` stops where no column can be added, so columns change again only after rows were added.
   The sweeps end there, and without ``add_rows`` there is one.
3. Step 3 removes rows and columns only at the start of a pruning search. `prune` ends with
   H <= ``max_residue``, a single column has H = 0, and `grow` keeps the bound: later sweeps find
   nothing to remove.
4. A seed column that no other column can join is discarded in the end, since blocks have two
   columns or more. `can_grow` recognises most of these seeds before any profile is computed. It is
   skipped where rows may be added, which can bring columns nearer, and where most seeds so far have
   led to a block, since the test then costs more than it saves. It is False only if `grow` adds
   nothing, so the result cannot change.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_rows, starts_of
from bicneuron._core._grow import can_grow, grow, mean_and_residue
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import Profiles, compute_profiles, profiles_over, squared_distance
from bicneuron._core._prune import prune
from bicneuron._core._sorting import ascending

# A search alternates expansion and row addition at most this often (step 3 of the miner). The limit
# bounds the cost where each sweep adds a single row or column.
MAX_SWEEPS = 20

# Indices that the arrays of results hold before they first grow.
INITIAL_SIZE = 1024


class FoundBlocks(NamedTuple):
    """One block per seed, added in the order of the seeds; those that were not found are empty."""

    n_rows: IndexArray
    n_columns: IndexArray
    rows: IndexArray
    columns: IndexArray
    ends: IndexArray  # how many rows, and how many columns, are in use


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
def nearest_to_mean(values: FloatArray, columns: IndexArray, count: int) -> IndexArray:
    """The columns whose profiles are nearest to their mean u, in ascending order."""
    mean, _ = mean_and_residue(values)
    distances = np.empty(len(columns))
    for k in range(len(columns)):
        distances[k] = squared_distance(values[k], mean)
    nearest = columns[ascending(distances)[:count]]
    in_order: IndexArray = nearest[ascending(nearest)]
    return in_order


@kernel
def search_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> Blocks:
    """`search_block` from many seeds, one block per seed."""
    found = no_blocks(len(seeds.columns))
    n_found = 0
    grows = np.empty(len(seeds.columns), np.bool_)
    for s in range(len(seeds.row_starts) - 1):
        rows = block_rows(seeds, s)
        first, last = seeds.column_starts[s], seeds.column_starts[s + 1]
        for k in range(first, last):
            seed = seeds.columns[k]
            skip_test = add_rows or 2 * n_found > first
            grows[k] = skip_test or can_grow(lines, rows, seed, max_residue)
        if not np.any(grows[first:last]):
            continue
        profiles = profiles_over(lines[1], lines[0], rows)
        for k in range(first, last):
            if grows[k]:
                seed = seeds.columns[k : k + 1]
                r, c = search_block(
                    lines, profiles, seed, max_residue, minimum, max_columns, add_rows
                )
                n_found += len(c) > 0
                found = with_block(found, k, r, c)
    return packed(found)


@kernel
def search_pruned_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> Blocks:
    """`search_block` from all columns, pruned, one block per row set of ``seeds``."""
    count = len(seeds.row_starts) - 1
    found = no_blocks(count)
    for s in range(count):
        rows = block_rows(seeds, s)
        profiles = profiles_over(lines[1], lines[0], rows)
        values = compute_profiles(profiles, np.arange(len(lines[1])))
        kept, columns = prune(values, max_residue, minimum[0], minimum[1])
        if len(kept) == 0:
            continue
        if len(kept) < len(rows):
            profiles = profiles_over(lines[1], lines[0], rows[kept])
        if len(columns) > max_columns:
            columns = nearest_to_mean(compute_profiles(profiles, columns), columns, max_columns)
        r, c = search_block(lines, profiles, columns, max_residue, minimum, max_columns, add_rows)
        found = with_block(found, s, r, c)
    return packed(found)


@kernel
def no_blocks(count: int) -> FoundBlocks:
    """Nothing found yet from ``count`` seeds."""
    return FoundBlocks(
        np.zeros(count, np.intp),
        np.zeros(count, np.intp),
        np.empty(INITIAL_SIZE, np.intp),
        np.empty(INITIAL_SIZE, np.intp),
        np.zeros(2, np.intp),
    )


@kernel
def with_block(found: FoundBlocks, k: int, rows: IndexArray, columns: IndexArray) -> FoundBlocks:
    """Add the block of seed ``k``."""
    found.n_rows[k], found.n_columns[k] = len(rows), len(columns)
    all_rows = put(found.rows, found.ends[0], rows)
    all_columns = put(found.columns, found.ends[1], columns)
    found.ends[0] += len(rows)
    found.ends[1] += len(columns)
    return FoundBlocks(found.n_rows, found.n_columns, all_rows, all_columns, found.ends)


@kernel
def packed(found: FoundBlocks) -> Blocks:
    """The blocks without the room for more."""
    return Blocks(
        starts_of(found.n_rows),
        found.rows[: found.ends[0]].copy(),
        starts_of(found.n_columns),
        found.columns[: found.ends[1]].copy(),
    )


@kernel
def put(array: IndexArray, start: int, values: IndexArray) -> IndexArray:
    """Write ``values`` at ``start`` and return the array, a larger copy if they do not fit."""
    end = start + len(values)
    if end > len(array):
        larger = np.empty(2 * end, np.intp)
        for i in range(start):
            larger[i] = array[i]
        array = larger
    for i in range(len(values)):
        array[start + i] = values[i]
    return array
