"""scikit-learn's contract, without a single expected failure."""

import pytest
from miners import QUICK_MINERS
from sklearn.cluster import SpectralCoclustering
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronClassifier, SubgroupBiclustering
from bicneuron.biclustering import AdaptedBiclustering, BiclusterFeatures, BiclusterSelector

GRID = {"miner__max_residue": [0.1], "miner__cut_distance": [0.2], "max_ratio": [0.9]}
SET = (AdaptedBiclustering, SubgroupBiclustering)
ESTIMATORS = [
    *(type(miner)() for miner in QUICK_MINERS if not isinstance(miner, SET)),
    AdaptedBiclustering(estimator=SpectralCoclustering(2)),
    SubgroupBiclustering(kinds="shift"),
    BiclusterFeatures(),
    BiclusterSelector(),
    BicNeuronClassifier(GRID, cv=2, recalibrate=True),
]


# The checks fit blobs of two or three columns, where there may be nothing to find.
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.FewerFoldsWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
