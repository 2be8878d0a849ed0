"""Axes, and their splits into the highest values, the rows of a group, and the rest.

An axis gives each row one number. Its split at k takes the k rows with the highest values for a
group. The gain of a split is how much more likely two normal densities make the values, one for
the group and one for the rest, than a single one: with s1 and s0 the summed squared deviations of
both sides from their means, v1 and v0 their variances and the axis scaled to variance 1,

    gain = n / 2 - k / 2 log v1 - (n - k) / 2 log v0 - s1 / (2 v1) - s0 / (2 v0).

The variances of both sides are drawn towards the pooled one, as if it had been seen in
`PRIOR_ROWS` more rows, so that a few equal values are not strong evidence.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._sorting import ascending

PRIOR_ROWS = 4.0
# Smallest pooled variance, as a share of that of the axis: two-valued axes have none.
LEAST_VARIANCE = 1e-4
# Of a group in a column: as if it had this many more rows of variance 1, and at least this much.
STANDARD_ROWS, SMALLEST_VARIANCE = np.float32(2), np.float32(0.02)
# Taken off a split whose group is less common in the class than elsewhere: it is never chosen.
WRONG_CLASS = 1e6


@kernel
def axis_values(
    kept: BoolArray, linear: Float32Array, squares: Float32Array, Z: Float32Array
) -> FloatArray:
    """Sums of linear z + squares z^2 over the columns that are kept."""
    n_axes, n_columns = kept.shape
    starts = np.zeros(n_axes + 1, np.intp)
    for a in range(n_axes):
        count = 0
        for j in range(n_columns):
            count += kept[a, j]
        starts[a + 1] = starts[a] + count
    places = np.empty(starts[n_axes], np.intp)
    factors, square_factors = np.empty(len(places)), np.zeros(len(places))
    for a in range(n_axes):
        k = starts[a]
        for j in range(n_columns):
            if kept[a, j]:
                places[k], factors[k] = j, linear[a, j]
                if len(squares):
                    square_factors[k] = squares[a, j]
                k += 1
    values = np.empty((n_axes, len(Z)))
    for row in range(len(Z)):
        for a in range(n_axes):
            total = 0.0
            for k in range(starts[a], starts[a + 1]):
                z = Z[row, places[k]]
                total += (factors[k] + square_factors[k] * z) * z
            values[a, row] = total
    return values


@kernel
def log_rate(successes: float, trials: float) -> float:
    """Log likelihood of a number of successes at their observed rate; at most 0."""
    total = 0.0
    if successes > 0:
        total += successes * np.log(successes / trials)
    if trials > successes:
        total += (trials - successes) * np.log(1.0 - successes / trials)
    return total


@kernel
def split_gain(count: int, n: int, total: float, squares: float) -> float:
    """Gain of a split from the sum and the sum of squares of the group, on a standardised axis."""
    rest = n - count
    within = squares - total * total / count
    outside = n - squares - total * total / rest
    pooled = max((within + outside) / n, LEAST_VARIANCE)
    v1 = (within + PRIOR_ROWS * pooled) / (count + PRIOR_ROWS)
    v0 = (outside + PRIOR_ROWS * pooled) / (rest + PRIOR_ROWS)
    spread = within / v1 + outside / v0
    gain: float = 0.5 * (n - count * np.log(v1) - rest * np.log(v0) - spread)
    return gain


@kernel
def standardised(values: FloatArray) -> FloatArray:
    """Values less their mean, over their standard deviation; zeros if they are all equal."""
    mean = values.mean()
    deviation = np.sqrt(np.mean((values - mean) ** 2))
    return (values - mean) / deviation if deviation > 0 else np.zeros_like(values)


@kernel
def best_splits(
    axes: FloatArray, in_class: BoolArray, labelled: bool, fewest: int, most: int
) -> tuple[BoolArray, FloatArray]:
    """The best split of each axis."""
    n = axes.shape[1]
    n_class = int(in_class.sum())
    groups, values = np.zeros(axes.shape, np.bool_), np.empty(len(axes))
    for a in range(len(axes)):
        axis = standardised(axes[a])
        order = ascending(-axis)
        total, squares, inside, best, size = 0.0, 0.0, 0, -np.inf, fewest
        for k in range(1, min(most, n - 1) + 1):
            row = order[k - 1]
            total += axis[row]
            squares += axis[row] ** 2
            inside += in_class[row]
            if k < fewest:
                continue
            value = split_gain(k, n, total, squares)
            if labelled:
                outside = k - inside
                value += log_rate(inside, n_class) + log_rate(outside, n - n_class)
                if inside * (n - n_class) < outside * n_class:
                    value -= WRONG_CLASS
            else:
                value += log_rate(k, n)
            if value > best:
                best, size = value, k
        values[a] = best
        groups[a, order[:size]] = True
    return groups, values


@kernel
def gains_of_groups(axes: FloatArray, groups: BoolArray) -> FloatArray:
    """Gain of splitting axes into given groups and the rest; negative if the group is lower."""
    n_groups, n_axes, n = axes.shape
    gains = np.empty((n_groups, n_axes))
    for g in range(n_groups):
        rows = np.flatnonzero(groups[g])
        for a in range(n_axes):
            inside = standardised(axes[g, a])[rows]
            total = inside.sum()
            gain = split_gain(len(rows), n, total, (inside**2).sum())
            gains[g, a] = gain if total > 0 else -gain
    return gains


@kernel
def keep_largest(
    values: Float32Array, first: int, left_out: IndexArray, top: Float32Array, columns: IndexArray
) -> None:
    """Put values of a block of columns in their places among the largest of each line so far."""
    for i in range(len(values)):
        for j in range(values.shape[1]):
            value = values[i, j]
            if value > top[i, -1] and first + j != left_out[i]:
                k = top.shape[1] - 1
                while k > 0 and top[i, k - 1] < value:
                    top[i, k], columns[i, k] = top[i, k - 1], columns[i, k - 1]
                    k -= 1
                top[i, k], columns[i, k] = value, first + j


@kernel
def normal_gains(
    sums: Float32Array, squares: Float32Array, sizes: Float32Array, tied: BoolArray
) -> tuple[Float32Array, Float32Array, Float32Array]:
    """Log likelihood ratio of a normal density of a group and the standard one, in each column."""
    gains = np.zeros_like(sums)
    linear, square = np.empty_like(sums), np.empty_like(sums)
    for g in range(len(sums)):
        size = max(sizes[g], np.float32(1))
        for j in range(sums.shape[1]):
            mean, moment = sums[g, j] / size, squares[g, j] / size
            spread = moment - mean * mean
            variance = max(
                (spread * size + STANDARD_ROWS) / (size + STANDARD_ROWS), SMALLEST_VARIANCE
            )
            linear[g, j] = mean / variance
            square[g, j] = 0.5 - 0.5 / variance
            if not tied[j] and variance < 1:
                gains[g, j] = 0.5 * size * (moment - spread / variance - np.log(variance))
    return gains, linear, square


@kernel
def largest_normal_gains(
    sums: Float32Array,
    squares: Float32Array,
    sizes: Float32Array,
    tied: BoolArray,
    left_out: IndexArray,
    count: int,
) -> FloatArray:
    """The largest gains of `normal_gains`, without one column of each line; 0 where none is."""
    largest = np.zeros((len(sums), count))
    one, half = np.float32(1), np.float32(0.5)
    bounds = np.empty(sums.shape[1], np.float32)
    for g in range(len(sums)):
        top, size = largest[g], max(sizes[g], one)
        share, rows = one / size, one / (size + STANDARD_ROWS)
        # A loop of its own without branches, which compilers vectorise.
        for j in range(sums.shape[1]):
            mean, moment = sums[g, j] * share, squares[g, j] * share
            spread = moment - mean * mean
            inverse = one / max((spread * size + STANDARD_ROWS) * rows, SMALLEST_VARIANCE)
            bounds[j] = half * size * (moment - spread * inverse + inverse - one)
        least = np.float32(0)
        for j in range(sums.shape[1]):
            if bounds[j] <= least or tied[j] or j == left_out[g]:
                continue
            mean, moment = sums[g, j] * share, squares[g, j] * share
            spread = moment - mean * mean
            variance = max((spread * size + STANDARD_ROWS) * rows, SMALLEST_VARIANCE)
            if variance >= one:
                continue
            value = half * size * (moment - spread / variance - np.log(variance))
            if value > least:
                k = count - 1
                while k > 0 and top[k - 1] < value:
                    top[k] = top[k - 1]
                    k -= 1
                top[k] = value
                least = np.float32(top[count - 1])
    return largest
