"""Plots of data, patterns and models, as Display classes like those of scikit-learn."""

from bicneuron.inspection._bicluster import BiclusterDisplay
from bicneuron.inspection._contrast import ContrastDisplay
from bicneuron.inspection._explanation import ExplanationDisplay
from bicneuron.inspection._pair_projection import PairProjectionDisplay
from bicneuron.inspection._parallel_coordinates import ParallelCoordinatesDisplay
from bicneuron.inspection._path import PathDisplay
from bicneuron.inspection._ranked_pairs import RankedPairsDisplay
from bicneuron.inspection._significance import SignificanceDisplay
from bicneuron.inspection._stability import StabilityDisplay
from bicneuron.inspection._subgroup import SubgroupDisplay

__all__ = [
    "BiclusterDisplay",
    "ContrastDisplay",
    "ExplanationDisplay",
    "PairProjectionDisplay",
    "ParallelCoordinatesDisplay",
    "PathDisplay",
    "RankedPairsDisplay",
    "SignificanceDisplay",
    "StabilityDisplay",
    "SubgroupDisplay",
]
