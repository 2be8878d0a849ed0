"""Steps of the search for groups, and the trees that it starts from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.stats import binom, norm
from strategies import seeds

from bicneuron._core._splits import best_splits
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._column_sets import (
    ColumnSets,
    SharedRowEffect,
    ShiftedRows,
    best_pairs,
    grown_sets,
    shifted_sets,
)
from bicneuron.biclustering._subgroups._search import MIN_AXIS_COLUMNS, Moves
from bicneuron.biclustering._subgroups._starts import tree_clusters, value_groups
from bicneuron.biclustering._subgroups._table import SearchTask
from bicneuron.datasets import make_subgroups


def table(n_planted):
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(60, 120))
    Z[:15, :n_planted] += 2.5
    return ((Z - Z.mean(axis=0)) / Z.std(axis=0)).astype(np.float32)


@pytest.mark.parametrize("kind", [_kinds.Shift, _kinds.Tight])
@pytest.mark.parametrize("n_planted", [4, 40])
def test_steps_that_are_remembered_are_those_of_each_size(kind, n_planted):
    Z = table(n_planted)
    task = SearchTask(Z, np.arange(60) < 30, True, 3, 20)
    kind = kind(Z, _kinds.normal_scores(Z))
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


# --- Evidence by rates and by ranks


@given(st.integers(1, 40), st.integers(0, 40))
def test_log_rates(trials, successes):
    successes = min(successes, trials)
    share = successes / trials
    choices = binom.logpmf(successes, trials, 0.5) - trials * np.log(0.5)
    expected = binom.logpmf(successes, trials, share) - choices
    assert _kinds.log_rates(np.array(successes), trials) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 9), st.integers(0, 12))
def test_rate_gains_are_likelihood_ratios(inside, outside):
    whole = (inside + outside) / 21
    expected = (
        binom.logpmf(inside, 9, inside / 9)
        + binom.logpmf(outside, 12, outside / 12)
        - binom.logpmf(inside, 9, whole)
        - binom.logpmf(outside, 12, whole)
    )
    found = _kinds.rate_gains(np.array(inside), 9, np.array(outside), 12)
    assert found == pytest.approx(expected, abs=1e-9)
    in_class = np.arange(21) < 9
    group = np.r_[np.arange(9) < inside, np.arange(12) < outside]
    sign = 1 if inside * 12 >= outside * 9 else -1
    assert _kinds.class_information(in_class, group[None])[0] == pytest.approx(sign * found)


@given(seeds(), st.integers(2, 12), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=20)
def test_gains_of_many_groups_and_columns(seed, n, n_groups, n_columns):
    rng = np.random.default_rng(seed)
    groups, has = rng.integers(0, 2, size=(n_groups, n)), rng.integers(0, 2, size=(n, n_columns))
    found = _kinds.table_gains(groups @ has, groups.sum(axis=1, keepdims=True), has.sum(axis=0), n)
    for group, gains in zip(groups, found, strict=True):
        size = int(group.sum())
        for column, gain in zip(has.T, gains.tolist(), strict=True):
            inside = np.sum(column[group == 1])
            expected = _kinds.rate_gains(inside, size, column.sum() - inside, n - size)
            assert gain == pytest.approx(float(expected), abs=1e-9)


@given(seeds())
@settings(max_examples=20)
def test_normal_scores(seed):
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 6, size=(12, 3)).astype(np.float32)
    scores = _kinds.normal_scores(Z)
    for column, own in zip(Z.T, scores.T, strict=True):
        for value, score in zip(column.tolist(), own.tolist(), strict=True):
            below, same = np.sum(column < value), np.sum(column == value)
            rank = below + (same + 1) / 2
            assert score == pytest.approx(norm.ppf((rank - 0.5) / 12), rel=1e-5, abs=1e-6)


def test_a_column_with_a_common_value_is_judged_by_how_often_rows_differ_from_it():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, 2)).astype(np.float32)
    Z[:, 1] = np.where(np.arange(40) < 12, 3.0, 0.0)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    group = np.arange(40) < 10
    named, counted = _kinds.Shift(Z, _kinds.normal_scores(Z)).column_gains(Z, group[None])
    expected = _kinds.rate_gains(np.array(10), 10, np.array(2), 30)
    assert_allclose(named[0, 1], expected, rtol=1e-5)
    assert counted[0, 1] <= named[0, 1]
    correlation = np.corrcoef(group, Z[:, 0])[0, 1]
    assert_allclose(named[0, 0], -20 * np.log(1 - correlation**2), rtol=1e-3, atol=1e-4)


# --- Sets of columns that hidden groups start from


@given(seeds(), st.integers(1, 9), st.integers(1, 4), st.integers(1, 40))
def test_best_pairs_of_blocks_are_those_of_the_whole_matrix(seed, n_columns, height, most):
    rng = np.random.default_rng(seed)
    whole = np.triu(rng.normal(size=(n_columns, n_columns)), 1).astype(np.float32)
    blocks = [whole[first : first + height] for first in range(0, n_columns, height)]
    found = best_pairs(iter(blocks), most)
    pairs = [(a, b) for a in range(n_columns) for b in range(a + 1, n_columns)]
    pairs = sorted((p for p in pairs if abs(whole[p]) > 1e-3), key=lambda p: -abs(whole[p]))
    assert [tuple(pair) for pair in found.columns.tolist()] == pairs[:most]
    assert_array_equal(found.signs.prod(axis=1), [np.sign(whole[p]) for p in pairs[:most]])


def planted(kind):
    """A table with a group that six columns tell, the first column with the opposite sign."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(60, 300)).astype(np.float32)
    effect = 1.6 if kind == "shift" else rng.normal(size=(20, 1))
    noise = 1.0 if kind == "shift" else 0.3
    A[:20, :6] = (effect + noise * A[:20, :6]) * np.array([-1, 1, 1, 1, 1, 1])
    return A


@pytest.mark.parametrize(
    ("kind", "model"), [("shift", ShiftedRows()), ("coexpressed", SharedRowEffect())]
)
def test_sets_grow_from_a_pair_to_the_planted_columns(kind, model):
    pair = ColumnSets(np.array([[1, 0]]), np.array([[1, -1]], np.float32))
    grown = grown_sets(planted(kind), pair, model, 4, (20, 20, 20, 20))
    assert_array_equal(grown.columns[0], np.arange(6))
    assert_array_equal(grown.signs[0] * grown.signs[0, 1], [-1, 1, 1, 1, 1, 1])
    distinct = {
        (*columns, *signs) for columns, signs in zip(*map(np.ndarray.tolist, grown), strict=True)
    }
    assert len(distinct) == len(grown.columns)


def test_both_directions_of_a_shift_are_different_sets():
    higher = planted("shift")
    up = ColumnSets(np.array([[0, 1]]), np.array([[-1, 1]], np.float32))
    for A, sides in ((higher, up.signs[0]), (-higher, -up.signs[0])):
        both = ColumnSets(np.tile(up.columns, (2, 1)), np.concatenate([up.signs, -up.signs]))
        grown = grown_sets(A, both, ShiftedRows(), 4, (20, 20, 20, 1))
        assert_array_equal(grown.columns, [np.arange(6)])
        assert_array_equal(grown.signs[0, :2], sides)


@pytest.mark.parametrize("random_state", range(2))
def test_a_weak_shift_is_told_by_sets_of_columns(random_state):
    table = make_subgroups("shift", shift=1.5, random_state=random_state)
    X = np.asarray(table.X)
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    groups = shifted_sets(SearchTask(Z, np.asarray(table.y) == "case", True, 5, 35))
    truth = np.isin(np.arange(len(Z)), table.groups[0].rows)
    shared = (groups & truth).sum(axis=1) / (groups | truth).sum(axis=1)
    assert shared.max() > 0.6
    assert len(groups) <= 80


# --- Groups that start from rows with the same value in a column

IN_CLASS = np.arange(80) < 40
MEMBERS = np.arange(80) < 12


def yes_and_no(rare=1.0, n_planted=10):
    """A third of the values is 1, in the group 95 %; or -1, if the rare value is this one."""
    rng = np.random.default_rng(1)
    X = (rng.random((80, 600)) < 0.35).astype(float)
    X[np.ix_(MEMBERS, np.arange(n_planted))] = rng.random((12, n_planted)) < 0.95
    return rare * X


def task_of(X, labelled=True):
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    in_class = IN_CLASS if labelled else np.ones(80, dtype=bool)
    return SearchTask(Z, in_class, labelled, 3, 28), _kinds.Shift(Z, _kinds.normal_scores(Z))


@pytest.mark.parametrize("rare", [1.0, -1.0])
def test_rows_with_a_value_lead_to_the_group(rare):
    groups, evidence = value_groups(*task_of(yes_and_no(rare)))
    best = groups[np.argmax(evidence)]
    assert np.sum(best & MEMBERS) >= 0.7 * np.sum(best | MEMBERS)
    assert len(np.unique(groups, axis=0)) == len(groups)


@pytest.mark.parametrize(
    ("X", "labelled"),
    [(np.random.default_rng(0).normal(size=(80, 30)), True), (yes_and_no(), False)],
    ids=["no common value", "no labels"],
)
def test_no_start(X, labelled):
    groups, evidence = value_groups(*task_of(X, labelled))
    assert groups.shape == (0, 80)
    assert evidence.shape == (0,)
