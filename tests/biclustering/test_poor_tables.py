"""Every miner on tables that tell little, and with bounds that admit everything or nothing."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import SpectralCoclustering
from sklearn.utils import get_tags

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.exceptions import NoBiclusterWarning

MINERS = [
    CoherentBiclustering(),
    ContrastBiclustering(),
    SubgroupBiclustering(),
    ChengChurchBiclustering(random_state=0),
    DifferenceBiclustering(),
    SDCBiclustering(),
    DiRAPOCCBiclustering(),
    InformationCoclustering(random_state=0),
    AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0)),
]
every_miner = pytest.mark.parametrize("miner", MINERS, ids=lambda miner: type(miner).__name__)
empty_lists_are_fine = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 12))
    X[:20, :5] = rng.normal(size=(20, 1)) + 0.1 * rng.normal(size=5)
    return X, np.repeat([0, 1], 20)


def poor_tables():
    X, _ = table()
    constant, twice, gaps, empty = X.copy(), X.copy(), X.copy(), X.copy()
    constant[:, [3, 7]] = 2.0
    twice[:, 6:] = twice[:, :6]
    gaps[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    empty[2], empty[:, 2] = np.nan, np.nan
    return {
        "constant columns": constant,
        "duplicate columns": twice,
        "one column many times": np.repeat(X[:, :1], 12, axis=1),
        "one value": np.ones_like(X),
        "gaps": gaps,
        "an empty row and an empty column": empty,
        "negative": -np.abs(X),
    }


@empty_lists_are_fine
@pytest.mark.parametrize("name", poor_tables())
@every_miner
def test_poor_tables_are_searched(miner, name):
    X, y = poor_tables()[name], table()[1]
    found = clone(miner).fit(X, y).patterns_
    for one in found:
        assert 0 < len(one.rows) <= 40
        assert 0 < len(one.columns) <= 12
        assert one.msr >= 0
    assert len({(one.rows.tobytes(), one.columns.tobytes()) for one in found}) == len(found)


@empty_lists_are_fine
@every_miner
def test_one_class_is_refused_by_those_that_use_labels(miner):
    X, _ = table()
    y = np.zeros(40, dtype=int)
    if miner.uses_labels:
        with pytest.raises(ValueError, match="y has one class, 0; two are needed"):
            clone(miner).fit(X, y)
    else:
        assert clone(miner).fit(X, y).patterns_ == clone(miner).fit(X).patterns_
        assert not get_tags(miner).target_tags.required


@pytest.mark.parametrize(
    "miner",
    [
        ChengChurchBiclustering(max_residue=0.0),
        ChengChurchBiclustering(min_rows=10**6),
        DifferenceBiclustering(max_residue=0.0),
        DifferenceBiclustering(max_residue=1e9),
        SDCBiclustering(min_difference=1),
        SDCBiclustering(min_columns=100, max_columns=2),
        DiRAPOCCBiclustering(max_residue=0.0),
        DiRAPOCCBiclustering(min_rows=10**6),
        InformationCoclustering(min_rows=10**6, random_state=0),
    ],
    ids=str,
)
def test_bounds_that_admit_nothing_are_told(miner):
    with pytest.warns(NoBiclusterWarning, match="no bicluster in 40 rows x 12 columns"):
        assert miner.fit(*table()).patterns_ == []


@pytest.mark.parametrize(
    ("miner", "most"),
    [
        (ChengChurchBiclustering(n_biclusters=10**6, random_state=0), 20),
        (ChengChurchBiclustering(max_residue=1e9, n_biclusters=10**6, random_state=0), 1),
        (DifferenceBiclustering(max_seeds=10**9), 66),
        (SDCBiclustering(n_biclusters=10**9, min_difference=1e-9, max_range=1e9), 800),
        (DiRAPOCCBiclustering(n_biclusters=10**9, n_column_clusters=10**6), 24),
        (DiRAPOCCBiclustering(max_residue=1e9, min_difference=0.0), 24),
    ],
    ids=str,
)
def test_more_than_there_is_ends(miner, most):
    assert 0 < len(miner.fit(*table()).patterns_) <= most


def test_more_clusters_than_rows_are_refused_by_the_adapted_estimator():
    miner = AdaptedBiclustering(estimator=SpectralCoclustering(1000, random_state=0))
    with pytest.raises(ValueError, match="n_clusters should be <= n_samples=40"):
        miner.fit(*table())
