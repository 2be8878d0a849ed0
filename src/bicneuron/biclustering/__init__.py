"""Miners of biclusters and of hidden groups, and transformers that use them."""

from bicneuron.biclustering._adapted import AdaptedBiclustering
from bicneuron.biclustering._cheng_church import ChengChurchBiclustering
from bicneuron.biclustering._coherent import CoherentBiclustering
from bicneuron.biclustering._contrast import ContrastBiclustering
from bicneuron.biclustering._di_rapocc import DiRAPOCCBiclustering
from bicneuron.biclustering._difference import DifferenceBiclustering
from bicneuron.biclustering._features import (
    BiclusterFeatures,
    BiclusterSelector,
)
from bicneuron.biclustering._information import InformationCoclustering
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.biclustering._sdc import SDCBiclustering
from bicneuron.biclustering._subgroups._estimator import SubgroupBiclustering

__all__ = [
    "AdaptedBiclustering",
    "BiclusterFeatures",
    "BiclusterMiner",
    "BiclusterSelector",
    "ChengChurchBiclustering",
    "CoherentBiclustering",
    "ContrastBiclustering",
    "DiRAPOCCBiclustering",
    "DifferenceBiclustering",
    "InformationCoclustering",
    "SDCBiclustering",
    "SubgroupBiclustering",
]
