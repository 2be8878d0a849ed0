import numpy as np
import pytest
from numpy.testing import assert_array_equal
from oracles.contrast import naive_grow_against
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronClassifier
from bicneuron.biclustering import ContrastBiclustering


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
    expected = set()
    for found in miner.patterns_:
        assert len(set(y[found.rows])) == 1
    for column in range(14):
        for found in miner.patterns_:
            rows, others = found.rows, np.flatnonzero(y != y[found.rows[0]])
            size = min(len(others), 2 * len(rows))
            grown = naive_grow_against(Z[rows], Z[others], column, 4, size)
            expected.add((tuple(rows), tuple(sorted(grown))))
    assert {(tuple(f.rows), tuple(f.columns)) for f in miner.patterns_} <= expected


@pytest.mark.parametrize("seed", range(3))
def test_planted_columns_and_rows_are_found(seed):
    X, y, part = planted(seed)
    miner = ContrastBiclustering(max_columns=3, random_state=0).fit(X, y)
    hits = [set(f.rows) & set(part) for f in miner.patterns_ if list(f.columns) == [3, 8, 11]]
    assert max(map(len, hits)) >= 0.9 * len(part)


def test_the_classifier_can_use_it():
    X, y, part = planted()
    miner = ContrastBiclustering(max_columns=3, random_state=0)
    model = BicNeuronClassifier(
        search=None, miner=miner, anchor="b", max_ratio=np.inf, random_state=0
    ).fit(X, y)
    assert {3, 8, 11} & set(model.selected_pair_.columns)
    assert np.mean(model.predict(X[part]) == "b") > 0.8


def test_the_same_whatever_n_jobs_and_a_sample_is_a_part():
    X, y, _ = planted()
    one = ContrastBiclustering(max_seeds=20, random_state=1).fit(X, y)
    two = ContrastBiclustering(max_seeds=20, random_state=1, n_jobs=2).fit(X, y)
    everything = ContrastBiclustering(max_seeds=None).fit(X, y)
    assert one.patterns_ == two.patterns_
    assert one.n_seeds_ == 40
    assert set(one.patterns_) < set(everything.patterns_)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has one class, 0; two are needed"):
        ContrastBiclustering().fit(np.eye(6), np.zeros(6, dtype=int))


def test_more_classes_are_held_against_all_others():
    X, y, _ = planted()
    y = y.astype(object)
    y[80:] = "c"
    miner = ContrastBiclustering(random_state=0).fit(X, y.astype(str))
    assert_array_equal(miner.classes_, ["a", "b", "c"])
    assert {y[f.rows[0]] for f in miner.patterns_} == {"a", "b", "c"}
