"""Explanations of predictions, as plain values.

A model describes itself by its patterns, whose neurons have scalings, and by what they add to the
scores of some rows, `ScoredRows`; these give the `Explanations` of the rows.
"""

from bicneuron.explanation._contributions import ColumnContribution, PatternContribution
from bicneuron.explanation._explanation import Explanation, Explanations
from bicneuron.explanation._formula import Formula
from bicneuron.explanation._neuron import formula_of
from bicneuron.explanation._scored_rows import ScoredRows

__all__ = [
    "ColumnContribution",
    "Explanation",
    "Explanations",
    "Formula",
    "PatternContribution",
    "ScoredRows",
    "formula_of",
]
