"""Sets of columns that hidden groups start from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import seeds

from bicneuron.biclustering._subgroups._column_sets import (
    ColumnSets,
    SharedRowEffect,
    ShiftedRows,
    best_pairs,
    grown_sets,
    shifted_sets,
)
from bicneuron.biclustering._subgroups._table import SearchTask
from bicneuron.datasets import make_subgroups


@given(seeds(), st.integers(1, 9), st.integers(1, 4), st.integers(1, 40))
@settings(deadline=None, max_examples=50)
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


@pytest.mark.parametrize("random_state", range(4))
def test_a_weak_shift_is_told_by_sets_of_columns(random_state):
    table = make_subgroups("shift", shift=1.5, random_state=random_state)
    X = np.asarray(table.X)
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    groups = shifted_sets(SearchTask(Z, np.asarray(table.y) == "case", True, 5, 35))
    truth = np.isin(np.arange(len(Z)), table.groups[0].rows)
    shared = (groups & truth).sum(axis=1) / (groups | truth).sum(axis=1)
    assert shared.max() > 0.6
    assert len(groups) <= 80


def test_a_table_with_few_columns_has_no_sets():
    Z = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    assert len(shifted_sets(SearchTask(Z, np.arange(40) < 20, True, 5, 12))) == 0
