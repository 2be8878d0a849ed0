"""Many submatrices of one matrix, stored in four flat arrays for the kernels."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel


class Blocks(NamedTuple):
    """Block ``b`` has ``rows[row_starts[b]:row_starts[b + 1]]``, and likewise its columns."""

    row_starts: IndexArray
    rows: IndexArray
    column_starts: IndexArray
    columns: IndexArray


def pack_blocks(blocks: Iterable[tuple[IndexArray, IndexArray]]) -> Blocks:
    """Flatten ``(rows, columns)`` pairs; `unpack_blocks` is the inverse."""
    pairs = list(blocks)
    row_starts, rows = join([rows for rows, _ in pairs])
    column_starts, columns = join([columns for _, columns in pairs])
    return Blocks(row_starts, rows, column_starts, columns)


def unpack_blocks(blocks: Blocks) -> list[tuple[IndexArray, IndexArray]]:
    """The ``(rows, columns)`` of each block, read-only."""
    rows = split(blocks.rows, blocks.row_starts)
    columns = split(blocks.columns, blocks.column_starts)
    return list(zip(rows, columns, strict=True))


def join(arrays: Sequence[IndexArray]) -> tuple[IndexArray, IndexArray]:
    """Concatenate arrays; return where each starts, and the result. `split` is the inverse."""
    lengths = np.fromiter(map(len, arrays), np.intp, len(arrays))
    flat = np.concatenate(arrays) if arrays else np.empty(0)
    return starts_of(lengths), np.ascontiguousarray(flat, dtype=np.intp)


def split(flat: AnyArray, starts: IndexArray) -> list[AnyArray]:
    """Read-only views ``flat[starts[i]:starts[i + 1]]`` of one copy of ``flat``."""
    flat = flat.copy()
    flat.setflags(write=False)
    return [flat[a:b] for a, b in pairwise(starts.tolist())]


def chunks(costs: Sequence[int], limit: int) -> Iterator[slice]:
    """Cut a sequence into runs whose cost is at most ``limit``, or of one item that costs more."""
    start = used = 0
    for i, cost in enumerate(costs):
        if used and used + cost > limit:
            yield slice(start, i)
            start, used = i, 0
        used += cost
    if costs:
        yield slice(start, len(costs))


@kernel
def starts_of(lengths: IndexArray) -> IndexArray:
    """Starts of consecutive pieces of these lengths, and the end of the last one."""
    starts = np.zeros(len(lengths) + 1, np.intp)
    for i in range(len(lengths)):
        starts[i + 1] = starts[i] + lengths[i]
    return starts


@kernel
def block_rows(blocks: Blocks, b: int) -> IndexArray:
    """Rows of block ``b``, as a view."""
    return blocks.rows[blocks.row_starts[b] : blocks.row_starts[b + 1]]


@kernel
def block_columns(blocks: Blocks, b: int) -> IndexArray:
    """Columns of block ``b``, as a view."""
    return blocks.columns[blocks.column_starts[b] : blocks.column_starts[b + 1]]


@kernel
def misplaced(flat: IndexArray, starts: IndexArray, length: int) -> int:
    """First piece that is empty, not strictly increasing or not within ``range(length)``; or -1."""
    for b in range(len(starts) - 1):
        previous = -1
        for k in range(starts[b], starts[b + 1]):
            if flat[k] <= previous:
                return b
            previous = flat[k]
        if starts[b] == starts[b + 1] or previous >= length:
            return b
    return -1


@kernel
def submatrix(Z: FloatArray, rows: IndexArray, columns: IndexArray) -> FloatArray:
    """Copy of ``Z`` on ``rows`` and ``columns``, in that order."""
    block = np.empty((len(rows), len(columns)))
    for i in range(len(rows)):
        for j in range(len(columns)):
            block[i, j] = Z[rows[i], columns[j]]
    return block
