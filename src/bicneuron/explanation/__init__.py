"""Why a model decides as it does, as values."""

from bicneuron.explanation._formula import Formula
from bicneuron.explanation._values import (
    ColumnContribution,
    Explanation,
    Explanations,
    PatternContribution,
)

__all__ = [
    "ColumnContribution",
    "Explanation",
    "Explanations",
    "Formula",
    "PatternContribution",
]
