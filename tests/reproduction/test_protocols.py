"""Folds, scaling and order of rows of both protocols."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from reproduction._problems import Problem
from reproduction._protocols import CLEAN, GROUPED, PAPER

PROTOCOLS = (PAPER, CLEAN, GROUPED)


def problem_of(signs, groups=None, seed=0):
    X = np.random.RandomState(seed).normal(size=(len(signs), 3))
    return Problem("made-up", X, np.asarray(signs), groups)


signs = st.lists(st.sampled_from([-1, 1]), min_size=20, max_size=60).filter(
    lambda signs: min(signs.count(-1), signs.count(1)) >= 10
)


def naive_test_fold(signs, n_folds):
    """Fold that tests each row, from the words: blocks of each class, the first ones longer."""
    fold_of_row = [None] * len(signs)
    for sign in (-1, 1):
        rows = [row for row, s in enumerate(signs) if s == sign]
        start = 0
        for fold in range(n_folds):
            size = len(rows) // n_folds + (1 if fold < len(rows) % n_folds else 0)
            for row in rows[start : start + size]:
                fold_of_row[row] = fold
            start += size
    return fold_of_row


@given(signs)
@settings(deadline=None, max_examples=25)
def test_paper_folds_are_contiguous_blocks_of_each_class(signs):
    tested_in = naive_test_fold(signs, 10)
    splits = PAPER.split(problem_of(signs), seed=0)
    assert len(splits) == 10
    for fold, (train, test) in enumerate(splits):
        assert test.tolist() == [row for row, f in enumerate(tested_in) if f == fold]
        assert train.tolist() == [row for row, f in enumerate(tested_in) if f != fold]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
@given(signs=signs, seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_each_row_is_tested_once_and_never_trained_on_there(protocol, signs, seed):
    problem = problem_of(signs)
    splits = protocol.split(problem, seed)
    assert_array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(len(signs)))
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(signs)
        assert set(problem.y[test]) == {-1, 1}


@pytest.mark.parametrize(("n_persons", "n_minority", "n_folds"), [(30, 12, 10), (24, 8, 8)])
def test_grouped_folds_keep_persons_together(n_persons, n_minority, n_folds):
    """They are fewer where a class has few persons."""
    groups = np.repeat(np.arange(n_persons), 4)
    y = np.where(groups < n_minority, -1, 1)
    splits = GROUPED.split(problem_of(y, groups), seed=3)
    assert len(splits) == n_folds
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert set(y[test]) == {-1, 1}


def test_without_known_persons_grouped_is_clean():
    problem = problem_of([-1, 1] * 30)
    for grouped, clean in zip(GROUPED.split(problem, 5), CLEAN.split(problem, 5), strict=True):
        assert_array_equal(grouped[1], clean[1])


def test_only_the_paper_scales_the_whole_set_first():
    problem = problem_of([-1, 1] * 20)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    assert pytest.approx((problem.X - low) / (high - low)) == PAPER.prepare(problem, 0).X
    assert CLEAN.prepare(problem, 0).X is problem.X
    told = [(protocol.variant, protocol.shuffle) for protocol in PROTOCOLS]
    assert told == [("paper", False), ("clean", True), ("clean", True)]


def test_only_the_papers_kernel_perceptron_sees_the_minority_first():
    problem = problem_of([1, -1, 1, 1, -1, -1, 1])
    train = np.array([0, 1, 2, 4, 5, 6])
    for model in ("KP_L", "KP_RBF"):
        assert PAPER.order(model, problem, train).tolist() == [1, 4, 5, 0, 2, 6]
        assert CLEAN.order(model, problem, train).tolist() == train.tolist()
    for model in ("SP", "BN"):
        assert PAPER.order(model, problem, train).tolist() == train.tolist()


@pytest.mark.parametrize(
    ("labels", "minority"),
    [(["b", "a", "b"], "a"), (["a", "b", "a"], "b"), (["b", "a"], "a")],
)
def test_the_minority_is_negative_and_in_a_draw_the_first_label(labels, minority):
    problem = Problem.from_labels("made-up", np.zeros((len(labels), 2)), np.array(labels))
    assert problem.y.tolist() == [-1 if label == minority else 1 for label in labels]


def test_a_problem_has_two_classes_and_a_digest_of_its_own():
    with pytest.raises(ValueError, match="made-up has 3 classes"):
        Problem.from_labels("made-up", np.zeros((3, 2)), np.array(["a", "b", "c"]))
    problem = problem_of([-1, 1] * 5)
    assert problem.digest == problem_of([-1, 1] * 5).digest
    assert problem.digest != problem_of([1, -1] * 5).digest
    assert problem.digest != problem_of([-1, 1] * 5, seed=1).digest
