import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bicneuron._core._grow import bucket_of, fill_buckets, put_into

numbers = hnp.arrays(
    np.float64, st.integers(1, 30), elements=st.floats(0, 100) | st.sampled_from([1e-320, np.inf])
)


def contents(buckets):
    """The items of each bucket."""
    heads, following = buckets
    lists = []
    for item in heads:
        lists.append([])
        while item >= 0:
            lists[-1].append(int(item))
            item = following[item]
    return lists


@settings(deadline=None)
@given(numbers, st.integers(1, 20))
def test_buckets_hold_what_is_finite_in_the_order_of_its_numbers(numbers, n_buckets):
    buckets = np.empty(n_buckets, np.intp), np.empty(len(numbers), np.intp)
    base, scale = fill_buckets(numbers, buckets)
    spread = contents(buckets)
    finite = np.flatnonzero(numbers < np.inf)
    assert sorted(item for bucket in spread for item in bucket) == finite.tolist()
    highest = 0.0
    for bucket in filter(None, spread):
        assert numbers[bucket].min() >= highest
        highest = numbers[bucket].max()
    for number, items in enumerate(spread):
        assert all(bucket_of(numbers[j], base, scale, n_buckets - 1) == number for j in items)


def test_numbers_far_apart_stand_in_buckets_of_their_own():
    numbers = np.array([4.0, 1.0, 2.0, 3.0, np.inf])
    buckets = np.empty(8, np.intp), np.empty(5, np.intp)
    fill_buckets(numbers, buckets)
    assert [bucket for bucket in contents(buckets) if bucket] == [[1], [2], [3], [0]]


@pytest.mark.parametrize(
    ("number", "bucket"), [(0.0, 0), (5.0, 0), (6.1, 1), (1e300, 3), (np.inf, 3)]
)
def test_what_lies_beyond_goes_to_the_outermost_buckets(number, bucket):
    assert bucket_of(number, 5.0, 1.0, 3) == bucket


def test_items_are_put_before_those_that_are_there():
    buckets = np.full(2, -1), np.empty(6, np.intp)
    for item in (3, 5, 0):
        put_into(1, buckets, item)
    assert contents(buckets) == [[], [0, 5, 3]]


@pytest.mark.parametrize("numbers", [[], [np.inf, np.inf]])
def test_without_a_finite_number_all_buckets_are_empty(numbers):
    buckets = np.empty(3, np.intp), np.empty(len(numbers), np.intp)
    base, scale = fill_buckets(np.array(numbers), buckets)
    assert contents(buckets) == [[], [], []]
    assert np.isfinite([base, scale]).all()
    assert bucket_of(1.0, base, scale, 2) in (0, 1, 2)


@pytest.mark.parametrize("numbers", [[1.0, 1.0, 1.0], [1.0, 1.0 + 2**-52], [0.0, 1e-310]])
def test_numbers_that_hardly_differ_share_a_bucket(numbers):
    buckets = np.empty(4, np.intp), np.empty(len(numbers), np.intp)
    base, scale = fill_buckets(np.array(numbers), buckets)
    assert sorted(contents(buckets)[0]) == list(range(len(numbers)))
    assert bucket_of(0.0, base, scale, 3) == 0
