from . import (
    biclustering,
    classifier,
    datasets,
    exceptions,
    explanation,
    inspection,
    metrics,
    network,
    neurons,
    omics,
    patterns,
    persistence,
    report,
    significance,
    tables,
)
from .biclustering import CoherentBiclustering, SubgroupBiclustering
from .classifier import BicNeuronClassifier, BicNeuronClassifierCV
from .network import BicNeuronNetwork, PatternClassifier

__version__: str

__all__ = [
    "BicNeuronClassifier",
    "BicNeuronClassifierCV",
    "BicNeuronNetwork",
    "CoherentBiclustering",
    "PatternClassifier",
    "SubgroupBiclustering",
    "biclustering",
    "classifier",
    "datasets",
    "exceptions",
    "explanation",
    "inspection",
    "metrics",
    "network",
    "neurons",
    "omics",
    "patterns",
    "persistence",
    "report",
    "significance",
    "tables",
]
