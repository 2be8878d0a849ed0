import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering import DifferenceBiclustering, DiRAPOCCBiclustering

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


@pytest.mark.parametrize("seed", range(5))
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


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
def test_miners_without_labels_do_not_know_the_difference():
    """They miss it, or report what goes together in all rows as well."""
    X, _, _ = differential(0)
    for miner in (CoherentBiclustering(min_rows=20), DifferenceBiclustering(max_seeds=50)):
        found = miner.fit(X).patterns_
        assert not any(len(np.intersect1d(one.columns, OWN)) >= 9 for one in found)


def test_more_clusters_than_columns_and_constant_columns():
    X, y, _ = differential(0, n_columns=24)
    X[:, 23] = 1.0
    miner = DiRAPOCCBiclustering(n_column_clusters=100, n_biclusters=100).fit(X, y)
    assert miner.patterns_
    assert not any(23 in found.columns for found in miner.patterns_)
    assert len(miner.patterns_) == len(miner.signs_) == len(miner.differences_)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has one class, 0; two are needed"):
        DiRAPOCCBiclustering().fit(np.eye(6), np.zeros(6, dtype=int))


def test_the_classifier_can_use_it():
    X, y, _ = differential(0)
    model = BicNeuronClassifier(
        search=None, miner=DiRAPOCCBiclustering(), max_ratio=np.inf, anchor="a", random_state=0
    ).fit(X, y)
    assert set(model.selected_pair_.columns) <= set(OWN)


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
