import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.residue import (
    naive_farthest,
    naive_msr,
    naive_profile,
    naive_residue_to,
    naive_residues,
    naive_submatrix,
)
from strategies import blocks, index_sets, matrices, seeds, tie_free_matrices

from bicneuron._core._blocks import pack_blocks, split, submatrix
from bicneuron._core._residue import (
    block_profiles,
    block_residue,
    blocks_residue,
    mean_squared_residue,
    observed_residue,
    residue_ratio,
    residues,
)
from bicneuron.biclustering._miner import row_residues

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
effects = st.integers(-1000, 1000)


@given(blocks())
def test_agrees_with_the_definition(block):
    assert_allclose(residues(block), naive_residues(block), **CLOSE)
    assert_allclose(mean_squared_residue(block), naive_msr(block), **CLOSE)


@given(blocks(), st.integers(-60, 60))
def test_scaling_by_a_power_of_two_is_exact(block, exponent):
    scaled = mean_squared_residue(block * 2.0**exponent)
    assert scaled == mean_squared_residue(block) * 4.0**exponent


@given(st.lists(effects, min_size=1, max_size=7), st.lists(effects, min_size=1, max_size=7))
def test_additive_integers_are_exactly_coherent(rows, columns):
    block = np.add.outer(np.array(rows, dtype=float), np.array(columns, dtype=float))
    assert mean_squared_residue(block) == 0


def test_keeps_its_digits_under_large_effects():
    block = np.random.default_rng(0).integers(0, 16, (20, 8)) / 16
    shifted = block + 2.0**40 * np.arange(1, 21)[:, None] - 2.0**42 * np.arange(8)
    assert_allclose(mean_squared_residue(shifted), mean_squared_residue(block), rtol=1e-12)


@given(tie_free_matrices(), st.integers(0, 4), seeds())
def test_residues_of_many_submatrices(Z, count, seed):
    rng = np.random.default_rng(seed)
    pairs = [
        tuple(rng.permutation(size)[: rng.integers(1, size + 1)] for size in Z.shape)
        for _ in range(count)
    ]
    blocks = [naive_submatrix(Z, *pair) for pair in pairs]
    expected = [naive_msr(block) for block in blocks]
    assert_allclose(blocks_residue(Z, pack_blocks(pairs)), expected, **CLOSE)
    for pair, block, residue in zip(pairs, blocks, expected, strict=True):
        assert_array_equal(submatrix(Z, *pair), block)
        assert_allclose(block_residue(Z, *pair), residue, **CLOSE)


def test_a_feature_in_two_units_is_coherent_with_itself():
    celsius = np.random.default_rng(0).normal(20, 5, 30)
    scaled = [(x - x.min()) / (x.max() - x.min()) for x in (celsius, celsius * 1.8 + 32)]
    assert not np.array_equal(*scaled)
    assert mean_squared_residue(np.column_stack(scaled)) == 0.0


def test_observed_residue_is_that_of_the_best_fit_to_the_observed_cells():
    rng = np.random.default_rng(0)
    block = rng.normal(size=(7, 5))
    block[rng.random(block.shape) < 0.3] = np.nan
    rows, columns = np.nonzero(~np.isnan(block))
    effects = np.hstack([np.eye(7)[rows], np.eye(5)[columns]])
    fit = effects @ np.linalg.lstsq(effects, block[rows, columns])[0]
    expected = np.mean((block[rows, columns] - fit) ** 2)
    assert observed_residue(block) == pytest.approx(expected, rel=1e-6)


def test_observed_residue_of_complete_coherent_and_empty_blocks():
    rng = np.random.default_rng(0)
    block = rng.normal(size=(4, 3))
    assert observed_residue(block) == mean_squared_residue(block)
    coherent = rng.normal(size=(6, 1)) + rng.normal(size=4)
    coherent[[0, 2, 5], [1, 3, 0]] = np.nan
    assert observed_residue(coherent) < 1e-12
    assert observed_residue(np.full((2, 3), np.nan)) == 0


def test_observed_residue_of_a_chain_of_cells_is_bounded():
    """Effects travel one cell at a time along a chain: the fills end before the fit is perfect."""
    rows = np.arange(150)
    block = np.full((150, 151), np.nan)
    block[rows, rows] = np.cumsum(np.random.default_rng(0).normal(size=150))
    block[rows, rows + 1] = 0.0
    assert 0 < observed_residue(block) < np.nanvar(block)


@st.composite
def matrices_with_blocks(draw):
    """A matrix, and the rows and columns of some of its blocks, which may overlap."""
    Z = draw(matrices() | blocks(max_rows=9, max_columns=7))
    block = st.tuples(index_sets(Z.shape[0]), index_sets(Z.shape[1]))
    return Z, draw(st.lists(block, max_size=5))


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


def test_the_ratio_is_infinite_without_a_positive_denominator():
    ratios = residue_ratio(np.array([1.0, 0.0, 1.0, 0.0, 1.0]), [4.0, 2.0, 0.0, 0.0, 5e-324])
    assert_array_equal(ratios, [0.25, 0.0, np.inf, np.inf, np.inf])
    assert residue_ratio(1.0, 8.0) == 0.125
