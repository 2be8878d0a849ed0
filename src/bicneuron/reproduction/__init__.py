"""The reproduction of the paper's experiments."""

from bicneuron.reproduction._readings import reproduce_readings
from bicneuron.reproduction._records import ExperimentError, FailedFoldError, FoldRecord
from bicneuron.reproduction._reproduce import reproduce

__all__ = ["ExperimentError", "FailedFoldError", "FoldRecord", "reproduce", "reproduce_readings"]
