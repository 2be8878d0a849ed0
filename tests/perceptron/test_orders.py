import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron.perceptron._orders import draw_seed, epoch_orders

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


@given(SIZES, st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_each_epoch_visits_each_row_of_each_problem_once(sizes, max_iter, seed):
    orders = epoch_orders(sizes, range(seed, seed + len(sizes)), max_iter, shuffle=True)
    assert orders.shape == (max_iter, sum(sizes))
    assert orders.dtype == np.int32
    for problem, size in zip(np.split(orders, np.cumsum(sizes)[:-1], axis=1), sizes, strict=True):
        assert_array_equal(np.sort(problem, axis=1), np.tile(np.arange(size), (max_iter, 1)))


@given(SIZES, st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_orders_of_a_problem_depend_on_its_own_seed_only(sizes, max_iter, seed):
    seeds = range(seed, seed + len(sizes))
    together = epoch_orders(sizes, seeds, max_iter, shuffle=True)
    alone = [
        epoch_orders([size], [own], max_iter, shuffle=True)
        for size, own in zip(sizes, seeds, strict=True)
    ]
    assert_array_equal(together, np.concatenate(alone, axis=1))


def test_orders_come_from_the_documented_generator_and_change_by_epoch():
    expected = np.random.Generator(np.random.PCG64(7)).permuted(
        np.tile(np.arange(50, dtype=np.int32), (3, 1)), axis=1
    )
    assert_array_equal(epoch_orders([50], [7], 3, shuffle=True), expected)
    assert not np.array_equal(expected[0], expected[1])


def test_without_shuffling_one_order_serves_every_epoch():
    assert_array_equal(epoch_orders([2, 3], [0, 1], 9, shuffle=False), [[0, 1, 0, 1, 2]])


def test_an_integer_is_its_own_seed_and_a_random_state_is_asked():
    assert draw_seed(5) == draw_seed(np.int64(5)) == 5
    random_state = np.random.RandomState(0)
    first, second = draw_seed(random_state), draw_seed(random_state)
    assert first == draw_seed(np.random.RandomState(0))
    assert first != second
