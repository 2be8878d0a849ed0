"""AnnData in and out: training data from an AnnData, and the patterns of a model into it."""

from bicneuron.omics._anndata import add_patterns, from_anndata, write_patterns

__all__ = ["add_patterns", "from_anndata", "write_patterns"]
