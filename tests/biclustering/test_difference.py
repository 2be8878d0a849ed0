import numpy as np
import pytest

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering import DifferenceBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.metrics import best_match


def additive_blocks(seed, shape, block, n_blocks=1, noise=0.1):
    """Blocks without common lines; row and column effects of deviation 1, in normal noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    lines = [rng.permutation(n)[: n_blocks * k] for n, k in zip(shape, block, strict=True)]
    planted = list(zip(*(np.split(line, n_blocks) for line in lines), strict=True))
    for rows, columns in planted:
        effects = rng.normal(size=(block[0], 1)) + rng.normal(size=block[1])
        X[np.ix_(rows, columns)] = effects + noise * rng.normal(size=block)
    return X, planted


def test_the_block_that_single_columns_miss_is_found():
    for seed in range(10):
        X, (planted,) = additive_blocks(seed, (300, 80), (60, 12))
        miner = DifferenceBiclustering(max_seeds=30).fit(X)
        assert best_match(miner.patterns_[:1], planted) >= 0.9
    assert best_match(CoherentBiclustering().fit(X).patterns_, planted) < 0.1


@pytest.mark.parametrize("seed", range(2))
def test_several_blocks_are_found(seed):
    X, planted = additive_blocks(seed, (500, 100), (25, 25), n_blocks=3)
    miner = DifferenceBiclustering(max_seeds=100).fit(X)
    assert np.mean([best_match(miner.patterns_, block) for block in planted]) >= 0.8
    assert len(miner.patterns_) <= 4
    assert all(found.msr <= 0.02 for found in miner.patterns_)


def test_noise_has_no_block():
    X = np.random.default_rng(0).normal(size=(200, 40))
    with pytest.warns(NoBiclusterWarning, match=r"100 seeds\); change max_residue"):
        assert DifferenceBiclustering(max_seeds=100).fit(X).patterns_ == []


def test_a_column_in_two_units_makes_a_block_of_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 8))
    X[:, 2], X[:, 5], X[:, 6] = 3 * X[:, 1] + 1, X[:, 1], 7.0
    found = DifferenceBiclustering().fit(X).patterns_[0]
    assert found.shape == (50, 3)
    assert found.columns.tolist() == [1, 2, 5]


def test_pairs_of_many_columns_are_sampled_and_n_jobs_does_not_matter(monkeypatch):
    monkeypatch.setattr("bicneuron.biclustering._additive.MAX_PAIRS", 200)
    X, _ = additive_blocks(0, (60, 40), (30, 20))
    one, two = (
        DifferenceBiclustering(max_seeds=20, n_jobs=n_jobs, random_state=3).fit(X)
        for n_jobs in (1, 2)
    )
    assert one.patterns_ == two.patterns_ != []
    assert one.n_seeds_ == 20


def test_the_classifier_can_use_it(one_factor):
    X, y = one_factor
    miner = DifferenceBiclustering(max_residue=0.1)
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=np.inf, random_state=0).fit(
        X, y
    )
    assert len(model.pairs_) > 0
