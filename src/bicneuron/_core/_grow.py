"""Expansion of a block under a bound on its residue.

A *profile* is a column seen over the rows I of a block, centred over them: z_j. With the mean
profile u = mean of z_j over J, a block's summed squared residue is

    |I| |J| H = sum over j in J of |z_j - u|^2,

and taking in column c adds |z_c - u|^2 |J| / (|J| + 1) to it. So the best column to add is the one
whose profile is nearest to u and the worst to keep is the farthest: no Gram matrix is needed,
nor any recomputation per candidate. H does not change under transposition, so rows are added by
the same function, on the profiles of the rows over the columns J.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._buckets import bucket_of, empty_bucket, fill_buckets, put_into
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import (
    SAFETY,
    WIDTH,
    Profiles,
    profile,
    squared_distance,
    squared_distances_to,
)

# `can_grow` looks at this many positions between two looks at what they sum to.
STRETCH = 8

# Differences and distances carry rounding errors far below this share of what they lie between.
ROUNDING = 1e-10


@kernel
def grow(profiles: Profiles, chosen: IndexArray, max_residue: float, most: int) -> IndexArray:
    """Take in profiles, the nearest to the mean profile first, while H <= ``max_residue``.

    Stops at ``most`` profiles. Ties go to the lower index. Returns the indices in the order taken,
    ``chosen`` first.

    When the mean moves by s, no distance to it changes by more than s. So each profile keeps the
    last distance that was computed plus the way the mean had come by then; less the way it has
    come by now that is a lower bound, and a profile whose bound exceeds the best distance found is
    passed over. Profiles wait in buckets by their bounds, which never fall: a step empties those
    in reach and puts back what it does not take. The result is that of computing every distance at
    every step.
    """
    m, n = profiles.values.shape
    taken = np.empty(m, dtype=np.intp)
    mean = np.zeros(n)
    count = len(chosen)
    for k in range(count):
        taken[k] = chosen[k]
        mean += profile(profiles, chosen[k])
    mean /= count
    residue = 0.0
    for k in range(count):
        residue += squared_distance(profile(profiles, chosen[k]), mean)
    bound = np.sqrt(squared_distances_to(profiles, mean))
    slack = ROUNDING * (np.max(bound) + np.sqrt(squared_distance(mean, np.zeros(n))))
    bound[chosen] = np.inf
    buckets = np.empty(m // 2 + 1, np.intp), np.empty(m, np.intp)
    base, scale = fill_buckets(bound, buckets)
    lowest, last = 0, m // 2
    drawn = np.empty(m, np.intp)
    way = 0.0
    while count < min(m, most):
        while buckets[0][lowest] < 0 and lowest < last:
            lowest += 1
        if lowest == last:
            base, scale = fill_buckets(bound, buckets)
            lowest = 0
        best, square, reach = -1, np.inf, np.inf
        bucket, n_drawn = lowest, 0
        while bucket <= bucket_of(reach, base, scale, last):
            end = empty_bucket(bucket, buckets, drawn, n_drawn)
            for k in range(n_drawn, end):
                j = drawn[k]
                found = squared_distance(profile(profiles, j), mean)
                bound[j] = np.sqrt(found) + way
                if found < square or (found == square and j < best):
                    best, square = j, found
            reach = (np.sqrt(square) + way) / SAFETY + slack
            bucket, n_drawn = bucket + 1, end
        residue += square * count / (count + 1)
        if residue > max_residue * n * (count + 1):
            break
        for k in range(n_drawn):
            j = drawn[k]
            if j != best:
                target = bucket_of(bound[j], base, scale, last)
                put_into(max(lowest, target), buckets, j)  # rounding may have lowered a bound
        bound[best] = np.inf
        taken[count] = best
        count += 1
        share = 1.0 / count
        taken_in = profile(profiles, best)
        for i in range(n):
            mean[i] += (taken_in[i] - mean[i]) * share
        way += np.sqrt(square) * share
    return taken[:count].copy()


@kernel
def can_grow(
    lines: tuple[FloatArray, FloatArray], rows: IndexArray, seed: int, max_residue: float
) -> bool:
    """Whether `grow` may take in another column beside ``seed``; ``lines`` as in `search_block`.

    False only where none is near enough, and without making the profiles: the squared distance of
    two is the sum of squared deviations of the difference of their columns, which never falls as
    rows are added. Most columns are seen to be too far after the first few rows, which are read
    side by side; the others are followed one by one.
    """
    m, n = len(lines[1]), len(rows)
    own = lines[1][seed][rows]
    largest = np.max(np.abs(own))
    near = 4 * max_residue * n / SAFETY
    few = min(n, STRETCH)
    for begin in range(0, m, WIDTH):
        first = lines[0][rows[0], begin : begin + WIDTH] - own[0]
        totals, squares = np.zeros(len(first)), np.zeros(len(first))
        for i in range(1, few):
            line = lines[0][rows[i], begin : begin + WIDTH]
            for k in range(len(first)):
                difference = line[k] - own[i] - first[k]
                totals[k] += difference
                squares[k] += difference * difference
        for k in range(len(first)):
            limit = near + n * (ROUNDING * (largest + abs(first[k]))) ** 2
            if (
                squares[k] * SAFETY - totals[k] * totals[k] / few <= limit
                and begin + k != seed
                and stays_near(lines[1][begin + k], rows, own, (totals[k], squares[k]), few, limit)
            ):
                return True
    return False


@kernel
def stays_near(
    column: FloatArray,
    rows: IndexArray,
    own: FloatArray,
    sums: tuple[float, float],
    start: int,
    limit: float,
) -> bool:
    """Whether the squared deviations of ``column[rows] - own`` stay within ``limit``.

    ``sums`` are those of the differences before ``start``, less the first one, and their squares.
    """
    total, square = sums
    first, n = column[rows[0]] - own[0], len(rows)
    while start < n:
        stop = min(start + STRETCH, n)
        for i in range(start, stop):
            difference = column[rows[i]] - own[i] - first
            total += difference
            square += difference * difference
        if square * SAFETY - total * total / stop > limit:
            return False
        start = stop
    return True
