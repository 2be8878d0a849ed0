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
from bicneuron._core._profiles import SAFETY, squared_distance

# `can_grow` looks at this many positions between two looks at what they sum to.
STRETCH = 8

# Differences and distances carry rounding errors far below this share of what they lie between.
ROUNDING = 1e-10


@kernel
def grow(
    profiles: FloatArray, norms: FloatArray, chosen: IndexArray, max_residue: float, most: int
) -> IndexArray:
    """Take in profiles, the nearest to the mean profile first, while H <= ``max_residue``.

    Stops at ``most`` profiles. Ties go to the lower index. Returns the indices in the order taken,
    ``chosen`` first.

    When the mean moves by s, no distance to it changes by more than s. So each profile keeps the
    last distance that was computed plus the way the mean had come by then; less the way it has
    come by now that is a lower bound, and a profile whose bound exceeds the best distance found is
    passed over. (The first bounds come from the ``norms``: no two points are closer than their
    norms differ.) Profiles wait in buckets by their bounds, which never fall: a step empties those
    in reach and puts back what it does not take. The result is that of computing every distance at
    every step.
    """
    m, n = profiles.shape
    taken = np.empty(m, dtype=np.intp)
    mean = np.zeros(n)
    count = len(chosen)
    for k in range(count):
        taken[k] = chosen[k]
        mean += profiles[chosen[k]]
    mean /= count
    residue = 0.0
    for k in range(count):
        residue += squared_distance(profiles[chosen[k]], mean)
    bound = np.abs(norms - np.sqrt(squared_distance(mean, np.zeros(n))))
    bound[chosen] = np.inf
    buckets = np.empty(m // 2 + 1, np.intp), np.empty(m, np.intp)
    base, scale = fill_buckets(bound, buckets)
    lowest, last = 0, m // 2
    drawn = np.empty(m, np.intp)
    way, slack = 0.0, ROUNDING * np.max(norms)
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
                bound[j] = squared_distance(profiles[j], mean)
                if bound[j] < square or (bound[j] == square and j < best):
                    best, square = j, bound[j]
            reach = (np.sqrt(square) + way) / SAFETY + slack
            bucket, n_drawn = bucket + 1, end
        residue += square * count / (count + 1)
        if residue > max_residue * n * (count + 1):
            break
        for k in range(n_drawn):
            j = drawn[k]
            if j != best:
                bound[j] = np.sqrt(bound[j]) + way
                target = bucket_of(bound[j], base, scale, last)
                put_into(max(lowest, target), buckets, j)  # rounding may have lowered a bound
        bound[best] = np.inf
        taken[count] = best
        count += 1
        share = 1.0 / count
        for i in range(n):
            mean[i] += (profiles[best, i] - mean[i]) * share
        way += np.sqrt(square) * share
    return taken[:count].copy()


@kernel
def can_grow(lines: FloatArray, positions: IndexArray, seed: int, max_residue: float) -> bool:
    """Whether `grow` may take in another profile beside that of ``lines[seed]``.

    False only where none is near enough, and without making the profiles: the squared distance of
    two is the sum of squared deviations of the difference of their lines, which never falls as
    positions are added. Most lines are seen to be too far after a few of them.
    """
    n = len(positions)
    own = lines[seed][positions]
    largest = np.max(np.abs(own))
    for j in range(len(lines)):
        if j == seed:
            continue
        line = lines[j]
        first = line[positions[0]] - own[0]
        limit = 4 * max_residue * n / SAFETY + n * (ROUNDING * (largest + abs(first))) ** 2
        total = squares = 0.0
        near = True
        for start in range(0, n, STRETCH):
            stop = min(start + STRETCH, n)
            for i in range(start, stop):
                difference = line[positions[i]] - own[i] - first
                total += difference
                squares += difference * difference
            if squares * SAFETY - total * total / stop > limit:
                near = False
                break
        if near:
            return True
    return False
