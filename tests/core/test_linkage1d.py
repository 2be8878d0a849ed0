import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.linkage import naive_gap_heights, naive_partition
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import squareform
from strategies import seeds

from bicneuron._core._blocks import split, starts_of
from bicneuron._core._linkage1d import clusters_of_columns, cut_starts, dendrogram, gap_heights


def partition(column, cut_distance):
    """Sets of rows, as the miner reads them off."""
    order = np.argsort(column)
    starts = cut_starts(gap_heights(column[order]), cut_distance)
    return {frozenset(order[a:b].tolist()) for a, b in pairwise(starts)}


@st.composite
def tied_columns(draw, max_size=9):
    """Integers with many equal gaps whose every mean is an integer: no rounding, real ties.

    The offset leaves no room for fractions in the significand of a mean.
    """
    levels = draw(st.sampled_from([3, 10, 40]))
    counts = draw(st.lists(st.integers(0, levels), min_size=1, max_size=max_size))
    multiple = math.lcm(*range(1, len(counts) + 1))
    return 2.0**30 + multiple * np.array(counts, dtype=float)


normal_columns = st.builds(
    lambda size, seed: np.random.default_rng(seed).standard_normal(size),
    st.integers(2, 40),
    seeds(),
)


@given(tied_columns())
def test_heights_are_exact_where_arithmetic_is(column):
    heights = gap_heights(np.sort(column))
    assert_array_equal(heights, [float(height) for height in naive_gap_heights(column.tolist())])


@given(tied_columns(), st.data())
def test_partition_at_any_cut_also_at_a_height(column, data):
    heights = [0.0, *map(float, naive_gap_heights(column.tolist()))]
    cut = data.draw(st.sampled_from(heights)) + data.draw(st.sampled_from([0.0, 0.5, -0.5]))
    assert partition(column, cut) == naive_partition(column.tolist(), cut)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=9), st.data())
def test_decimals_tie_as_they_read(tenths, data):
    """Multiples of 0.1 are rounded and so are their means, which decides no tie and no cut."""
    exact = [Fraction(value, 10) for value in tenths]
    heights = naive_gap_heights(exact)
    column = np.array(tenths) / 10
    assert_allclose(gap_heights(np.sort(column)), np.array(heights, dtype=float), rtol=1e-9)
    cut = data.draw(st.sampled_from([Fraction(0), *heights]))
    assert partition(column, float(cut)) == naive_partition(exact, cut)


@given(normal_columns)
def test_agrees_with_scipy_without_ties(column):
    tree = linkage(column[:, None], method="average")
    order = np.argsort(column)
    heights = gap_heights(column[order])
    assert_allclose(heights, squareform(cophenet(tree))[order[:-1], order[1:]], rtol=1e-9)
    levels = np.sort(heights)
    for cut in [levels[0] / 2, *(levels[:-1] + levels[1:]) / 2, levels[-1] * 2]:
        labels = fcluster(tree, cut, criterion="distance")
        assert partition(column, cut) == {
            frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels)
        }


@given(st.lists(st.integers(-9999, 9999), min_size=1), st.sampled_from([1e-150, 0.1, 1e145]))
def test_only_equal_values_merge_at_height_zero(multiples, unit):
    values = np.sort(multiples) * unit
    heights = gap_heights(values)
    assert_array_equal(heights == 0, np.diff(values) == 0)
    assert np.all(heights >= np.diff(values) * (1 - 1e-9))
    assert np.all(heights <= (values[-1] - values[0]) * (1 + 1e-9))


@given(seeds(), st.integers(1, 5), st.lists(st.floats(0.0, 3.0), min_size=1, max_size=3))
def test_clusters_of_many_columns(seed, min_rows, cut_distances):
    columns = np.random.default_rng(seed).standard_normal((3, 9))
    owners, cuts, sizes, rows = clusters_of_columns(
        columns, np.argsort(columns, axis=1), np.array(cut_distances), min_rows
    )
    pieces = [piece.tolist() for piece in split(rows, starts_of(sizes))]
    assert list(zip(owners.tolist(), cuts.tolist(), pieces, strict=True)) == [
        (owner, cut, sorted(cluster))
        for owner, column in enumerate(columns)
        for cut, cut_distance in enumerate(cut_distances)
        for cluster in sorted(
            naive_partition(column.tolist(), cut_distance), key=lambda some: min(column[[*some]])
        )
        if len(cluster) >= min_rows
    ]


def test_a_dendrogram_has_the_rows_in_order_and_the_heights_of_their_gaps():
    order, heights = dendrogram(np.array([4.0, 0.0, 1.0]))
    assert_array_equal(order, [1, 2, 0])
    assert heights.tolist() == naive_gap_heights([0.0, 1.0, 4.0])
