"""Differences between the two sides of a pattern: all that is said of "higher" and "lower"."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._scaling import observed_means, zscore_scaling
from bicneuron.patterns._pattern import Pattern

# Normal quantile of an interval of 95 %.
QUANTILE = 1.959963984540054
# Deviation within both sides, or difference, as a share of the deviation of the column, below which
# there is none.
LEAST_WITHIN = 1e-9


class Differences(NamedTuple):
    """Differences of columns; NaN where one side has no value.

    ``difference`` is the mean inside less the mean outside, in the units of the column; ``effect``
    the same in standard deviations within both sides (Hedges' g), from ``low`` to ``high`` with a
    confidence of 95 %; NaN where nothing varies within the sides.
    """

    difference: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray


def sides_of(pattern: Pattern, carriers: BoolArray) -> tuple[IndexArray, IndexArray]:
    """The rows of a pattern and those that they are compared with.

    Those of a group are its carriers and all other rows. A bicluster keeps the rows whose residue
    it has.
    """
    if len(pattern.contrast_rows):
        return pattern.rows, pattern.contrast_rows
    is_group = pattern.axis is not None
    inside = carriers if is_group else np.isin(np.arange(len(carriers)), pattern.rows)
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def pattern_differences(
    pattern: Pattern, X: Any, carriers: BoolArray, columns: IndexArray | None = None
) -> Differences:
    """Compare the two sides of a pattern in its columns of the training table, or in others."""
    inside, outside = sides_of(pattern, carriers)
    rows = np.concatenate([inside, outside])
    columns = pattern.columns if columns is None else columns
    block = X[:, columns].toarray()[rows] if issparse(X) else X[np.ix_(rows, columns)]
    is_inside = np.arange(len(rows)) < len(inside)
    with np.errstate(over="ignore", invalid="ignore"):
        return differences(np.asarray(block, np.float64), is_inside[:, None])


def differences(X: FloatArray, inside: BoolArray, strata: IndexArray | None = None) -> Differences:
    """Compare the means of rows inside and outside in each column; missing cells do not count.

    ``inside`` has a column for each of X, or one for all. Within strata, the differences are
    weighted by the harmonic mean of the numbers of rows.
    """
    strata = np.zeros(len(X), np.intp) if strata is None else strata
    scaling = zscore_scaling(X)  # squares of values of any magnitude
    Z, inside = scaling.apply(X), np.broadcast_to(inside, X.shape)
    n_columns = X.shape[1]
    weight, total, squares, freedom, n_rows = np.zeros((5, n_columns))
    for stratum in np.unique(strata):
        own = strata == stratum
        sides = [np.where(side, Z[own], np.nan) for side in (inside[own], ~inside[own])]
        first, second = (np.count_nonzero(~np.isnan(side), axis=0) for side in sides)
        both = (first > 0) & (second > 0)
        means = [observed_means(side) for side in sides]
        harmonic = np.where(both, first * second / np.maximum(first + second, 1), 0.0)
        weight += harmonic
        total += np.where(both, harmonic * (means[0] - means[1]), 0.0)
        within = sum(
            np.nansum((side - mean) ** 2, axis=0) for side, mean in zip(sides, means, strict=True)
        )
        squares += np.where(both, within, 0.0)
        freedom += np.where(both, first + second - 2, 0)
        n_rows += np.where(both, first + second, 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shift = np.where(weight > 0, total / weight, np.nan)
        shift = np.where(np.abs(shift) < LEAST_WITHIN, 0.0, shift)  # rounding has no direction
        deviation = np.sqrt(squares / freedom)
        varies = (freedom > 0) & (deviation > LEAST_WITHIN)
        small_sample = 1 - 3 / (4 * freedom - 1)
        effect = np.where(varies, small_sample * shift / deviation, np.nan)
        error = np.sqrt(1 / weight + effect**2 / (2 * n_rows))
        own_units = np.ldexp(shift * scaling.scale, scaling.exponent)
    return Differences(own_units, effect, effect - QUANTILE * error, effect + QUANTILE * error)
