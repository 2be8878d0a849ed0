import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from oracles.contrast import naive_grow_against
from oracles.range_support import naive_measure, naive_sets
from scipy.stats import ttest_ind
from sklearn.base import clone
from sklearn.cluster import SpectralBiclustering, SpectralCoclustering
from sklearn.datasets import make_biclusters, make_checkerboard
from sklearn.metrics import consensus_score
from sklearn.preprocessing import StandardScaler
from strategies import seeds

from bicneuron import CoherentBiclustering
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.biclustering._coexpression import differential_pairs, join_sets, supports
from bicneuron.metrics import best_match


def test_it_finds_what_the_estimator_finds():
    X, rows, columns = make_biclusters((60, 40), 3, noise=2, random_state=0, minval=20)
    estimator = SpectralCoclustering(n_clusters=3, random_state=0)
    miner = AdaptedBiclustering(estimator=estimator).fit(X)
    plain = estimator.fit(X - min(X.min(), 0))
    assert_array_equal(miner.rows_, plain.rows_)
    assert_array_equal(miner.columns_, plain.columns_)
    assert consensus_score(miner.biclusters_, (rows, columns)) >= 0.95


def test_signed_tables_are_shifted_and_zeros_left_out():
    X, rows, columns = make_checkerboard((40, 30), (2, 3), noise=1, random_state=0)
    estimator = SpectralBiclustering(n_clusters=(2, 3), random_state=0)
    low = X - 50.0
    low[3] = low[:, 4] = low.min()
    miner = AdaptedBiclustering(estimator=estimator).fit(low)
    assert not any(3 in found.rows or 4 in found.columns for found in miner.patterns_)
    assert consensus_score(miner.biclusters_, (rows, columns)) >= 0.9


def test_a_constant_table_is_refused():
    with pytest.raises(ValueError, match="n_features=0 of X have values"):
        AdaptedBiclustering().fit(np.zeros((5, 4)))


# --- cheng church


def additive_block(seed, shape=(200, 50), block=(120, 30), noise=0.1):
    """Normal noise with a block of row effects plus column effects, both of deviation 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    rows, columns = (np.sort(rng.permutation(n)[:k]) for n, k in zip(shape, block, strict=True))
    effects = rng.normal(size=(block[0], 1)) + rng.normal(size=block[1])
    X[np.ix_(rows, columns)] = effects + noise * rng.normal(size=block)
    return X, (rows, columns)


@pytest.mark.parametrize(("threshold", "least"), [(1.2, 0.8), (2.0, 0.85)])
def test_a_large_additive_block_is_found(threshold, least):
    """The paper's threshold deletes rows of the block, and not all are added again."""
    matches = []
    for seed in range(5):
        X, planted = additive_block(seed)
        miner = ChengChurchBiclustering(standardize=False, n_biclusters=1, threshold=threshold)
        assert miner.fit(X).patterns_[0].msr <= 0.02
        matches.append(best_match(miner.patterns_, planted))
    assert np.mean(matches) >= 0.85
    assert min(matches) >= least


def test_what_was_found_is_masked_by_noise():
    X, _ = additive_block(0)
    first, three, again = (
        ChengChurchBiclustering(standardize=False, n_biclusters=n, random_state=0).fit(X)
        for n in (1, 3, 3)
    )
    assert first.patterns_ == three.patterns_[:1]
    assert again.patterns_ == three.patterns_
    assert not three.mirrored_.any()


def test_mirrored_rows_are_told():
    X, (rows, columns) = additive_block(0)
    turned = rows[:20]
    X[np.ix_(turned, columns)] *= -1
    miner = ChengChurchBiclustering(standardize=False, n_biclusters=1, mirror=True).fit(X)
    told = np.flatnonzero(miner.mirrored_[0])
    assert len(np.intersect1d(told, turned)) >= 8
    assert len(np.setdiff1d(told, turned)) == 0
    assert set(told) <= set(miner.patterns_[0].rows)


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_what_is_found_again_ends_the_search(value):
    """Noise over the range of a table of one value is that value."""
    miner = ChengChurchBiclustering(standardize=False, n_biclusters=10)
    assert [one.shape for one in miner.fit(np.full((9, 5), value)).patterns_] == [(9, 5)]
    everything = ChengChurchBiclustering(max_residue=100, n_biclusters=10, random_state=0)
    assert len(everything.fit(np.random.default_rng(0).normal(size=(9, 5))).patterns_) == 1


# --- contrast


def planted(seed=0):
    """A third of class "b" is shifted in columns 3, 8 and 11."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(90, 14)), np.repeat(["a", "b"], [40, 50])
    part = np.arange(40, 58)
    X[np.ix_(part, [3, 8, 11])] += 5
    return X, y, part


def test_every_bicluster_grows_by_the_definition():
    X, y, _ = planted()
    Z = StandardScaler().fit_transform(X)
    miner = ContrastBiclustering(max_columns=4, max_seeds=None).fit(X, y)
    assert miner.n_seeds_ >= len(miner.patterns_) > 10
    for found in miner.patterns_[::5]:
        (label,) = set(y[found.rows])
        anchor, others = Z[found.rows], Z[y != label]
        size = min(len(others), 2 * len(anchor))
        grown = [sorted(naive_grow_against(anchor, others, c, 4, size)) for c in range(14)]
        assert found.columns.tolist() in grown


@pytest.mark.parametrize("seed", range(3))
def test_planted_columns_and_rows_are_found(seed):
    X, y, part = planted(seed)
    miner = ContrastBiclustering(max_columns=3, random_state=0).fit(X, y)
    hits = [set(f.rows) & set(part) for f in miner.patterns_ if list(f.columns) == [3, 8, 11]]
    assert max(map(len, hits)) >= 0.9 * len(part)


def test_the_same_whatever_n_jobs_and_a_sample_is_a_part():
    X, y, _ = planted()
    one = ContrastBiclustering(max_seeds=20, random_state=1).fit(X, y)
    two = ContrastBiclustering(max_seeds=20, random_state=1, n_jobs=2).fit(X, y)
    everything = ContrastBiclustering(max_seeds=None).fit(X, y)
    assert one.patterns_ == two.patterns_
    assert one.n_seeds_ == 40
    assert set(one.patterns_) < set(everything.patterns_)


def test_more_classes_are_held_against_all_others():
    X, y, _ = planted()
    y = y.astype(object)
    y[80:] = "c"
    miner = ContrastBiclustering(random_state=0).fit(X, y.astype(str))
    assert_array_equal(miner.classes_, ["a", "b", "c"])
    assert {y[f.rows[0]] for f in miner.patterns_} == {"a", "b", "c"}


# --- di rapocc

N, PART = 60, np.arange(45)
OWN, COMMON = np.arange(12), np.arange(12, 24)


def differential(seed, n_columns=100):
    """Twelve columns go together in three quarters of class "a", twelve others in all rows.

    All means are the same. The signs of the first twelve are drawn.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2 * N, n_columns)), np.repeat(["a", "b"], N)
    signs = rng.choice([-1, 1], len(OWN))

    def together(n_rows, n_columns):
        noise = rng.normal(size=(n_rows, n_columns))
        return np.sqrt(0.8) * rng.normal(size=(n_rows, 1)) + np.sqrt(0.2) * noise

    X[np.ix_(PART, OWN)] = together(len(PART), len(OWN)) * signs
    X[:, COMMON] = together(2 * N, len(COMMON))
    return X, y, signs


@pytest.mark.parametrize("seed", range(2))
def test_what_goes_together_in_one_class_only_is_found(seed):
    X, y, signs = differential(seed)
    miner = DiRAPOCCBiclustering().fit(X, y)
    found = miner.patterns_[0]
    assert len(found.columns) >= 11
    assert set(found.columns) <= set(OWN)
    assert not any(np.isin(COMMON, one.columns).any() for one in miner.patterns_)
    assert set(y[found.rows]) == {"a"}
    assert len(np.intersect1d(found.rows, PART)) >= 40
    assert len(found.rows) <= 55
    true = signs[found.columns]
    assert_array_equal(miner.signs_[0], true * true[0])
    assert miner.differences_[0] >= 0.4


@pytest.mark.parametrize("odd", [0, 1])
def test_states_that_alternate_for_ever_do_not_take_for_ever(odd):
    """Loose limits, under which the columns of noise change between two states and merge."""
    X, y = np.random.default_rng(0).normal(size=(60, 20)), np.arange(60) % 2
    X[y == 1, :6] += np.random.default_rng(1).normal(size=(30, 1))
    loose = {"max_residue": 5.0, "min_difference": 0.0, "min_rows": 2, "min_columns": 2}

    def found(max_iter):
        miner = DiRAPOCCBiclustering(n_column_clusters=100, max_iter=max_iter, **loose)
        return [(one.rows.tolist(), one.columns.tolist()) for one in miner.fit(X, y).patterns_]

    assert len(found(20 + odd)) > 0
    assert found(10**9 + odd) == found(20 + odd)


# --- difference


def test_the_block_that_single_columns_miss_is_found():
    for seed in range(3):
        X, planted = additive_block(seed, (300, 80), (60, 12))
        miner = DifferenceBiclustering(max_seeds=30).fit(X)
        assert best_match(miner.patterns_[:1], planted) >= 0.9
    assert best_match(CoherentBiclustering().fit(X).patterns_, planted) < 0.2


def test_a_column_in_two_units_makes_a_block_of_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 8))
    X[:, 2], X[:, 5], X[:, 6] = 3 * X[:, 1] + 1, X[:, 1], 7.0
    found = DifferenceBiclustering().fit(X).patterns_[0]
    assert found.shape == (50, 3)
    assert found.columns.tolist() == [1, 2, 5]


def test_pairs_of_many_columns_are_sampled_and_n_jobs_does_not_matter(monkeypatch):
    monkeypatch.setattr("bicneuron.biclustering._additive.MAX_PAIRS", 200)
    X, _ = additive_block(0, (60, 40), (30, 20))
    one, two = (
        DifferenceBiclustering(max_seeds=20, n_jobs=n_jobs, random_state=3).fit(X)
        for n_jobs in (1, 2)
    )
    assert one.patterns_ == two.patterns_ != []
    assert one.n_seeds_ == 20


# --- information


def naive_loss(table, row_labels, column_labels):
    """KL(p, q) with q(x, y) = p(x^, y^) p(x | x^) p(y | y^), cell by cell."""
    p = table / table.sum()
    loss = 0.0
    for i in range(len(p)):
        for j in range(p.shape[1]):
            rows, columns = row_labels == row_labels[i], column_labels == column_labels[j]
            q = (
                p[np.ix_(rows, columns)].sum()
                * (p[i].sum() / p[rows].sum())
                * (p[:, j].sum() / p[:, columns].sum())
            )
            loss += p[i, j] * np.log(p[i, j] / q) if p[i, j] > 0 else 0.0
    return loss


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
@given(seeds(), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_the_loss_is_the_definition_and_never_rises(seed, k, m, signed):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.5, (9, 7)) + 0.0
    X[0] += 1
    X[:, 0] += 1
    if signed:
        X = rng.normal(size=(9, 7))
    miner = InformationCoclustering(
        n_row_clusters=k, n_column_clusters=m, n_init=2, random_state=0
    ).fit(X)
    kept = miner.row_labels_ >= 0, miner.column_labels_ >= 0
    labels = miner.row_labels_[kept[0]], miner.column_labels_[kept[1]]
    table = (X - min(X.min(), 0))[np.ix_(*kept)]
    assert miner.losses_[-1] == pytest.approx(naive_loss(table, *labels), abs=1e-9)
    assert np.all(np.diff(miner.losses_) <= 1e-12)


@pytest.mark.parametrize("signed", [False, True])
def test_planted_blocks_of_counts_are_found(signed):
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(np.arange(60) % 3), rng.permutation(np.arange(30) % 3)
    X = rng.poisson(np.where(rows[:, None] == columns, 6.0, 1.0)) + 0.0
    if signed:
        X -= 2.0
    miner = InformationCoclustering(random_state=0).fit(X)
    truth = [[labels == k for k in range(3)] for labels in (rows, columns)]
    assert consensus_score(miner.biclusters_, tuple(map(np.array, truth))) >= 0.95
    again = InformationCoclustering(random_state=0).fit(X)
    assert again.patterns_ == miner.patterns_


def test_rows_and_columns_of_zeros_belong_to_no_cluster():
    counts = np.kron(np.eye(2), np.ones((4, 3)))
    counts[0], counts[:, 0] = 0.0, 0.0
    miner = InformationCoclustering(n_row_clusters=2, n_column_clusters=2, random_state=0)
    miner.fit(counts)
    assert miner.row_labels_[0] == miner.column_labels_[0] == -1
    assert sorted(found.shape for found in miner.patterns_) == [(3, 2), (4, 3)]
    assert miner.losses_[-1] == pytest.approx(0, abs=1e-12)


# --- sdc

PLANTED = [3, 11, 20, 27]


@st.composite
def classes(draw):
    """Two small tables of halves, so that sizes are often equal, at the limit, or zero."""
    n_columns = draw(st.integers(2, 5))
    return [
        draw(
            hnp.arrays(np.int64, (draw(st.integers(1, 9)), n_columns), elements=st.integers(-6, 6))
        )
        / 2
        for _ in range(2)
    ]


def coexpressed(seed, n=100, n_columns=200, correlation=0.8):
    """The planted columns are correlated in class "b" only; all means are the same."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2 * n, n_columns)), np.repeat(["a", "b"], n)
    common = np.sqrt(correlation) * rng.normal(size=(n, 1))
    X[n:, PLANTED] = common + np.sqrt(1 - correlation) * rng.normal(size=(n, len(PLANTED)))
    return X, y


@pytest.mark.parametrize("seed", range(100, 102))
def test_differential_coexpression_is_found_that_t_tests_miss(seed):
    X, y = coexpressed(seed)
    found = SDCBiclustering(min_difference=0.05, max_range=4).fit(X, y).patterns_
    assert {*y[np.concatenate([one.rows for one in found])]} == {"b"}
    columns = {*np.concatenate([one.columns for one in found])}
    assert columns >= {*PLANTED}
    assert len(columns) <= len(PLANTED) + 1, "one by chance"
    p_values = ttest_ind(X[y == "a"], X[y == "b"]).pvalue
    assert set(np.argsort(p_values)[: len(PLANTED)]) != set(PLANTED)
    assert p_values[PLANTED].min() > 0.05 / X.shape[1]


def test_everything_that_reaches_the_bound_is_reported_but_parts():
    X, y = coexpressed(1, n=25, n_columns=30)
    X = X[:, [3, 11, 20, 27, 0, 1]]
    bounds = {"min_difference": 0.1, "max_range": 0.5, "min_columns": 2, "max_columns": 6}
    miner = SDCBiclustering(**bounds, n_biclusters=None, standardize=False).fit(X, y)
    expected = set()
    for label in "ab":
        own, other = X[y == label].tolist(), X[y != label].tolist()
        sets = naive_sets(own, other, 0.5, 0.1, 6)
        expected |= {(label, s) for s in sets if not any(set(s) < set(t) for t in sets)}
    assert {(str(y[f.rows[0]]), tuple(f.columns.tolist())) for f in miner.patterns_} == expected
    assert len(expected) > 3
    assert np.all(np.diff(miner.differences_) <= 0)
    assert miner.differences_.min() >= 0.1
    some = clone(miner).set_params(n_biclusters=2).fit(X, y)
    assert some.patterns_ == miner.patterns_[:2]


def test_too_many_candidates_are_told_before_they_are_made(monkeypatch):
    monkeypatch.setattr("bicneuron.biclustering._coexpression.MAX_CANDIDATES", 20_000)
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(40, 1)), 60, axis=1), np.repeat([0, 1], 20)
    X[20:] = rng.normal(size=(20, 60))
    with pytest.raises(ValueError, match="34220 candidate sets of 3 columns exceed"):
        SDCBiclustering(standardize=False).fit(X, y)


@given(classes(), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.sampled_from([0.1, 0.25, 0.5]))
def test_every_set_that_reaches_the_bound_is_found(tables, max_range, least):
    own, other = tables
    level = pairs = differential_pairs(own.T, other.T, max_range, least)
    found = {}
    while level:
        assert list(level) == sorted(level)
        for columns, (rows, against) in level.items():
            measure = naive_measure(own.tolist(), other.tolist(), columns, max_range)
            assert rows.bit_count() / len(own) - against == measure
            found[columns] = [i for i in range(len(own)) if rows >> i & 1]
        level = join_sets(level, pairs, len(own), least)
    assert found == naive_sets(own.tolist(), other.tolist(), max_range, least, own.shape[1])


def test_a_missing_value_supports_nothing():
    own = np.array([[1.0, np.nan, np.nan], [1.0, 1.0, np.nan]])
    assert supports(own, 0, 9.0).tolist() == [[True, False, False]]
