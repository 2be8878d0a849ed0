"""What becomes of patterns in a second cohort."""

from bicneuron.replication._replicate import ReplicatedPattern, Replication, replicate

__all__ = ["ReplicatedPattern", "Replication", "replicate"]
