import numpy as np
import pytest
from numpy.testing import assert_array_equal
from oracles.contrast_growth import naive_grow_against

from bicneuron._core._contrast import grow_against


@pytest.mark.parametrize("start", [-1, 0, 3])
@pytest.mark.parametrize("size", [1, 3, 8])
@pytest.mark.parametrize("most", [1, 4, 9])
def test_equal_to_the_definition(start, size, most):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        anchor, others = rng.normal(size=(5, 6)), rng.normal(size=(8, 6))
        assert_array_equal(
            grow_against(anchor, others, start, most, size),
            naive_grow_against(anchor, others, start, most, size),
        )


def test_the_separating_columns_are_found():
    rng = np.random.default_rng(0)
    anchor, others = rng.normal(size=(20, 30)), rng.normal(size=(60, 30))
    anchor[:, [4, 11, 23]] += 3
    assert set(grow_against(anchor, others, 4, 3, 40)) == {4, 11, 23}


def test_equal_columns_are_taken_in_order():
    anchor, others = np.ones((3, 4)), np.zeros((4, 4))
    assert_array_equal(grow_against(anchor, others, -1, 4, 2), [0, 1, 2, 3])
