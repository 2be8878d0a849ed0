"""What becomes of patterns in a second cohort."""

from bicneuron.replication._replicate import replicate
from bicneuron.replication._replication import ReplicatedPattern, Replication
from bicneuron.replication._transfer import (
    Transfer,
    TransferredPattern,
    pattern_scores,
    transfer,
)

__all__ = [
    "ReplicatedPattern",
    "Replication",
    "Transfer",
    "TransferredPattern",
    "pattern_scores",
    "replicate",
    "transfer",
]
