"""Miners of biclusters."""

from bicneuron.biclustering._bicluster import Bicluster
from bicneuron.biclustering._coherent import CoherentBiclustering
from bicneuron.biclustering._contrast import ContrastBiclustering
from bicneuron.biclustering._miner import BiclusterMiner

__all__ = ["Bicluster", "BiclusterMiner", "CoherentBiclustering", "ContrastBiclustering"]
