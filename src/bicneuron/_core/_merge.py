"""Merging of overlapping blocks under a bound on the residue (step 5 of the miner).

`merge_blocks` must equal this loop, in which a | b has the rows and the columns of both blocks and
H(a | b) is infinite if a | b has more than max_columns columns:

    blocks = those that lie inside no other
    while True:
        a, b = argmin(H(a | b) for overlapping a < b)           # the earlier pair among equals
        if no pair overlaps or H(a | b) > max_residue:
            break
        replace a by a | b and remove b
    blocks = those that lie inside no other

The residues of pairs are computed once; a heap yields the lowest, and only the pairs of a new union
are computed again. A column only adds to the residue sum (see `_grow`), so `union_residues` gives a
union up as soon as the sum exceeds the bound.

Up to ``MAX_PARTNERS + 1`` blocks all pairs are listed and the result is that of the loop. Beyond, a
block is compared with at most ``MAX_PARTNERS`` others, which keeps the cost linear in the number of
blocks; it is a choice of the method, listed in ``docs/guide/deviations.md``.
"""

import heapq
from itertools import compress

import numpy as np
import numpy.typing as npt

from bicneuron._core import _blocks
from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows, pack_blocks, unpack_blocks
from bicneuron._core._jit import kernel

# A block is compared with at most so many overlapping others, out of so many that share a column.
MAX_PARTNERS = 16
MAX_CHECKS = 4 * MAX_PARTNERS
# Containment is tested against so many blocks at a time: 512 bytes for each row and column of Z.
BLOCKS_PER_BATCH = 4096


def merge_blocks(
    columns_of: FloatArray, blocks: Blocks, max_residue: float, max_columns: int
) -> Blocks:
    """Drop blocks that lie inside another one, then unite overlapping pairs."""
    n_columns, n_rows = columns_of.shape
    blocks = without_contained(blocks, n_rows, n_columns)
    first, second = overlapping_pairs(blocks, n_columns)
    residues = union_residues(columns_of, blocks, first, second, max_residue, max_columns)
    if not (residues <= max_residue).any():
        return blocks
    members = dict(enumerate(unpack_blocks(blocks)))
    partners: dict[int, set[int]] = {number: set() for number in members}
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        partners[a].add(b)
        partners[b].add(a)
    # Number of unions each block has absorbed. Heap entries with an older version are skipped.
    version = dict.fromkeys(members, 0)
    queue = [
        (residues[k], int(first[k]), int(second[k]), 0, 0)
        for k in np.flatnonzero(residues <= max_residue)
    ]
    heapq.heapify(queue)
    while queue:
        _, a, b, version_a, version_b = heapq.heappop(queue)
        if version.get(a) != version_a or version.get(b) != version_b:
            continue
        kept, absorbed = members[a], members.pop(b)
        members[a] = (np.union1d(kept[0], absorbed[0]), np.union1d(kept[1], absorbed[1]))
        del version[b]
        version[a] += 1
        known = (partners[a] | partners.pop(b)) - {a, b}
        if len(members) <= MAX_PARTNERS + 1:  # a union can overlap what neither of the two did
            known = {c for c in members if c != a and overlap(members[a], members[c])}
        others = sorted(known & members.keys())[:MAX_PARTNERS]
        partners[a] = set(others)
        # Block 0 is the union, the others follow it.
        compared = pack_blocks([members[a], *(members[other] for other in others)])
        zeros = np.zeros(len(others), np.intp)
        unions = union_residues(
            columns_of, compared, zeros, np.arange(1, len(others) + 1), max_residue, max_columns
        )
        for other, residue in zip(others, unions.tolist(), strict=True):
            partners[other].add(a)
            if residue <= max_residue:
                low, high = min(a, other), max(a, other)
                heapq.heappush(queue, (residue, low, high, version[low], version[high]))
    # Blocks that were never compared can have become equal.
    distinct = {
        (rows.tobytes(), columns.tobytes()): (rows, columns) for rows, columns in members.values()
    }
    return without_contained(pack_blocks(distinct.values()), n_rows, n_columns)


def overlap(one: tuple[IndexArray, IndexArray], other: tuple[IndexArray, IndexArray]) -> bool:
    """True if two ``(rows, columns)`` share a cell."""
    return not any({*a.tolist()}.isdisjoint(b.tolist()) for a, b in zip(one, other, strict=True))


def without_contained(blocks: Blocks, n_rows: int, n_columns: int) -> Blocks:
    """Drop every block whose rows and columns all lie in one other block."""
    kept = ~contained(blocks, n_rows, n_columns)
    return pack_blocks(compress(unpack_blocks(blocks), kept))


@kernel
def contained(blocks: Blocks, n_rows: int, n_columns: int) -> BoolArray:
    """True for blocks that lie inside another one; there must be no duplicates."""
    count = len(blocks.row_starts) - 1
    inside = np.zeros(count, np.bool_)
    one = np.uint64(1)
    for first in range(0, count, BLOCKS_PER_BATCH):
        last = min(first + BLOCKS_PER_BATCH, count)
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
                holders = _holders(row_bits[:, word], rows, holders)
                holders = _holders(column_bits[:, word], columns, holders)
                inside[a] = holders != 0
    return inside


@kernel
def _holders(bits: npt.NDArray[np.uint64], items: IndexArray, holders: np.uint64) -> np.uint64:
    """Which of the holders have all items."""
    for item in items:
        if holders == 0:
            break
        holders &= bits[item]
    return holders


def overlapping_pairs(blocks: Blocks, n_columns: int) -> tuple[IndexArray, IndexArray]:
    """Pairs (a < b) of blocks that share a cell, at most ``MAX_PARTNERS`` found from each block."""
    count = len(blocks.row_starts) - 1
    usage = np.bincount(blocks.columns, minlength=n_columns)
    rarest_first = np.argsort(usage, kind="stable")
    ranks = np.argsort(rarest_first)[blocks.columns]
    starts = _blocks.starts_of(usage[rarest_first])
    by_rank = np.argsort(ranks, kind="stable")
    users = np.repeat(np.arange(count), np.diff(blocks.column_starts))[by_rank]
    places = np.argsort(users, kind="stable")
    keys = np.sort(find_partners(blocks, starts, users, ranks[by_rank][places], places))
    keys = keys[np.flatnonzero(np.diff(keys, prepend=-1))]  # distinct, without a hash table
    return keys // max(count, 1), keys % max(count, 1)


@kernel
def find_partners(
    blocks: Blocks, starts: IndexArray, users: IndexArray, ranks: IndexArray, places: IndexArray
) -> IndexArray:
    """Pairs (a, b), as ``a * n_blocks + b``.

    The column of rank ``r`` is in the blocks ``users[starts[r]:starts[r + 1]]``. ``ranks`` are
    those of the columns of each block, and ``places`` where the block is among their users.
    """
    count = len(blocks.row_starts) - 1
    keys = np.empty(count * MAX_PARTNERS, np.intp)
    found = 0
    checked_by = np.full(count, -1, np.intp)
    for a in range(count):
        partners = checks = 0
        checked_by[a] = a
        for k in range(blocks.column_starts[a], blocks.column_starts[a + 1]):
            start, end = starts[ranks[k]], starts[ranks[k] + 1]
            for step in range(1, end - start):
                if partners == MAX_PARTNERS or checks == MAX_CHECKS:
                    break
                b = users[start + (places[k] - start + step) % (end - start)]
                if checked_by[b] == a:
                    continue
                checked_by[b] = a
                checks += 1
                if share_a_row(blocks, a, b):
                    keys[found] = min(a, b) * count + max(a, b)
                    found += 1
                    partners += 1
    return keys[:found]


@kernel
def share_a_row(blocks: Blocks, a: int, b: int) -> bool:
    """True if two blocks have a row in common; their rows are sorted."""
    i, j = blocks.row_starts[a], blocks.row_starts[b]
    while i < blocks.row_starts[a + 1] and j < blocks.row_starts[b + 1]:
        if blocks.rows[i] == blocks.rows[j]:
            return True
        if blocks.rows[i] < blocks.rows[j]:
            i += 1
        else:
            j += 1
    return False


@kernel
def union_residues(
    columns_of: FloatArray,
    blocks: Blocks,
    first: IndexArray,
    second: IndexArray,
    max_residue: float,
    max_columns: int,
) -> FloatArray:
    """Mean squared residue of the union of each pair."""
    residues = np.full(len(first), np.inf)
    for k in range(len(first)):
        rows = union_of_sorted(blocks.rows, blocks.row_starts, first[k], second[k])
        columns = union_of_sorted(blocks.columns, blocks.column_starts, first[k], second[k])
        n, m = len(rows), 0
        most = max_residue * n * len(columns) if len(columns) <= max_columns else -1.0
        mean, profile = np.zeros(n), np.empty(n)
        total = 0.0
        while m < len(columns) and total <= most:
            level = 0.0
            for r in range(n):
                profile[r] = columns_of[columns[m], rows[r]]
                level += profile[r]
            level /= n
            square = 0.0
            share = 1.0 / (m + 1)
            for r in range(n):
                difference = profile[r] - level - mean[r]
                square += difference * difference
                mean[r] += difference * share
            total += square * m * share
            m += 1
        if total <= most:
            residues[k] = total / (n * m)
    return residues


@kernel
def union_of_sorted(values: IndexArray, starts: IndexArray, a: int, b: int) -> IndexArray:
    """Sorted union of two sorted segments of ``values``."""
    i, j = starts[a], starts[b]
    union = np.empty(starts[a + 1] - i + starts[b + 1] - j, np.intp)
    count = 0
    while i < starts[a + 1] or j < starts[b + 1]:
        if j == starts[b + 1] or (i < starts[a + 1] and values[i] <= values[j]):
            value = values[i]
        else:
            value = values[j]
        while i < starts[a + 1] and values[i] == value:
            i += 1
        while j < starts[b + 1] and values[j] == value:
            j += 1
        union[count] = value
        count += 1
    return union[:count].copy()
