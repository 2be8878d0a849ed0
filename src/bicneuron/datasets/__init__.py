"""The paper's worked example, and generators of synthetic data."""

from bicneuron.datasets._additive import make_additive_biclusters
from bicneuron.datasets._breiman import make_ringnorm, make_twonorm
from bicneuron.datasets._cohorts import PlantedCohorts, make_cohorts
from bicneuron.datasets._subgroups import PlantedGroup, PlantedTable, make_subgroup, make_subgroups
from bicneuron.datasets._worked_example import load_worked_example

__all__ = [
    "PlantedCohorts",
    "PlantedGroup",
    "PlantedTable",
    "load_worked_example",
    "make_additive_biclusters",
    "make_cohorts",
    "make_ringnorm",
    "make_subgroup",
    "make_subgroups",
    "make_twonorm",
]
