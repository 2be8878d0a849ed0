"""Tables of which a part is searched: their groups, whatever the order and form of the table."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups._table import MOST_ROWS, leading_components
from bicneuron.biclustering._subgroups._wide import find_leaders, screened
from bicneuron.datasets import make_subgroups
from bicneuron.exceptions import NoBiclusterWarning


def planted(n_rows=2000, n_columns=24, share=0.05, shift=2.5, seed=0):
    rng = check_random_state(seed)
    X = rng.normal(size=(n_rows, n_columns))
    rows = np.sort(rng.permutation(n_rows)[: round(share * n_rows)])
    X[rows, :8] += shift
    return X, rows


def overlap(a, b):
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))


@pytest.fixture(scope="module")
def tall():
    X, rows = planted()
    return X, rows, SubgroupBiclustering(kinds="shift").fit(X)


def test_a_group_of_a_tall_table_is_first(tall):
    X, rows, miner = tall
    first = miner.patterns_[0]
    assert overlap(first.rows, rows) > 0.97
    assert_array_equal(first.columns, np.arange(8))
    assert_array_equal(np.flatnonzero(miner.carriers(X)[:, 0]), first.rows)


@pytest.mark.parametrize("share", [0.02, 0.4])
def test_small_and_large_groups_of_a_tall_table(share):
    X, rows = planted(4500, share=share, shift=3.0)
    first = SubgroupBiclustering(kinds="shift").fit(X).patterns_[0]
    assert overlap(first.rows, rows) > 0.95
    assert_array_equal(first.columns, np.arange(8))


def test_the_order_of_a_large_table_does_not_matter(tall):
    X, _, miner = tall
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    other = SubgroupBiclustering(kinds="shift").fit(X[np.ix_(rows, columns)])
    assert len(other.patterns_) == len(miner.patterns_)
    for one, same in zip(miner.patterns_, other.patterns_, strict=True):
        assert_array_equal(np.sort(rows[same.rows]), one.rows)
        assert_array_equal(np.sort(columns[same.columns]), one.columns)
        assert same.strength == pytest.approx(one.strength)


@pytest.mark.parametrize("form", ["float32", "sparse", "memmap"])
def test_forms_of_a_large_table(tall, form, tmp_path):
    X = np.asarray(tall[0], np.float32)
    if form == "memmap":
        np.save(tmp_path / "X.npy", X)
        X = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = SubgroupBiclustering(kinds="shift").fit(csr_array(X) if form == "sparse" else X)
    for one, same in zip(tall[2].patterns_, found.patterns_, strict=True):
        assert_array_equal(same.rows, one.rows)
        assert same.strength == pytest.approx(one.strength, rel=1e-4)


def test_tables_around_the_bound():
    X, rows = planted(MOST_ROWS + 1)
    for n_rows in (MOST_ROWS, MOST_ROWS + 1):
        first = SubgroupBiclustering(kinds="shift").fit(X[:n_rows]).patterns_[0]
        assert overlap(first.rows, rows[rows < n_rows]) > 0.97
        assert_array_equal(first.columns, np.arange(8))


def test_copies_rare_values_and_missing_cells():
    X, rows = planted()
    X[np.random.default_rng(2).random(X.shape) < 0.05] = np.nan
    rare = np.zeros((len(X), 2))
    rare[::400, 0] = 1.0
    X = np.column_stack([X, -X[:, 0], np.exp(X[:, 9]), rare])
    first = SubgroupBiclustering(kinds="shift").fit(X).patterns_[0]
    assert overlap(first.rows, rows) > 0.9
    assert_array_equal(first.columns, [*range(8), 24])  # column 24 is column 0 turned round
    assert first.weights[-1] == pytest.approx(-first.weights[0])


def test_classes_and_strata_of_a_large_table():
    X, rows = planted()
    y = np.where(np.isin(np.arange(len(X)), rows), "case", "control")
    y[:100] = "case"
    centre = np.arange(len(X)) % 3
    miner = SubgroupBiclustering(kinds="shift").fit(X + centre[:, None], y, strata=centre)
    first = miner.patterns_[0]
    assert first.anchor_class == "case"
    assert overlap(first.rows, rows) > 0.97
    assert_array_equal(first.columns, np.arange(8))


def test_a_tight_group_of_a_large_table():
    X, rows = planted(shift=0.0, share=0.2)
    X[rows[:, None], np.arange(12)] = 1.0 + 0.1 * X[rows[:, None], np.arange(12)]
    first = SubgroupBiclustering(kinds="tight").fit(X).patterns_[0]
    assert overlap(first.rows, rows) > 0.97
    assert_array_equal(first.columns, np.arange(12))


def test_a_coexpressed_group_of_a_large_table():
    table = make_subgroups("coexpressed", n_cases=800, n_controls=800, n_columns=40, random_state=0)
    first = SubgroupBiclustering(kinds="coexpressed").fit(table.X, table.y).patterns_[0]
    assert_array_equal(first.columns, table.groups[0].columns)
    assert overlap(first.rows, table.groups[0].rows) > 0.9


def test_a_column_of_words_is_no_group_of_a_large_table():
    rng = np.random.default_rng(1)
    words = rng.integers(0, 8, 3000)
    X = np.column_stack([rng.normal(size=(3000, 2)), words[:, None] == np.arange(8)])
    # Groups are listed if their columns are three facts; those of one column of words are one fact.
    with pytest.warns(NoBiclusterWarning):
        assert SubgroupBiclustering(kinds="shift").fit(X).patterns_ == []


def test_a_large_table_without_groups():
    with pytest.warns(NoBiclusterWarning, match="no bicluster in 1600 rows"):
        SubgroupBiclustering().fit(np.ones((1600, 5)))
    with pytest.warns(NoBiclusterWarning, match="no bicluster"):
        SubgroupBiclustering().fit(np.tile([1.0, 2.0, 3.0], (1600, 1)))


def test_leaders_among_all_columns_of_a_wide_table():
    rng = np.random.default_rng(7)
    Z = rng.normal(size=(60, 3000))
    Z[:, ::3] = np.exp(Z[:, ::3])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    Z[:10, 100:125] += 2.5
    blocks = [Z[:, :1400], Z[:, 1400:]]
    columns, correlations = find_leaders(iter(blocks), 60, screened(iter(blocks)), 4, 30)
    own = (columns >= 100) & (columns < 125)
    assert own[0].mean() > 0.8  # the leader with the best support
    assert (correlations[0, own[0]] > 0.5).all()


@pytest.mark.slow
def test_a_group_of_a_wide_table_is_first_in_any_order():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 20_200)).astype(np.float32)
    X[:, ::3] = np.exp(X[:, ::3])
    columns = np.sort(rng.permutation(20_200)[:30])
    X[:9, columns] += 3 * X[:, columns].std(axis=0)
    first = SubgroupBiclustering(kinds="shift").fit(X).patterns_[0]
    assert_array_equal(first.rows, np.arange(9))
    assert overlap(first.columns, columns) > 0.9
    order = rng.permutation(20_200)
    same = SubgroupBiclustering(kinds="shift").fit(X[::-1, order]).patterns_[0]
    assert_array_equal(39 - same.rows[::-1], first.rows)
    assert_array_equal(np.sort(order[same.columns]), first.columns)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_leading_components_are_singular_vectors(shape):
    Z = np.random.default_rng(6).normal(size=shape)
    _, singular, right = np.linalg.svd(Z, full_matrices=False)
    values, directions = leading_components(Z, 3)
    assert_allclose(values, singular[:3] ** 2)
    expected = right[:3] * singular[:3, None]
    signs = np.sign(np.sum(directions * expected, axis=1))[:, None]
    assert_allclose(directions * signs, expected, atol=1e-9)
