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
from bicneuron._core._buckets import bucket_of, fill_buckets, put_into
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import (
    SAFETY,
    Profiles,
    least_squared_distances,
    made_profiles,
    squared_distance,
)

# Bounds allow for rounding by this factor.
MARGIN = 1.0 / SAFETY

# The radius within which a growth looks grows by this factor at the least.
WIDER = 1.25

# So many profiles wait in a bucket, on average.
CROWD = 4

# `can_grow` looks at this many lines side by side, and at this many positions between two looks at
# what they sum to.
GLANCE, STRETCH = 512, 12

LARGEST = np.finfo(np.float64).max

# Differences and distances carry rounding errors far below this share of what they lie between.
ROUNDING = 1e-10


@kernel
def grow(profiles: Profiles, chosen: IndexArray, max_residue: float, most: int) -> IndexArray:
    """Take in profiles, the nearest to the mean profile first, while H <= ``max_residue``.

    Stops at ``most`` profiles. Ties go to the lower index. Returns the indices in the order taken,
    ``chosen`` first.

    When the mean moves by s, no distance to it changes by more than s. So only the profiles near
    the mean at the start are looked at, as long as what is nearest lies nearer than any other can
    have come; then within a larger radius. Of those that are near, each keeps the last distance
    that was computed plus the way the mean had come by then; less the way it has come by now that
    is a lower bound, and a profile whose bound exceeds the best distance found is passed over.
    They wait in buckets by their bounds, which never fall: a step empties those in reach and puts
    back what it does not take. The result is that of computing every distance at every step.
    """
    m, n = len(profiles.totals), len(profiles.positions)
    taken = np.empty(m, dtype=np.intp)
    count = len(chosen)
    taken[:count] = chosen
    values = made_profiles(profiles, chosen)
    mean = np.zeros(n)
    for k in range(count):
        mean += values[k]
    mean /= count
    residue = 0.0
    for k in range(count):
        residue += squared_distance(values[k], mean)
    start = mean.copy()
    size = np.sqrt(np.max(profiles.squares[chosen]))
    first = least_squared_distances(profiles, mean, size * size)
    first[chosen] = np.inf  # what is taken lies within no radius
    # Nothing is near yet.
    radius, slack, way, base, scale = -1.0, ROUNDING * size, 0.0, 0.0, 0.0
    near, bound, drawn = chosen[:0], first[:0], np.empty(m, np.intp)
    buckets, lowest, last = (np.full(1, -1), near), 0, 0
    while count < min(m, most):
        while buckets[0][lowest] < 0 and lowest < last:
            lowest += 1
        if lowest == last:
            base, scale = fill_buckets(bound, buckets)
            lowest = 0
        # No farther profile can be taken in.
        room = max_residue * n * (count + 1) * MARGIN - residue
        farthest = np.sqrt(max(room, 0.0) * (count + 1) / count)
        best, square, nearest = -1, np.inf, farthest
        bucket, n_drawn = lowest, 0
        in_reach = bucket_of((nearest + way) * MARGIN + slack, base, scale, last)
        while bucket <= in_reach:
            before = square
            j = buckets[0][bucket]
            buckets[0][bucket] = -1
            while j >= 0:
                drawn[n_drawn] = j
                n_drawn += 1
                found = squared_distance(values[j], mean)
                bound[j] = np.sqrt(found) + way
                if found < square or (found == square and j < best):
                    best, square = j, found
                j = buckets[1][j]
            if square < before:
                nearest = min(np.sqrt(square), farthest)
                in_reach = bucket_of((nearest + way) * MARGIN + slack, base, scale, last)
            bucket += 1
        away = np.sqrt(squared_distance(mean, start))
        inside = (nearest + away) * MARGIN + slack
        if inside > radius:
            radius = WIDER * inside
            slack = ROUNDING * (radius + size)
            near = no_larger_than(first, min(radius * radius, LARGEST))
            values = np.empty((0, n))  # what was near makes room first
            values = made_profiles(profiles, near)
            bound = np.empty(len(near))
            for k in range(len(near)):
                bound[k] = np.sqrt(squared_distance(values[k], mean))
            last = len(near) // CROWD
            buckets = np.empty(last + 1, np.intp), np.empty(len(near), np.intp)
            base, scale = fill_buckets(bound, buckets)
            lowest, way = 0, 0.0
            continue
        residue += square * count / (count + 1)
        if best < 0 or residue > max_residue * n * (count + 1):
            break
        for k in range(n_drawn):
            j = drawn[k]
            if j != best:
                target = bucket_of(bound[j], base, scale, last)
                put_into(max(lowest, target), buckets, j)  # rounding may have lowered a bound
        bound[best] = np.inf
        first[near[best]] = np.inf
        taken[count] = near[best]
        count += 1
        share = 1.0 / count
        for i in range(n):
            mean[i] += (values[best, i] - mean[i]) * share
        way += np.sqrt(square) * share
    return taken[:count].copy()


@kernel
def no_larger_than(numbers: FloatArray, limit: float) -> IndexArray:
    """Where numbers do not exceed ``limit``, or are NaN: bounds that overflow bound nothing."""
    places = np.empty(len(numbers), np.intp)
    count = 0
    for j in range(len(numbers)):
        places[count] = j
        count += not numbers[j] > limit
    return places[:count].copy()


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
    for begin in range(0, m, GLANCE):
        first = lines[0][rows[0], begin : begin + GLANCE] - own[0]
        totals, squares = np.zeros(len(first)), np.zeros(len(first))
        for i in range(1, few):
            line = lines[0][rows[i], begin : begin + GLANCE]
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
