"""What bicneuron raises and warns of beyond the usual ``ValueError`` and ``TypeError``."""

__all__ = ["NoBiclusterWarning", "NoContrastivePairError", "NoContrastivePairWarning"]


class NoContrastivePairError(ValueError):
    """No contrastive pair survived, and ``on_no_pair="raise"`` asked for an error."""


class NoContrastivePairWarning(UserWarning):
    """No contrastive pair survived: the classifier is one neuron on all rows and columns."""


class NoBiclusterWarning(UserWarning):
    """A miner found no bicluster: ``found_`` is empty."""
