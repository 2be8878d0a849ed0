"""Explanations of predictions, as plain values: a model gives `ScoredRows`, these the rest."""

from bicneuron.explanation._explanation import (
    ColumnContribution,
    Explanation,
    Explanations,
    PatternContribution,
)
from bicneuron.explanation._neuron import Formula, ScoredRows, formula_of

__all__ = [
    "ColumnContribution",
    "Explanation",
    "Explanations",
    "Formula",
    "PatternContribution",
    "ScoredRows",
    "formula_of",
]
