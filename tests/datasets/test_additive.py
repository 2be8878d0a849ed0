import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.residue import naive_msr

from bicneuron.datasets import make_additive_biclusters

PLANTED = {"shape": (300, 80), "n_biclusters": 3, "bicluster_shape": (60, 12)}


@pytest.fixture(scope="module")
def planted():
    return make_additive_biclusters(**PLANTED, row_effect=0.5, random_state=0)


def blocks_of(X, rows, columns):
    return [X[np.ix_(r, c)] for r, c in zip(rows, columns, strict=True)]


def test_indicators_mark_disjoint_blocks_of_the_right_size(planted):
    X, rows, columns = planted
    assert X.shape == (300, 80)
    assert (rows.shape, rows.dtype, columns.shape, columns.dtype) == ((3, 300), bool, (3, 80), bool)
    assert_array_equal(rows.sum(axis=1), 60)
    assert_array_equal(columns.sum(axis=1), 12)
    assert rows.sum(axis=0).max() == columns.sum(axis=0).max() == 1


def test_residue_of_a_block_is_its_noise(planted):
    expected = 0.1**2 * (1 - 1 / 60) * (1 - 1 / 12)
    standard_error = expected * np.sqrt(2 / (59 * 11))
    for block in blocks_of(*planted):
        assert_allclose(naive_msr(block.tolist()), expected, rtol=0, atol=5 * standard_error)


def test_levels_and_row_effects(planted):
    levels = np.array([block.mean(axis=0) for block in blocks_of(*planted)])
    assert_allclose(np.abs(levels), 3, rtol=0, atol=5 * 0.5 / np.sqrt(60))
    assert 0 < np.sum(levels > 0) < levels.size
    effects = np.concatenate([block.mean(axis=1) - block.mean() for block in blocks_of(*planted)])
    assert_allclose(effects.std(), 0.5, rtol=0, atol=5 * 0.5 / np.sqrt(2 * 180))


def test_background(planted):
    X, rows, columns = planted
    outside = X[~(rows.T.astype(int) @ columns.astype(int)).astype(bool)]
    assert_allclose(outside.mean(), 0, atol=5 / np.sqrt(outside.size))
    assert_allclose(outside.std(), 1, rtol=0, atol=5 / np.sqrt(2 * outside.size))


def test_magnitudes_of_zero():
    X, rows, columns = make_additive_biclusters(
        (5, 6), bicluster_shape=(3, 4), level=2, row_effect=0, noise=0, background=0
    )
    assert_array_equal(np.abs(X), 2 * np.outer(rows[0], columns[0]))


def test_without_shuffling_blocks_follow_the_diagonal():
    _, rows, columns = make_additive_biclusters(
        (5, 7), n_biclusters=2, bicluster_shape=(2, 3), shuffle=False
    )
    assert_array_equal(rows, [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
    assert_array_equal(columns, [[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0]])
