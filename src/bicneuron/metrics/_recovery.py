"""Recovery of planted biclusters."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from bicneuron._core._arrays import IndexArray

# Anything with index arrays ``rows`` and ``columns``, or a pair of these.
BlockLike: TypeAlias = Any


def cell_jaccard(a: BlockLike, b: BlockLike) -> float:
    """Cells that two blocks share, over the cells that at least one of them covers.

    Parameters
    ----------
    a, b : bicluster or (rows, columns)
        Index arrays, or boolean masks, of the rows and the columns.

    Returns
    -------
    float
        1 for equal blocks, 0 for disjoint ones and for two empty ones.

    Examples
    --------
    >>> from bicneuron.metrics import cell_jaccard
    >>> cell_jaccard(([0, 1], [0, 1]), ([1, 2], [0, 1]))
    0.3333333333333333
    """
    (rows_a, columns_a), (rows_b, columns_b) = indices_of(a), indices_of(b)
    shared = len(np.intersect1d(rows_a, rows_b)) * len(np.intersect1d(columns_a, columns_b))
    covered = len(rows_a) * len(columns_a) + len(rows_b) * len(columns_b) - shared
    return shared / covered if covered else 0.0


def best_match(biclusters: Iterable[BlockLike], planted: BlockLike) -> float:
    """Largest `cell_jaccard` of any of the biclusters with the planted one.

    Parameters
    ----------
    biclusters : iterable of bicluster or (rows, columns)
    planted : bicluster or (rows, columns)

    Returns
    -------
    float
        In [0, 1]; 0 without biclusters.

    Examples
    --------
    >>> from bicneuron.metrics import best_match
    >>> best_match([([0], [0]), ([0, 1], [0, 1, 2])], planted=([0, 1], [0, 1]))
    0.6666666666666666
    """
    return max((cell_jaccard(found, planted) for found in biclusters), default=0.0)


def indices_of(block: BlockLike) -> tuple[IndexArray, IndexArray]:
    """Unique row and column indices of a block, sorted."""
    sides = map(np.asarray, (block.rows, block.columns) if hasattr(block, "rows") else block)
    rows, columns = (np.flatnonzero(one) if one.dtype == bool else np.unique(one) for one in sides)
    return rows.astype(np.intp), columns.astype(np.intp)
