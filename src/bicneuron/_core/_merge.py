"""Merging of overlapping blocks under a bound on the residue, in time linear in their number."""

import heapq

import numpy as np
import numpy.typing as npt

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import (
    Blocks,
    block_columns,
    block_rows,
    pack_blocks,
    select_blocks,
    starts_of,
    unpack_blocks,
)
from bicneuron._core._jit import kernel
from bicneuron._core._unions import residues_of_pairs, union_residues

# A block is held against this many overlapping others at the most. Up to one block more than that
# the greedy choice is the exact one; beyond, it is what keeps the cost linear.
MAX_PARTNERS = 16
# ... found among this many others that share a column.
MAX_LOOKS = 4 * MAX_PARTNERS
# Containment is tested against this many blocks at once: 64 words of 64 bits for each line of Z.
CROWD = 4096


def merge_blocks(columns_of: FloatArray, blocks: Blocks, max_residue: float) -> Blocks:
    """Step 5 of the miner: drop what lies inside another block, then unite overlapping pairs.

    The pair of lowest union residue goes first, while that is <= ``max_residue``; ties go to the
    earlier blocks. A united block takes the place of the earlier of its two parts.

    Parameters
    ----------
    columns_of : array of shape (n_columns, n_rows)
        The columns of Z, as lines.
    blocks : Blocks
        With sorted rows and columns and without duplicates.
    max_residue : float
        Bound on the mean squared residue of a union.
    """
    n_columns, n_rows = columns_of.shape
    blocks = without_contained(blocks, n_rows, n_columns)
    first, second = overlapping_pairs(blocks, n_columns)
    residues = residues_of_pairs(columns_of, blocks, first, second, max_residue)
    if not (residues <= max_residue).any():
        return blocks
    parts = dict(enumerate(unpack_blocks(blocks)))
    partners: dict[int, set[int]] = {part: set() for part in parts}
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        partners[a].add(b)
        partners[b].add(a)
    # Entries name a union by its number of changes too, so that those of its past are passed over.
    version = dict.fromkeys(parts, 0)
    queue = [
        (residues[k], int(first[k]), int(second[k]), 0, 0)
        for k in np.flatnonzero(residues <= max_residue)
    ]
    heapq.heapify(queue)
    while queue:
        _, a, b, version_a, version_b = heapq.heappop(queue)
        if version.get(a) != version_a or version.get(b) != version_b:
            continue
        part, added = parts[a], parts.pop(b)
        parts[a] = (np.union1d(part[0], added[0]), np.union1d(part[1], added[1]))
        del version[b]
        version[a] += 1
        known = (partners[a] | partners.pop(b)) - {a, b}
        if len(parts) <= MAX_PARTNERS + 1:  # a union may overlap what neither of its parts does
            known = {c for c in parts if c != a and overlap(parts[a], parts[c])}
        others = sorted(known & parts.keys())[:MAX_PARTNERS]
        partners[a] = set(others)
        family = pack_blocks([parts[a], *(parts[other] for other in others)])
        zeros = np.zeros(len(others), np.intp)
        unions = union_residues(
            columns_of, family, zeros, np.arange(1, len(others) + 1), max_residue
        )
        for other, residue in zip(others, unions.tolist(), strict=True):
            partners[other].add(a)
            if residue <= max_residue:
                low, high = min(a, other), max(a, other)
                heapq.heappush(queue, (residue, low, high, version[low], version[high]))
    # Unions that were no partners can have grown equal.
    distinct = {
        (rows.tobytes(), columns.tobytes()): (rows, columns) for rows, columns in parts.values()
    }
    return without_contained(pack_blocks(distinct.values()), n_rows, n_columns)


def overlap(one: tuple[IndexArray, IndexArray], other: tuple[IndexArray, IndexArray]) -> bool:
    """Whether two ``(rows, columns)`` share a cell."""
    return bool(np.isin(one[0], other[0]).any() and np.isin(one[1], other[1]).any())


def without_contained(blocks: Blocks, n_rows: int, n_columns: int) -> Blocks:
    """Drop every block whose rows and columns all lie in one other block."""
    return select_blocks(blocks, ~contained(blocks, n_rows, n_columns))


@kernel
def contained(blocks: Blocks, n_rows: int, n_columns: int) -> BoolArray:
    """Tell which blocks lie inside another one; duplicates must have been removed.

    The blocks that hold a row are one bit each of that row's words, likewise for columns, so one
    `and` over a block's rows and columns tests 64 others, and most words are zero after a few.
    """
    count = len(blocks.row_starts) - 1
    inside = np.zeros(count, np.bool_)
    one = np.uint64(1)
    for first in range(0, count, CROWD):
        last = min(first + CROWD, count)
        words = (last - first + 63) // 64
        row_bits = np.zeros((n_rows, words), np.uint64)
        column_bits = np.zeros((n_columns, words), np.uint64)
        for b in range(first, last):
            word, bit = (b - first) // 64, one << np.uint64((b - first) % 64)
            for r in block_rows(blocks, b):
                row_bits[r, word] |= bit
            for c in block_columns(blocks, b):
                column_bits[c, word] |= bit
        for a in range(count):
            rows, columns = block_rows(blocks, a), block_columns(blocks, a)
            for word in range(words):
                if inside[a]:
                    break
                holders = ~np.uint64(0)
                if first <= a < last and (a - first) // 64 == word:
                    holders ^= one << np.uint64((a - first) % 64)
                for r in rows:
                    holders &= row_bits[r, word]
                    if holders == 0:
                        break
                if holders != 0:
                    for c in columns:
                        holders &= column_bits[c, word]
                        if holders == 0:
                            break
                inside[a] = holders != 0
    return inside


def overlapping_pairs(blocks: Blocks, n_columns: int) -> tuple[IndexArray, IndexArray]:
    """Pairs (a < b) of blocks that share a cell, at most `MAX_PARTNERS` found from each block.

    A block looks for partners among those that share its rarest column, then the next rarest; in
    the list of a column it starts behind its own place, so that blocks from neighbouring seeds,
    which are the most alike, come first and a popular column does not send all to the same few.
    """
    count = len(blocks.row_starts) - 1
    usage = np.bincount(blocks.columns, minlength=n_columns)
    rarest_first = np.argsort(usage, kind="stable")
    keys = np.sort(find_partners(blocks, starts_of(usage), rarest_first))
    keys = keys[np.flatnonzero(np.diff(keys, prepend=-1))]  # distinct; `np.unique` would hash them
    return keys // max(count, 1), keys % max(count, 1)


@kernel
def find_partners(blocks: Blocks, list_starts: IndexArray, rarest_first: IndexArray) -> IndexArray:
    """Search of `overlapping_pairs`; a pair (a, b) comes back as ``a * n_blocks + b``.

    Column c is in ``list_starts[c + 1] - list_starts[c]`` blocks; ``rarest_first`` are the columns.
    """
    count = len(blocks.row_starts) - 1
    users = users_of_columns(blocks, list_starts)
    places = own_places(blocks, users, list_starts, rarest_first)
    keys = np.empty(count * MAX_PARTNERS, np.intp)
    found = 0
    looked_at_by = np.full(count, -1, np.intp)
    for a in range(count):
        partners = looks = 0
        looked_at_by[a] = a
        for k in range(blocks.column_starts[a], blocks.column_starts[a + 1]):
            column, place = places[k]
            start = list_starts[column]
            length = list_starts[column + 1] - start
            for step in range(1, length):
                if partners == MAX_PARTNERS or looks == MAX_LOOKS:
                    break
                b = users[start + (place + step) % length]
                if looked_at_by[b] == a:
                    continue
                looked_at_by[b] = a
                looks += 1
                if share_a_row(blocks, a, b):
                    keys[found] = min(a, b) * count + max(a, b)
                    found += 1
                    partners += 1
    return keys[:found]


@kernel
def users_of_columns(blocks: Blocks, list_starts: IndexArray) -> npt.NDArray[np.int32]:
    """Blocks with column c, ``users[list_starts[c]:list_starts[c + 1]]``, for all columns.

    As long as all blocks are wide together, so in half of the room that numpy would take.
    """
    users = np.empty(len(blocks.columns), np.int32)
    ends = list_starts.copy()
    for b in range(len(blocks.column_starts) - 1):
        for column in block_columns(blocks, b):
            users[ends[column]] = b
            ends[column] += 1
    return users


@kernel
def own_places(
    blocks: Blocks,
    users: npt.NDArray[np.int32],
    list_starts: IndexArray,
    rarest_first: IndexArray,
) -> npt.NDArray[np.int32]:
    """For each block, aligned with ``blocks.columns``, its columns and its places in their lists.

    The rarest column is the first one of each block.
    """
    places = np.empty((len(blocks.columns), 2), np.int32)
    ends = blocks.column_starts.copy()
    for column in rarest_first:
        for place in range(list_starts[column + 1] - list_starts[column]):
            b = users[list_starts[column] + place]
            places[ends[b]] = column, place
            ends[b] += 1
    return places


@kernel
def share_a_row(blocks: Blocks, a: int, b: int) -> bool:
    """Whether the sorted rows of two blocks have one in common."""
    i, j = blocks.row_starts[a], blocks.row_starts[b]
    while i < blocks.row_starts[a + 1] and j < blocks.row_starts[b + 1]:
        if blocks.rows[i] == blocks.rows[j]:
            return True
        if blocks.rows[i] < blocks.rows[j]:
            i += 1
        else:
            j += 1
    return False
