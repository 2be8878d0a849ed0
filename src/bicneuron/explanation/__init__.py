"""Explanations of predictions, as plain values.

A model describes itself by the neurons that it is made of, each an `ExplainedNeuron`, and by what
they add to the scores of some rows, `ScoredRows`; these give the `Explanations` of the rows.
"""

from bicneuron.explanation._contributions import ColumnContribution, PatternContribution
from bicneuron.explanation._explanation import Explanation, Explanations
from bicneuron.explanation._formula import Formula
from bicneuron.explanation._neuron import ExplainedNeuron
from bicneuron.explanation._scored_rows import ScoredRows

__all__ = [
    "ColumnContribution",
    "ExplainedNeuron",
    "Explanation",
    "Explanations",
    "Formula",
    "PatternContribution",
    "ScoredRows",
]
