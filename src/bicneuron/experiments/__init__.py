"""The reproduction of the paper's experiments, and further studies."""

from bicneuron.experiments._records import ExperimentError, FailedFoldError, FoldRecord
from bicneuron.experiments._reproduce import reproduce
from bicneuron.experiments._studies import run_study

__all__ = ["ExperimentError", "FailedFoldError", "FoldRecord", "reproduce", "run_study"]
