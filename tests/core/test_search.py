import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles.residue import naive_msr, naive_submatrix
from oracles.search import naive_search
from strategies import index_sets, matrices, residues, search_starts, seeds

from bicneuron._core._blocks import pack_blocks
from bicneuron._core._profiles import profiles_over
from bicneuron._core._search import search_block, search_blocks, search_pruned_blocks


def found(Z, rows, seed, max_residue, minimum, add_rows, max_columns=1000):
    lines = Z, np.ascontiguousarray(Z.T)
    if seed < 0:
        starts = pack_blocks([(rows, np.array([seed]))])
        (block,) = search_pruned_blocks(lines, starts, max_residue, minimum, max_columns, add_rows)
    else:
        profiles, columns = profiles_over(lines[1], lines[0], rows), np.array([seed])
        block = search_block(lines, profiles, columns, max_residue, minimum, max_columns, add_rows)
    return tuple(indices.tolist() for indices in block)


@settings(deadline=None)
@given(search_starts(), st.booleans(), st.booleans(), st.integers(2, 4), st.integers(2, 9))
def test_search_from_a_seed_or_from_all_columns(start, from_all, add_rows, min_columns, most):
    Z, rows, seed, bound = start
    minimum = 2, min_columns
    column = None if from_all else seed
    expected = naive_search(Z.tolist(), rows, column, bound, minimum, add_rows, most)
    assert found(Z, rows, -1 if from_all else seed, bound, minimum, add_rows, most) == expected


@settings(deadline=None)
@given(search_starts(), st.booleans(), st.booleans())
def test_what_is_found_is_coherent_and_holds_its_seed(start, from_all, add_rows):
    Z, rows, seed, bound = start
    block = found(Z, rows, -1 if from_all else seed, bound, (2, 2), add_rows)
    if block[0]:
        assert naive_msr(naive_submatrix(Z, *block)) <= bound + 1e-9
        assert len(block[0]) >= 2
        assert len(block[1]) >= 2
        if not from_all:
            assert seed in block[1]
            assert set(rows) <= set(block[0])
            assert add_rows or len(rows) == len(block[0])


@settings(deadline=None)
@given(search_starts(), st.booleans(), st.booleans(), seeds())
def test_order_of_the_rows_does_not_matter_without_ties(start, from_all, add_rows, shuffle):
    Z, rows, seed, bound = start
    order = np.random.default_rng(shuffle).permutation(len(Z))
    seed = -1 if from_all else seed
    moved = found(Z[order], np.flatnonzero(np.isin(order, rows)), seed, bound, (2, 2), add_rows)
    block = found(Z, rows, seed, bound, (2, 2), add_rows)
    assert (sorted(order[moved[0]].tolist()), moved[1]) == block


def test_a_search_ends_after_twenty_sweeps():
    """A staircase: each row fits once the column before it has joined, and the other way round."""
    columns = [187, 244, 307, 361, 409, 453, 494, 532, 568, 601, 634, 665]
    columns += [694, 723, 750, 777, 803, 828, 852, 876, 899, 922, 944, 966]
    rows = [122, 182, 234, 281, 324, 363, 401, 436, 469, 501, 531, 560]
    rows += [588, 616, 642, 668, 693, 717, 740, 763, 786, 808, 830, 851]
    Z = np.zeros((26, 25))
    Z[0, 1:], Z[1, 1:] = np.array(columns) / 100, np.array(columns) / -100
    Z[2:, 0], Z[2:, 1] = np.array(rows) / 100, np.array(rows) / -100
    start = np.arange(2)
    for sweeps in (19, 20, 21):
        expected = naive_search(Z.tolist(), start, 0, 1.0, (2, 2), True, max_sweeps=sweeps)
        assert expected == (list(range(sweeps + 2)), list(range(sweeps + 1)))
        assert (found(Z, start, 0, 1.0, (2, 2), True) == expected) == (sweeps == 20)


@settings(deadline=None)
@given(matrices(), residues(), st.booleans(), st.data())
def test_searches_from_many_seeds(Z, bound, add_rows, data):
    columns = st.lists(st.integers(0, Z.shape[1] - 1), max_size=3)
    groups = [
        (data.draw(index_sets(len(Z), min_size=2)), np.array(data.draw(columns), dtype=np.intp))
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    lines = Z, np.ascontiguousarray(Z.T)
    each = [found(Z, rows, c, bound, (2, 2), add_rows) for rows, some in groups for c in some]
    together = search_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows)
    assert [(r.tolist(), c.tolist()) for r, c in together] == each
    each = [found(Z, rows, -1, bound, (2, 2), add_rows) for rows, _ in groups]
    pruned = search_pruned_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows)
    assert [(r.tolist(), c.tolist()) for r, c in pruned] == each


def test_a_column_is_not_alone_where_rows_may_join():
    """Over two rows its neighbours are far, over all of them they are near."""
    Z = np.zeros((20, 3))
    Z[0, 1:] = 1.0
    lines = Z, np.ascontiguousarray(Z.T)
    starts = pack_blocks([(np.arange(2), np.array([0]))])
    for add_rows in (False, True):
        expected = naive_search(Z.tolist(), np.arange(2), 0, 0.05, (2, 2), add_rows)
        ((rows, columns),) = search_blocks(lines, starts, 0.05, (2, 2), 3, add_rows)
        assert (rows.tolist(), columns.tolist()) == expected
        assert len(rows) == (20 if add_rows else 0)


def test_searches_that_find_more_than_there_is_room_for_at_first():
    Z = np.zeros((30, 30))
    starts = pack_blocks([(np.arange(30), np.arange(40) % 30)])
    result = search_blocks((Z, Z), starts, 0.0, (2, 2), 30, False)
    assert len(result) == 40
    for rows, columns in result:
        assert_array_equal(rows, np.arange(30))
        assert_array_equal(columns, np.arange(30))


def test_one_seed_of_a_row_set_grows_and_another_does_not():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((8, 1)) + np.arange(4.0)
    Z[:, 0] = rng.standard_normal(8)
    rows = np.arange(8)
    for order in ([0, 1], [1, 0]):
        blocks = search_blocks(
            (Z, np.ascontiguousarray(Z.T)),
            pack_blocks([(rows, np.array(order))]),
            0.01,
            (2, 2),
            4,
            False,
        )
        expected = {0: ([], []), 1: (rows.tolist(), [1, 2, 3])}
        assert [tuple(part.tolist() for part in block) for block in blocks] == [
            expected[seed] for seed in order
        ]


def test_a_row_set_that_cannot_be_pruned_gives_no_block():
    Z = np.random.default_rng(0).standard_normal((6, 5))
    Z[3:] = np.arange(5.0)
    starts = pack_blocks([(np.arange(3), np.array([-1])), (np.arange(3, 6), np.array([-1]))])
    lines = Z, np.ascontiguousarray(Z.T)
    none, some = search_pruned_blocks(lines, starts, 1e-9, (3, 3), 5, False)
    assert [len(part) for part in none] == [0, 0]
    assert_array_equal(some[0], [3, 4, 5])
    assert_array_equal(some[1], np.arange(5))
