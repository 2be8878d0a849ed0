import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.range_support import naive_measure, naive_sets
from scipy.stats import ttest_ind

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering import DifferenceBiclustering, SDCBiclustering
from bicneuron.biclustering._coexpression import differential_pairs, join_sets, supports
from bicneuron.exceptions import NoBiclusterWarning

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


@pytest.mark.parametrize("seed", range(100, 105))
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


@pytest.mark.parametrize("seed", range(3))
def test_signs_alone_may_count(seed):
    """A range without a limit is what is known of DiBiCLUS."""
    X, y = coexpressed(seed, n_columns=60)
    found = SDCBiclustering(max_range=1e9).fit(X, y).patterns_
    assert set(found[0].columns) <= set(PLANTED)
    assert {*np.concatenate([one.columns for one in found])} >= {20, 27}
    signs = np.sign(
        X[np.ix_(found[0].rows, found[0].columns)] - X[:, found[0].columns].mean(axis=0)
    )
    assert (signs == signs[:, :1]).all()


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
def test_miners_without_labels_do_not_find_it():
    X, _ = coexpressed(0)
    for miner in (CoherentBiclustering(min_rows=10, max_seeds=300), DifferenceBiclustering()):
        found = miner.fit(X).patterns_
        assert not any(set(one.columns) <= set(PLANTED) for one in found)


def test_everything_that_reaches_the_bound_is_reported_but_parts():
    X, y = coexpressed(1, n=25, n_columns=30)
    X = X[:, [3, 11, 20, 27, 0, 1]]
    miner = SDCBiclustering(
        min_difference=0.1,
        max_range=0.5,
        min_columns=2,
        max_columns=6,
        n_biclusters=None,
        standardize=False,
    ).fit(X, y)
    expected = set()
    for label in "ab":
        own, other = X[y == label].tolist(), X[y != label].tolist()
        sets = naive_sets(own, other, 0.5, 0.1, 6)
        expected |= {(label, s) for s in sets if not any(set(s) < set(t) for t in sets)}
    assert {(str(y[f.rows[0]]), tuple(f.columns.tolist())) for f in miner.patterns_} == expected
    assert len(expected) > 3
    assert np.all(np.diff(miner.differences_) <= 0)
    assert miner.differences_.min() >= 0.1
    some = SDCBiclustering(**{**miner.get_params(), "n_biclusters": 2}).fit(X, y)
    assert some.patterns_ == miner.patterns_[:2]


def test_too_many_candidates_are_told_before_they_are_made(monkeypatch):
    monkeypatch.setattr("bicneuron.biclustering._coexpression.MAX_CANDIDATES", 20_000)
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(40, 1)), 60, axis=1), np.repeat([0, 1], 20)
    X[20:] = rng.normal(size=(20, 60))
    with pytest.raises(ValueError, match="34220 candidate sets of 3 columns exceed"):
        SDCBiclustering(standardize=False).fit(X, y)


def test_thresholds_that_admit_nothing():
    X, y = coexpressed(0)
    with pytest.warns(NoBiclusterWarning, match="lower min_difference"):
        assert SDCBiclustering(min_difference=1).fit(X, y).patterns_ == []


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has one class, 0; two are needed"):
        SDCBiclustering().fit(np.eye(6), np.zeros(6, dtype=int))


def test_the_classifier_can_use_it():
    X, y = coexpressed(0)
    model = BicNeuronClassifier(
        search=None,
        miner=SDCBiclustering(min_difference=0.05),
        max_ratio=np.inf,
        anchor="b",
        random_state=0,
    ).fit(X, y)
    assert set(model.pairs_[0].columns) <= set(PLANTED)


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
