from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bicneuron.metrics import best_match, cell_jaccard

index_sets = st.lists(st.integers(0, 5), max_size=6, unique=True)
pairs = st.tuples(index_sets, index_sets)


class Found(NamedTuple):
    score: float
    rows: np.ndarray
    columns: np.ndarray


def cells(block):
    return {(i, j) for i in block[0] for j in block[1]}


def masks(block):
    return tuple(np.isin(np.arange(6), indices) for indices in block)


@given(pairs, pairs)
def test_is_the_jaccard_index_of_the_sets_of_cells(a, b):
    union = cells(a) | cells(b)
    expected = len(cells(a) & cells(b)) / len(union) if union else 0
    assert_allclose(cell_jaccard(a, b), expected)
    assert cell_jaccard(b, a) == cell_jaccard(a, b)
    assert cell_jaccard(masks(a), b) == cell_jaccard(a, b)


@given(st.lists(pairs, min_size=1, max_size=4), pairs)
def test_best_match_is_the_largest(found, planted):
    assert best_match(iter(found), planted) == max(cell_jaccard(pair, planted) for pair in found)


def test_nothing_found_matches_nothing():
    assert best_match([], ([0], [0])) == 0


def test_objects_with_rows_and_columns():
    found = Found(score=0.1, rows=np.array([0, 1]), columns=np.array([2, 3, 4]))
    assert cell_jaccard(found, ([0, 1], [2, 3, 4])) == 1
    assert best_match([found], ([1], [2, 3, 4])) == 0.5
