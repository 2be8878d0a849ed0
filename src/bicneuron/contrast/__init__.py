"""Contrastive pairs: a bicluster of one class and its nearest rows of the other."""

from bicneuron.contrast._pair import ContrastivePair
from bicneuron.contrast._pairing import contrastive_pairs, rank_pairs

__all__ = ["ContrastivePair", "contrastive_pairs", "rank_pairs"]
