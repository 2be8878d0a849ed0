"""Searches of parts of the rows that start from what was found in all of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import SubgroupBiclustering
from bicneuron.datasets import make_subgroups


@pytest.fixture(scope="module")
def planted():
    table = make_subgroups("shift", shift=2.0, n_columns=200, random_state=0)
    return table, SubgroupBiclustering().fit(table.X, table.y)


@pytest.mark.parametrize("seed", range(2))
def test_a_planted_group_is_the_same_as_from_nothing(planted, seed):
    (X, y, (group,)), whole = planted
    rows = np.sort(np.random.default_rng(seed).choice(100, 80, replace=False))
    anew = SubgroupBiclustering().fit(X[rows], y[rows])
    near = SubgroupBiclustering().fit_part(whole, rows, X[rows], y[rows])
    assert_array_equal(near.patterns_[0].rows, anew.patterns_[0].rows)
    assert_array_equal(near.patterns_[0].columns, anew.patterns_[0].columns)
    assert_array_equal(rows[near.patterns_[0].rows], np.intersect1d(rows, group.rows))
    # Products of other groups at the same time differ in their last bits.
    assert near.patterns_[0].strength == pytest.approx(anew.patterns_[0].strength, rel=1e-5)


def test_only_groups_with_evidence_are_found_again(planted):
    (X, y, _), whole = planted
    rows = np.arange(0, 100, 2)
    near = SubgroupBiclustering().fit_part(whole, rows, X[rows], y[rows])
    assert all(one.strength >= 0 for one in near.patterns_)
    assert near.n_seeds_ == 0
