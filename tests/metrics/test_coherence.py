import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.residue import naive_msr
from strategies import blocks

from bicneuron.metrics import best_match, cell_jaccard, mean_squared_residue, msr_ratio


def exact_msr(block):
    return naive_msr([[Fraction(value) for value in row] for row in block])


@given(blocks(min_rows=2, min_columns=2), st.sampled_from([1e-150, 1e-100, 1e140, 1e150]))
def test_keeps_its_digits_near_the_limits_of_floats(block, scale):
    expected = float(exact_msr((block * scale).tolist()))
    assert_allclose(mean_squared_residue(block * scale), expected, rtol=1e-9, atol=1e-200 * scale)


def test_is_infinite_only_beyond_the_range_of_floats():
    assert mean_squared_residue([[1e300, 0], [0, 1e300]]) == math.inf
    largest = np.finfo(float).max
    assert mean_squared_residue([[largest, -largest], [-largest, largest]]) == math.inf
    assert mean_squared_residue([[largest, -largest], [largest, -largest]]) == 0
    assert mean_squared_residue([[1e300, 0], [1e300, 4]]) == 1


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ([1.0, 2.0], "Expected 2D array"),
        (np.empty((3, 0)), "0 feature"),
        ([[1.0, np.inf]], "infinity"),
    ],
)
def test_bad_blocks(block, message):
    with pytest.raises(ValueError, match=message):
        mean_squared_residue(block)
    with pytest.raises(ValueError, match=message):
        msr_ratio([[1.0, 2.0]], block)


@given(
    blocks(min_columns=3, max_columns=3),
    blocks(min_columns=3, max_columns=3),
    st.sampled_from([2.0**-1000, 2.0**-500, 1.0, 2.0**500, 2.0**1000]),
)
def test_ratio_does_not_depend_on_a_common_scale(anchor, contrast, scale):
    denominator = mean_squared_residue(contrast)
    expected = mean_squared_residue(anchor) / denominator if denominator else math.inf
    assert_allclose(msr_ratio(anchor * scale, contrast * scale), expected, rtol=1e-12)


def test_ratio_is_infinite_when_the_contrast_is_coherent():
    coherent, incoherent = [[1, 2], [3, 4]], [[0, 0], [0, 4]]
    assert msr_ratio(incoherent, coherent) == math.inf
    assert msr_ratio(coherent, coherent) == math.inf
    assert msr_ratio(coherent, [[5, 7]]) == math.inf
    assert msr_ratio(coherent, incoherent) == 0


def test_ratio_needs_the_same_columns():
    with pytest.raises(ValueError, match="anchor_block has 2 columns and contrast_block 3"):
        msr_ratio(np.eye(2), np.eye(3))


# --- recovery

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


def test_objects_with_rows_and_columns_and_nothing():
    found = Found(score=0.1, rows=np.array([0, 1]), columns=np.array([2, 3, 4]))
    assert cell_jaccard(found, ([0, 1], [2, 3, 4])) == 1
    assert best_match([found], ([1], [2, 3, 4])) == 0.5
    assert best_match([], ([0], [0])) == 0
