"""The paper's experiments, run again."""

from bicneuron.experiments._records import ExperimentError, FailedFoldError, FoldRecord
from bicneuron.experiments._reproduce import reproduce
from bicneuron.experiments._studies import run_study

__all__ = ["ExperimentError", "FailedFoldError", "FoldRecord", "reproduce", "run_study"]
