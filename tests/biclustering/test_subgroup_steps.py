"""Steps of the search for groups, and the trees that it starts from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree, linkage
from strategies import seeds

from bicneuron._core._splits import best_splits
from bicneuron.biclustering._subgroups._kinds import Shift, Tight, normal_scores
from bicneuron.biclustering._subgroups._search import MIN_AXIS_COLUMNS, Moves
from bicneuron.biclustering._subgroups._starts import tree_clusters
from bicneuron.biclustering._subgroups._table import SearchTask, distinct_sets


def table(n_planted):
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(60, 120))
    Z[:15, :n_planted] += 2.5
    return ((Z - Z.mean(axis=0)) / Z.std(axis=0)).astype(np.float32)


@pytest.mark.parametrize("kind", [Shift, Tight])
@pytest.mark.parametrize("n_planted", [4, 40])
def test_steps_that_are_remembered_are_those_of_each_size(kind, n_planted):
    Z = table(n_planted)
    task = SearchTask(Z, np.arange(60) < 30, True, 3, 20)
    kind = kind(Z, normal_scores(Z))
    moves = Moves(task, kind)
    groups = np.random.default_rng(0).random((9, 60)) < 0.2
    groups[0] = np.arange(60) < 13
    fit = kind.fit(Z, groups)
    for _ in range(2):  # the second time, all steps are known
        for place, size in enumerate(kind.axis_sizes):
            kept = next(fit.best_columns((size,), MIN_AXIS_COLUMNS))
            axes = kind.bounded(fit.axes(kept, Z))
            expected, values = best_splits(axes, task.in_class, True, task.fewest, task.most)
            after, found = moves.of(groups, place)
            assert_array_equal(after, expected)
            assert_allclose(found, values, rtol=1e-5)  # float32


@given(seeds(), st.integers(0, 12), st.integers(1, 20))
@settings(max_examples=30)
def test_distinct_sets(seed, n_sets, n_rows):
    sets = np.random.default_rng(seed).random((n_sets, n_rows)) < 0.3
    assert_array_equal(distinct_sets(sets), np.unique(sets, axis=0))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_clusters_of_trees(n_jobs):
    Z = table(10)
    pools = [np.ones(60, dtype=bool), np.arange(60) % 2 == 0]
    found = tree_clusters(Z, pools, 4, 30, n_jobs)
    for pool, clusters in zip(pools, found, strict=True):
        rows = np.flatnonzero(pool)
        # Fewer columns than a tree takes: all are used.
        parts = cut_tree(linkage(Z[rows], "ward"))
        expected = {frozenset(rows[part == label]) for part in parts.T for label in set(part)}
        expected = {rows for rows in expected if 4 <= len(rows) <= 30}
        assert {frozenset(np.flatnonzero(cluster)) for cluster in clusters} == expected
