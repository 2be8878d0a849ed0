"""Classification with contrastive biclusters."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bicneuron._version import __version__ as __version__

if TYPE_CHECKING:
    from bicneuron import (
        biclustering,
        classifier,
        contrast,
        datasets,
        exceptions,
        explanation,
        inspection,
        metrics,
        network,
        neurons,
        omics,
        persistence,
        report,
        significance,
        tables,
    )
    from bicneuron.biclustering import (
        AdaptedBiclustering,
        Bicluster,
        BiclusterFeatures,
        BiclusterSelector,
        ChengChurchBiclustering,
        CoherentBiclustering,
        ContrastBiclustering,
        DifferenceBiclustering,
        DiRAPOCCBiclustering,
        InformationCoclustering,
        SDCBiclustering,
        SubgroupBiclustering,
    )
    from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
    from bicneuron.contrast import ContrastivePair
    from bicneuron.network import BicNeuronNetwork
    from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

# Where each public name lives. It is imported when it is first used (PEP 562), because
# scikit-learn and numba alone take longer to import than many scripts take to run.
_HOMES = {
    "AdaptedBiclustering": "bicneuron.biclustering",
    "BicNeuronClassifier": "bicneuron.classifier",
    "BicNeuronClassifierCV": "bicneuron.classifier",
    "BicNeuronNetwork": "bicneuron.network",
    "Bicluster": "bicneuron.biclustering",
    "BiclusterFeatures": "bicneuron.biclustering",
    "BiclusterSelector": "bicneuron.biclustering",
    "ChengChurchBiclustering": "bicneuron.biclustering",
    "CoherentBiclustering": "bicneuron.biclustering",
    "ContrastBiclustering": "bicneuron.biclustering",
    "ContrastivePair": "bicneuron.contrast",
    "DiRAPOCCBiclustering": "bicneuron.biclustering",
    "DifferenceBiclustering": "bicneuron.biclustering",
    "InformationCoclustering": "bicneuron.biclustering",
    "KernelPerceptron": "bicneuron.neurons",
    "OnlinePerceptron": "bicneuron.neurons",
    "SDCBiclustering": "bicneuron.biclustering",
    "SubgroupBiclustering": "bicneuron.biclustering",
}
_SUBPACKAGES = {
    "biclustering",
    "classifier",
    "contrast",
    "datasets",
    "exceptions",
    "explanation",
    "inspection",
    "metrics",
    "network",
    "neurons",
    "omics",
    "persistence",
    "report",
    "significance",
    "tables",
}

__all__ = [
    "AdaptedBiclustering",
    "BicNeuronClassifier",
    "BicNeuronClassifierCV",
    "BicNeuronNetwork",
    "Bicluster",
    "BiclusterFeatures",
    "BiclusterSelector",
    "ChengChurchBiclustering",
    "CoherentBiclustering",
    "ContrastBiclustering",
    "ContrastivePair",
    "DiRAPOCCBiclustering",
    "DifferenceBiclustering",
    "InformationCoclustering",
    "KernelPerceptron",
    "OnlinePerceptron",
    "SDCBiclustering",
    "SubgroupBiclustering",
    "biclustering",
    "classifier",
    "contrast",
    "datasets",
    "exceptions",
    "explanation",
    "inspection",
    "metrics",
    "network",
    "neurons",
    "omics",
    "persistence",
    "report",
    "significance",
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
