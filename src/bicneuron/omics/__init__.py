"""AnnData in and out: cells or samples by genes, with what a model found beside them."""

from bicneuron.omics._anndata import add_patterns, from_anndata

__all__ = ["add_patterns", "from_anndata"]
