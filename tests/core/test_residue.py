import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.residue import (
    naive_msr,
    naive_residues,
    naive_submatrix,
)
from strategies import blocks, seeds, tie_free_matrices

from bicneuron._core._blocks import pack_blocks, submatrix
from bicneuron._core._residue import (
    block_residue,
    blocks_residue,
    mean_square,
    mean_squared_residue,
    observed_residue,
    residue_ratio,
    residues,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
effects = st.integers(-1000, 1000)


@settings(deadline=None)
@given(blocks())
def test_agrees_with_the_definition(block):
    assert_allclose(residues(block), naive_residues(block), **CLOSE)
    assert_allclose(mean_squared_residue(block), naive_msr(block), **CLOSE)


@settings(deadline=None)
@given(blocks(), seeds())
def test_ignores_additive_row_and_column_effects(block, seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.uniform(-100, 100, (len(block), 1)), rng.uniform(-100, 100, block.shape[1])
    assert_allclose(
        mean_squared_residue(block + rows + columns), mean_squared_residue(block), **CLOSE
    )


@settings(deadline=None)
@given(blocks(), seeds())
def test_ignores_order_and_transposition(block, seed):
    rng = np.random.default_rng(seed)
    permuted = block[rng.permutation(len(block))][:, rng.permutation(block.shape[1])]
    assert_allclose(mean_squared_residue(permuted), mean_squared_residue(block), **CLOSE)
    assert_allclose(mean_squared_residue(block.T), mean_squared_residue(block), **CLOSE)


@settings(deadline=None)
@given(blocks(), st.floats(-8, 8))
def test_scales_with_the_square(block, factor):
    assert_allclose(
        mean_squared_residue(factor * block), factor**2 * mean_squared_residue(block), **CLOSE
    )


@settings(deadline=None)
@given(blocks(), st.integers(-60, 60))
def test_scaling_by_a_power_of_two_is_exact(block, exponent):
    scaled = mean_squared_residue(block * 2.0**exponent)
    assert scaled == mean_squared_residue(block) * 4.0**exponent


@settings(deadline=None)
@given(tie_free_matrices(max_columns=12))
def test_one_row_or_one_column_is_exactly_coherent(matrix):
    for line in (matrix[:1], matrix[:, :1]):
        assert mean_squared_residue(line) == 0


@settings(deadline=None)
@given(st.lists(effects, min_size=1, max_size=7), st.lists(effects, min_size=1, max_size=7))
def test_additive_integers_are_exactly_coherent(rows, columns):
    block = np.add.outer(np.array(rows, dtype=float), np.array(columns, dtype=float))
    assert mean_squared_residue(block) == 0


def test_repeated_lines_are_exactly_coherent():
    line = np.random.default_rng(0).standard_normal(7)
    assert mean_squared_residue(np.tile(line, (5, 1))) == 0
    assert mean_squared_residue(np.tile(line, (5, 1)).T) == 0


def test_keeps_its_digits_under_large_effects():
    block = np.random.default_rng(0).integers(0, 16, (20, 8)) / 16
    shifted = block + 2.0**40 * np.arange(1, 21)[:, None] - 2.0**42 * np.arange(8)
    assert_allclose(mean_squared_residue(shifted), mean_squared_residue(block), rtol=1e-12)


def test_mean_square_by_hand():
    assert mean_square(np.array([[1.0, -2.0], [3.0, 0.0]])) == 3.5


@st.composite
def submatrices(draw):
    Z = draw(tie_free_matrices())
    picks = [draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True)) for size in Z.shape]
    return Z, *(np.array(pick, dtype=np.intp) for pick in picks)


@settings(deadline=None)
@given(submatrices())
def test_residue_of_a_submatrix(case):
    Z, rows, columns = case
    block = naive_submatrix(Z, rows, columns)
    assert_array_equal(submatrix(Z, rows, columns), block)
    assert_allclose(block_residue(Z, rows, columns), naive_msr(block), **CLOSE)


@settings(deadline=None)
@given(tie_free_matrices(), st.integers(0, 4), seeds())
def test_residues_of_many_submatrices(Z, count, seed):
    rng = np.random.default_rng(seed)
    pairs = [
        tuple(rng.permutation(size)[: rng.integers(1, size + 1)] for size in Z.shape)
        for _ in range(count)
    ]
    expected = [naive_msr(naive_submatrix(Z, *pair)) for pair in pairs]
    assert_allclose(blocks_residue(Z, pack_blocks(pairs)), expected, **CLOSE)


def test_ratio_is_infinite_without_a_positive_denominator():
    ratios = residue_ratio(np.array([1.0, 0.0, 1.0, 0.0]), np.array([4.0, 2.0, 0.0, 0.0]))
    assert_array_equal(ratios, [0.25, 0.0, np.inf, np.inf])


def test_ratio_of_numbers():
    assert residue_ratio(1.0, 8.0) == 0.125
    assert residue_ratio(1.0, 5e-324) == np.inf


def test_a_feature_in_two_units_is_coherent_with_itself():
    celsius = np.random.default_rng(0).normal(20, 5, 30)
    scaled = [(x - x.min()) / (x.max() - x.min()) for x in (celsius, celsius * 1.8 + 32)]
    assert not np.array_equal(*scaled)
    assert mean_squared_residue(np.column_stack(scaled)) == 0.0


def test_residues_well_above_rounding_are_kept():
    block = np.array([[0.0, 0.0], [0.0, 1e-12], [1.0, 1.0]])
    assert mean_squared_residue(block) > 0.0


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
