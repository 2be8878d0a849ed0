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
    replication,
    report,
    significance,
    tables,
)
from .biclustering import CoherentBiclustering, SubgroupBiclustering
from .classifier import BicNeuronClassifier
from .network import BicNeuronNetwork, PatternClassifier
from .significance import Findings, find_groups

__version__: str

__all__ = [
    "BicNeuronClassifier",
    "BicNeuronNetwork",
    "CoherentBiclustering",
    "Findings",
    "PatternClassifier",
    "SubgroupBiclustering",
    "biclustering",
    "classifier",
    "datasets",
    "exceptions",
    "explanation",
    "find_groups",
    "inspection",
    "metrics",
    "network",
    "neurons",
    "omics",
    "patterns",
    "persistence",
    "replication",
    "report",
    "significance",
    "tables",
]
