"""A split of the rows has two sides; the list has one of them."""

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering


def split(shift, seed, n_rows=44):
    """A table in which 44 of the first 50 rows differ in 12 of 300 columns."""
    X = np.random.default_rng(seed).normal(size=(100, 300))
    X[:n_rows, :12] += shift
    return X


def jaccard(a, b):
    return np.sum(a & b) / np.sum(a | b)


@pytest.mark.parametrize(("shift", "seed"), [(2.0, 2), (2.0, 3), (3.0, 1), (3.0, 2)])
def test_a_pattern_and_its_mirror_image_are_listed_once_by_the_smaller_side(shift, seed):
    miner = SubgroupBiclustering().fit(split(shift, seed))
    first, *others = miner.rows_
    expected = np.arange(100) < 44
    assert jaccard(first, expected) > 0.95
    assert miner.patterns_[0].carrier_counts[None][0] < 50
    for rows in others:
        assert max(jaccard(rows, expected), jaccard(~rows, expected)) <= 0.75


def test_a_side_is_higher_or_lower_as_it_is_named():
    miner = SubgroupBiclustering(kinds="shift").fit(split(-2.0, 0))
    first = miner.patterns_[0]
    planted = first.columns < 12
    assert planted.mean() > 0.8
    assert np.all(first.directions[planted] == -1)
