import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.range_support import naive_measure, naive_rows, naive_sets

from bicneuron._core._range_support import count_bits, differential_pairs, join_sets, pair_rows


@st.composite
def classes(draw):
    """Two small tables of halves, so that sizes are often equal, at the limit, or zero."""
    n_columns = draw(st.integers(2, 5))
    return [
        draw(
            hnp.arrays(np.int64, (draw(st.integers(1, 9)), n_columns), elements=st.integers(-6, 6))
        )
        / 2
        for _ in range(2)
    ]


def rows_of(words, n_rows):
    return [[i for i in range(n_rows) if int(row[i // 64]) >> (i % 64) & 1] for row in words]


def as_columns(table):
    return np.ascontiguousarray(table.T)


@given(classes(), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from([0.1, 0.25, 0.5]))
def test_every_set_that_reaches_the_bound_is_found(tables, max_range, least):
    own, other = tables
    pairs, shares = differential_pairs(as_columns(own), as_columns(other), max_range, least)
    words = pair_rows(as_columns(own), pairs, max_range)
    starts = np.searchsorted(pairs[:, 0], np.arange(own.shape[1] + 1))
    pair_of = starts, np.ascontiguousarray(pairs[:, 1]), words, shares
    level, found = (pairs, words, shares), {}
    while len(level[0]):
        names = [tuple(columns) for columns in level[0].tolist()]
        assert names == sorted(names)
        found |= dict(zip(names, rows_of(level[1], len(own)), strict=True))
        for columns, rows, against in zip(
            names, rows_of(level[1], len(own)), level[2], strict=True
        ):
            measure = naive_measure(own.tolist(), other.tolist(), columns, max_range)
            assert len(rows) / len(own) - against == measure
        level = join_sets(*level, pair_of, len(own), least)
    assert found == naive_sets(own.tolist(), other.tolist(), max_range, least, own.shape[1])


def test_more_rows_than_the_bits_of_a_word():
    own = np.random.default_rng(0).normal(size=(150, 3))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    words = pair_rows(as_columns(own), pairs, 0.5)
    assert rows_of(words, 150) == [naive_rows(own.tolist(), pair, 0.5) for pair in pairs.tolist()]


def test_a_missing_value_supports_nothing():
    own = np.array([[1.0, 1.0], [np.nan, 1.0], [np.nan, np.nan]])
    assert rows_of(pair_rows(as_columns(own), np.array([[0, 1]]), 9.0), 3) == [[0]]


def test_bits_are_counted():
    assert [count_bits(np.uint64(n)) for n in (0, 1, 255, 2**63, 2**64 - 1)] == [0, 1, 8, 1, 64]
