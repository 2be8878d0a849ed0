"""Is it a group, or the end of a continuum?"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from bicneuron import SubgroupBiclustering
from bicneuron._writing._formats import NO_GROUP
from bicneuron.exceptions import DependentRowsWarning
from bicneuron.significance import significance_test
from bicneuron.significance._known import Known
from bicneuron.significance._nulls import Repeated, RotatedRows, ShuffledColumns

MINER = SubgroupBiclustering(kinds="shift", n_patterns=3)
Y = np.repeat([0, 1], 20)


def one_factor(seed=0):
    """A continuum: all columns follow one normal factor."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(40, 1)) * np.ones(16) + 0.5 * rng.normal(size=(40, 16))


def two_groups(seed=0):
    """The same correlations from two groups of rows."""
    rng = np.random.default_rng(seed)
    return np.r_[np.ones(12), -0.5 * np.ones(28)][:, None] * 2.5 + rng.normal(size=(40, 16))


def test_rotated_rows_keep_mean_and_covariance_of_their_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 5 * Y[:, None]
    drawn, y = RotatedRows(X, Y).draw(rng)
    assert y is Y
    assert np.abs(drawn - X).min() > 0
    for label in (0, 1):
        rows, truth = drawn[label == Y], X[label == Y]
        assert_allclose(rows.mean(axis=0), truth.mean(axis=0))
        assert_allclose(np.cov(rows.T), np.cov(truth.T))


def test_every_rotation_is_as_likely():
    # One column of three rows: turned deviations are uniform on a circle about the mean.
    X = np.array([[0.0], [1.0], [5.0]])
    rng = np.random.default_rng(0)
    deviations = np.array([RotatedRows(X, None).draw(rng)[0][:, 0] - 2 for _ in range(400)])
    assert_allclose(np.sum(deviations**2, axis=1), 14)
    across = (deviations[:, 0] - deviations[:, 1]) / np.sqrt(2)
    upwards = (deviations[:, 0] + deviations[:, 1] - 2 * deviations[:, 2]) / np.sqrt(6)
    angles = np.arctan2(across, upwards) / (2 * np.pi) + 0.5
    assert kstest(angles, "uniform").pvalue > 0.05


def test_a_row_alone_in_its_class_stays():
    X = np.arange(6.0).reshape(3, 2)
    drawn, _ = RotatedRows(X, np.array([0, 1, 1])).draw(np.random.default_rng(0))
    assert_array_equal(drawn[0], X[0])


def test_shuffled_columns_keep_the_values_of_each_class():
    X = one_factor()
    drawn, _ = ShuffledColumns(X, Y).draw(np.random.default_rng(0))
    for label in (0, 1):
        assert_array_equal(np.sort(drawn[label == Y], axis=0), np.sort(X[label == Y], axis=0))
    assert np.abs(np.corrcoef(drawn[Y == 0].T)[np.triu_indices(16, 1)]).mean() < 0.4
    assert np.corrcoef(X[Y == 0].T)[np.triu_indices(16, 1)].mean() > 0.6


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
    X = np.random.default_rng(0).normal(size=(40, 16)) + 4 * Y[:, None]
    X[:8, :10] -= 4
    within = significance_test(MINER, X, Y, method="group", n_permutations=19, random_state=0)
    p_values = dict(zip(map(str, within.carriers), within.family_p_values, strict=True))
    assert p_values[str({0: (8, 20), 1: (0, 20)})] == 0.05
    # Tables without groups have the classes, too.
    assert all(p > 0.05 for found, p in p_values.items() if found == str({0: (0, 20), 1: (20, 20)}))


@pytest.mark.parametrize("kind", [RotatedRows, ShuffledColumns])
def test_what_is_known_of_rows_is_kept(kind):
    rng = np.random.default_rng(0)
    age, batch = rng.uniform(20, 80, size=40), np.tile(["a", "b"], 20)
    X = (
        np.column_stack([age + rng.normal(size=40), rng.normal(size=40)])
        + 9 * (batch == "a")[:, None]
    )
    known = Known(batch, age)
    drawn, _ = kind(X, Y, known).draw(rng)
    assert np.mean(drawn != X) > 0.8
    for label in (0, 1):
        for name in ("a", "b"):
            block = (label == Y) & (batch == name)
            lines = [np.polyfit(age[block], table[block], 1) for table in (X, drawn)]
            if kind is RotatedRows:
                assert_allclose(*lines)
            else:  # what is not explained of a column has no slope but by chance
                assert_allclose(*np.array(lines)[:, 0], atol=0.2)
            assert_allclose(X[block].mean(axis=0), drawn[block].mean(axis=0))


@pytest.mark.parametrize("kind", [RotatedRows, ShuffledColumns])
def test_rows_that_covariates_explain_altogether_stay(kind):
    X = np.random.default_rng(0).normal(size=(6, 3))
    drawn, _ = kind(X, None, Known(np.repeat([0, 1, 2], 2), np.arange(6.0))).draw(
        np.random.default_rng(1)
    )
    assert_allclose(drawn, X)


def test_null_tables_repeat_rows_as_the_table_does():
    rng = np.random.default_rng(0)
    units = np.array([2, 0, 0, 1, 2, 2])
    drawn, y = Repeated(ShuffledColumns(one_factor()[:3], Y[18:21]), units).draw(rng)
    assert_array_equal(drawn[[0, 1, 3]], drawn[[4, 2, 3]])
    assert len(np.unique(drawn, axis=0)) == 3
    assert_array_equal(y, Y[18:21][units])


def test_copies_of_noise_are_no_groups():
    """Three copies of each row make a group of whatever three rows are outside."""
    X = np.random.default_rng(3).standard_t(3, size=(25, 12))[np.arange(75) % 25]
    with pytest.warns(DependentRowsWarning, match="75 rows that repeat each other"):
        alone = significance_test(MINER, X, method="group", n_permutations=19, random_state=0)
    together = significance_test(
        MINER, X, method="group", groups=np.arange(75) % 25, n_permutations=19, random_state=0
    )
    assert alone.significant().any()
    assert not together.significant().any()


def test_few_tables_are_said():
    few = significance_test(MINER, one_factor(), method="group", n_permutations=3)
    assert few.smallest_p == 0.25
    assert few.summary() == "too few tables to tell: the smallest possible p is 0.25"
