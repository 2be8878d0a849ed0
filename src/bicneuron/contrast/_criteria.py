"""Criteria by which pairs are ranked, each turned into "smaller is better"."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._blocks import Blocks, unpack_blocks
from bicneuron._core._contrast import centroid_distances, farthest_distances

BlockCriterion: TypeAlias = Callable[[FloatArray, FloatArray], float]
Criterion: TypeAlias = (
    Literal["msr_ratio", "centroid_distance", "farthest_distance"] | BlockCriterion
)

# The margins of the paper: the farther apart, the better, hence the sign.
_MARGINS = {"centroid_distance": centroid_distances, "farthest_distance": farthest_distances}
CRITERIA = frozenset({"msr_ratio", *_MARGINS})


def criterion_values(
    criterion: Criterion, Z: FloatArray, anchors: Blocks, contrasts: Blocks, ratios: FloatArray
) -> FloatArray:
    """Value of each pair, smaller is better; ``ratios`` are the MSR ratios."""
    if criterion == "msr_ratio":
        return ratios
    if isinstance(criterion, str):
        return -_MARGINS[criterion](Z, anchors, contrasts)
    values = np.array(
        [
            criterion(Z[np.ix_(anchor, columns)], Z[np.ix_(contrast, columns)])
            for (anchor, columns), (contrast, _) in zip(
                unpack_blocks(anchors), unpack_blocks(contrasts), strict=True
            )
        ],
        dtype=np.float64,
    )
    if np.isnan(values).any():
        name = getattr(criterion, "__name__", repr(criterion))
        raise ValueError(f"criterion {name} returned nan for a pair; return inf to rank it last")
    return values
