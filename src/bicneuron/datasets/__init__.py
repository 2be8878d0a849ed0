"""The paper's worked example and generators of synthetic data."""

from bicneuron.datasets._additive import make_additive_biclusters
from bicneuron.datasets._breiman import make_ringnorm, make_twonorm
from bicneuron.datasets._worked_example import load_worked_example

__all__ = ["load_worked_example", "make_additive_biclusters", "make_ringnorm", "make_twonorm"]
