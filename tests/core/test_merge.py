from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import linkage
from oracles.linkage import naive_union_residue, naive_without_contained
from packing import packed, unpacked
from strategies import distinct_blocks, matrices_and_blocks, max_residues, seeds

from bicneuron._core import _blocks
from bicneuron._core._blocks import block_columns, block_rows
from bicneuron._core._merge import (
    BLOCKS_PER_BATCH,
    MAX_CHECKS,
    MAX_PARTNERS,
    contained,
    merge_blocks,
    overlapping_pairs,
    union_residues,
    without_contained,
)


def merged(Z, blocks, max_residue, max_columns=1000):
    columns_of = np.ascontiguousarray(Z.T)
    return unpacked(merge_blocks(columns_of, packed(blocks), max_residue, max_columns))


def pairs_of(blocks, n_columns):
    first, second = overlapping_pairs(packed(blocks), n_columns)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def random_blocks(rng, count, n_rows, n_columns, largest=4):
    blocks = {}
    while len(blocks) < count:
        rows, columns = (
            frozenset(rng.permutation(size)[: rng.integers(1, largest + 1)].tolist())
            for size in (n_rows, n_columns)
        )
        blocks[rows, columns] = None
    return list(blocks)


def inside_by_counting(blocks, n_rows, n_columns):
    """Whether all lines of a block are lines of another, from the numbers of lines they share."""
    inside = ~np.eye(len(blocks), dtype=bool)
    for axis, size in enumerate((n_rows, n_columns)):
        holds = np.zeros((len(blocks), size), dtype=np.float32)
        for b, block in enumerate(blocks):
            holds[b, list(block[axis])] = 1
        inside &= holds @ holds.T == holds.sum(axis=1, keepdims=True)
    return inside.any(axis=1)


@pytest.mark.parametrize("n_alone", [0, MAX_PARTNERS - 1])
def test_a_union_finds_partners_that_neither_of_its_parts_had(n_alone):
    """As long as there are no more blocks than one can be compared with."""
    blocks = [({0, 1}, {0, 1}), ({1, 2}, {1, 2}), ({0, 5}, {2, 4})]
    alone = [(frozenset({k}), frozenset({k})) for k in range(6, 6 + n_alone)]
    size = 6 + n_alone
    result = merged(
        np.zeros((size, size)), [*(tuple(map(frozenset, block)) for block in blocks), *alone], 0.0
    )
    assert result == [(frozenset({0, 1, 2, 5}), frozenset({0, 1, 2, 4})), *alone]


def test_two_unions_of_a_chain_unite_among_many_blocks():
    """They were compared when the one was made, and have to be again once the other is."""
    links = [(frozenset({k, k + 1}), frozenset({k, k + 1})) for k in range(4)]
    alone = [(frozenset({k}), frozenset({k})) for k in range(6, 7 + MAX_PARTNERS)]
    Z = np.zeros((30, 30))
    Z[4, 4] = 0.1  # the last two links unite after the first two ...
    Z[0, 3] = 0.2  # ... and before the third could join these
    united = frozenset(range(5)), frozenset(range(5))
    assert merged(Z, [*links, *alone], 1.0) == [united, *alone]


@settings(max_examples=20)
@given(seeds(), st.sampled_from([0.1, 0.3, 1.0]), st.integers(MAX_PARTNERS + 2, 40))
def test_merging_many_blocks_loses_none(seed, bound, count):
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, count, 8, 8)
    result = merged(rng.standard_normal((8, 8)), blocks, bound)
    assert all(any(linkage.naive_is_inside(block, other) for other in result) for block in blocks)


@given(seeds(), st.sampled_from([0.1, 0.15, 0.2, 0.25]), st.integers(10, MAX_PARTNERS + 1))
def test_greedy_union_of_as_many_blocks_as_are_all_partners(seed, bound, count):
    """Most unions are tried, some succeed and others are ruled out by them."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((10, 1)) + 0.6 * rng.standard_normal((10, 10))
    blocks = [
        (rows | {9}, columns | {9}) for rows, columns in random_blocks(rng, count, 9, 9, largest=3)
    ]
    assert merged(Z, blocks, bound) == linkage.naive_merge(Z.tolist(), blocks, bound)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("abc", ["ab", "c"]), ("acb", ["ab", "c"]), ("cab", ["cb", "a"]), ("cba", ["cb", "a"])],
)
def test_of_equal_unions_that_of_the_earlier_blocks_is_first(order, expected):
    """Both unions with b have no residue, and all three together hold the one odd cell."""
    Z = np.zeros((4, 4))
    Z[0, 3] = 8.0
    lines = {"a": ({0, 1}, {1}), "b": ({1, 2}, {1, 2}), "c": ({2}, {2, 3})}

    def union(names):
        return tuple(frozenset().union(*(lines[name][axis] for name in names)) for axis in (0, 1))

    assert merged(Z, [union(name) for name in order], 0.0) == [union(names) for names in expected]


@given(distinct_blocks(4, 4))
def test_blocks_inside_others_are_dropped(blocks):
    assert unpacked(without_contained(packed(blocks), 4, 4)) == naive_without_contained(blocks)


def test_containment_among_hundreds():
    blocks = random_blocks(np.random.default_rng(0), 300, 6, 6)
    kept = naive_without_contained(blocks)
    assert_array_equal(contained(packed(blocks), 6, 6), [block not in kept for block in blocks])


@pytest.mark.compiled_only
def test_containment_across_batches():
    blocks = random_blocks(np.random.default_rng(0), BLOCKS_PER_BATCH + 900, 40, 40)
    assert_array_equal(contained(packed(blocks), 40, 40), inside_by_counting(blocks, 40, 40))


@given(distinct_blocks(9, 9))
def test_few_blocks_find_all_partners(blocks):
    everyone = [
        (a, b)
        for a, b in combinations(range(len(blocks)), 2)
        if linkage.naive_overlap(blocks[a], blocks[b])
    ]
    assert pairs_of(blocks, 9) == everyone


@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=pytest.mark.compiled_only)])
def test_many_blocks_find_a_limited_number_of_partners(count):
    blocks = random_blocks(np.random.default_rng(0), count, 40, 12)
    pairs = pairs_of(blocks, 12)
    assert count < len(pairs) <= count * MAX_PARTNERS
    assert len(set(pairs)) == len(pairs)
    assert all(a < b and linkage.naive_overlap(blocks[a], blocks[b]) for a, b in pairs)


def test_partners_are_looked_for_behind_the_own_place():
    everywhere = frozenset(range(2))
    count = 3 * MAX_PARTNERS
    blocks = [(frozenset({0, 1 + k}), everywhere) for k in range(count)]
    following = {
        tuple(sorted((a, (a + step) % count)))
        for a in range(count)
        for step in range(1, MAX_PARTNERS + 1)
    }
    assert set(pairs_of(blocks, 2)) == following


def test_partners_are_looked_for_forwards_only():
    """The first block finds enough partners before the last of them, which does not look back."""
    partners = [({k}, {0}) for k in range(MAX_PARTNERS + 1)]
    strangers = [({len(partners) + k}, {0}) for k in range(2 * MAX_CHECKS)]
    blocks = [({*range(len(partners))}, {0}), *partners, *strangers]
    assert pairs_of(blocks, 1) == [(0, 1 + k) for k in range(MAX_PARTNERS)]


def test_partners_are_looked_for_in_the_rarest_column_first():
    common = [(frozenset({0, 1 + k}), frozenset({0})) for k in range(3 * MAX_PARTNERS)]
    far = len(common) // 2
    for a in (0, far):
        common[a] = (common[a][0], frozenset({0, 1}))
    assert (0, far) in pairs_of(common, 2)
    common[far] = (common[far][0], frozenset({0, 2}))
    assert (0, far) not in pairs_of(common, 3)


@pytest.mark.parametrize("ahead", [MAX_CHECKS, MAX_CHECKS + 1])
def test_partners_are_looked_for_among_a_limited_number(ahead):
    """All share a column, but only two share a row."""
    blocks = [(frozenset({k}), frozenset({0})) for k in range(3 * MAX_CHECKS)]
    blocks[ahead] = (frozenset({0, ahead}), frozenset({0}))
    assert pairs_of(blocks, 1) == ([(0, ahead)] if ahead <= MAX_CHECKS else [])


def test_blocks_looked_at_twice_count_once():
    """The only pair is found from its first block, after all others, in their last column."""
    others = [({k}, {0, 1, 2, 3}) for k in range(MAX_CHECKS)]
    strangers = [({MAX_CHECKS + k}, {4 + k % 2}) for k in range(MAX_CHECKS + 2)]
    blocks = [*others, *strangers, ({0}, {3, 4, 5})]
    assert pairs_of(blocks, 6) == [(0, len(blocks) - 1)]


@given(matrices_and_blocks(), max_residues(), st.data())
def test_residues_of_unions(case, bound, data):
    Z, blocks = case
    pairs = list(combinations(range(len(blocks)), 2))
    pairs = data.draw(st.lists(st.sampled_from(pairs), max_size=40)) if pairs else []
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    exact = np.array([naive_union_residue(Z.tolist(), blocks[a], blocks[b]) for a, b in pairs])
    got = union_residues(np.ascontiguousarray(Z.T), packed(blocks), first, second, bound, 1000)
    assert_allclose(got, np.where(exact <= bound, exact, np.inf), rtol=1e-9, atol=1e-12)


def test_a_union_exactly_at_the_bound():
    columns_of = np.array([[0.0, 0.0], [1.0, -1.0]])
    blocks = packed([({0, 1}, {0}), ({0, 1}, {1})])
    pair = np.array([0]), np.array([1])
    assert union_residues(columns_of, blocks, *pair, 0.25, 2) == 0.25
    assert union_residues(columns_of, blocks, *pair, 0.25, 1) == np.inf
    assert union_residues(columns_of, blocks, *pair, np.nextafter(0.25, 0), 2) == np.inf


@given(
    matrices_and_blocks() | matrices_and_blocks(through=frozenset({0})), max_residues(), st.data()
)
def test_greedy_union_of_any_blocks(case, bound, data):
    Z, blocks = case
    most = data.draw(st.integers(1, 9) | st.just(1000))
    assert merged(Z, blocks, bound, most) == linkage.naive_merge(Z.tolist(), blocks, bound, most)


# --- blocks

index_lists = st.lists(st.integers(0, 9), max_size=4)
lists_of_blocks = st.lists(st.tuples(index_lists, index_lists), max_size=5)


def as_arrays(pairs):
    return [tuple(np.array(part, dtype=np.intp) for part in pair) for pair in pairs]


@given(lists_of_blocks)
def test_unpacking_gives_back_what_was_packed(pairs):
    blocks = _blocks.pack_blocks(iter(as_arrays(pairs)))
    assert all(part.dtype == np.intp for part in blocks)
    unpacked = _blocks.unpack_blocks(blocks)
    assert [(rows.tolist(), columns.tolist()) for rows, columns in unpacked] == pairs
    for b, (rows, columns) in enumerate(pairs):
        assert (block_rows(blocks, b).tolist(), block_columns(blocks, b).tolist()) == (
            rows,
            columns,
        )


def test_pieces_are_read_only_copies():
    flat = np.arange(4)
    pieces = _blocks.split(flat, np.array([0, 1, 4]))
    with pytest.raises(ValueError, match="read-only"):
        pieces[1][:] = 0
    flat[:] = 9
    assert_array_equal(pieces[1], [1, 2, 3])


@given(st.lists(st.lists(st.integers(-1, 4), max_size=4), max_size=5))
def test_misplaced_indices(parts):
    """Indices of 3 lines, sorted, at least one."""
    starts, flat = _blocks.join([np.array(part, dtype=np.intp) for part in parts])
    bad = [b for b, p in enumerate(parts) if not p or p != sorted({0, 1, 2} & set(p))]
    assert _blocks.misplaced(flat, starts, 3) == (bad[0] if bad else -1)


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 15))
def test_chunks_are_as_long_as_their_limit_allows(costs, limit):
    cut = list(_blocks.chunks(costs, limit))
    assert [cost for part in cut for cost in costs[part]] == costs
    for part, following in pairwise(cut):
        total = sum(costs[part])
        assert total <= limit or sum(cost > 0 for cost in costs[part]) == 1
        assert total + costs[following.start] > limit
