import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles.search import naive_search
from strategies import index_sets, matrices, residues, search_starts

from bicneuron._core._blocks import pack_blocks
from bicneuron._core._profiles import profiles_over
from bicneuron._core._search import search_block, search_blocks, search_pruned_blocks


def of_each(blocks, n_seeds):
    """Rows and columns of each seed, empty where it led to no block."""
    of = {number: (rows.tolist(), columns.tolist()) for number, rows, columns in blocks}
    return [of.get(number, ([], [])) for number in range(n_seeds)]


def found(Z, rows, seed, max_residue, minimum, add_rows, max_columns=1000):
    lines = Z, np.ascontiguousarray(Z.T)
    if seed < 0:
        starts = pack_blocks([(rows, np.array([seed]))])
        blocks = search_pruned_blocks(lines, starts, max_residue, minimum, max_columns, add_rows)
        return of_each(blocks, 1)[0]
    profiles, columns = profiles_over(lines[1], lines[0], rows), np.array([seed])
    block = search_block(lines, profiles, columns, max_residue, minimum, max_columns, add_rows)
    return tuple(indices.tolist() for indices in block)


@given(search_starts(), st.booleans(), st.booleans(), st.integers(2, 4), st.integers(2, 9))
def test_search_from_a_seed_or_from_all_columns(start, from_all, add_rows, min_columns, most):
    Z, rows, seed, bound = start
    minimum = 2, min_columns
    column = None if from_all else seed
    expected = naive_search(Z.tolist(), rows, column, bound, minimum, add_rows, most)
    assert found(Z, rows, -1 if from_all else seed, bound, minimum, add_rows, most) == expected


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
    assert of_each(together, len(each)) == each
    each = [found(Z, rows, -1, bound, (2, 2), add_rows) for rows, _ in groups]
    pruned = search_pruned_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows)
    assert of_each(pruned, len(each)) == each


def test_a_column_is_not_alone_where_rows_may_join():
    """Over two rows its neighbours are far, over all of them they are near."""
    Z = np.zeros((20, 3))
    Z[0, 1:] = 1.0
    lines = Z, np.ascontiguousarray(Z.T)
    starts = pack_blocks([(np.arange(2), np.array([0]))])
    for add_rows in (False, True):
        expected = naive_search(Z.tolist(), np.arange(2), 0, 0.05, (2, 2), add_rows)
        (block,) = of_each(search_blocks(lines, starts, 0.05, (2, 2), 3, add_rows), 1)
        assert block == expected
        assert len(block[0]) == (20 if add_rows else 0)


def test_searches_that_find_more_than_there_is_room_for_at_first():
    Z = np.zeros((30, 30))
    starts = pack_blocks([(np.arange(30), np.arange(40) % 30)])
    result = search_blocks((Z, Z), starts, 0.0, (2, 2), 30, False)
    assert len(result) == 40
    for _, rows, columns in result:
        assert_array_equal(rows, np.arange(30))
        assert_array_equal(columns, np.arange(30))


def test_a_pruned_search_that_leads_nowhere():
    Z = np.random.default_rng(0).normal(size=(4, 4))
    starts = pack_blocks([(np.arange(4), np.array([-1]))])
    assert search_pruned_blocks((Z, Z.T.copy()), starts, 1e-9, (3, 3), 5, False) == []
