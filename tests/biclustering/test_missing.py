"""Miners on tables with missing values."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron._core._residue import observed_residue
from bicneuron._shared._scaling import zscore_scaling
from bicneuron.biclustering import (
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    SDCBiclustering,
)
from bicneuron.datasets import make_additive_biclusters
from bicneuron.inspection import BiclusterDisplay, SubgroupDisplay
from bicneuron.significance import significance_test


def with_holes(X, share, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def planted_group(seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 100)), np.repeat(["case", "control"], 40)
    X[:12, :10] += 3.0
    return X, y


def test_a_hidden_group_is_found_through_gaps():
    X, y = planted_group()
    holes = with_holes(X, 0.2)
    miner = SubgroupBiclustering(anchor="case").fit(holes, y)
    found = miner.patterns_[0]
    assert set(found.rows) >= set(range(11))
    assert len(set(range(10)) & set(found.columns)) >= 9
    Z = zscore_scaling(holes).apply(holes)
    assert found.msr == observed_residue(Z[np.ix_(found.rows, found.columns)])
    # New rows with gaps are judged by what they have; a row without values is no member.
    new = with_holes(planted_group(seed=1)[0], 0.3, seed=1)
    new[11] = np.nan
    scores, is_member = miner.pattern_scores(new), miner.carriers(new)
    assert is_member[:11, 0].all()
    assert not is_member[11, 0]
    assert_array_equal(miner.pattern_scores(new[3:4])[0], scores[3])


def test_gaps_move_with_rows_and_columns():
    """As without gaps, the order of rows and columns does not matter."""
    X, y = planted_group()
    holes = with_holes(X, 0.2)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    found = SubgroupBiclustering(anchor="case").fit(holes, y).patterns_[0]
    moved = (
        SubgroupBiclustering(anchor="case").fit(holes[np.ix_(rows, columns)], y[rows]).patterns_[0]
    )
    assert_array_equal(np.sort(rows[moved.rows]), found.rows)
    assert_array_equal(np.sort(columns[moved.columns]), found.columns)


@pytest.mark.parametrize(
    "miner",
    [
        CoherentBiclustering(cut_distance=0.5),
        ContrastBiclustering(),
        ChengChurchBiclustering(max_residue=0.3, n_biclusters=3, random_state=0),
        DifferenceBiclustering(max_residue=0.3),
        SDCBiclustering(min_columns=2),
        DiRAPOCCBiclustering(min_columns=2, min_difference=0),
    ],
    ids=lambda miner: type(miner).__name__,
)
def test_residues_are_those_of_the_observed_cells(miner):
    X, y = planted_group()
    X = X[:, :12]
    holes = with_holes(X, 0.1)
    holes[:, 11], holes[5] = np.nan, np.nan
    found = miner.fit(holes, y).patterns_
    assert found
    Z = zscore_scaling(holes).apply(holes)
    for one in found[:20]:
        assert one.msr == observed_residue(Z[np.ix_(one.rows, one.columns)])
    sparse = type(miner)(**miner.get_params()).fit(sp.csr_array(holes), y)
    assert [(one.rows.tolist(), one.columns.tolist()) for one in sparse.patterns_] == [
        (one.rows.tolist(), one.columns.tolist()) for one in found
    ]


def test_a_planted_bicluster_is_found_through_gaps():
    X, rows, columns = make_additive_biclusters(
        (60, 30), bicluster_shape=(20, 8), noise=0.01, random_state=0
    )
    found = CoherentBiclustering(cut_distance=0.5).fit(with_holes(X, 0.05)).patterns_
    truth = set(np.flatnonzero(rows[0])), set(np.flatnonzero(columns[0]))
    best = max(len(truth[0] & set(one.rows)) * len(truth[1] & set(one.columns)) for one in found)
    assert best > 0.3 * len(truth[0]) * len(truth[1])


def test_infinities_are_refused_beside_gaps():
    X, y = planted_group()
    holes = with_holes(X, 0.2)
    holes[7, 9] = np.inf
    with pytest.raises(ValueError, match="column 9, row 7, is inf"):
        SubgroupBiclustering().fit(holes, y)


def test_groups_found_through_gaps_are_tested_and_drawn():
    X, y = planted_group()
    X = with_holes(X[:, :20], 0.1)
    miner = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=2)
    significance = significance_test(miner, X, y, n_permutations=99, random_state=0)
    assert significance.family_p_values[0] <= 0.05
    fitted = miner.fit(X, y)
    assert np.isfinite(SubgroupDisplay.from_estimator(fitted, X, y=y).X).all()
    coherent = CoherentBiclustering(cut_distance=0.5).fit(X)
    assert np.isfinite(BiclusterDisplay.from_estimator(coherent, X).X).all()
