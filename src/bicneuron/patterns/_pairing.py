"""From biclusters to ranked pairs (steps 2 to 4 of the method)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import pack_blocks, split
from bicneuron._core._contrast import nearest_rows
from bicneuron._core._residue import blocks_residue, residue_ratio
from bicneuron._core._sorting import ranked
from bicneuron.patterns._pattern import Pattern


def contrastive_pairs(
    Z: FloatArray,
    biclusters: Sequence[Pattern],
    pool: IndexArray,
    *,
    anchor_class: Any,
    contrast_size: float = 1.0,
) -> list[Pattern]:
    """Pair each bicluster with the nearest rows of the other class, in the same columns.

    ``Z`` are scaled data of both classes in C order, and ``pool`` sorted rows of the other class,
    of which ``|I^c|`` is ``contrast_size`` times ``|I|``, rounded; at least one and at most all.
    """
    anchors = pack_blocks((found.rows, found.columns) for found in biclusters)
    rows, columns = np.union1d(anchors.rows, pool), np.unique(anchors.columns)
    if not np.isfinite(Z[np.ix_(rows, columns)]).all():
        raise ValueError("Z has values that are not finite; distances to them have no order.")
    contrast_size = min(contrast_size, float(len(Z)))  # there are no more rows
    sizes = np.floor(contrast_size * np.diff(anchors.row_starts) + 0.5)
    contrasts = nearest_rows(Z, anchors, pool, np.clip(sizes, 1, len(pool)).astype(np.intp))
    ratios = residue_ratio(blocks_residue(Z, anchors), blocks_residue(Z, contrasts))
    nearest = split(contrasts.rows, contrasts.row_starts)
    return [
        Pattern(
            rows=found.rows,
            columns=found.columns,
            contrast_rows=rows,
            anchor_class=anchor_class,
            kind="pair",
            msr_ratio=ratio,
            criterion=ratio,
        )
        for found, rows, ratio in zip(biclusters, nearest, ratios.tolist(), strict=True)
    ]


def ranking(pairs: Sequence[Pattern], max_ratio: float = math.inf) -> list[int]:
    """Positions of pairs with an MSR ratio of at most ``max_ratio``, the best criterion first.

    The filter always uses the MSR ratio, whatever the criterion. A finite ``max_ratio`` (tau) drops
    pairs of coherent contrast, whose ratio is infinite. Ties keep their order.
    """
    kept = [place for place, pair in enumerate(pairs) if pair.msr_ratio <= max_ratio]
    values = np.array([pairs[place].criterion for place in kept], np.float64)
    return [kept[k] for k in ranked(values)]
