"""Absurd parameters get an error that names them; other types: scikit-learn's checks."""

import numpy as np
import pytest
from data import classifier
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, CoherentBiclustering, SubgroupBiclustering, biclustering
from bicneuron.biclustering import ChengChurchBiclustering, InformationCoclustering
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

finds_nothing = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")

NAN = float("nan")
MINIMA = ("min_rows", "min_columns")
# No counts, fractions, and numbers of rows or columns.
COUNT, FRACTION, LEAST = [0, 1.5], [-1, NAN, np.inf], [-1, 0, 1, 2.5, NAN]
BOUNDS = {"max_residue": FRACTION, **dict.fromkeys(MINIMA, LEAST)}
ABSURD = {
    BicNeuronClassifier: {
        "miner": ["grow", OnlinePerceptron(), CoherentBiclustering],
        "neuron": ["perceptron", CoherentBiclustering()],
        "max_ratio": [-1, -np.inf, NAN, [0.9]],
        "search": ["quick", 1],
        "n_jobs": [0, 1.5],
        "anchor": [2, "minor", NAN, [1], {}, np.array([0, 1])],
    },
    CoherentBiclustering: {"cut_distance": FRACTION, "n_jobs": [0], **BOUNDS},
    SubgroupBiclustering: {
        "anchor": [2, [0, 2]],
        "kinds": ["loose", ("shift", "loose"), 1],
        "n_patterns": COUNT,
    },
    ChengChurchBiclustering: {"n_biclusters": COUNT, "threshold": [0.5, NAN], **BOUNDS},
    biclustering.DifferenceBiclustering: {"max_seeds": COUNT, **BOUNDS},
    biclustering.SDCBiclustering: {
        "min_difference": [0, -1, 1.5, NAN],
        "max_range": [-1, NAN],
        "min_columns": LEAST,
        "max_columns": [1],
        "n_biclusters": COUNT,
    },
    biclustering.DiRAPOCCBiclustering: {
        "n_column_clusters": COUNT,
        "max_residue": [-1, NAN],
        "min_difference": [-0.1, 1.5, NAN],
    },
    InformationCoclustering: {"n_row_clusters": COUNT, "n_column_clusters": COUNT, "n_init": [0]},
    biclustering.AdaptedBiclustering: {"estimator": ["spectral", 1]},
    biclustering.BiclusterFeatures: {"miner": ["grow", OnlinePerceptron()], "delta": [-1, NAN]},
    biclustering.BiclusterSelector: {
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
        ({"neuron": OnlinePerceptron(max_iter=0)}, "max_iter"),
        ({"neuron": LogisticRegression(C=-1)}, "C"),
        ({"neuron": KernelPerceptron}, "instance"),
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
        {"max_residue": 0},
    ],
    ids=str,
)
def test_bounds_beyond_the_data_find_nothing(one_factor, parameters):
    assert CoherentBiclustering(**parameters).fit(one_factor[0]).patterns_ == []
