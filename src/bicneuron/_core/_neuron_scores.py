"""Scores of many neurons for many rows, and what an output layer makes of them.

Rows are taken `TILE` at a time, and the last tile is filled up with zeros. So every row goes
through the same operations, whatever the rows beside it, and its scores have the same bits.

NaN is a missing value.

Powers of two take a few operations, so that a loop over them is vectorised. A power is split into
its nearest integer and a fraction. The power of the fraction is a polynomial, and the integer is
added to the exponent of the result, among its bits.
"""

from math import factorial, log
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import Float32Array, FloatArray, IndexArray
from bicneuron._core._blocks import starts_of
from bicneuron._core._jit import fused, kernel
from bicneuron._core._scale_columns import FARTHEST

TILE = 64
# Columns whose products are summed in one pass over a tile, for two support vectors at once.
COLUMNS_AT_ONCE = 4
# Beyond this, in units of the width of a kernel, a row is near no support vector, and its square is
# within single precision.
FARTHEST_32 = np.float32(1e17)
# tanh(x) = (1 - t) / (1 + t) with t = 2**(-this * |x|)
TWICE_LOG2_E = 2.0 / np.log(2.0)
# In single precision: the polynomial of degree 5 with the least relative error, 6e-8.
P0, P1, P2, P3, P4, P5 = map(
    np.float32, (1.00000006, 0.69314703, 0.24022161, 0.05550678, 0.00967395, 0.00132899)
)
# A number plus this is rounded to an integer, which its last bits hold.
ROUNDING_32, ROUNDING = np.float32(1.5 * 2**23), 1.5 * 2**52
FRACTION_BITS_32, FRACTION_BITS = np.int32(23), np.int64(52)
# The smallest powers that are normal numbers: less is as good as zero.
LEAST_32, LEAST = np.float32(-126), -1022.0
# In double precision: the Taylor series.
T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12 = (
    log(2) ** k / factorial(k) for k in range(1, 13)
)


class NeuronColumns(NamedTuple):
    """Neuron ``q`` has the columns ``used[places[starts[q]:starts[q + 1]]]``."""

    used: IndexArray
    places: IndexArray
    starts: IndexArray


class SupportVectors(NamedTuple):
    """Those of RBF neurons, ``row_starts[q]:row_starts[q + 1]`` for neuron ``q``."""

    row_starts: IndexArray
    points: Float32Array
    half_squares: Float32Array
    duals: Float32Array
    centres: FloatArray
    gains: FloatArray
    intercepts: FloatArray


@kernel
def pack_support(
    vectors: FloatArray,
    duals: FloatArray,
    n_vectors: IndexArray,
    column_starts: IndexArray,
    squared_widths: FloatArray,
    intercepts: FloatArray,
) -> SupportVectors:
    """Centre and scale the support vectors of many neurons, given flat, one after another."""
    n_columns = column_starts[1:] - column_starts[:-1]
    widths = -(-n_columns // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
    row_starts = starts_of(n_vectors + n_vectors % 2)
    points = np.zeros(np.sum((n_vectors + n_vectors % 2) * widths), np.float32)
    half_squares = np.zeros(row_starts[-1], np.float32)
    weights = np.zeros(row_starts[-1], np.float32)
    centres = np.zeros(column_starts[-1])
    gains = np.sqrt(2.0 / np.log(2.0) / squared_widths)
    at = row = target = 0
    for q in range(len(n_vectors)):
        of_neuron = vectors[at : at + n_vectors[q] * n_columns[q]]
        given = of_neuron.reshape(n_vectors[q], n_columns[q])
        for k in range(n_columns[q]):
            centres[column_starts[q] + k] = np.sum(given[:, k]) / n_vectors[q]
        for j in range(n_vectors[q]):
            square = 0.0
            for k in range(n_columns[q]):
                value = (given[j, k] - centres[column_starts[q] + k]) * gains[q]
                points[target + j * widths[q] + k] = value
                square += value * value
            half_squares[row_starts[q] + j] = -0.5 * square
            weights[row_starts[q] + j] = duals[row + j]
        at += len(of_neuron)
        row += n_vectors[q]
        target += (n_vectors[q] + n_vectors[q] % 2) * widths[q]
    return SupportVectors(row_starts, points, half_squares, weights, centres, gains, intercepts)


# One function: its loops share what they hold of a block of rows.
@kernel
def rbf_scores(Z: FloatArray, columns: NeuronColumns, support: SupportVectors) -> FloatArray:  # noqa: C901, PLR0915
    """Scores of RBF neurons, of shape (n_neurons, n_rows), in single precision."""
    scores = np.empty((len(columns.starts) - 1, len(Z)))
    points, half_squares, duals = support.points, support.half_squares, support.duals
    widest = 0
    for q in range(len(scores)):
        widest = max(widest, columns.starts[q + 1] - columns.starts[q])
    widest += COLUMNS_AT_ONCE
    tile, block = np.empty((len(columns.used), TILE)), np.empty((widest, TILE), np.float32)
    powers, powers_2 = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    row_squares, total = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    missing, ratios = np.empty((widest, TILE), np.float32), np.empty(TILE, np.float32)
    for first in range(0, len(Z), TILE):
        _fill_tile(Z, first, columns.used, tile)
        at = 0
        for q in range(len(scores)):
            start, n_columns = columns.starts[q], columns.starts[q + 1] - columns.starts[q]
            width = -(-n_columns // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
            gain = support.gains[q]
            row_squares[:] = np.float32(0.0)
            for k in range(n_columns):
                place, centre = columns.places[start + k], support.centres[start + k]
                for i in range(TILE):
                    value = np.float32((tile[place, i] - centre) * gain)
                    value = FARTHEST_32 if value > FARTHEST_32 else value
                    value = -FARTHEST_32 if value < -FARTHEST_32 else value
                    block[k, i] = value
                    row_squares[i] = fused(value, value, row_squares[i])
            block[n_columns:width] = np.float32(0.0)
            some_missing = np.isnan(row_squares).any()
            if some_missing:
                _set_missing(block[:n_columns], missing, row_squares, ratios)
                missing[n_columns:width] = np.float32(0.0)
            total[:] = np.float32(0.0)
            for j in range(support.row_starts[q], support.row_starts[q + 1], 2):
                for i in range(TILE):
                    half_square = np.float32(-0.5) * row_squares[i]
                    powers[i] = half_square + half_squares[j]
                    powers_2[i] = half_square + half_squares[j + 1]
                for k in range(0, width, COLUMNS_AT_ONCE):
                    a0, a1, a2, a3 = points[at], points[at + 1], points[at + 2], points[at + 3]
                    at_2 = at + width
                    b0, b1 = points[at_2], points[at_2 + 1]
                    b2, b3 = points[at_2 + 2], points[at_2 + 3]
                    at += COLUMNS_AT_ONCE
                    for i in range(TILE):
                        x0, x1 = block[k, i], block[k + 1, i]
                        x2, x3 = block[k + 2, i], block[k + 3, i]
                        power = fused(x1, a1, fused(x0, a0, powers[i]))
                        powers[i] = fused(x3, a3, fused(x2, a2, power))
                        power = fused(x1, b1, fused(x0, b0, powers_2[i]))
                        powers_2[i] = fused(x3, b3, fused(x2, b2, power))
                if some_missing:
                    _leave_out(powers, points[at - width : at], missing, ratios)
                    _leave_out(powers_2, points[at : at + width], missing, ratios)
                at += width
                dual, dual_2 = duals[j], duals[j + 1]
                for i in range(TILE):
                    total[i] = fused(dual, power_of_two_32(powers[i]), total[i])
                    total[i] = fused(dual_2, power_of_two_32(powers_2[i]), total[i])
            for i in range(min(TILE, len(Z) - first)):
                is_known = not some_missing or ratios[i] > 0
                scores[q, first + i] = support.intercepts[q] + total[i] if is_known else 0.0
    return scores


@kernel
def linear_scores(
    Z: FloatArray,
    columns: NeuronColumns,
    coefs: FloatArray,
    centres: FloatArray,
    intercepts: FloatArray,
) -> FloatArray:
    """``intercept + x . coef`` of each neuron, of shape (n_neurons, n_rows)."""
    scores = np.empty((len(columns.starts) - 1, len(Z)))
    tile, total = np.empty((len(columns.used), TILE)), np.empty(TILE)
    for first in range(0, len(Z), TILE):
        _fill_tile(Z, first, columns.used, tile)
        for q in range(len(scores)):
            total[:] = 0.0
            for k in range(columns.starts[q], columns.starts[q + 1]):
                place, coef, centre = columns.places[k], coefs[k], centres[k]
                for i in range(TILE):
                    value = tile[place, i]
                    total[i] += (centre if np.isnan(value) else value) * coef
            for i in range(min(TILE, len(Z) - first)):
                scores[q, first + i] = total[i] + intercepts[q]
    return scores


@kernel
def gaussian_scores(
    Z: FloatArray, columns: NeuronColumns, means: FloatArray, variances: FloatArray
) -> FloatArray:
    """Mean over the columns of ``(x - m0)^2 / v0 - (x - m1)^2 / v1 + log(v0 / v1)``."""
    scores = np.empty((len(columns.starts) - 1, len(Z)))
    tile, total = np.empty((len(columns.used), TILE)), np.empty(TILE)
    for first in range(0, len(Z), TILE):
        _fill_tile(Z, first, columns.used, tile)
        for q in range(len(scores)):
            total[:] = 0.0
            for k in range(columns.starts[q], columns.starts[q + 1]):
                place, m0, m1 = columns.places[k], means[0, k], means[1, k]
                v0, v1 = variances[0, k], variances[1, k]
                ratio = v0 / v1
                level = np.log(ratio) if 0 < ratio < np.inf else np.log(v0) - np.log(v1)
                for i in range(TILE):
                    to_0, to_1 = tile[place, i] - m0, tile[place, i] - m1
                    far_0, far_1 = to_0 * to_0 / v0, to_1 * to_1 / v1
                    far_0 = FARTHEST if far_0 > FARTHEST else far_0
                    far_1 = FARTHEST if far_1 > FARTHEST else far_1
                    score = far_0 - far_1 + level
                    total[i] += 0.0 if np.isnan(score) else score
            n_columns = columns.starts[q + 1] - columns.starts[q]
            for i in range(min(TILE, len(Z) - first)):
                scores[q, first + i] = total[i] / n_columns
    return scores


@kernel
def output_scores(raw: FloatArray, typical: FloatArray, weights: FloatArray) -> FloatArray:
    """``sum weight * tanh(raw / typical)``, of shape (n_rows, n_targets)."""
    n_targets, n_rows = weights.shape[1], raw.shape[1]
    scores = np.empty((n_rows, n_targets))
    values, total = np.zeros(TILE), np.empty((n_targets, TILE))
    for first in range(0, n_rows, TILE):
        n_held = min(TILE, n_rows - first)
        total[:] = 0.0
        for q in range(len(raw)):
            for i in range(n_held):
                values[i] = raw[q, first + i]
            rate = -TWICE_LOG2_E / typical[q]
            for i in range(TILE):
                power = power_of_two(rate * abs(values[i]))
                size = (1.0 - power) / (1.0 + power)
                values[i] = size if values[i] > 0 else -size
            for t in range(n_targets):
                weight = weights[q, t]
                for i in range(TILE):
                    total[t, i] += weight * values[i]
        for i in range(n_held):
            for t in range(n_targets):
                scores[first + i, t] = total[t, i]
    return scores


@kernel
def _fill_tile(Z: FloatArray, first: int, used: IndexArray, tile: FloatArray) -> None:
    """Some columns of `TILE` rows as the rows of ``tile``; zeros beyond the last row."""
    n_rows = min(TILE, len(Z) - first)
    for k in range(len(used)):
        for i in range(n_rows):
            tile[k, i] = Z[first + i, used[k]]
        tile[k, n_rows:] = 0.0


@kernel
def _set_missing(
    block: Float32Array, missing: Float32Array, row_squares: Float32Array, ratios: Float32Array
) -> None:
    """Replace NaN in ``block`` by 0, and set what depends on where it was."""
    row_squares[:] = np.float32(0.0)
    ratios[:] = np.float32(0.0)
    for k in range(len(block)):
        for i in range(TILE):
            is_missing = np.isnan(block[k, i])
            missing[k, i] = np.float32(1.0) if is_missing else np.float32(0.0)
            block[k, i] = np.float32(0.0) if is_missing else block[k, i]
            row_squares[i] = fused(block[k, i], block[k, i], row_squares[i])
            ratios[i] += np.float32(1.0) - missing[k, i]
    for i in range(TILE):
        if ratios[i] > 0:
            ratios[i] = np.float32(len(block)) / ratios[i]


@kernel
def _leave_out(
    powers: Float32Array, point: Float32Array, missing: Float32Array, ratios: Float32Array
) -> None:
    """Take the squares of missing columns out of ``-|a - s|^2 / 2``, and rescale the rest."""
    for k in range(len(point)):
        half_square = np.float32(0.5) * point[k] * point[k]
        for i in range(TILE):
            powers[i] += missing[k, i] * half_square
    for i in range(TILE):
        powers[i] *= ratios[i]


@kernel
def power_of_two_32(power: np.float32) -> np.float32:
    """``2**power`` for powers up to 0, within 3e-7 of its value; about 2**-126 if NaN or less."""
    power = power if power > LEAST_32 else LEAST_32
    shifted = np.float32(power + ROUNDING_32)
    f = power - (shifted - ROUNDING_32)
    tail = fused(f, fused(f, fused(f, P5, P4), P3), P2)
    fraction = np.float32(fused(f, fused(f, tail, P1), P0))
    bits = fraction.view(np.int32) + (shifted.view(np.int32) << FRACTION_BITS_32)
    return np.int32(bits).view(np.float32)


@kernel
def power_of_two(power: float) -> float:
    """``2**power`` for powers up to 0, within 1e-15 of its value; 2**-1022 if NaN or less."""
    power = power if power > LEAST else LEAST
    shifted = np.float64(power + ROUNDING)
    f = power - (shifted - ROUNDING)
    tail = fused(f, fused(f, fused(f, T12, T11), T10), T9)
    middle = fused(f, fused(f, fused(f, fused(f, tail, T8), T7), T6), T5)
    head = fused(f, fused(f, fused(f, fused(f, middle, T4), T3), T2), T1)
    fraction = np.float64(fused(f, head, 1.0))
    bits = fraction.view(np.int64) + (shifted.view(np.int64) << FRACTION_BITS)
    return np.int64(bits).view(np.float64)
