import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import SpectralBiclustering, SpectralCoclustering
from sklearn.datasets import make_biclusters, make_checkerboard
from sklearn.metrics import consensus_score

from bicneuron import BicNeuronClassifier
from bicneuron.biclustering import AdaptedBiclustering


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


def test_the_classifier_can_use_it(one_factor):
    X, y = one_factor
    miner = AdaptedBiclustering(estimator=SpectralCoclustering(2))
    first, second = (
        BicNeuronClassifier(search=None, miner=miner, max_ratio=np.inf, random_state=0).fit(X, y)
        for _ in range(2)
    )
    assert first.pairs_ == second.pairs_ != []
