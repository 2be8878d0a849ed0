"""Tests of patterns, and the findings of a table."""

from bicneuron.significance._columns import ColumnEvidence, column_evidence
from bicneuron.significance._find_groups import Findings, find_groups
from bicneuron.significance._rank_sums import class_columns
from bicneuron.significance._separate import Separate, separate_test
from bicneuron.significance._significance import Significance, significance_test
from bicneuron.significance._with_evidence import with_evidence, with_folds

__all__ = [
    "ColumnEvidence",
    "Findings",
    "Separate",
    "Significance",
    "class_columns",
    "column_evidence",
    "find_groups",
    "separate_test",
    "significance_test",
    "with_evidence",
    "with_folds",
]
