"""A 60 x 12 additive block in 300 x 80 noise is found again."""

import numpy as np
import pytest
from sklearn.metrics import consensus_score

from bicneuron import CoherentBiclustering
from bicneuron.datasets import make_additive_biclusters
from bicneuron.metrics import best_match


@pytest.mark.parametrize(
    ("parameters", "at_least"),
    [({"cut_distance": 0.5}, 0.95), ({"search": "prune"}, 0.8)],
    ids=["grow", "prune"],
)
def test_recovery_over_ten_seeds(parameters, at_least):
    matches = []
    for seed in range(10):
        X, rows, columns = make_additive_biclusters(random_state=seed)
        miner = CoherentBiclustering(**parameters).fit(X)
        matches.append(best_match(miner.patterns_, (rows[0], columns[0])))
    assert np.mean(matches) >= at_least
    assert min(matches) >= 0.7


def test_several_blocks_are_all_found():
    X, rows, columns = make_additive_biclusters(
        (200, 60), n_biclusters=3, bicluster_shape=(40, 10), random_state=0
    )
    miner = CoherentBiclustering(cut_distance=0.5, min_rows=20, min_columns=5).fit(X)
    for planted in zip(rows, columns, strict=True):
        assert best_match(miner.patterns_, planted) == 1
    # scikit-learn's score counts what was found beyond the truth against the miner
    score = consensus_score(miner.biclusters_, (rows, columns))
    assert score == pytest.approx(3 / len(miner.patterns_))
