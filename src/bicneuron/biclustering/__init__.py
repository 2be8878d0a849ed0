"""Miners of biclusters and of hidden groups, and transformers that use them."""

from bicneuron.biclustering._additive import ChengChurchBiclustering, DifferenceBiclustering
from bicneuron.biclustering._coclustering import AdaptedBiclustering, InformationCoclustering
from bicneuron.biclustering._coexpression import DiRAPOCCBiclustering, SDCBiclustering
from bicneuron.biclustering._coherent import CoherentBiclustering, ContrastBiclustering
from bicneuron.biclustering._features import BiclusterFeatures, BiclusterSelector
from bicneuron.biclustering._miner import BiclusterMiner
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
