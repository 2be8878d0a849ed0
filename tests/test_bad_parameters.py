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
MINIMA = ("min_rows", "min_columns")
POSITIVE, FRACTION, SWITCH = [0, 1.5, None], [-1, NAN, np.inf, "1", None], ["yes", None, 2]
LEAST = [-1, 0, 1, 2.5, NAN, "3", None]
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
        "cut_distance": FRACTION,
        "max_residue": FRACTION,
        "min_rows": LEAST,
        "min_columns": LEAST,
        "search": ["shrink", None, 1],
        "add_rows": SWITCH,
        "merge": SWITCH,
        "standardize": SWITCH,
        "n_jobs": [0, 1.5, "2"],
    },
    SubgroupBiclustering: {
        "anchor": [2, [0, 2]],
        "kinds": ["loose", ("shift", "loose"), 1],
        "n_patterns": POSITIVE,
        "standardize": SWITCH,
    },
    ChengChurchBiclustering: {
        "max_residue": FRACTION,
        "n_biclusters": POSITIVE,
        "threshold": [0.5, NAN, "1"],
        "mirror": SWITCH,
        "min_rows": LEAST,
        "min_columns": LEAST,
        "random_state": [-1, "seed"],
    },
    DifferenceBiclustering: {
        "max_residue": FRACTION,
        "min_rows": LEAST,
        "min_columns": LEAST,
        "max_seeds": POSITIVE,
        "n_jobs": [0, "2"],
    },
    SDCBiclustering: {
        "min_difference": [0, -1, 1.5, NAN, None],
        "max_range": [-1, NAN, "1"],
        "min_columns": LEAST,
        "max_columns": [1, None],
        "n_biclusters": [0, 1.5],
    },
    DiRAPOCCBiclustering: {
        "n_column_clusters": POSITIVE,
        "max_residue": [-1, NAN, "1"],
        "min_difference": [-0.1, 1.5, NAN],
        "n_biclusters": [0, None],
        "max_iter": [0, None],
    },
    InformationCoclustering: {
        "n_row_clusters": POSITIVE,
        "n_column_clusters": POSITIVE,
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
    pytest.param(estimator, name, values, id=f"{estimator.__name__}, {name}")
    for estimator, parameters in ABSURD.items()
    for name, values in parameters.items()
]


@pytest.mark.parametrize(("estimator", "name", "values"), CASES)
def test_absurd_parameters_are_named(estimator, name, values, one_factor):
    for value in values:
        with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b") as raised:
            estimator(**{name: value}).fit(*one_factor)
        assert len(str(raised.value)) < 400, value


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"miner": CoherentBiclustering(cut_distance=-1)}, "cut_distance"),
        ({"neuron": KernelPerceptron(bandwidth=-1)}, "bandwidth"),
        ({"neuron": KernelPerceptron(kernel="precomputed")}, "kernel"),
        ({"neuron": OnlinePerceptron(max_iter=0)}, "max_iter"),
        ({"neuron": LogisticRegression(C=-1)}, "C"),
        ({"neuron": KernelPerceptron}, "instance"),
        ({"neuron": LogisticRegression}, "instance"),
        ({"selection": "auc"}, "label_auc"),
    ],
    ids=str,
)
def test_absurd_parameters_of_parts_are_named(one_factor, parameters, said):
    with pytest.raises((TypeError, ValueError), match=rf"\b{said}\b"):
        classifier(**parameters).fit(*one_factor)


@finds_nothing
@pytest.mark.parametrize(
    "parameters",
    [
        *({"search": search, least: 10**6} for search in ("grow", "prune") for least in MINIMA),
        {"cut_distance": 0},  # a bound like any other
        {"max_residue": 0},
    ],
    ids=str,
)
def test_bounds_beyond_the_data_find_nothing(one_factor, parameters):
    assert CoherentBiclustering(**parameters).fit(one_factor[0]).patterns_ == []
