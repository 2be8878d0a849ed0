import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronClassifier
from bicneuron.biclustering import ChengChurchBiclustering
from bicneuron.metrics import best_match


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
    for seed in range(10):
        X, planted = additive_block(seed)
        miner = ChengChurchBiclustering(standardize=False, n_biclusters=1, threshold=threshold)
        assert miner.fit(X).patterns_[0].msr <= 0.02
        matches.append(best_match(miner.patterns_, planted))
    assert np.mean(matches) >= 0.85
    assert min(matches) >= least


def test_what_was_found_is_masked_by_noise():
    X, _ = additive_block(0)
    miner = ChengChurchBiclustering(standardize=False, n_biclusters=3, random_state=0).fit(X)
    first = ChengChurchBiclustering(standardize=False, n_biclusters=1, random_state=5).fit(X)
    assert first.patterns_ == miner.patterns_[:1]
    again = ChengChurchBiclustering(standardize=False, n_biclusters=3, random_state=0).fit(X)
    assert again.patterns_ == miner.patterns_
    assert not miner.mirrored_.any()


def test_mirrored_rows_are_told():
    X, (rows, columns) = additive_block(0)
    turned = rows[:20]
    X[np.ix_(turned, columns)] *= -1
    miner = ChengChurchBiclustering(standardize=False, n_biclusters=1, mirror=True).fit(X)
    told = np.flatnonzero(miner.mirrored_[0])
    assert len(np.intersect1d(told, turned)) >= 8
    assert len(np.setdiff1d(told, turned)) == 0
    assert set(told) <= set(miner.patterns_[0].rows)


def test_it_ends_when_nothing_of_that_size_is_left():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 6))
    miner = ChengChurchBiclustering(max_residue=0.3, min_rows=6, n_biclusters=50, random_state=0)
    miner.fit(X)
    assert 0 < len(miner.patterns_) < 50
    assert miner.n_seeds_ == len(miner.patterns_) + 1
    assert all(found.shape >= (6, 3) for found in miner.patterns_)


def test_a_bound_that_all_meet_gives_the_whole_table():
    X = np.random.default_rng(0).normal(size=(9, 5))
    miner = ChengChurchBiclustering(max_residue=100, n_biclusters=1).fit(X)
    assert_array_equal(miner.patterns_[0].rows, np.arange(9))
    assert_array_equal(miner.patterns_[0].columns, np.arange(5))


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_what_is_found_again_ends_the_search(value):
    """Noise over the range of a table of one value is that value."""
    miner = ChengChurchBiclustering(standardize=False, n_biclusters=10)
    assert [one.shape for one in miner.fit(np.full((9, 5), value)).patterns_] == [(9, 5)]
    everything = ChengChurchBiclustering(max_residue=100, n_biclusters=10, random_state=0)
    assert len(everything.fit(np.random.default_rng(0).normal(size=(9, 5))).patterns_) == 1


def test_the_classifier_can_use_it(one_factor):
    X, y = one_factor
    miner = ChengChurchBiclustering(max_residue=0.1, n_biclusters=3)
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=np.inf, random_state=0).fit(
        X, y
    )
    assert 0 < len(model.pairs_) <= 3
