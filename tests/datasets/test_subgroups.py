"""What is planted is where it is said to be, and nothing else is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bicneuron.datasets import make_subgroups

LARGE = {"n_cases": 2000, "n_controls": 1000, "n_columns": 40, "n_signature": 8}
ROOM = 5 / np.sqrt(600)  # five standard errors of a mean over the group


def outside(table):
    """The table without the planted cells."""
    X = table.X.copy()
    for group in table.groups:
        X[np.ix_(group.rows, group.columns)] = np.nan
    return X


def block(table):
    (group,) = table.groups
    return table.X[np.ix_(group.rows, group.columns)]


@pytest.mark.parametrize("kind", ["shift", "coexpressed", "tight", "two_shifts", "none"])
def test_labels_and_everything_outside_the_groups_are_noise(kind):
    table = make_subgroups(kind, **LARGE, random_state=0)
    assert table.X.shape == (3000, 40)
    assert ((table.y == "case").sum(), (table.y == "control").sum()) == (2000, 1000)
    for group in table.groups:
        assert set(table.y[group.rows]) == {"case"}
        assert (len(group.rows), len(group.columns)) == (600, 8)
        for indices in group:
            assert np.all(np.diff(indices) > 0)
    rest = outside(table)
    for label in ("case", "control"):
        assert_allclose(np.nanmean(rest[table.y == label], axis=0), 0, atol=5 / np.sqrt(800))
        assert_allclose(np.nanstd(rest[table.y == label], axis=0), 1, atol=5 / np.sqrt(800))


def test_a_shift_has_a_sign_per_column():
    cells = block(make_subgroups("shift", shift=1.5, **LARGE, random_state=0))
    assert_allclose(np.abs(cells.mean(axis=0)), 1.5, atol=ROOM)
    assert set(np.sign(cells.mean(axis=0))) == {-1.0, 1.0}
    assert_allclose(cells.std(axis=0), 1, atol=ROOM)
    assert np.abs(np.corrcoef(cells.T) - np.eye(8)).max() < ROOM


def test_coexpressed_columns_differ_in_their_correlations_only():
    cells = block(make_subgroups("coexpressed", **LARGE, random_state=0))
    assert_allclose(cells.mean(axis=0), 0, atol=ROOM)
    assert_allclose(cells.std(axis=0), 1, atol=ROOM)
    correlations = np.corrcoef(cells.T)[np.triu_indices(8, 1)]
    assert_allclose(correlations, 1 - 0.3**2, atol=0.03)


def test_tight_columns_have_a_small_variance_around_levels():
    cells = block(make_subgroups("tight", **LARGE, random_state=0))
    assert_allclose(np.abs(cells.mean(axis=0)), 1, atol=ROOM)
    assert set(np.sign(cells.mean(axis=0))) == {-1.0, 1.0}
    assert_allclose(cells.std(axis=0), 0.3, atol=0.3 * ROOM)
    assert np.abs(np.corrcoef(cells.T) - np.eye(8)).max() < ROOM


def test_two_groups_share_columns_and_no_rows():
    table = make_subgroups("two_shifts", shift=2.0, random_state=0)
    first, second = table.groups
    assert not set(first.rows) & set(second.rows)
    assert len(set(first.columns) & set(second.columns)) == 3
    for group in table.groups:
        assert (len(group.rows), len(group.columns)) == (15, 10)
        means = table.X[np.ix_(group.rows, group.columns)].mean(axis=0)
        assert_allclose(np.abs(means), 2, atol=5 / np.sqrt(15))


def test_defaults_and_random_order():
    X, y, (group,) = make_subgroups(random_state=1)
    assert X.shape == (100, 2000)
    for places in (group.rows, group.columns, np.flatnonzero(y == "case")):
        assert places[-1] - places[0] >= len(places)


# --- real backgrounds


@pytest.fixture
def background(rng):
    """Skewed columns in different units that follow one factor, and a constant one."""
    factor = rng.normal(size=(200, 1))
    values = np.exp(factor + 0.5 * rng.normal(size=(200, 12))) * 10.0 ** np.arange(12)
    values[:, 0] = 7.0
    return values


def mean_correlation(X):
    varied = X[:, X.std(axis=0) > 0]
    return np.corrcoef(varied.T)[np.triu_indices(varied.shape[1], 1)].mean()


def skewness(X):
    varied = X[:, X.std(axis=0) > 0]
    return (varied**3).mean()


def test_resampled_columns_keep_their_distribution_and_lose_their_correlations(background):
    table = make_subgroups(
        "none", n_cases=400, n_controls=400, n_columns=12, background=background, random_state=0
    )
    assert mean_correlation(background) > 0.5
    assert abs(mean_correlation(table.X)) < 0.05
    assert skewness(table.X) > 1
    varied = table.X[:, table.X.std(axis=0) > 0]
    assert varied.shape == (800, 11)
    assert_allclose(varied.mean(axis=0), 0, atol=1e-9)
    assert_allclose(varied.std(axis=0), 1)
    assert len(np.unique(varied[:, 0])) == 800, "values are not repeated"


def test_whole_rows_are_drawn_once_and_keep_their_correlations(background):
    size = {"n_cases": 80, "n_controls": 120, "n_columns": 12}
    table = make_subgroups("none", **size, background=background, keep_rows=True, random_state=0)
    assert_allclose(mean_correlation(table.X), mean_correlation(background))
    deviation = np.where(background.std(axis=0) > 0, background.std(axis=0), 1)
    expected = (background - background.mean(axis=0)) / deviation
    # The largest value of each row, whatever the order of rows and columns.
    assert_allclose(np.sort(table.X.max(axis=1)), np.sort(expected.max(axis=1)))
    assert not np.allclose(table.X.max(axis=1), expected.max(axis=1))


def test_a_group_is_shifted_by_standard_deviations_of_a_real_background(background):
    given = {"n_cases": 100, "n_controls": 100, "n_columns": 9, "n_signature": 3}
    given |= {"background": background[:, 1:], "keep_rows": True, "random_state": 0}
    without = make_subgroups("shift", shift=0.0, **given)
    table = make_subgroups("shift", shift=2.0, **given)
    (group,) = table.groups
    difference = table.X - without.X
    assert_allclose(np.abs(difference[np.ix_(group.rows, group.columns)]), 2)
    assert np.count_nonzero(np.round(difference, 9)) == 30 * 3


# --- bad input
