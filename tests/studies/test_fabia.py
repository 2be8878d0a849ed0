"""The simulated tables of FABIA, from their description."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.discovery.fabia import make_fabia_blocks


def test_sizes_of_blocks_are_between_the_least_and_a_fifth_more():
    sizes = np.array(
        [
            (len(block.rows), len(block.columns))
            for block in make_fabia_blocks(50, 100, n_blocks=300, random_state=0).groups
        ]
    )
    assert sizes.min(axis=0).tolist() == [5, 10]
    assert sizes.max(axis=0).tolist() == [14, 29]
    assert_allclose(sizes.mean(axis=0), [5 + 4.5, 10 + 9.5], atol=1)


def test_a_block_is_a_product_of_factors():
    X, y, (block,) = make_fabia_blocks(400, 600, n_blocks=1, noise=0.0, random_state=1)
    assert y is None
    assert np.linalg.matrix_rank(X) == 1
    inside = X[np.ix_(block.rows, block.columns)]
    signs = np.sign(inside.mean(axis=0))
    assert abs(signs.mean()) < 0.5
    assert_allclose((inside * signs).mean(), 2 * 3, rtol=0.15)
    outside = np.delete(np.delete(X, block.rows, axis=0), block.columns, axis=1)
    assert_allclose(outside.std(), 0.2 * 0.2, rtol=0.15)
    row_factor = X[:, block.columns] @ (signs / len(signs))
    column_factor = np.delete(X, block.columns, axis=1)[block.rows].mean(axis=0)
    assert_allclose(row_factor[block.rows].mean(), 6, rtol=0.15)
    assert_allclose(np.delete(row_factor, block.rows).std(), 0.2 * 3, rtol=0.2)
    assert_allclose(column_factor.std(), 2 * 0.2, rtol=0.2)


def test_blocks_may_overlap_and_noise_is_added():
    X, _, blocks = make_fabia_blocks(random_state=0)
    assert X.shape == (100, 1000)
    covered = np.zeros(X.shape, dtype=int)
    for block in blocks:
        covered[np.ix_(block.rows, block.columns)] += 1
    assert covered.max() > 1
    assert_allclose(X[covered == 0].std(), 3, atol=0.2)
    noise = make_fabia_blocks(n_blocks=0, random_state=0)
    assert noise.groups == ()
    assert_allclose(noise.X.std(), 3, atol=0.05)


def test_blocks_are_consecutive_unless_shuffled():
    def consecutive(shuffle):
        groups = make_fabia_blocks(shuffle=shuffle, random_state=0).groups
        return [
            bool((np.diff(lines) == 1).all())
            for block in groups
            for lines in (block.rows, block.columns)
        ]

    assert all(consecutive(False))
    assert not any(consecutive(True))


def test_the_seed_decides():
    one, same, other = (make_fabia_blocks(random_state=seed).X for seed in (3, 3, 4))
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_rows": 9}, "n_rows == 9, must be >= 10"),
        ({"n_columns": 19}, "n_columns == 19, must be >= 20"),
        ({"n_blocks": -1}, "n_blocks == -1, must be >= 0"),
        ({"noise": -1.0}, "noise == -1.0, must be >= 0"),
        ({"noise": np.inf}, "noise must be finite, got inf"),
        ({"noise": np.nan}, "noise must be finite, got nan"),
    ],
)
def test_absurd_values(given, message):
    with pytest.raises(ValueError, match=message):
        make_fabia_blocks(**given)
