"""Classification with contrastive biclusters."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bicneuron import (
        biclustering,
        contrast,
        datasets,
        exceptions,
        explanation,
        inspection,
        metrics,
        network,
        omics,
        perceptron,
        persistence,
        report,
        tables,
    )
    from bicneuron._classifier import BicNeuronClassifier
    from bicneuron._classifier_cv import BicNeuronClassifierCV
    from bicneuron.biclustering import Bicluster, CoherentBiclustering, ContrastBiclustering
    from bicneuron.contrast import ContrastivePair
    from bicneuron.network import BicNeuronNetwork
    from bicneuron.perceptron import KernelPerceptron, OnlinePerceptron

__version__ = "0.1.0.dev0"

# Where each public name lives. It is imported when it is first used (PEP 562), because
# scikit-learn and numba alone take longer to import than many scripts take to run.
_HOMES = {
    "BicNeuronClassifier": "bicneuron._classifier",
    "BicNeuronClassifierCV": "bicneuron._classifier_cv",
    "BicNeuronNetwork": "bicneuron.network",
    "Bicluster": "bicneuron.biclustering",
    "CoherentBiclustering": "bicneuron.biclustering",
    "ContrastBiclustering": "bicneuron.biclustering",
    "ContrastivePair": "bicneuron.contrast",
    "KernelPerceptron": "bicneuron.perceptron",
    "OnlinePerceptron": "bicneuron.perceptron",
}
_SUBPACKAGES = {
    "biclustering",
    "contrast",
    "datasets",
    "exceptions",
    "explanation",
    "inspection",
    "metrics",
    "network",
    "omics",
    "perceptron",
    "persistence",
    "report",
    "tables",
}

__all__ = [
    "BicNeuronClassifier",
    "BicNeuronClassifierCV",
    "BicNeuronNetwork",
    "Bicluster",
    "CoherentBiclustering",
    "ContrastBiclustering",
    "ContrastivePair",
    "KernelPerceptron",
    "OnlinePerceptron",
    "biclustering",
    "contrast",
    "datasets",
    "exceptions",
    "explanation",
    "inspection",
    "metrics",
    "network",
    "omics",
    "perceptron",
    "persistence",
    "report",
    "tables",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _SUBPACKAGES:
        return import_module(f"bicneuron.{name}")
    raise AttributeError(f"module 'bicneuron' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
