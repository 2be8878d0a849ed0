"""What all generators have in common: the seed decides, and absurd parameters are refused."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.residue import naive_msr
from sklearn.preprocessing import minmax_scale

from bicneuron.datasets import (
    load_worked_example,
    make_additive_biclusters,
    make_cohorts,
    make_ringnorm,
    make_subgroup,
    make_subgroups,
    make_twonorm,
)

KINDS = ("shift", "coexpressed", "tight", "two_shifts", "none")
MAKERS = {
    "additive": make_additive_biclusters,
    "twonorm": partial(make_twonorm, 50),
    "ringnorm": partial(make_ringnorm, 50),
    "subgroup": make_subgroup,
    "cohorts": make_cohorts,
    **{kind: partial(make_subgroups, kind, n_columns=30) for kind in KINDS},
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    first, again, other = (MAKERS[name](random_state=seed) for seed in (3, 3, 4))
    for one, same in zip(first[:2], again[:2], strict=True):
        assert_array_equal(one, same)
    assert not np.array_equal(first[0], other[0])


SHAPE = r"2 of .*\(60, 12\) need .*\(120, 24\), got .*100"
FEW_ROWS = {"background": np.ones((9, 20)), "n_columns": 20, "keep_rows": True}


@pytest.mark.parametrize(
    ("make", "given", "message"),
    [
        (make_additive_biclusters, {"shape": (100, 80), "n_biclusters": 2}, SHAPE),
        (make_additive_biclusters, {"shape": (300, 80, 2)}, r"shape must be \(rows, columns\)"),
        (make_additive_biclusters, {"noise": np.nan}, "noise must be finite, got nan"),
        (make_ringnorm, {"n_samples": 1}, "n_samples == 1, must be >= 2"),
        (make_subgroup, {"group_shape": (51, 3)}, "larger than the 50 patients and 1000 columns"),
        (make_subgroup, {"group_shape": (-1, 3)}, "group_shape == -1, must be >= 0"),
        (make_subgroups, {"kind": "shfit"}, "kind must be one of shift, coexpressed"),
        (make_subgroups, {"share": 1.5}, "share == 1.5, must be <= 1"),
        (make_subgroups, {"share": 0.001}, "share=0.001 makes groups of 0 rows"),
        (make_subgroups, {"kind": "two_shifts", "share": 0.6}, "has 2 of them among 50 cases"),
        (make_subgroups, {"kind": "two_shifts", "n_columns": 16}, "17 columns, got n_columns=16"),
        (make_subgroups, {"background": np.ones((9, 20))}, "fewer than n_columns=2000"),
        (make_subgroups, FEW_ROWS, "background has 9 rows, and 100 are needed"),
        (make_subgroups, {"background": np.full((9, 2000), np.nan)}, "background contains NaN"),
    ],
)
def test_absurd_parameters_are_refused(make, given, message):
    with pytest.raises(ValueError, match=message):
        make(**given)


def test_nothing_is_planted_where_nothing_is_asked_for():
    X, rows, columns = make_additive_biclusters((20, 10), n_biclusters=0, random_state=0)
    assert (X.shape, rows.shape, columns.shape) == ((20, 10), (0, 20), (0, 10))
    _, _, rows, columns = make_subgroup(6, 3, group_shape=(0, 0), random_state=0)
    assert not rows.any()
    assert not columns.any()
    assert make_subgroups("none", n_columns=20, random_state=0).groups == ()


# --- additive

PLANTED = {"shape": (300, 80), "n_biclusters": 3, "bicluster_shape": (60, 12)}


@pytest.fixture(scope="module")
def planted():
    return make_additive_biclusters(**PLANTED, row_effect=0.5, random_state=0)


def blocks_of(X, rows, columns):
    return [X[np.ix_(r, c)] for r, c in zip(rows, columns, strict=True)]


def test_indicators_mark_disjoint_blocks_of_the_right_size(planted):
    X, rows, columns = planted
    assert X.shape == (300, 80)
    assert (rows.shape, rows.dtype, columns.shape, columns.dtype) == ((3, 300), bool, (3, 80), bool)
    assert_array_equal(rows.sum(axis=1), 60)
    assert_array_equal(columns.sum(axis=1), 12)
    assert rows.sum(axis=0).max() == columns.sum(axis=0).max() == 1


def test_residue_of_a_block_is_its_noise(planted):
    expected = 0.1**2 * (1 - 1 / 60) * (1 - 1 / 12)
    standard_error = expected * np.sqrt(2 / (59 * 11))
    for block in blocks_of(*planted):
        assert_allclose(naive_msr(block.tolist()), expected, rtol=0, atol=5 * standard_error)


def test_levels_and_row_effects(planted):
    levels = np.array([block.mean(axis=0) for block in blocks_of(*planted)])
    assert_allclose(np.abs(levels), 3, rtol=0, atol=5 * 0.5 / np.sqrt(60))
    assert 0 < np.sum(levels > 0) < levels.size
    effects = np.concatenate([block.mean(axis=1) - block.mean() for block in blocks_of(*planted)])
    assert_allclose(effects.std(), 0.5, rtol=0, atol=5 * 0.5 / np.sqrt(2 * 180))


def test_magnitudes_of_zero_and_blocks_that_follow_the_diagonal():
    sizes = {"n_biclusters": 2, "bicluster_shape": (2, 3), "shuffle": False}
    nothing = {"row_effect": 0, "noise": 0, "background": 0}
    X, rows, columns = make_additive_biclusters((5, 7), level=2, **sizes, **nothing)
    assert_array_equal(rows, [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])
    assert_array_equal(columns, [[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0]])
    assert_array_equal(np.abs(X), 2 * (rows.T.astype(int) @ columns))


# --- breiman

CENTRE = 2 / np.sqrt(20)


def assert_normal_columns(X, mean, sd):
    """Means and standard deviations within five of their standard errors."""
    n = len(X)
    assert_allclose(X.mean(axis=0), mean, rtol=0, atol=5 * sd / np.sqrt(n))
    assert_allclose(X.std(axis=0), sd, rtol=0, atol=5 * sd / np.sqrt(2 * n))
    correlation = np.corrcoef(X.T) - np.eye(X.shape[1])
    assert np.abs(correlation).max() < 5 / np.sqrt(n)


@pytest.mark.parametrize(
    ("make", "mean", "sd"), [(make_twonorm, -CENTRE, 1), (make_ringnorm, 0, 2)]
)
def test_classes_are_normal(make, mean, sd):
    X, y = make(20_000, random_state=0)
    assert_normal_columns(X[y == 1], CENTRE, 1)
    assert_normal_columns(X[y == 0], mean, sd)


@pytest.mark.parametrize("make", [make_twonorm, make_ringnorm])
def test_shape_balance_and_order(make):
    X, y = make(random_state=0)
    assert X.shape == (7400, 20)
    assert_array_equal(np.bincount(y), [3700, 3700])
    alternations = np.mean(y[1:] != y[:-1])
    assert abs(alternations - 0.5) < 5 * 0.5 / np.sqrt(7400)
    assert_array_equal(np.bincount(make(7, 3, random_state=0)[1]), [4, 3])


# --- subgroup


def test_the_group_is_shifted_in_its_columns_and_nothing_else_is():
    X, y, rows, columns = make_subgroup(4000, 30, group_shape=(1500, 6), shift=1.5, random_state=0)
    assert X.shape == (4000, 30)
    assert (y == "patient").sum() == (y == "control").sum() == 2000
    assert (rows.sum(), columns.sum()) == (1500, 6)
    assert set(y[rows]) == {"patient"}
    close = 5 / np.sqrt(1500)
    assert_allclose(np.abs(X[rows][:, columns].mean(axis=0)), 1.5, atol=close)
    assert_allclose(X[rows][:, ~columns].mean(axis=0), 0, atol=close)
    others = X[~rows & (y == "patient")]
    assert_allclose(others.mean(axis=0), 0, atol=5 / np.sqrt(500))
    assert_allclose(X[y == "control"].mean(axis=0), 0, atol=5 / np.sqrt(2000))
    assert_allclose(X[rows].std(axis=0), 1, atol=close)


def test_rows_and_columns_come_in_random_order_with_both_signs():
    X, y, rows, columns = make_subgroup(random_state=1)
    for indicator in (rows, columns, y == "patient"):
        places = np.flatnonzero(indicator)
        assert places[-1] - places[0] >= len(places)
    assert set(np.sign(X[rows][:, columns].mean(axis=0))) == {-1.0, 1.0}


def test_a_frame_has_the_same_numbers_and_names():
    plain = make_subgroup(random_state=0)
    frame, series, *_ = named = make_subgroup(as_frame=True, random_state=0)
    assert isinstance(frame, pd.DataFrame)
    for one, other in zip(named, plain, strict=True):
        assert_array_equal(one, other)
    assert frame.columns.tolist()[::999] == ["g0001", "g1000"]
    assert frame.index.tolist()[::99] == ["s001", "s100"]
    assert series.index.equals(frame.index)
    assert (frame.index.name, series.name) == ("sample", "class")


# --- What is planted is where it is said to be, and nothing else is

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


@pytest.mark.parametrize(
    ("kind", "mean", "sd", "correlation"),
    [("shift", 1.5, 1, 0), ("coexpressed", 0, 1, 1 - 0.3**2), ("tight", 1, 0.3, 0)],
)
def test_columns_of_a_group_have_the_moments_of_its_kind(kind, mean, sd, correlation):
    cells = block(make_subgroups(kind, shift=1.5, **LARGE, random_state=0))
    means = cells.mean(axis=0)
    assert_allclose(np.abs(means), mean, atol=ROOM)
    assert mean == 0 or set(np.sign(means)) == {-1.0, 1.0}
    assert_allclose(cells.std(axis=0), sd, atol=sd * ROOM)
    correlations = np.corrcoef(cells.T)[np.triu_indices(8, 1)]
    assert_allclose(correlations, correlation, atol=0.03 if correlation else ROOM)


def test_two_groups_share_columns_and_no_rows():
    table = make_subgroups("two_shifts", shift=2.0, random_state=0)
    first, second = table.groups
    assert not set(first.rows) & set(second.rows)
    assert len(set(first.columns) & set(second.columns)) == 3
    for group in table.groups:
        assert (len(group.rows), len(group.columns)) == (15, 10)
        means = table.X[np.ix_(group.rows, group.columns)].mean(axis=0)
        assert_allclose(np.abs(means), 2, atol=5 / np.sqrt(15))


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


# --- Two cohorts with what was planted in them


@pytest.fixture(scope="module")
def made():
    return make_cohorts(random_state=3)


def gaps(table, rows, genes):
    """Differences of means between rows and the others, in standard deviations of the others."""
    inside = table.index.isin(rows)
    others = table.loc[~inside, genes]
    return ((table.loc[inside, genes].mean() - others.mean()) / others.std()).abs()


def test_the_group_has_its_genes_in_both_cohorts(made):
    for table, members in zip((made.first, made.second), made.members, strict=True):
        patients = table.index[table["status"] == "patient"]
        assert {*members} <= {*patients}
        assert len(members) == round(len(patients) / 3)
        genes = [name for name in table if name.startswith("GENE")]
        clearest = gaps(table, members, genes).nlargest(len(made.signature))
        assert sorted(clearest.index) == made.signature


def test_patients_and_batches_differ_in_genes_of_their_own(made):
    first = made.first
    patients = first.index[first["status"] == "patient"]
    genes = [name for name in first if name.startswith("GENE")]
    others = [name for name in genes if name not in {*made.signature, *made.markers}]
    of_class = gaps(first, patients, made.markers)
    assert of_class.mean() > 3 * gaps(first, patients, others).mean()
    in_second = first.index[first["batch"] == "B"]
    clearest = gaps(first, in_second, genes)
    assert sorted(clearest.nlargest(len(made.of_batch)).index) == made.of_batch
    assert not {*made.signature} & {*made.markers}


# --- worked example


def test_printed_values_are_the_rounded_min_max_of_the_raw_ones():
    raw, printed = load_worked_example().data, load_worked_example(printed=True).data
    assert_array_equal(np.round(minmax_scale(raw), 2), printed)


def test_description_of_the_figure():
    example = load_worked_example()
    assert_array_equal(example.data[[0, 8]], [[15, 12, 20, 13], [20, 17, 30, 50]])
    assert_array_equal(example.target, [-1] * 4 + [1] * 5)
    assert example.feature_names == ["f1", "f2", "f3", "f4"]
    assert example.object_names == [f"o{number}" for number in range(1, 10)]
    assert "arXiv:1603.06859" in example.DESCR
    found = [example.data[np.ix_(*block)].tolist() for block in example.biclusters]
    assert found == [[[15, 12, 20], [20, 18, 25], [25, 22, 30]], [[30, 35], [46, 50]]]
    X, y = load_worked_example(return_X_y=True)
    X[:] = 0
    assert_array_equal(y, example.target)
    assert load_worked_example().data.max() == 50, "fresh arrays"
