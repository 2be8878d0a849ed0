"""Absurd parameters get an error that names them."""

import numpy as np
import pytest
from data import classifier
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterFeatures,
    BiclusterSelector,
    ChengChurchBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

finds_nothing = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")

NAN = float("nan")
ABSURD = {
    BicNeuronClassifier: {
        "miner": ["grow", 1, OnlinePerceptron(), CoherentBiclustering],
        "neuron": ["perceptron", 1, CoherentBiclustering()],
        "scale": ["zscore", None, 1],
        "max_ratio": [-1, -np.inf, NAN, "0.9", [0.9]],
        "selection": ["auc", None, 1],
        "recalibrate": ["yes", 2],
        "search": ["quick", 1],
        "multi_class": ["multinomial", None],
        "n_jobs": [0, 1.5, "2", NAN],
        "random_state": [-1, 1.5, "seed", NAN],
        "anchor": [2, "minor", NAN, [1], {}, np.array([0, 1])],
    },
    CoherentBiclustering: {
        "cut_distance": [-1, NAN, np.inf, "1", None],
        "max_residue": [-1, NAN, np.inf, "1", None],
        "min_rows": [-1, 0, 1, 2.5, NAN, "3", None],
        "min_columns": [-1, 0, 1, 2.5, NAN, "3", None],
        "search": ["shrink", None, 1],
        "add_rows": ["yes", None, 2],
        "merge": ["yes", None, 2],
        "standardize": ["yes", None, 2],
        "n_jobs": [0, 1.5, "2"],
    },
    SubgroupBiclustering: {
        "anchor": [2, [0, 2]],
        "kinds": ["loose", ("shift", "loose"), 1],
        "n_patterns": [0, 1.5, None],
        "standardize": ["yes", None],
    },
    ChengChurchBiclustering: {
        "max_residue": [-1, NAN, np.inf, "1", None],
        "n_biclusters": [0, 1.5, None],
        "threshold": [0.5, NAN, "1"],
        "mirror": ["yes", None],
        "min_rows": [1, 2.5],
        "min_columns": [1, 2.5],
        "random_state": [-1, "seed"],
    },
    DifferenceBiclustering: {
        "max_residue": [-1, NAN, np.inf, "1", None],
        "min_rows": [1, 2.5],
        "min_columns": [1, 2.5],
        "max_seeds": [0, 1.5, None],
        "n_jobs": [0, "2"],
    },
    SDCBiclustering: {
        "min_difference": [0, -1, 1.5, NAN, None],
        "max_range": [-1, NAN, "1"],
        "min_columns": [1, 2.5],
        "max_columns": [1, None],
        "n_biclusters": [0, 1.5],
    },
    DiRAPOCCBiclustering: {
        "n_column_clusters": [0, 1.5, None],
        "max_residue": [-1, NAN, "1"],
        "min_difference": [-0.1, 1.5, NAN],
        "n_biclusters": [0, None],
        "max_iter": [0, None],
    },
    InformationCoclustering: {
        "n_row_clusters": [0, 1.5, None],
        "n_column_clusters": [0, 1.5, None],
        "n_init": [0, None],
        "max_iter": [0, None],
    },
    AdaptedBiclustering: {"estimator": ["spectral", 1]},
    BiclusterFeatures: {
        "miner": ["grow", OnlinePerceptron()],
        "output": ["distance", None],
        "delta": [-1, NAN, None],
    },
    BiclusterSelector: {
        "miner": ["grow", OnlinePerceptron()],
        "n_features_to_select": [0, 0.0, -1, 1.5, NAN, None, 11],
    },
}
CASES = [
    pytest.param(estimator, name, value, id=f"{estimator.__name__}, {name}={value!r}")
    for estimator, parameters in ABSURD.items()
    for name, values in parameters.items()
    for value in values
]


@pytest.mark.parametrize(("estimator", "name", "value"), CASES)
def test_absurd_parameters_are_named(estimator, name, value, one_factor):
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        estimator(**{name: value}).fit(*one_factor)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"miner": CoherentBiclustering(cut_distance=-1)}, "cut_distance"),
        ({"neuron": KernelPerceptron(bandwidth=-1)}, "bandwidth"),
        ({"neuron": KernelPerceptron(kernel="precomputed")}, "kernel"),
        ({"neuron": OnlinePerceptron(max_iter=0)}, "max_iter"),
        ({"neuron": LogisticRegression(C=-1)}, "C"),
    ],
    ids=str,
)
def test_absurd_parameters_of_parts_are_named(one_factor, parameters, name):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        classifier(**parameters).fit(*one_factor)


def test_a_class_in_place_of_a_neuron(one_factor):
    with pytest.raises(TypeError, match="instance"):
        classifier(neuron=KernelPerceptron).fit(*one_factor)
    with pytest.raises(TypeError, match="instance"):
        classifier(neuron=LogisticRegression).fit(*one_factor)


@pytest.mark.parametrize("selection", ["auc", None])
def test_an_unknown_selection_gets_a_short_answer(one_factor, selection):
    with pytest.raises(ValueError) as raised:
        classifier(selection=selection).fit(*one_factor)
    assert "label_auc" in str(raised.value)
    assert len(str(raised.value)) < 300


@finds_nothing
def test_minimum_sizes_beyond_the_data_find_nothing(one_factor):
    X, _ = one_factor
    for name in ("min_rows", "min_columns"):
        for search in ("grow", "prune"):
            assert CoherentBiclustering(search=search, **{name: 10**6}).fit(X).patterns_ == []


@finds_nothing
def test_zero_is_a_bound_like_any_other(one_factor):
    X, _ = one_factor
    assert CoherentBiclustering(cut_distance=0).fit(X).patterns_ == []
    assert CoherentBiclustering(max_residue=0).fit(X).patterns_ == []
