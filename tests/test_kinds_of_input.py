"""float32, float64 and either order of an array: the same model, and no copy that is not needed."""

import numpy as np
import pytest
from data import make_one_factor
from numpy.testing import assert_array_equal
from sklearn.cluster import SpectralCoclustering

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron._shared._checks import check_numbers
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.neurons import GaussianNeuron

CLASSIFIERS = [
    BicNeuronClassifier(search=None, random_state=0),
    BicNeuronClassifier(search="paper", cv=3, random_state=0),
    BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0),
]
KINDS = {
    "float32": np.ascontiguousarray,
    "float32, by column": np.asfortranarray,
    "float64, by column": lambda X: np.asfortranarray(X, dtype=np.float64),
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
}
name_of = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def single():
    X, y = make_one_factor()
    return X.astype(np.float32), y


@name_of
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_a_classifier_is_that_of_float64_in_c_order(model, kind, single):
    X, y = single
    double = X.astype(np.float64)
    expected = model.fit(double, y).decision_function(double)
    given = KINDS[kind](X)
    assert_array_equal(model.decision_function(given), expected)
    assert_array_equal(model.fit(given, y).decision_function(double), expected)


@name_of
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize(
    "miner",
    [
        CoherentBiclustering(max_residue=0.5),
        ContrastBiclustering(),
        SubgroupBiclustering(kinds="shift"),
        ChengChurchBiclustering(max_residue=0.2, n_biclusters=2, random_state=0),
        DifferenceBiclustering(max_residue=0.2, max_seeds=10),
        SDCBiclustering(min_columns=2, max_columns=3),
        DiRAPOCCBiclustering(min_difference=0.0),
        InformationCoclustering(n_init=1, random_state=0),
        AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0)),
    ],
    ids=lambda miner: type(miner).__name__,
)
def test_a_miner_finds_the_same(miner, standardize, kind, single):
    X, y = single
    miner.set_params(standardize=standardize)
    expected = miner.fit(X.astype(np.float64), y).patterns_
    assert expected
    assert miner.fit(KINDS[kind](X), y).patterns_ == expected


@name_of
def test_what_is_scaled_is_not_copied_before(kind, single):
    X = KINDS[kind](single[0])
    assert np.shares_memory(check_numbers(CLASSIFIERS[0], X, to_be_scaled=True), X)
