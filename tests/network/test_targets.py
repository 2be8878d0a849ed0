"""Labels as signs, what is mined against what, folds and labels from scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles.network import naive_folds
from strategies import seeds

from bicneuron.network._targets import decode, encode_targets

LABELS = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]])


def told(targets):
    """Sides as plain values."""
    return {
        (s.label, s.other_label, s.target, tuple(s.rows.tolist()), tuple(s.others.tolist()))
        for s in targets.sides()
    }


def test_two_classes_have_one_target_and_both_are_mined():
    targets = encode_targets(np.array(["b", "a", "b", "b"]))
    assert_array_equal(targets.signs, [[-1], [1], [-1], [-1]], "1 is the class with fewer rows")
    assert told(targets) == {("a", "b", 0, (1,), (0, 2, 3)), ("b", "a", 0, (0, 2, 3), (1,))}


def test_each_of_more_classes_is_mined_against_each_other():
    y = np.array([5, 7, 9, 5])
    targets = encode_targets(y)
    assert_array_equal(targets.signs, np.where(y[:, None] == [5, 7, 9], 1, -1))
    assert told(targets) == {
        (a, b, [5, 7, 9].index(a), *(tuple(np.flatnonzero(y == c).tolist()) for c in (a, b)))
        for a in (5, 7, 9)
        for b in (5, 7, 9)
        if a != b
    }


def test_each_label_is_mined_against_its_absence_if_it_tells_rows_apart():
    targets = encode_targets(LABELS)
    assert targets.multilabel
    assert_array_equal(targets.signs, 2 * LABELS - 1)
    assert told(targets) == {
        (0, "not 0", 0, (0, 2, 3), (1, 4)),
        ("not 0", 0, 0, (1, 4), (0, 2, 3)),
        (1, "not 1", 1, (1, 2), (0, 3, 4)),
        ("not 1", 1, 1, (0, 3, 4), (1, 2)),
    }


def test_a_side_without_some_rows():
    side = encode_targets(np.array([0, 1, 0, 1, 1])).sides()[0]
    some = side.without(np.array([0, 3]))
    assert_array_equal(some.rows, [1, 4])
    assert_array_equal(some.others, [2])
    assert (some.label, some.other_label, some.target) == (1, 0, 0)


@given(seeds(), st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 6))
def test_folds(seed, labels, n_folds):
    y = np.array([*labels, 5, 6])
    folds = encode_targets(y).deal_folds(n_folds, np.random.default_rng(seed))
    assert_array_equal(folds, naive_folds(y.tolist(), n_folds, np.random.default_rng(seed)))
    for label in np.unique(y):
        sizes = np.bincount(folds[(y == label) & (folds >= 0)], minlength=n_folds)
        assert np.ptp(sizes) <= 1
        assert sizes.sum() == (np.sum(y == label) if np.sum(y == label) > 1 else 0)
    assert folds.max() < n_folds


def test_rows_with_the_same_labels_are_dealt_evenly():
    labels = np.repeat(LABELS, 6, axis=0)
    folds = encode_targets(labels).deal_folds(3, np.random.default_rng(0))
    for line in np.unique(labels, axis=0):
        same = (labels == line).all(axis=1)
        assert np.ptp(np.bincount(folds[same], minlength=3)) == 0


@pytest.mark.parametrize("most", [3, 5, 9])
def test_a_sample_of_the_rows(most):
    targets = encode_targets(np.array([0, 1, 0, 1, 1]))
    rows = targets.sample_rows(most, np.random.default_rng(0))
    assert len(rows) == min(most, 5)
    assert_array_equal(rows, sorted(set(rows.tolist()) & set(range(5))))


def test_labels_from_scores():
    names = np.array(["a", "b", "c"])
    scores = np.array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.1], [-3.0, -2.0, -1.0]])
    assert_array_equal(decode(scores, names, False), ["b", "a", "c"])
    assert_array_equal(decode(scores - 0.2, names, True), [[0, 1, 0], [1, 1, 0], [0, 0, 0]])
    one = np.array([[0.0], [1e-9], [-1.0]])
    assert_array_equal(decode(one, names[:2], False), ["a", "b", "a"])
