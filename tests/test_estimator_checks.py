"""scikit-learn's contract, without a single expected failure."""

import pytest
from sklearn.cluster import SpectralCoclustering
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronClassifier, CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterFeatures,
    BiclusterSelector,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)

ESTIMATORS = [
    CoherentBiclustering(),
    ContrastBiclustering(),
    SubgroupBiclustering(),
    ChengChurchBiclustering(),
    DiRAPOCCBiclustering(),
    SDCBiclustering(),
    DifferenceBiclustering(),
    InformationCoclustering(n_init=2),
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
