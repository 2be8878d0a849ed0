"""Significance and stability of patterns, and what becomes of them in other rows."""

from bicneuron.significance._columns import ColumnEvidence, column_evidence
from bicneuron.significance._replicate import ReplicatedPattern, Replication, replicate
from bicneuron.significance._significance import Significance, significance_test
from bicneuron.significance._stability import Stability, stability
from bicneuron.significance._with_evidence import with_evidence
from bicneuron.significance._with_folds import with_folds

__all__ = [
    "ColumnEvidence",
    "ReplicatedPattern",
    "Replication",
    "Significance",
    "Stability",
    "column_evidence",
    "replicate",
    "significance_test",
    "stability",
    "with_evidence",
    "with_folds",
]
