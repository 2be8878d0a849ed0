"""The paper's experiments, run again."""

from bicneuron.experiments._readings import study_readings
from bicneuron.experiments._records import ExperimentError, FailedFoldError, FoldRecord
from bicneuron.experiments._reproduce import reproduce

__all__ = ["ExperimentError", "FailedFoldError", "FoldRecord", "reproduce", "study_readings"]
