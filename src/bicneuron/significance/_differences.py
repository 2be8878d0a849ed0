"""Differences between two sets of rows in many columns: in own units, and standardised."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._estimators._filling import observed_means
from bicneuron._estimators._scaling import zscore_scaling

# Normal quantile of an interval of 95 %.
QUANTILE = 1.959963984540054
# Deviation within both sides, as a share of that of the column, below which there is none.
LEAST_WITHIN = 1e-9


class Differences(NamedTuple):
    """Differences of columns; NaN where one side has no value.

    Parameters
    ----------
    difference : array of shape (n_columns,)
        Mean inside less the mean outside, in the units of the column.
    effect, low, high : arrays of shape (n_columns,)
        The same in standard deviations within both sides (Hedges' g), and its interval of 95 %; NaN
        where nothing varies within the sides.
    """

    difference: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray


def differences(X: FloatArray, inside: BoolArray, strata: IndexArray) -> Differences:
    """Compare the means of rows inside and outside in each column.

    Within strata, the differences are weighted by the harmonic mean of the numbers of rows.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        NaN is a missing cell, which does not count.
    inside : bool array of shape (n_rows, n_columns) or (n_rows, 1)
    strata : array of intp, shape (n_rows,)
    """
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
        deviation = np.sqrt(squares / freedom)
        varies = (freedom > 0) & (deviation > LEAST_WITHIN)
        small_sample = 1 - 3 / (4 * freedom - 1)
        effect = np.where(varies, small_sample * shift / deviation, np.nan)
        error = np.sqrt(1 / weight + effect**2 / (2 * n_rows))
        own_units = np.ldexp(shift * scaling.scale, scaling.exponent)
    return Differences(own_units, effect, effect - QUANTILE * error, effect + QUANTILE * error)
