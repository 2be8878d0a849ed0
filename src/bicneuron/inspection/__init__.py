"""Plots of data, patterns and models, as Display classes like those of scikit-learn."""

from bicneuron.inspection._bicluster import BiclusterDisplay
from bicneuron.inspection._column_effects import ColumnEffectsDisplay
from bicneuron.inspection._contrast import ContrastDisplay
from bicneuron.inspection._explanation import ExplanationDisplay
from bicneuron.inspection._pair_projection import PairProjectionDisplay
from bicneuron.inspection._parallel_coordinates import ParallelCoordinatesDisplay
from bicneuron.inspection._separate import SeparateDisplay
from bicneuron.inspection._subgroup import SubgroupDisplay
from bicneuron.inspection._survival import SurvivalDisplay

__all__ = [
    "BiclusterDisplay",
    "ColumnEffectsDisplay",
    "ContrastDisplay",
    "ExplanationDisplay",
    "PairProjectionDisplay",
    "ParallelCoordinatesDisplay",
    "SeparateDisplay",
    "SubgroupDisplay",
    "SurvivalDisplay",
]
