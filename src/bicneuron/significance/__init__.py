"""Significance and stability of patterns, and checks in rows that were not searched."""

from bicneuron.significance._columns import ColumnEvidence, column_evidence, n_class_columns
from bicneuron.significance._held_out import HeldOut, held_out_check
from bicneuron.significance._replicate import ReplicatedPattern, Replication, replicate
from bicneuron.significance._significance import Significance, significance_test
from bicneuron.significance._stability import Stability, stability
from bicneuron.significance._with_evidence import with_evidence

__all__ = [
    "ColumnEvidence",
    "HeldOut",
    "ReplicatedPattern",
    "Replication",
    "Significance",
    "Stability",
    "column_evidence",
    "held_out_check",
    "n_class_columns",
    "replicate",
    "significance_test",
    "stability",
    "with_evidence",
]
