import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.block_profiles import naive_farthest, naive_profile, naive_residue_to
from oracles.residue import naive_row_residues, naive_submatrix
from strategies import blocks, index_sets, matrices

from bicneuron._core._blocks import pack_blocks, split
from bicneuron._core._residue import block_profiles
from bicneuron.biclustering._miner import row_residues


@st.composite
def matrices_with_blocks(draw):
    """A matrix, and the rows and columns of some of its blocks, which may overlap."""
    Z = draw(matrices() | blocks(max_rows=9, max_columns=7))
    block = st.tuples(index_sets(Z.shape[0]), index_sets(Z.shape[1]))
    return Z, draw(st.lists(block, max_size=5))


@settings(deadline=None)
@given(matrices_with_blocks())
def test_means_of_columns_and_the_farthest_row(problem):
    Z, places = problem
    packed = pack_blocks(places)
    profiles, farthest = block_profiles(Z, packed)
    expected = [naive_submatrix(Z.tolist(), rows, columns) for rows, columns in places]
    assert profiles.shape == packed.columns.shape
    for profile, block in zip(split(profiles, packed.column_starts), expected, strict=True):
        assert_allclose(profile, naive_profile(block), rtol=1e-9, atol=1e-9)
    assert_allclose(farthest, [naive_farthest(block) for block in expected], rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(blocks(min_columns=2))
def test_within_a_block_the_residue_of_a_row_is_that_of_the_mean_squared_residue(block):
    """So that the mean over its rows is the MSR of the block."""
    packed = pack_blocks([(np.arange(len(block)), np.arange(block.shape[1]))])
    _, farthest = block_profiles(block, packed)
    assert_allclose(farthest[0], max(naive_row_residues(block)), rtol=1e-9, atol=1e-9)


def test_one_column_has_no_level_to_be_taken_off():
    Z = np.array([[1.0, 7.0], [2.0, 7.0], [6.0, 8.0]])
    one, both = (np.arange(3), np.array([0])), (np.arange(3), np.array([0, 1]))
    profiles, farthest = block_profiles(Z, pack_blocks([one, both]))
    assert_allclose(profiles, [3, 3, 22 / 3])
    assert_allclose(farthest, [9, ((6 - 3) - (8 - 22 / 3)) ** 2 / 4])


def test_one_row_is_its_own_profile():
    Z = np.random.default_rng(0).standard_normal((4, 5))
    columns = np.array([0, 2, 4])
    profiles, farthest = block_profiles(Z, pack_blocks([(np.array([2]), columns)]))
    assert_array_equal(profiles, Z[2, columns])
    assert_array_equal(farthest, [0.0])


def test_no_blocks():
    profiles, farthest = block_profiles(np.ones((3, 2)), pack_blocks([]))
    assert len(profiles) == len(farthest) == 0


@settings(deadline=None)
@given(blocks(), st.data())
def test_residues_of_rows_are_over_the_cells_that_they_have(matrix, data):
    """The twin of the kernel for new rows, in which cells may be missing."""
    profile = matrix[data.draw(st.integers(0, len(matrix) - 1))]
    holes = data.draw(st.sampled_from([0.0, 0.3, 0.8]))
    is_missing = np.random.default_rng(len(matrix)).random(matrix.shape) < holes
    residues = row_residues(np.where(is_missing, np.nan, matrix - profile))
    for residue, row, missing in zip(residues, matrix, is_missing, strict=True):
        if missing.all():
            assert residue == 0.0
        elif matrix.shape[1] > 1 and (~missing).sum() == 1:
            assert residue == pytest.approx(0.0, abs=1e-9), "one cell says nothing of a profile"
        else:
            expected = naive_residue_to(row[~missing].tolist(), profile[~missing].tolist())
            assert residue == pytest.approx(expected, rel=1e-9, abs=1e-9)
