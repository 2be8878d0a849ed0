"""Robust scores of columns: values of any unit, with little weight for single outliers."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._scaled_matrix import filled

# Robust scores are clipped to this size, so that single outliers do not make a group.
CLIP = 4.0
# Smallest share of the standard deviation that the median absolute deviation may have to be used:
# of a column with many equal values it is zero.
LEAST_SPREAD = 0.3
NORMAL_MAD = 1.4826
# Decimals that standardised values keep.
DECIMALS = 5


class RobustScaling(NamedTuple):
    """Scaled value = (clip((x - centre) / spread) - shift) / scale, for each column."""

    centre: FloatArray
    spread: FloatArray
    shift: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray, clip: float = CLIP) -> FloatArray:
        """Scale rows; columns without spread become 0, and so do missing values, as no evidence."""
        if any(values.shape != (X.shape[1],) for values in self):
            raise ValueError(
                f"a scaling of {np.size(self.scale)} columns does not fit the {X.shape[1]} of X."
            )
        with np.errstate(over="ignore"):  # infinite values are clipped
            scores = np.clip((X - self.centre) / self.spread, -clip, clip)
        values = np.round((scores - self.shift) / self.scale, DECIMALS) + 0.0
        standard: FloatArray = filled(values)
        return standard


def robust_scaling(X: FloatArray) -> RobustScaling:
    """Median and median absolute deviation, then the mean and deviation of the clipped scores."""
    ordered = np.sort(X, axis=0)  # missing values last
    median, mean, std = np.median, np.mean, np.std
    if np.isnan(ordered[-1]).any():
        median, mean, std = np.nanmedian, np.nanmean, np.nanstd
        ordered = np.where(np.isnan(ordered[0]), 0.0, ordered)
    centre = median(ordered, axis=0)
    deviation = std(ordered, axis=0)
    spread = NORMAL_MAD * median(np.abs(ordered - centre), axis=0)
    spread = np.where(spread > LEAST_SPREAD * deviation, spread, deviation)
    spread = np.where(spread > 0, spread, 1.0)
    scores = np.clip((ordered - centre) / spread, -CLIP, CLIP)
    scale = std(scores, axis=0)
    return RobustScaling(centre, spread, mean(scores, axis=0), np.where(scale > 1e-9, scale, 1.0))
