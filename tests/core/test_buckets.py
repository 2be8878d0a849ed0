import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bicneuron._core._buckets import bucket_of, empty_bucket, fill_buckets, put_into

numbers = hnp.arrays(
    np.float64, st.integers(1, 30), elements=st.floats(0, 100) | st.sampled_from([1e-320, np.inf])
)


def emptied(buckets):
    """The items of each bucket, which are empty afterwards."""
    items = np.empty(len(buckets[1]), np.intp)
    return [
        items[: empty_bucket(bucket, buckets, items, 0)].tolist()
        for bucket in range(len(buckets[0]))
    ]


@settings(deadline=None)
@given(numbers, st.integers(1, 20))
def test_buckets_hold_what_is_finite_in_the_order_of_its_numbers(numbers, n_buckets):
    buckets = np.empty(n_buckets, np.intp), np.empty(len(numbers), np.intp)
    base, scale = fill_buckets(numbers, buckets)
    spread = emptied(buckets)
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
    assert [bucket for bucket in emptied(buckets) if bucket] == [[1], [2], [3], [0]]
    assert emptied(buckets) == [[]] * 8


def test_a_few_numbers_far_beyond_leave_the_others_apart():
    numbers = np.append(np.arange(100.0), [1e9, 1e300])
    buckets = np.empty(100, np.intp), np.empty(102, np.intp)
    fill_buckets(numbers, buckets)
    assert max(map(len, emptied(buckets))) <= 8


@pytest.mark.parametrize(
    ("number", "bucket"), [(0.0, 0), (5.0, 0), (6.1, 1), (1e300, 3), (np.inf, 3)]
)
def test_what_lies_beyond_goes_to_the_outermost_buckets(number, bucket):
    assert bucket_of(number, 5.0, 1.0, 3) == bucket


def test_items_are_put_and_taken_behind_those_that_are_there():
    buckets = np.full(2, -1), np.empty(6, np.intp)
    for item in (3, 5, 0):
        put_into(1, buckets, item)
    items = np.array([9, 9, 9, 9, 9, 9])
    assert empty_bucket(0, buckets, items, 1) == 1
    assert empty_bucket(1, buckets, items, 1) == 4
    assert items[0] == 9
    assert sorted(items[1:4]) == [0, 3, 5]
    assert empty_bucket(1, buckets, items, 0) == 0
