"""scikit-learn's contract, without a single expected failure."""

import pytest
from miners import QUICK_MINERS
from sklearn.cluster import SpectralCoclustering
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronClassifier
from bicneuron.biclustering import AdaptedBiclustering, BiclusterFeatures, BiclusterSelector

ESTIMATORS = [
    *(type(miner)() for miner in QUICK_MINERS if not isinstance(miner, AdaptedBiclustering)),
    AdaptedBiclustering(estimator=SpectralCoclustering(2)),
    BiclusterFeatures(),
    BiclusterSelector(),
    BicNeuronClassifier(search=None, recalibrate=True),
]


# The checks fit blobs of two or three columns, where there may be nothing to find.
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
