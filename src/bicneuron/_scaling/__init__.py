"""Column scalings, sparse matrices seen through one, and estimates of missing cells."""

from bicneuron._scaling._filling import Filling, filling_of
from bicneuron._scaling._linear import Scaling, minmax_scaling, zscore_scaling
from bicneuron._scaling._soft import SoftScaling, soft_scaling
from bicneuron._scaling._sparse import (
    Chunk,
    ScaledMatrix,
    ScaledSparse,
    dense,
    filled,
    row_chunks,
    scaled,
    scaling_of,
)

__all__ = [
    "Chunk",
    "Filling",
    "ScaledMatrix",
    "ScaledSparse",
    "Scaling",
    "SoftScaling",
    "dense",
    "filled",
    "filling_of",
    "minmax_scaling",
    "row_chunks",
    "scaled",
    "scaling_of",
    "soft_scaling",
    "zscore_scaling",
]
