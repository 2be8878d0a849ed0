import numpy as np
import pytest
from miners import FixedMiner
from numpy.testing import assert_allclose
from oracles.residue import naive_msr

from bicneuron import CoherentBiclustering
from bicneuron.biclustering import BiclusterSelector
from bicneuron.datasets import make_additive_biclusters

BLOCKS = [([0, 1, 2], [0, 2, 3]), ([3, 4], [1, 2]), (range(9), [0, 1])]


def naive_scores(Z, blocks):
    scores = np.zeros(Z.shape[1])
    for rows, columns in blocks:
        inside = np.isin(np.arange(len(Z)), list(rows))
        if inside.all():
            continue
        block = Z[np.ix_(list(rows), columns)]
        interdependence = max(1 - naive_msr(block.tolist()) / Z[:, columns].var(axis=0).mean(), 0)
        for j in columns:
            groups = [Z[inside, j], Z[~inside, j]]
            between = sum(len(g) * (g.mean() - Z[:, j].mean()) ** 2 for g in groups) / len(Z)
            scores[j] += interdependence * between / Z[:, j].var()
    return scores / len(blocks)


def test_scores_are_interdependence_times_separability(rng):
    X = rng.normal(size=(9, 5))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = naive_scores(Z, BLOCKS)
    selector = BiclusterSelector(miner=FixedMiner(BLOCKS))
    assert_allclose(selector.fit(X).scores_, expected)
    assert_allclose(selector.fit(100 * X + 3).scores_, expected)
    assert expected[4] == 0
    assert not selector.fit(np.ones((9, 5))).scores_.any()


def test_planted_columns_are_selected():
    X, _, columns = make_additive_biclusters(
        (120, 40), n_biclusters=2, bicluster_shape=(30, 8), random_state=0
    )
    miner = CoherentBiclustering(cut_distance=0.5)
    selector = BiclusterSelector(miner=miner, n_features_to_select=16).fit(X)
    assert (selector.get_support() == columns.any(axis=0)).mean() >= 0.95
    assert selector.transform(X).shape == (120, 16)
    assert BiclusterSelector(miner=miner).fit(X).get_support().sum() == 20


def test_more_columns_than_there_are_is_told(rng):
    with pytest.raises(ValueError, match="n_features_to_select=6 exceeds the 4 columns"):
        BiclusterSelector(miner=FixedMiner(BLOCKS[:1]), n_features_to_select=6).fit(
            rng.normal(size=(9, 4))
        )
