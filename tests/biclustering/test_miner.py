"""The contract of miners, on the two miners of the tests and the one of the package."""

import numpy as np
import pytest
from miners import FixedMiner, LabelMiner, TopRowsMiner
from sklearn.metrics import consensus_score

from bicneuron import CoherentBiclustering
from bicneuron.biclustering import BiclusterMiner
from bicneuron.exceptions import NoBiclusterWarning

X = np.arange(12.0).reshape(4, 3)
BLOCKS = [([0, 1], [0, 2]), ([1, 2, 3], [1, 2])]


def test_a_subclass_writes_mine_and_nothing_else():
    miner = FixedMiner(BLOCKS).fit(X)
    assert [found.rows.tolist() for found in miner.patterns_] == [rows for rows, _ in BLOCKS]
    assert miner.n_seeds_ == 2
    assert miner.n_features_in_ == 3


def test_without_mine_there_is_no_miner():
    with pytest.raises(TypeError, match="_mine"):
        type("Lazy", (BiclusterMiner,), {})()


def test_views_that_scikit_learn_knows():
    miner = FixedMiner(BLOCKS).fit(X)
    assert miner.rows_.tolist() == [[True, True, False, False], [False, True, True, True]]
    assert miner.columns_.tolist() == [[True, False, True], [False, True, True]]
    for given, expected in zip(miner.biclusters_, (miner.rows_, miner.columns_), strict=True):
        assert np.array_equal(given, expected)
    rows, columns = miner.get_indices(1)
    assert (rows.tolist(), columns.tolist()) == BLOCKS[1]
    assert miner.get_shape(1) == (3, 2)
    assert miner.get_submatrix(1, X).tolist() == [[4, 5], [7, 8], [10, 11]]


def test_views_without_a_bicluster_are_empty():
    with pytest.warns(NoBiclusterWarning):
        miner = FixedMiner().fit(X)
    assert miner.patterns_ == []
    assert miner.rows_.shape == (0, 4)
    assert miner.columns_.shape == (0, 3)


def test_consensus_score():
    truth = FixedMiner(BLOCKS).fit(X)
    assert consensus_score(FixedMiner(BLOCKS[::-1]).fit(X).biclusters_, truth.biclusters_) == 1
    assert consensus_score(FixedMiner(BLOCKS[:1]).fit(X).biclusters_, truth.biclusters_) == 0.5


def test_standardize_is_the_population_z_score():
    values = np.random.RandomState(0).normal(3, 2, (9, 4))
    values[:, 2] = 7.0
    seen = TopRowsMiner().fit(values).patterns_[0]
    with np.errstate(invalid="ignore"):
        Z = np.nan_to_num((values - values.mean(axis=0)) / values.std(axis=0))
    assert set(seen.rows) == set(np.argsort(Z.sum(axis=1))[-4:])
    assert seen.msr == pytest.approx(Z.sum(), abs=1e-12)
    as_given = TopRowsMiner(standardize=False).fit(values).patterns_[0]
    assert as_given.msr == pytest.approx(values.sum())


def test_labels_reach_only_the_miner_that_asks_for_them():
    y = np.array([0, 1, 0, 1])
    found = LabelMiner().fit(X, y).patterns_
    assert [b.rows.tolist() for b in found] == [[0, 2], [1, 3]]
    with pytest.raises(ValueError, match="requires y"):
        LabelMiner().fit(X)
    free = np.random.RandomState(0).normal(size=(30, 5)) * 0.1 + np.arange(30)[:, None]
    labelled = CoherentBiclustering().fit(free, np.repeat([0, 1], 15))
    assert labelled.patterns_ == CoherentBiclustering().fit(free).patterns_


def test_the_warning_names_the_way_out_and_the_caller():
    with pytest.warns(NoBiclusterWarning, match="0 seeds.*raise max_residue.*min_rows") as caught:
        CoherentBiclustering().fit(np.eye(2))
    assert caught[0].filename == __file__


def test_what_is_too_large_to_square_needs_scaling():
    huge = X.copy()
    huge[2, 1] = -1e200
    with pytest.raises(ValueError, match=r"X\[2, 1\] is -1e\+200.*standardize=True"):
        CoherentBiclustering(standardize=False).fit(huge)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([], [0, 1]),
        ([0, 1], []),
        ([0, 4], [0, 1]),
        ([0, 1], [0, 3]),
        ([-1, 1], [0, 1]),
        ([0, 9, 1], [0, 1]),
        ([0, 1], [1, 1]),
    ],
    ids=["no row", "no column", "far row", "far column", "negative", "unsorted", "repeated"],
)
def test_a_miner_that_breaks_the_contract_is_told_so(rows, columns):
    """Kernels trust these indices: beyond the matrix they would read foreign memory."""
    with pytest.raises(ValueError, match="FixedMiner"):
        FixedMiner([(np.array(rows, dtype=int), np.array(columns, dtype=int))]).fit(X)
