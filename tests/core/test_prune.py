import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.search import naive_prune
from strategies import residues, search_starts, tie_free_matrices

from bicneuron._core._profiles import centred_profiles
from bicneuron._core._prune import prune


def pruned(Z, rows, max_residue, *minimum):
    kept, columns = prune(centred_profiles(np.ascontiguousarray(Z.T), rows), max_residue, *minimum)
    return rows[kept].tolist(), columns.tolist()


@given(search_starts(), st.integers(2, 4), st.integers(2, 4))
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


@given(tie_free_matrices(max_rows=8, max_columns=8), residues(), st.sampled_from([0, 1]), st.data())
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
