"""Kinds of groups, groups behind a common background, and what is not a group."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups import _column_sets
from bicneuron.biclustering._subgroups._kinds import Tight, normal_scores
from bicneuron.biclustering._subgroups._search import scored_with_parts
from bicneuron.biclustering._subgroups._starts import WINDOWS
from bicneuron.biclustering._subgroups._table import SearchTask

Y = np.repeat(["case", "control"], 50)


@cache
def tight():
    """Fifteen cases have almost one value in ten columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 100))
    X[:15, :10] = rng.choice([-1, 1], 10) + 0.2 * rng.normal(size=(15, 10))
    return X, SubgroupBiclustering(anchor="case").fit(X, Y)


@cache
def coexpressed():
    """Twenty cases share a row effect in twelve columns, three of them with the other sign."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 150))
    signs = np.repeat([1.0, -1.0], [9, 3])
    X[:20, :12] = 0.95 * rng.normal(size=(20, 1)) * signs + 0.3 * rng.normal(size=(20, 12))
    return X, SubgroupBiclustering(anchor="case", kinds="coexpressed").fit(X, Y)


@cache
def hidden():
    """Twelve cases are shifted in ten of 300 columns that three factors move together."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 300)) + 0.6 * rng.normal(size=(100, 300))
    X[:12, :10] += 2.5 * rng.choice([-1, 1], 10)
    return X, SubgroupBiclustering(anchor="case", kinds="shift").fit(X, Y)


def jaccard(a, b):
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))


def test_a_group_of_almost_one_value():
    X, model = tight()
    first = next(group for group in model.patterns_ if group.kind == "tight")
    assert jaccard(first.rows, np.arange(15)) > 0.9
    assert jaccard(first.columns, np.arange(10)) > 0.8
    planted = np.isin(first.columns, np.arange(10))
    above = X[:15, first.columns].mean(axis=0) > 0
    assert_array_equal(first.directions[planted] > 0, above[planted])
    shifts = SubgroupBiclustering(anchor="case", kinds="shift").fit(X, Y).patterns_
    assert all(group.strength < first.strength for group in shifts)


def test_a_group_whose_columns_rise_and_fall_together():
    _, model = coexpressed()
    first = model.patterns_[0]
    assert first.kind == "coexpressed"
    assert jaccard(first.rows, np.arange(20)) > 0.7
    assert jaccard(first.columns, np.arange(12)) > 0.7
    planted = first.columns[first.columns < 12]
    signs = first.directions[first.columns < 12]
    assert len(set((signs * np.where(planted < 9, 1, -1)).tolist())) == 1
    assert np.all(np.abs(first.weights[first.columns < 12]) > 0.5)


def test_a_group_behind_common_factors():
    X, model = hidden()
    first = model.patterns_[0]
    assert_array_equal(first.rows, np.arange(12))
    assert jaccard(first.columns, np.arange(10)) > 0.8
    assert len(first.axis.removed) >= 2
    higher = X[:12, first.columns].mean(axis=0) > X[12:, first.columns].mean(axis=0)
    assert np.mean(first.directions == np.where(higher, 1, -1)) > 0.8


def test_rows_that_do_not_fit_are_taken_off_a_tight_group():
    X, _ = tight()
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    problem = SearchTask(Z, Y == "case", labelled=True, fewest=5, most=35)
    too_many = np.arange(100) < 19
    scored = scored_with_parts(problem, Tight(Z, normal_scores(Z)), too_many[None])
    strengths = {tuple(group.rows.tolist()): group.strength for group in scored}
    assert max(strengths, key=strengths.__getitem__) == tuple(range(15))
    assert strengths[tuple(range(15))] > strengths[tuple(range(19))] + 10


def test_the_coexpressed_search_starts_from_pairs_that_a_part_of_the_rows_shares():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 600)).astype(np.float32)
    A[:30, [3, 8]] = A[:30, :1]
    A[:30, 8] *= -1
    A[:, 5] = 2.0
    for column in range(100, 200):  # as in counts with many zeros
        A[rng.choice(60, 40, replace=False), column] = 0.0
    columns, signs = _column_sets.agreeing_pairs(A)
    pairs = {tuple(pair): side for pair, side in zip(columns.tolist(), signs, strict=True)}
    assert len(pairs) == len(columns) == _column_sets.AGREEING_PAIRS
    assert {(0, 3), (0, 8), (3, 8)} <= set(list(pairs)[:200])
    assert pairs[0, 3].prod() == 1
    assert pairs[0, 8].prod() == pairs[3, 8].prod() == -1
    assert not np.any(columns == 5)
    tied = np.all((columns >= 100) & (columns < 200), axis=1)
    assert tied.mean() < (100 / 600) ** 2


def test_tight_groups_are_looked_for_in_the_table_as_it_is():
    X, shifts = hidden()
    assert len(shifts.patterns_[0].axis.removed) >= 2, "common factors"
    X = X.copy()
    X[:15, 20:35] = 1.0 + 0.1 * np.random.default_rng(0).normal(size=(15, 15))
    model = SubgroupBiclustering(anchor="case", kinds="tight").fit(X, Y)
    assert jaccard(model.patterns_[0].rows, np.arange(15)) > 0.8
    assert all(len(group.axis.removed) == 0 for group in model.patterns_)
    assert model.n_seeds_ == 2 * len(WINDOWS) * X.shape[1], "of the class, and of all rows"


@pytest.mark.parametrize("n_varied", [0, 1])
def test_a_class_without_two_columns_that_vary_has_no_coexpressed_group(n_varied):
    Z = np.random.default_rng(0).normal(size=(60, 20)).astype(np.float32)
    Z[:30, n_varied:] = 1.0
    task = SearchTask(Z, np.arange(60) < 30, labelled=True, fewest=5, most=20)
    assert _column_sets.coexpressed_groups(task) == ([], 0)


@pytest.mark.parametrize("fitted", [tight, coexpressed, hidden])
def test_order_and_units_do_not_matter_to_any_kind(fitted):
    X, model = fitted()
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    moved = (X * 2.0 ** rng.integers(-4, 5, X.shape[1]))[np.ix_(rows, columns)]
    again = SubgroupBiclustering(anchor="case", kinds=model.kinds, n_jobs=2).fit(moved, Y[rows])
    for before, after in zip(model.patterns_, again.patterns_, strict=True):
        assert_array_equal(np.sort(rows[after.rows]), before.rows)
        assert_array_equal(np.sort(columns[after.columns]), before.columns)
        assert (after.kind, after.strength) == (before.kind, before.strength)


def test_one_column_with_two_modes_is_no_group():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 100))
    X[:15, 0] += 12.0
    single = SubgroupBiclustering(anchor="case").fit(X, Y).patterns_
    X[:15, 1:6] += 3.0
    several = SubgroupBiclustering(anchor="case").fit(X, Y).patterns_
    assert single[0].strength < 10
    assert_array_equal(several[0].rows, np.arange(15))
    assert several[0].strength > 30


def test_the_class_itself_is_listed_once_and_marked():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 100))
    X[:50, :20] += 2.0
    wide, *others = SubgroupBiclustering(anchor="case").fit(X, Y).patterns_
    assert wide.is_class_wide
    assert wide.carrier_counts == {"case": (50, 50), "control": (0, 50)}
    assert jaccard(wide.columns, np.arange(20)) > 0.8
    assert not any(group.is_class_wide for group in others)
    assert all(group.strength < 10 for group in others)


def test_strong_shifts_leave_a_place_for_a_weaker_tight_group():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 120))
    for k in range(4):
        X[8 * k : 8 * k + 8, 10 * k : 10 * k + 10] += 5.0
    X[50:65, 50:60] = rng.choice([-1, 1], 10) + 0.3 * rng.normal(size=(15, 10))
    shifts = SubgroupBiclustering(kinds="shift", anchor="case", n_patterns=4).fit(X, Y).patterns_
    *first, last = SubgroupBiclustering(n_patterns=4).fit(X, Y).patterns_
    assert first == shifts[:3]
    assert last.kind == "tight"
    assert last.strength < 0.5 * shifts[3].strength
    assert last.anchor_class == "control"
    assert jaccard(last.rows, np.arange(50, 65)) > 0.8
