"""Why a model predicts a class, as plain values."""

from bicneuron.explanation._contributions import ColumnContribution, PatternContribution
from bicneuron.explanation._explanation import Explanation
from bicneuron.explanation._explanations import Explanations
from bicneuron.explanation._formula import Formula

__all__ = [
    "ColumnContribution",
    "Explanation",
    "Explanations",
    "Formula",
    "PatternContribution",
]
