import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles.contrast import (
    naive_grow_against,
    naive_nearest_rows,
)
from strategies import blocks, index_sets

from bicneuron._core import _contrast
from bicneuron._core._blocks import pack_blocks, split
from bicneuron._core._contrast import nearest_rows


@st.composite
def anchors_and_contrasts(draw):
    """A matrix, some anchor blocks, and for each as many rows of a pool as are asked for."""
    # Distances of small integers to the mean of 1, 2 or 4 of them are exact, so ties are real.
    Z = np.round(draw(blocks(min_rows=6, max_rows=14, max_columns=3)) / 50)
    order = draw(st.permutations(range(len(Z))))
    pool = np.sort(order[4:])
    pairs = [
        (
            np.array(sorted(order[: draw(st.sampled_from([1, 2, 4]))])),
            draw(index_sets(Z.shape[1])),
        )
        for _ in range(draw(st.integers(0, 3)))
    ]
    sizes = np.array([draw(st.integers(1, len(pool))) for _ in pairs], dtype=np.intp)
    return Z, pairs, pool, sizes


@given(anchors_and_contrasts())
def test_nearest_rows_in_order_with_ties_by_index(case):
    Z, pairs, pool, sizes = case
    anchors = pack_blocks(pairs)
    contrasts = nearest_rows(Z, anchors, pool, sizes)
    expected = [
        naive_nearest_rows(Z.tolist(), rows, columns, pool.tolist(), size)
        for (rows, columns), size in zip(pairs, sizes.tolist(), strict=True)
    ]
    got = split(contrasts.rows, contrasts.row_starts)
    assert [rows.tolist() for rows in got] == expected
    assert contrasts.rows.dtype == np.intp
    assert_array_equal(contrasts.columns, anchors.columns)
    assert_array_equal(contrasts.column_starts, anchors.column_starts)


@given(st.lists(st.integers(0, 4).map(float), min_size=1, max_size=30), st.data())
def test_smallest_values_with_ties_by_position(values, data):
    count = data.draw(st.integers(1, len(values)))
    expected = sorted(range(len(values)), key=lambda i: (values[i], i))[:count]
    assert_array_equal(_contrast.smallest(np.array(values), count), expected)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 1e300, np.inf]) | st.floats(0, 1), min_size=1),
    st.data(),
)
def test_value_of_rank(values, data):
    rank = data.draw(st.integers(0, len(values) - 1))
    assert _contrast.value_of_rank(np.array(values), rank) == sorted(values)[rank]


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5_000.0),
        np.arange(5_000.0)[::-1],
        np.zeros(5_000),
        np.arange(5_000.0) % 2,
        np.random.default_rng(0).normal(size=5_000),
    ],
    ids=["rising", "falling", "equal", "two values", "random"],
)
def test_smallest_values_of_many(values):
    for count in (1, 7, 2_500, 5_000):
        expected = np.argsort(values, kind="stable")[:count]
        assert_array_equal(_contrast.smallest(np.ascontiguousarray(values), count), expected)


@pytest.mark.parametrize("start", [-1, 0, 3])
@pytest.mark.parametrize("size", [1, 3, 8])
@pytest.mark.parametrize("most", [1, 4, 9])
def test_equal_to_the_definition(start, size, most):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        tables = rng.normal(size=(5, 6)), rng.normal(size=(8, 6))
        expected = naive_grow_against(*tables, start, most, size)
        assert_array_equal(_contrast.grow_against(*tables, start, most, size), expected)


def test_equal_columns_are_taken_in_order():
    anchor, others = np.ones((3, 4)), np.zeros((4, 4))
    assert_array_equal(_contrast.grow_against(anchor, others, -1, 4, 2), [0, 1, 2, 3])
