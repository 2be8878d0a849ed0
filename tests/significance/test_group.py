"""Is it a group, or the end of a continuum?"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._evidence import NO_GROUP
from bicneuron.significance import significance_test
from bicneuron.significance._nulls import NormalRows, ShuffledColumns

MINER = SubgroupBiclustering(kinds="shift", n_patterns=3)
Y = np.repeat([0, 1], 20)


def one_factor(seed=0):
    """A continuum: all columns follow one normal factor."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(40, 1)) * np.ones(30) + 0.5 * rng.normal(size=(40, 30))


def two_groups(seed=0):
    """The same correlations from two groups of rows."""
    rng = np.random.default_rng(seed)
    return np.r_[np.ones(12), -0.5 * np.ones(28)][:, None] * 2.5 + rng.normal(size=(40, 30))


def test_normal_rows_have_the_covariance_and_mean_of_their_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 5 * Y[:, None]
    null = NormalRows(X, Y)
    drawn = [null.draw(np.random.default_rng(seed)) for seed in range(400)]
    assert all(y is Y for _, y in drawn)
    for label in (0, 1):
        rows = np.concatenate([table[label == Y] for table, _ in drawn])
        truth = X[label == Y]
        spread = truth.std(axis=0)
        assert_allclose(rows.mean(axis=0), truth.mean(axis=0), atol=0.05 * spread.max())
        assert_allclose(np.cov(rows.T), np.cov(truth.T), atol=0.06 * spread.max() ** 2)


def test_shuffled_columns_keep_the_values_of_each_class():
    X = one_factor()
    drawn, _ = ShuffledColumns(X, Y).draw(np.random.default_rng(0))
    for label in (0, 1):
        assert_array_equal(np.sort(drawn[label == Y], axis=0), np.sort(X[label == Y], axis=0))
    assert np.abs(np.corrcoef(drawn[Y == 0].T)[np.triu_indices(30, 1)]).mean() < 0.4
    assert np.corrcoef(X[Y == 0].T)[np.triu_indices(30, 1)].mean() > 0.6


def test_groups_are_told_from_a_continuum():
    clear = significance_test(MINER, two_groups(), method="group", n_permutations=19)
    assert clear.family_p_values[0] == 0.05
    assert_array_equal(clear.patterns[0].rows, np.arange(12))
    assert clear.carriers[0] == {None: (12, 40)}
    assert clear.words(0).startswith("12 of 40 rows; p = 0.05")
    none = significance_test(MINER, one_factor(), method="group", n_permutations=19, random_state=0)
    assert none.family_p_values.min() > 0.05
    assert none.summary() == NO_GROUP


def test_with_classes_rows_are_compared_within_them():
    X = np.random.default_rng(0).normal(size=(40, 30)) + 4 * Y[:, None]
    X[:8, :10] -= 4
    within = significance_test(MINER, X, Y, method="group", n_permutations=19, random_state=0)
    assert within.family_p_values[0] == 0.05
    assert within.carriers[0] == {0: (8, 20), 1: (0, 20)}


def test_labels_are_not_exchanged():
    with pytest.raises(ValueError, match="leave out strata and groups"):
        significance_test(MINER, one_factor(), Y, method="group", strata=Y)
    few = significance_test(MINER, one_factor(), method="group", n_permutations=3)
    assert few.smallest_p == 0.25
    assert few.summary() == "too few tables to tell: the smallest possible p is 0.25"
