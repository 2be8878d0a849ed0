"""Rivals: columns in which some cases are outliers."""

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.rows import case_rows, upper_group
from studies.discovery.t_test import largest

PERCENTILES = (75, 90, 95)
NORMAL_MAD = 1.4826
# Robust scores are clipped before they are averaged, so that no column decides alone.
CLIP = 4.0


def copa(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Cancer outlier profile analysis (Tomlins et al., Science 310, 2005), in both directions.

    One pattern per percentile: the columns with the most extreme percentile of the cases, and the
    cases that are high on their mean. The clearest division of the cases comes first.
    """
    Z, rows = robust_scores(X), case_rows(X, y)
    patterns = []
    for percentile in PERCENTILES:
        high = np.percentile(Z[rows], percentile, axis=0)
        low = -np.percentile(Z[rows], 100 - percentile, axis=0)
        patterns.append(_pattern(Z, rows, high, low, n_columns))
    patterns.sort(key=lambda pattern: -pattern[0])
    return [(rows, columns) for _, rows, columns in patterns]


def outlier_sum(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Outlier sums (Tibshirani and Hastie, Biostatistics 8, 2007), in both directions.

    One pattern: the columns with the largest sum over cases beyond the outlier limits, and the
    cases that are high on their mean.
    """
    Z, rows = robust_scores(X), case_rows(X, y)
    first, third = np.percentile(Z, (25, 75), axis=0)
    limit = third - first
    cases = Z[rows]
    high = np.where(cases > third + limit, cases, 0.0).sum(axis=0)
    low = -np.where(cases < first - limit, cases, 0.0).sum(axis=0)
    _, members, columns = _pattern(Z, rows, high, low, n_columns)
    return [(members, columns)]


def robust_scores(X: FloatArray) -> FloatArray:
    """Deviation from the median in units of the median absolute deviation, by column."""
    centred = X - np.median(X, axis=0)
    spread = NORMAL_MAD * np.median(np.abs(centred), axis=0)
    spread = np.where(spread > 0, spread, centred.std(axis=0))
    scores: FloatArray = centred / np.where(spread > 0, spread, 1.0)
    return scores


def _pattern(
    Z: FloatArray, rows: IndexArray, high: FloatArray, low: FloatArray, n_columns: int
) -> tuple[float, IndexArray, IndexArray]:
    """The most extreme columns, in their direction, and the cases that they have in common."""
    columns = largest(np.maximum(high, low), n_columns)
    signs = np.where(high >= low, 1.0, -1.0)[columns]
    axis = (signs * np.clip(Z[np.ix_(rows, columns)], -CLIP, CLIP)).mean(axis=1)
    is_upper, separation = upper_group(axis)
    return separation, rows[is_upper], columns
