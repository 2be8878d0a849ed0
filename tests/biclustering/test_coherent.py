"""`CoherentBiclustering` against the definition, on data without ties."""

import numpy as np
import pytest
from data import make_one_factor
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.residue import naive_extension_residues, naive_msr
from scipy.cluster.hierarchy import fcluster, linkage
from strategies import seeds

from bicneuron import CoherentBiclustering

pytestmark = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")


def coherent_matrix(seed, n_rows=24, n_columns=6, noise=0.2):
    random = np.random.default_rng(seed)
    return random.standard_normal((n_rows, 1)) + noise * random.standard_normal((n_rows, n_columns))


def z_scores(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def blocks(miner):
    return [
        (tuple(found.rows.tolist()), tuple(found.columns.tolist())) for found in miner.patterns_
    ]


def naive_seeds(Z, cut_distance, min_rows):
    """(rows, column) of each cluster, by scipy's linkage."""
    for j in range(Z.shape[1]):
        labels = fcluster(linkage(Z[:, [j]], "average"), cut_distance, "distance")
        for label in np.unique(labels):
            rows = np.flatnonzero(labels == label)
            if len(rows) >= min_rows:
                yield rows, j


def naive_grow(Z, rows, column, max_residue):
    columns = [column]
    while len(columns) < Z.shape[1]:
        left = [j for j in range(Z.shape[1]) if j not in columns]
        residues = naive_extension_residues(Z[np.ix_(rows, columns)], Z[np.ix_(rows, left)])
        best = int(np.argmin(residues))
        if residues[best] > max_residue:
            break
        columns.append(left[best])
    return sorted(columns)


def is_inside(small, large):
    return set(small[0]) <= set(large[0]) and set(small[1]) <= set(large[1])


searches = st.sampled_from(["grow", "prune"])
bounds = st.sampled_from([0.005, 0.02, 0.05, 0.2])
cuts = st.sampled_from([0.2, 0.5, 1.0, 2.0])


@given(seeds(), cuts, bounds, st.integers(2, 4), st.integers(2, 4))
@settings(deadline=None, max_examples=40)
def test_growing_from_every_cluster_of_every_column(seed, cut, bound, min_rows, min_columns):
    X = coherent_matrix(seed)
    Z = z_scores(X)
    starts = list(naive_seeds(Z, cut, min_rows))
    expected = {
        (tuple(rows.tolist()), tuple(columns))
        for rows, column in starts
        if len(columns := naive_grow(Z, rows, column, bound)) >= min_columns
    }
    miner = CoherentBiclustering(
        cut_distance=cut,
        max_residue=bound,
        min_rows=min_rows,
        min_columns=min_columns,
        merge=False,
    ).fit(X)
    assert miner.n_seeds_ == len(starts)
    assert len(miner.patterns_) == len(expected)
    assert set(blocks(miner)) == expected


@pytest.mark.parametrize("search", ["grow", "prune"])
@pytest.mark.parametrize("max_seeds", [None, 7])
def test_a_path_is_a_fit_at_each_cut(search, max_seeds):
    Z = z_scores(coherent_matrix(0))
    miner = CoherentBiclustering(
        search=search, max_seeds=max_seeds, max_residue=0.3, standardize=False, random_state=0
    )
    cuts = [0.2, 0.5, 1.0, 0.5]
    path = miner.mine_path(Z, cuts)
    assert any(found for found, _ in path)
    for cut, (found, n_seeds) in zip(cuts, path, strict=True):
        miner.set_params(cut_distance=cut).fit(Z)
        assert found == miner.patterns_
        assert n_seeds == miner.n_seeds_


@given(seeds(), searches, cuts, bounds, st.booleans(), st.booleans(), st.integers(2, 4))
@settings(deadline=None, max_examples=60)
def test_whatever_is_found_is_coherent_large_enough_and_new(
    seed, search, cut, bound, add_rows, merge, minimum
):
    X = coherent_matrix(seed)
    Z = z_scores(X)
    miner = CoherentBiclustering(
        search=search,
        cut_distance=cut,
        max_residue=bound,
        add_rows=add_rows,
        merge=merge,
        min_rows=minimum,
        min_columns=minimum,
    ).fit(X)
    for found in miner.patterns_:
        msr = naive_msr(Z[np.ix_(found.rows, found.columns)])
        assert found.msr == pytest.approx(msr, rel=1e-9, abs=1e-15)
        assert msr <= bound * (1 + 1e-9)
        assert min(found.shape) >= minimum
        assert np.all(np.diff(found.rows) > 0)
        assert np.all(np.diff(found.columns) > 0)
    contents = blocks(miner)
    assert len(set(contents)) == len(contents)
    if merge:
        assert not any(is_inside(a, b) for a in contents for b in contents if a != b)


@given(seeds(), searches, bounds)
@settings(deadline=None, max_examples=40)
def test_no_line_is_left_outside_that_the_bound_allows(seed, search, bound):
    X = coherent_matrix(seed)
    Z = z_scores(X)
    miner = CoherentBiclustering(search=search, max_residue=bound, add_rows=True, merge=False)
    for found in miner.fit(X).patterns_:
        block = Z[np.ix_(found.rows, found.columns)]
        other_columns = np.setdiff1d(np.arange(Z.shape[1]), found.columns)
        other_rows = np.setdiff1d(np.arange(Z.shape[0]), found.rows)
        if len(other_columns):
            more = naive_extension_residues(block, Z[np.ix_(found.rows, other_columns)])
            assert min(more) > bound * (1 - 1e-9)
        if len(other_rows):
            more = naive_extension_residues(block.T, Z[np.ix_(other_rows, found.columns)].T)
            assert min(more) > bound * (1 - 1e-9)


@given(seeds(), bounds)
@settings(deadline=None, max_examples=30)
def test_merging_loses_no_cell_and_leaves_no_union_within_the_bound(seed, bound):
    """Up to 17 blocks the choice of the pair to unite is exact."""
    X = coherent_matrix(seed, n_rows=16, n_columns=5)
    Z = z_scores(X)
    parameters = {"max_residue": bound, "min_rows": 2, "min_columns": 2}
    apart = blocks(CoherentBiclustering(merge=False, **parameters).fit(X))
    merged = blocks(CoherentBiclustering(**parameters).fit(X))
    assert all(any(is_inside(small, large) for large in merged) for small in apart)
    if len(apart) <= 17:
        for a in merged:
            for b in merged:
                if a < b and set(a[0]) & set(b[0]) and set(a[1]) & set(b[1]):
                    union = sorted({*a[0], *b[0]}), sorted({*a[1], *b[1]})
                    assert naive_msr(Z[np.ix_(*union)]) > bound * (1 - 1e-9)


@given(seeds(), searches, cuts, bounds, st.integers(2, 8), st.booleans())
@settings(deadline=None, max_examples=60)
def test_no_bicluster_is_wider_than_asked(seed, search, cut, bound, max_columns, add_rows):
    """Without the limit, merging and pruning give up to all 12 columns."""
    X = coherent_matrix(seed, n_columns=12, noise=0.1)
    miner = CoherentBiclustering(
        search=search,
        cut_distance=cut,
        max_residue=bound,
        max_columns=max_columns,
        min_rows=2,
        min_columns=2,
        add_rows=add_rows,
    ).fit(X)
    assert all(len(found.columns) <= max_columns for found in miner.patterns_)
    assert all(found.msr <= bound * (1 + 1e-9) for found in miner.patterns_)


@given(seeds(), searches, cuts, bounds)
@settings(deadline=None, max_examples=30)
def test_a_limit_of_all_columns_changes_nothing(seed, search, cut, bound):
    X = coherent_matrix(seed)
    miner = CoherentBiclustering(search=search, cut_distance=cut, max_residue=bound)
    unlimited = miner.fit(X).patterns_
    assert miner.set_params(max_columns=X.shape[1]).fit(X).patterns_ == unlimited


def test_a_union_swallows_what_lies_inside():
    """Hundreds of blocks, where not every one is held against every other."""
    X, _ = make_one_factor(n_minority=150, n_majority=150, n_columns=40, noise=0.2)
    merged = CoherentBiclustering(cut_distance=0.2, max_residue=0.05, min_rows=2, min_columns=2)
    masks = merged.fit(X).biclusters_
    shared = [mask.astype(int) @ mask.T for mask in masks]
    inside = np.all([counts == np.diag(counts)[:, None] for counts in shared], axis=0)
    assert len(inside) > 200
    assert np.array_equal(inside, np.eye(len(inside), dtype=bool))


@given(seeds(), searches, st.lists(st.integers(-300, 300), min_size=6, max_size=6))
@settings(deadline=None, max_examples=20)
def test_powers_of_two_do_not_change_a_bit(seed, search, exponents):
    X = coherent_matrix(seed)
    plain = CoherentBiclustering(search=search).fit(X).patterns_
    assert CoherentBiclustering(search=search).fit(np.ldexp(X, exponents)).patterns_ == plain


def test_looser_bounds_find_larger_biclusters():
    X, _ = make_one_factor()
    sizes = [
        max(
            found.rows.size * found.columns.size
            for found in CoherentBiclustering(max_residue=bound).fit(X).patterns_
        )
        for bound in (0.03, 0.05, 0.1)
    ]
    assert sizes == sorted(set(sizes))


def test_a_shifted_copy_is_one_bicluster():
    """Row effects plus column effects without noise: the whole matrix, with residue 0."""
    random = np.random.RandomState(0)
    X = random.normal(size=(10, 1)) + random.normal(size=5)
    for search in ("grow", "prune"):
        miner = CoherentBiclustering(search=search, cut_distance=100).fit(X)
        assert [found.shape for found in miner.patterns_] == [(10, 5)]
        assert miner.patterns_[0].msr == pytest.approx(0, abs=1e-25)


@pytest.mark.parametrize("n_outliers", [1, 8])
@pytest.mark.parametrize("outlier", [1e3, 1e13, 1e100])
def test_outliers_do_not_blur_the_clusters_of_the_others(outlier, n_outliers):
    others = [0, 0.9, 1.0, 1.1, 2, 2.9, 3.0, 3.1]
    column = np.array(others + [outlier * k for k in range(1, n_outliers + 1)])
    X = np.column_stack([column] * 3)
    miner = CoherentBiclustering(cut_distance=0.5, merge=False, standardize=False).fit(X)
    assert [found.rows.tolist() for found in miner.patterns_] == [[1, 2, 3], [5, 6, 7]]
