"""Rivals find what is easy, and their parts agree with other implementations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_ind

from bicneuron.datasets import make_subgroups
from studies._ranked import row_column_jaccard
from studies.discovery.methods import METHODS
from studies.discovery.outliers import robust_scores
from studies.discovery.rows import upper_group
from studies.discovery.t_test import largest, t_statistics

SEARCH = {method.name: method.search for method in METHODS}
EASY = (
    *("SubgroupBiclustering", "k-means", "Gaussian mixture", "sparse PCA"),
    *("outlier sum", "COPA"),
)


@pytest.fixture(scope="module")
def easy():
    return make_subgroups(
        shift=5.0, n_cases=40, n_controls=40, n_columns=150, n_signature=8, random_state=0
    )


@pytest.mark.parametrize(
    ("name", "least_rows", "least_columns"),
    [*((name, 0.9, 0.85) for name in EASY), ("ContrastBiclustering", 0.5, 0.5)],
)
def test_a_large_shift_is_found_first(easy, name, least_rows, least_columns):
    rows, columns = row_column_jaccard(SEARCH[name](easy.X, easy.y, 8), easy.groups[0])
    assert (rows >= least_rows, columns >= least_columns) == (True, True)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_patterns_are_indices_of_cases_and_columns(easy, method):
    X, y = easy.X[:, :80], easy.y
    for labels in (y, None)[: 1 if method.needs_labels else 2]:
        for block in method.search(X, labels, 8):
            rows, columns = block if isinstance(block, tuple) else (block.rows, block.columns)
            assert labels is None or set(y[rows]) == {"case"}
            assert len(np.unique(rows)) == len(rows) > 0
            assert 0 < len(np.unique(columns)) == len(columns)
            assert columns.max() < 80


def test_t_is_students_and_the_largest_are_sorted_by_place(rng):
    X, inside = rng.normal(size=(12, 5)), np.arange(12) < 5
    X[:, 4] = 3.0
    expected = ttest_ind(X[inside, :4], X[~inside, :4]).statistic
    assert_allclose(t_statistics(X, inside)[:4], expected)
    assert t_statistics(X, inside)[4] == 0
    assert largest(np.array([3.0, 9.0, 1.0, 7.0]), 3).tolist() == [0, 1, 3]


def test_the_upper_group_has_the_least_variance_within(rng):
    is_upper, _ = upper_group(np.array([5.0, 0.0, 1.0, 6.0, 0.5]))
    assert is_upper.tolist() == [True, False, False, True, False]
    values = rng.normal(size=15)
    order = np.sort(values)
    within = [n * order[:n].var() + (15 - n) * order[n:].var() for n in range(1, 15)]
    is_upper, separation = upper_group(values)
    assert is_upper.sum() == 15 - (1 + np.argmin(within))
    assert_allclose(separation, 1 - min(within) / (15 * values.var()))
    assert upper_group(np.ones(4))[1] == 0


def test_robust_scores_of_columns_with_ties_and_without_spread():
    X = np.array([[1.0, 0.0, 7.0], [2.0, 0.0, 7.0], [3.0, 0.0, 7.0], [4.0, 4.0, 7.0]])
    scores = robust_scores(X)
    assert_allclose(scores[:, 0], (X[:, 0] - 2.5) / 1.4826)
    assert_allclose(scores[3, 1], 4 / X[:, 1].std())
    assert_array_equal(scores[:, 2], 0)
