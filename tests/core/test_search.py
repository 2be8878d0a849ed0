from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.residue import naive_msr, naive_submatrix
from oracles.search import naive_grow, naive_prune, naive_search
from strategies import blocks, coherent_matrices, index_sets, seeds, tie_free_matrices

from bicneuron._core._blocks import pack_blocks, unpack_blocks
from bicneuron._core._search import (
    centred_profiles,
    grow,
    norms_of,
    prune,
    put,
    search_block,
    search_blocks,
    squared_distance,
)

bounds = st.sampled_from([0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0])
matrices = tie_free_matrices(max_columns=10) | coherent_matrices()


@st.composite
def starts(draw, source=matrices):
    """A matrix, at least two of its rows, one of its columns, and a bound."""
    Z = draw(source)
    rows = draw(index_sets(len(Z), min_size=2))
    return Z, rows, draw(st.integers(0, Z.shape[1] - 1)), draw(bounds)


def grown(Z, rows, columns, max_residue, most=1000):
    profiles = centred_profiles(np.ascontiguousarray(Z.T), rows)
    return grow(profiles, norms_of(profiles), np.array(columns), max_residue, most).tolist()


def pruned(Z, rows, max_residue, *minimum):
    kept, columns = prune(centred_profiles(np.ascontiguousarray(Z.T), rows), max_residue, *minimum)
    return rows[kept].tolist(), columns.tolist()


def found(Z, rows, seed, max_residue, minimum, add_rows, max_columns=1000):
    lines = Z, np.ascontiguousarray(Z.T)
    profiles = centred_profiles(lines[1], rows)
    block = search_block(
        lines, rows, profiles, norms_of(profiles), seed, max_residue, minimum, max_columns, add_rows
    )
    return tuple(indices.tolist() for indices in block)


def residue(Z, rows, columns):
    return naive_msr(naive_submatrix(Z, rows, columns))


@settings(deadline=None)
@given(blocks(), st.data())
def test_profiles_and_norms(matrix, data):
    positions = data.draw(index_sets(matrix.shape[1]))
    profiles = centred_profiles(matrix, positions)
    part = matrix[:, positions]
    assert_allclose(profiles, part - part.mean(axis=1, keepdims=True), rtol=1e-9, atol=1e-9)
    assert_allclose(norms_of(profiles), np.linalg.norm(profiles, axis=1), rtol=1e-9)


@pytest.mark.parametrize("size", range(10))
def test_squared_distance(size):
    a, b = np.random.default_rng(size).standard_normal((2, size))
    assert_allclose(squared_distance(a, b), np.sum((a - b) ** 2), rtol=1e-12)


@settings(deadline=None)
@given(starts())
def test_growth_takes_the_column_of_least_residue(start):
    Z, rows, seed, bound = start
    assert grown(Z, rows, [seed], bound) == naive_grow(Z.tolist(), rows, [seed], bound)


@settings(deadline=None)
@given(starts(), st.data())
def test_growth_from_several_columns(start, data):
    Z, rows, _, bound = start
    columns = data.draw(st.permutations(range(Z.shape[1])))[: data.draw(st.integers(1, 4))]
    assert grown(Z, rows, columns, bound) == naive_grow(Z.tolist(), rows, columns, bound)


@pytest.mark.parametrize("bound", [0.01, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("shape", [(5, 60), (8, 40)])
@pytest.mark.parametrize("coherent", [False, True])
def test_long_growth(shape, coherent, bound):
    """Many steps: the mean wanders, distances are bounded, short lists run empty."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        Z = rng.standard_normal(shape) * rng.choice([0.1, 0.5, 1.0], shape[1])
        Z = Z + rng.standard_normal((shape[0], 1)) if coherent else Z
        rows, seed = np.arange(shape[0]), int(rng.integers(shape[1]))
        assert grown(Z, rows, [seed], bound) == naive_grow(Z.tolist(), rows, [seed], bound)


@settings(deadline=None)
@given(starts(), seeds())
def test_of_equal_columns_the_lower_index_is_taken_first(start, seed):
    Z, rows, column, bound = start
    Z = Z[:, np.random.default_rng(seed).integers(0, Z.shape[1], 2 * Z.shape[1])]
    assert grown(Z, rows, [column], bound) == naive_grow(Z.tolist(), rows, [column], bound)


def test_growth_stops_exactly_at_the_bound():
    Z = np.array([[0.0, 1.0], [0.0, -1.0]])
    rows = np.arange(2)
    assert grown(Z, rows, [0], 0.25) == [0, 1]
    assert grown(Z, rows, [0], np.nextafter(0.25, 0)) == [0]


@settings(deadline=None, max_examples=50)
@given(starts(tie_free_matrices(max_rows=5, max_columns=4)))
def test_growth_among_all_submatrices(start):
    Z, rows, seed, bound = start
    coherent = {
        columns
        for size in range(1, Z.shape[1] + 1)
        for columns in combinations(range(Z.shape[1]), size)
        if residue(Z, rows, columns) <= bound
    }
    columns = set(grown(Z, rows, [seed], bound))
    assert seed in columns
    assert tuple(sorted(columns)) in coherent
    further = set(range(Z.shape[1])) - columns
    assert not any(tuple(sorted({*columns, c})) in coherent for c in further)


@settings(deadline=None)
@given(starts(), st.integers(2, 4), st.integers(2, 4))
def test_pruning_is_single_node_deletion(start, min_rows, min_columns):
    """With minima of two: the two residues of two lines are equal but for rounding."""
    Z, rows, _, bound = start
    limits = min(min_rows, len(rows)), min_columns
    expected = naive_prune(Z.tolist(), rows, range(Z.shape[1]), bound, *limits)
    assert pruned(Z, rows, bound, *limits) == expected


@pytest.mark.parametrize("shape", [(4, 50), (40, 5), (16, 24)])
def test_long_pruning(shape):
    rng = np.random.default_rng(1)
    rows = np.arange(shape[0])
    for bound in (0.1, 0.4, 0.7):
        Z = rng.standard_normal(shape) * rng.choice([0.2, 1.0, 2.0], shape[1])
        expected = naive_prune(Z.tolist(), rows, range(shape[1]), bound, 2, 2)
        assert pruned(Z, rows, bound, 2, 2) == expected


@settings(deadline=None)
@given(tie_free_matrices(max_rows=8, max_columns=8), bounds, st.sampled_from([0, 1]), st.data())
def test_of_equal_lines_the_lower_index_is_pruned_first(Z, bound, axis, data):
    """Only two lines are equal: more would make unequal ones tie, but for rounding."""
    twin = data.draw(st.integers(0, Z.shape[axis] - 1))
    Z = np.take(Z, data.draw(st.permutations([*range(Z.shape[axis]), twin])), axis)
    rows = np.arange(len(Z))
    expected = naive_prune(Z.tolist(), rows, range(Z.shape[1]), bound, 2, 2)
    assert pruned(Z, rows, bound, 2, 2) == expected


def test_the_lower_of_two_equal_lines_goes_also_after_another_line():
    """The line pruned first stands before both twins, and the later twin is the last line."""
    Z = np.zeros((6, 4))
    Z[0] = [0, 0, 40, -40]
    Z[[1, 5]] = [4, -4, 0, 0]
    lines = np.arange(6), np.arange(4)
    assert pruned(Z, lines[0], 1.6, 2, 4) == ([2, 3, 4, 5], [0, 1, 2, 3])
    assert pruned(Z.T, lines[1], 1.6, 4, 2) == ([0, 1, 2, 3], [2, 3, 4, 5])


def test_a_row_is_pruned_before_a_column_of_equal_residue():
    """A symmetric matrix, and powers of two, so that the tie is exact."""
    Z = np.zeros((4, 4))
    Z[2, 2] = 16.0
    assert pruned(Z, np.arange(4), 0.0, 2, 2) == ([0, 1, 3], [0, 1, 2, 3])
    assert pruned(Z, np.arange(4), 0.0, 4, 2) == ([0, 1, 2, 3], [0, 1, 3])


def test_a_row_is_pruned_before_a_column_of_equal_residue_in_tall_and_wide_blocks():
    """Products of effects in counts of powers of two, so that the tie is exact."""
    Z = np.outer([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0])
    eight, four = list(range(8)), list(range(4))
    assert pruned(Z, np.arange(8), 0.21, 2, 2) == (eight[1:], four)
    assert pruned(Z, np.arange(8), 0.21, 8, 2) == (eight, four[1:])
    assert pruned(Z.T, np.arange(4), 0.21, 2, 2) == (four[1:], eight)


def test_pruning_stops_exactly_at_the_bound():
    Z = np.array([[0.0, 1.0], [0.0, -1.0]])
    assert pruned(Z, np.arange(2), 0.25, 2, 2) == ([0, 1], [0, 1])
    assert pruned(Z, np.arange(2), np.nextafter(0.25, 0), 2, 2) == ([], [])


@settings(deadline=None)
@given(starts(), st.booleans(), st.booleans(), st.integers(2, 4))
def test_search_from_a_seed_or_from_all_columns(start, from_all, add_rows, min_columns):
    Z, rows, seed, bound = start
    minimum = 2, min_columns
    column = None if from_all else seed
    expected = naive_search(Z.tolist(), rows, column, bound, minimum, add_rows)
    assert found(Z, rows, -1 if from_all else seed, bound, minimum, add_rows) == expected


@settings(deadline=None)
@given(starts(), st.booleans(), st.booleans())
def test_what_is_found_is_coherent_and_holds_its_seed(start, from_all, add_rows):
    Z, rows, seed, bound = start
    block = found(Z, rows, -1 if from_all else seed, bound, (2, 2), add_rows)
    if block[0]:
        assert residue(Z, *block) <= bound + 1e-9
        assert len(block[0]) >= 2
        assert len(block[1]) >= 2
        if not from_all:
            assert seed in block[1]
            assert set(rows) <= set(block[0])
            assert add_rows or len(rows) == len(block[0])


@settings(deadline=None)
@given(starts(), st.booleans(), st.booleans(), seeds())
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


@settings(deadline=None, max_examples=50)
@given(starts(), st.integers(1, 6))
def test_growth_stops_at_a_number_of_columns(case, most):
    Z, rows, seed, bound = case
    assert grown(Z, rows, [seed], bound, most) == naive_grow(Z.tolist(), rows, [seed], bound)[:most]


@settings(deadline=None, max_examples=50)
@given(matrices, bounds, st.booleans(), st.data())
def test_searches_from_many_seeds(Z, bound, add_rows, data):
    columns = st.lists(st.integers(-1, Z.shape[1] - 1), max_size=3)
    groups = [
        (data.draw(index_sets(len(Z), min_size=2)), np.array(data.draw(columns), dtype=np.intp))
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    lines = Z, np.ascontiguousarray(Z.T)
    each = [found(Z, rows, c, bound, (2, 2), add_rows) for rows, some in groups for c in some]
    together = unpack_blocks(search_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows))
    assert [(r.tolist(), c.tolist()) for r, c in together] == each


def test_searches_that_find_more_than_there_is_room_for_at_first():
    Z = np.zeros((30, 30))
    starts = pack_blocks([(np.arange(30), np.arange(40) % 30)])
    result = unpack_blocks(search_blocks((Z, Z), starts, 0.0, (2, 2), 30, False))
    assert len(result) == 40
    for rows, columns in result:
        assert_array_equal(rows, np.arange(30))
        assert_array_equal(columns, np.arange(30))


def test_put_keeps_what_was_there():
    array = np.arange(6)
    assert_array_equal(put(array, 4, np.array([8, 9])), [0, 1, 2, 3, 8, 9])
    larger = put(array, 5, np.array([6, 7]))
    assert_array_equal(larger[:7], [0, 1, 2, 3, 8, 6, 7])
    assert len(larger) > 7


def test_deletion_does_not_feel_row_effects_however_large():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((12, 9))
    rows = np.arange(12)
    expected = pruned(Z, rows, 0.1, 2, 2)
    assert pruned(Z + 1e8 * rng.standard_normal((12, 1)), rows, 0.1, 2, 2) == expected
