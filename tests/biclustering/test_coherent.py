"""`CoherentBiclustering` against the definition, on data without ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.residue import naive_msr
from oracles.search import naive_grow
from scipy.cluster.hierarchy import fcluster, linkage
from strategies import seeds

from bicneuron import CoherentBiclustering
from bicneuron.datasets import make_additive_biclusters
from bicneuron.metrics import best_match

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


def is_inside(small, large):
    return set(small[0]) <= set(large[0]) and set(small[1]) <= set(large[1])


searches = st.sampled_from(["grow", "prune"])
bounds = st.sampled_from([0.005, 0.02, 0.05, 0.2])
cuts = st.sampled_from([0.2, 0.5, 1.0, 2.0])


@given(seeds(), cuts, bounds, st.integers(2, 4), st.integers(2, 4))
def test_growing_from_every_cluster_of_every_column(seed, cut, bound, min_rows, min_columns):
    X = coherent_matrix(seed)
    Z = z_scores(X)
    starts = list(naive_seeds(Z, cut, min_rows))
    expected = {
        (tuple(rows.tolist()), tuple(columns))
        for rows, column in starts
        if len(columns := sorted(naive_grow(Z.tolist(), rows, [column], bound))) >= min_columns
    }
    limits = {"min_rows": min_rows, "min_columns": min_columns, "merge": False}
    miner = CoherentBiclustering(cut_distance=cut, max_residue=bound, **limits).fit(X)
    assert miner.n_seeds_ == len(starts)
    assert sorted(blocks(miner)) == sorted(expected)


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


@given(
    seeds(),
    st.fixed_dictionaries(
        {
            "search": searches,
            "cut_distance": cuts,
            "max_residue": bounds,
            "add_rows": st.booleans(),
            "merge": st.booleans(),
            "max_columns": st.sampled_from([None, 3]),
        }
    ),
    st.integers(2, 4),
)
def test_whatever_is_found_is_coherent_large_enough_and_new(seed, parameters, minimum):
    X = coherent_matrix(seed)
    Z = z_scores(X)
    miner = CoherentBiclustering(**parameters, min_rows=minimum, min_columns=minimum).fit(X)
    for found in miner.patterns_:
        msr = naive_msr(Z[np.ix_(found.rows, found.columns)])
        assert found.msr == pytest.approx(msr, rel=1e-9, abs=1e-15)
        assert msr <= miner.max_residue * (1 + 1e-9)
        assert min(found.shape) >= minimum
        assert len(found.columns) <= (miner.max_columns or 6)
        assert np.all(np.diff(found.rows) > 0)
        assert np.all(np.diff(found.columns) > 0)
    contents = blocks(miner)
    assert len(set(contents)) == len(contents)
    if miner.merge:
        assert not any(is_inside(a, b) for a in contents for b in contents if a != b)


@given(seeds(), searches, st.lists(st.integers(-300, 300), min_size=6, max_size=6))
@settings(max_examples=20)
def test_powers_of_two_do_not_change_a_bit(seed, search, exponents):
    X = coherent_matrix(seed)
    plain = CoherentBiclustering(search=search).fit(X).patterns_
    assert CoherentBiclustering(search=search).fit(np.ldexp(X, exponents)).patterns_ == plain


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


# --- A 60 x 12 additive block in 300 x 80 noise is found again


@pytest.mark.parametrize(
    ("parameters", "at_least"),
    [({"cut_distance": 0.5}, 0.95), ({"search": "prune"}, 0.8)],
    ids=["grow", "prune"],
)
def test_recovery_over_seeds(parameters, at_least):
    matches = []
    for seed in range(5):
        X, rows, columns = make_additive_biclusters(random_state=seed)
        miner = CoherentBiclustering(**parameters).fit(X)
        matches.append(best_match(miner.patterns_, (rows[0], columns[0])))
    assert np.mean(matches) >= at_least
    assert min(matches) >= 0.7
