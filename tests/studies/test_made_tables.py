"""The simulated tables of the study of hidden groups, from their descriptions."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from bicneuron.metrics import mean_squared_residue
from studies.discovery.block_tables import BLOCK_KINDS, make_block_table
from studies.discovery.distributions import DISTRIBUTIONS, make_distribution
from studies.discovery.fabia import make_fabia_blocks
from studies.discovery.known_structure import make_batch, make_sexes, strata_of
from studies.discovery.shares import make_shared_group
from studies.discovery.unpast_scenarios import make_unpast_scenario

SMALL = {"n_signature": 5, "n_rows": 200, "n_columns": 400}
NOISE = {"group_rows": 0, "group_columns": 0}
GROUP = {"group_rows": 15, "group_columns": 10}
MAKERS = {
    "shares": partial(make_shared_group, 15, 5),
    "FABIA": make_fabia_blocks,
    "batch": make_batch,
    "sexes": make_sexes,
    "UnPaSt": partial(make_unpast_scenario, "C", **SMALL),
    **{
        kind: partial(make_distribution, kind, **GROUP, n_columns=30)
        for kind in ("normal", "counts", "mixed", "genotypes")
    },
    **{f"block, {kind}": partial(make_block_table, kind) for kind in BLOCK_KINDS},
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    one, same, other = (MAKERS[name](random_state=seed) for seed in (3, 3, 4))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.y, same.y)
    for group, again in zip(one.groups, same.groups, strict=True):
        assert_array_equal(group.rows, again.rows)
    assert not np.array_equal(one.X, other.X)


# --- a group of both classes, and known structure


@pytest.mark.parametrize("carriers", [(15, 0), (25, 9)])
def test_the_group_has_rows_of_both_classes_and_a_sign_per_column(carriers):
    X, y, (group,) = make_shared_group(*carriers, n_columns=400, random_state=1)
    assert X.shape == (100, 400)
    assert [np.sum(y == label) for label in ("case", "control")] == [50, 50]
    assert tuple(np.sum(y[group.rows] == label) for label in ("case", "control")) == carriers
    assert len(group.columns) == 12
    means = X[np.ix_(group.rows, group.columns)].mean(axis=0)
    assert_allclose(abs(means), 2, atol=1)
    assert {*np.sign(means)} == {-1, 1}
    assert_allclose(np.delete(X, group.rows, axis=0).mean(axis=0), 0, atol=0.6)


def test_a_batch_has_most_cases_and_few_controls():
    X, y, (group, batch) = make_batch(random_state=0)
    strata = strata_of(batch, len(X))
    assert strata.sum() == 50
    assert (np.mean(strata[y == "case"]), np.mean(strata[y == "control"])) == (0.8, 0.2)
    assert len(batch.columns) == 200
    assert {*y[group.rows]} == {"case"}
    assert 0 < strata[group.rows].sum() < 15, "in both batches"


@pytest.mark.parametrize(("make", "shift"), [(make_batch, 2), (make_sexes, 4)])
def test_structure_and_group_shift_columns_of_their_own(make, shift):
    X, _, (group, structure) = make(random_state=2)
    assert (len(group.rows), len(group.columns)) == (15, 10)
    assert not set(group.columns) & set(structure.columns)
    for planted, size in ((group, 2), (structure, shift)):
        inside = strata_of(planted, len(X))
        differences = X[inside].mean(axis=0) - X[~inside].mean(axis=0)
        assert_allclose(abs(differences[planted.columns]).mean(), size, atol=0.3)
        assert {*np.sign(differences[planted.columns])} == {-1, 1}
    unchanged = np.delete(X, np.union1d(group.columns, structure.columns), axis=1)
    assert_allclose(unchanged.std(axis=0).mean(), 1, atol=0.01)


# --- columns that are not normal


def noise(distribution, n_columns=300):
    table = make_distribution(distribution, **NOISE, n_columns=n_columns, random_state=0)
    assert table.groups == ()
    assert [np.sum(table.y == label) for label in ("case", "control")] == [50, 50]
    return table.X


@pytest.mark.parametrize(
    ("name", "law"),
    [("normal", stats.norm()), ("t3", stats.t(3)), ("lognormal", stats.lognorm(1))],
)
def test_columns_have_the_distribution_of_their_name(name, law):
    assert stats.kstest(noise(name).ravel(), law.cdf).pvalue > 0.001


def test_columns_that_count_have_their_moments():
    counts = np.expm1(noise("counts"))
    assert_allclose(counts, np.round(counts), atol=1e-8)
    means = counts.mean(axis=0)
    assert means.max() > 10 * means.min(), "columns differ"
    assert_allclose(np.mean(counts.var(axis=0) / (means + 2 * means**2)), 1, atol=0.15)
    X = noise("zeros")
    assert_allclose(stats.kstest(np.log(X[X > 0]) / 0.5, "norm").statistic, 0, atol=0.02)
    X = noise("binary")
    assert_allclose(X.mean(), 0.35, atol=0.02)
    assert X.mean(axis=0).std() > 0.07
    X = noise("genotypes")
    share = X.mean(axis=0) / 2
    assert_allclose(np.mean(X == 2), np.mean(share**2), atol=0.01)
    is_binary = [len(np.unique(column)) == 2 for column in noise("mixed", n_columns=30).T]
    assert is_binary == [False] * 20 + [True] * 10


@pytest.mark.parametrize(("name", "share"), [("zeros", 0.6), ("floor-50", 0.5), ("floor-88", 0.88)])
def test_a_share_of_the_values_is_the_least_one(name, share):
    values = noise(name)
    lowest = values.min()
    least = values == lowest
    assert_allclose(least.mean(), share, atol=0.01)
    assert len(np.unique(values[~least])) == np.sum(~least)
    assert (lowest == 0) == (name != "floor-88")


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_group_of_the_cases_is_higher_in_its_columns(name):
    X, y, (group,) = make_distribution(name, **GROUP, n_columns=60, random_state=1)
    assert {*y[group.rows]} == {"case"}
    assert (len(group.rows), len(group.columns)) == (15, 10)
    assert np.isfinite(X).all()
    inside = np.isin(np.arange(100), group.rows)
    p = stats.mannwhitneyu(X[inside], X[~inside], alternative="greater").pvalue
    assert p[group.columns].max() < 0.01
    assert np.mean(np.delete(p, group.columns) < 0.05) < 0.2


# --- blocks


@pytest.mark.parametrize("kind", BLOCK_KINDS)
def test_blocks_are_what_they_are_called(kind):
    X, y, groups = make_block_table(kind, random_state=0)
    assert (y is None) == (kind not in ("differential", "none"))
    assert len(groups) == {"overlapping": 2, "none": 0}.get(kind, 1)
    for rows, columns in groups:
        block = X[np.ix_(rows, columns)]
        assert block.shape == (60, 12)
        rank_one = np.linalg.svd(block, compute_uv=False)[1] < 3
        products = kind in ("multiplicative", "differential")
        assert (mean_squared_residue(block) < 0.02) == (not products)
        assert rank_one == (kind != "additive")
        assert (np.ptp(block) < 2) == (kind == "constant")
    if kind == "overlapping":
        (rows, columns), (others, apart) = groups
        assert len(np.intersect1d(rows, others)) == 30
        assert len(np.intersect1d(columns, apart)) == 0
    if kind == "differential":
        assert {*y[rows]} == {"case"}
        assert (y == "case").sum() == 150
        assert np.abs(np.corrcoef(block.T)).min() > 0.9
        assert np.abs(block.mean(axis=0)).max() < 0.5


# --- UnPaSt


@pytest.mark.parametrize("scenario", "ABC")
def test_four_groups_are_shifted_in_columns_of_their_own(scenario):
    X, y, groups = make_unpast_scenario(scenario, **SMALL, random_state=1)
    assert X.shape == (200, 400)
    assert y is None
    assert [len(group.rows) for group in groups] == [10, 20, 50, 100]
    for one, other in combinations(groups, 2):
        assert not set(one.columns) & set(other.columns)
    n_shared = sum(len(set(a.rows) & set(b.rows)) for a, b in combinations(groups, 2))
    assert (n_shared == 0) == (scenario == "A")
    others = np.delete(X, np.concatenate([group.columns for group in groups]), axis=1)
    for group in groups:
        inside = np.isin(np.arange(200), group.rows)
        cells = X[:, group.columns]
        assert_allclose(cells[~inside].mean(axis=0), 0, atol=0.5)
        assert_allclose(cells[inside].mean(), 4, atol=5 * np.sqrt(2 / cells[inside].size))
        assert_allclose(cells[~inside].std(), 1, atol=0.1)
        assert_allclose(cells[inside].std(), np.sqrt(2), atol=0.4)
        assert np.abs(others[inside].mean(axis=0)).mean() < 4 / np.sqrt(len(group.rows))
