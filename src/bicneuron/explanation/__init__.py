"""Explanations of predictions, as plain values.

A model describes itself by its patterns, whose neurons have scalings, and by what they add to the
scores of some rows, `ScoredRows`; these give the `Explanations` of the rows.
"""

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
