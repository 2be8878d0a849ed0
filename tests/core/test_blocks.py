from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron._core._blocks import (
    block_columns,
    block_rows,
    chunks,
    join,
    misplaced,
    pack_blocks,
    select_blocks,
    split,
    unpack_blocks,
)

index_lists = st.lists(st.integers(0, 9), max_size=4)
lists_of_blocks = st.lists(st.tuples(index_lists, index_lists), max_size=5)


def as_arrays(pairs):
    return [tuple(np.array(part, dtype=np.intp) for part in pair) for pair in pairs]


@given(lists_of_blocks)
def test_unpacking_gives_back_what_was_packed(pairs):
    blocks = pack_blocks(iter(as_arrays(pairs)))
    assert all(part.dtype == np.intp for part in blocks)
    assert len(blocks.row_starts) == len(blocks.column_starts) == len(pairs) + 1
    unpacked = unpack_blocks(blocks)
    assert [(rows.tolist(), columns.tolist()) for rows, columns in unpacked] == pairs
    for b, (rows, columns) in enumerate(pairs):
        assert block_rows(blocks, b).tolist() == rows
        assert block_columns(blocks, b).tolist() == columns


def test_by_hand():
    blocks = pack_blocks(as_arrays([([3, 1], [4]), ([], [2, 0]), ([5], [])]))
    assert_array_equal(blocks.row_starts, [0, 2, 2, 3])
    assert_array_equal(blocks.rows, [3, 1, 5])
    assert_array_equal(blocks.column_starts, [0, 1, 3, 3])
    assert_array_equal(blocks.columns, [4, 2, 0])


def test_some_blocks_of_many():
    pairs = [([0, 2], [1]), ([3], [0, 1, 2]), ([1], [4])]
    blocks = pack_blocks((np.array(rows), np.array(columns)) for rows, columns in pairs)
    for kept in product([False, True], repeat=3):
        selected = unpack_blocks(select_blocks(blocks, np.array(kept)))
        assert [(r.tolist(), c.tolist()) for r, c in selected] == [
            pair for pair, keep in zip(pairs, kept, strict=True) if keep
        ]


def test_pieces_are_read_only_copies():
    flat = np.arange(4)
    pieces = split(flat, np.array([0, 1, 4]))
    with pytest.raises(ValueError, match="read-only"):
        pieces[1][:] = 0
    flat[:] = 9
    assert_array_equal(pieces[1], [1, 2, 3])


@given(st.lists(st.lists(st.integers(-1, 4), max_size=4), max_size=5))
def test_misplaced_indices(parts):
    """Indices of 3 lines, sorted, at least one."""
    starts, flat = join([np.array(part, dtype=np.intp) for part in parts])
    bad = [b for b, p in enumerate(parts) if not p or p != sorted({0, 1, 2} & set(p))]
    assert misplaced(flat, starts, 3) == (bad[0] if bad else -1)


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 15))
def test_chunks_are_as_long_as_their_limit_allows(costs, limit):
    cut = list(chunks(costs, limit))
    assert [cost for part in cut for cost in costs[part]] == costs
    for part, following in pairwise(cut):
        total = sum(costs[part])
        assert total <= limit or sum(cost > 0 for cost in costs[part]) == 1
        assert total + costs[following.start] > limit
