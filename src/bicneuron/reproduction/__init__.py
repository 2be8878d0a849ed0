"""The paper's experiments: Tables 2 to 5 run again, beside the printed numbers."""

from bicneuron.reproduction._readings import reproduce_readings
from bicneuron.reproduction._records import ExperimentError, FailedFoldError, FoldRecord
from bicneuron.reproduction._reproduce import reproduce

__all__ = ["ExperimentError", "FailedFoldError", "FoldRecord", "reproduce", "reproduce_readings"]
