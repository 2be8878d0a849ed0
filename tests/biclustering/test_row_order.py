"""Shuffling the rows finds the same biclusters."""

import numpy as np
import pytest
from data import make_one_factor

from bicneuron import CoherentBiclustering

pytestmark = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")


def contents(X, order, **parameters):
    miner = CoherentBiclustering(**parameters).fit(X[order])
    return [(frozenset(order[f.rows].tolist()), tuple(f.columns.tolist())) for f in miner.patterns_]


def assert_same_in_any_order(X, n_orders=3, at_least=1, **parameters):
    expected = contents(X, np.arange(len(X)), **parameters)
    assert len(expected) >= at_least
    for seed in range(n_orders):
        order = np.random.RandomState(seed).permutation(len(X))
        assert contents(X, order, **parameters) == expected


@pytest.mark.parametrize("search", ["grow", "prune"])
@pytest.mark.parametrize("add_rows", [False, True])
def test_hundreds_of_overlapping_biclusters_that_merge(search, add_rows):
    X, _ = make_one_factor(n_minority=100, n_majority=100, n_columns=40, noise=0.2)
    parameters = {"cut_distance": 0.3, "max_residue": 0.05, "search": search, "add_rows": add_rows}
    merged = CoherentBiclustering(**parameters).fit(X).patterns_
    apart = CoherentBiclustering(**parameters, merge=False).fit(X).patterns_
    assert len(apart) >= 200
    assert len(merged) < len(apart) or add_rows
    assert_same_in_any_order(X, n_orders=2, **parameters)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("search", ["grow", "prune"])
def test_data_without_ties(search, seed):
    X = np.random.default_rng(seed).standard_normal((120, 20))
    assert_same_in_any_order(X, search=search, cut_distance=0.5, max_residue=0.05)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_values", [2, 6, 20])
def test_tied_values(seed, n_values):
    """Equal gaps between values, as integers have: which is closed first depends on the values."""
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, (120, 15)).astype(float)
    assert_same_in_any_order(
        X, cut_distance=0.3, max_residue=0.05, min_rows=2, min_columns=2, at_least=0
    )


@pytest.mark.parametrize("seed", range(5))
def test_duplicate_rows(seed):
    X = np.repeat(np.random.default_rng(seed).standard_normal((40, 10)), 3, axis=0)
    assert_same_in_any_order(X, cut_distance=0.3)
