"""Significance and stability of patterns, and what becomes of them in other rows."""

from bicneuron.significance._columns import ColumnEvidence, column_evidence, n_class_columns
from bicneuron.significance._group_findings import GroupFindings, group_findings
from bicneuron.significance._replicate import ReplicatedPattern, Replication, replicate
from bicneuron.significance._separate import Separate, separate_test
from bicneuron.significance._significance import Significance, significance_test
from bicneuron.significance._stability import Stability, stability
from bicneuron.significance._with_evidence import with_evidence
from bicneuron.significance._with_folds import with_folds

__all__ = [
    "ColumnEvidence",
    "GroupFindings",
    "ReplicatedPattern",
    "Replication",
    "Separate",
    "Significance",
    "Stability",
    "column_evidence",
    "group_findings",
    "n_class_columns",
    "replicate",
    "separate_test",
    "significance_test",
    "stability",
    "with_evidence",
    "with_folds",
]
