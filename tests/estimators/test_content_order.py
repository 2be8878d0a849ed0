"""The order of rows and columns follows from ranks, not from bits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron._shared._content_order import content_order, mirrored, tied_ranks
from bicneuron._shared._estimators import draw_seed

TABLES = {
    "numbers": np.random.default_rng(0).normal(size=(30, 12)),
    "few values": np.random.default_rng(1).integers(0, 4, (60, 9)) / 10,
    "a column and its logarithm": np.exp(np.random.default_rng(2).normal(size=(20, 3)))[
        :, [0, 1, 2, 0, 1]
    ],
    "missing": np.where(
        np.random.default_rng(3).random((25, 6)) < 0.2,
        np.nan,
        np.random.default_rng(4).normal(size=(25, 6)),
    ),
}
TABLES["a column and its logarithm"][:, 3:] = np.log(TABLES["a column and its logarithm"][:, 3:])
EVERY = pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)


def sorted_table(X):
    order = content_order(tied_ranks(X), np.nan_to_num(X))
    return X[np.ix_(*order)]


@EVERY
def test_the_order_of_the_table_does_not_matter(X):
    expected = sorted_table(X)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        assert_array_equal(sorted_table(X[np.ix_(rows, columns)]), expected)


@EVERY
def test_last_bits_and_units_do_not_matter(X):
    values = np.nan_to_num(X)
    expected = content_order(tied_ranks(X), values)
    for seed in range(10):
        noise = 1 + 1e-15 * np.random.default_rng(seed).choice([-1, 1], X.shape)
        for other in (X * noise, 2.54 * X, -X):
            assert_array_equal(content_order(tied_ranks(other), values)[0], expected[0])
            assert_array_equal(content_order(tied_ranks(other), values)[1], expected[1])


def test_ranks():
    X = np.array([[3.0, np.nan, 7.0], [0.1 + 0.2, np.nan, 7.0], [0.3, np.nan, 7.0 + 1e-14]])
    X = np.vstack([X, [np.nan, np.nan, np.nan]])
    assert tied_ranks(X).tolist() == [[2, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 0]]
    assert mirrored(tied_ranks(X)).tolist() == [[1, 0, 1], [2, 0, 1], [2, 0, 1], [0, 0, 0]]


def test_huge_values_keep_their_ranks():
    assert tied_ranks(np.array([[-1.7e308], [1.7e308], [1e308]])).ravel().tolist() == [1, 3, 2]


def test_an_integer_is_its_own_seed_and_a_random_state_is_asked():
    assert draw_seed(5) == draw_seed(np.int64(5)) == 5
    random_state = np.random.RandomState(0)
    first, second = draw_seed(random_state), draw_seed(random_state)
    assert first == draw_seed(np.random.RandomState(0))
    assert first != second
