"""Growth of a block under a bound on its residue (step 2 of the miner, and row addition in step 3).

`grow` must equal this loop, in which z_j is the profile of column j (see `_profiles`):

    taken = list(chosen)
    while len(taken) < min(n_lines, max_lines):
        u = mean(z_j for j in taken)
        best = argmin(|z_j - u| for j not in taken)             # the lower index among equals
        if H(taken + [best]) > max_residue:
            break
        taken.append(best)

**Why the nearest profile.** With |I| rows and J = ``taken``, the summed squared residue is
|I| |J| H = sum over j in J of |z_j - u|^2, and adding column c adds |z_c - u|^2 |J| / (|J| + 1) to
it (update of a sum of squared deviations by one more item). So the column of least H is the one
nearest to u, and H follows from a running sum. H does not change under transposition: the same
function adds rows, given the profiles of the rows over J.

The loop computes n_lines distances at each step. `grow` does less work in this order:

1. *Limit.* With k = len(taken) and the residue sum S, column c is accepted only if
   S + |z_c - u|^2 k / (k + 1) <= max_residue |I| (k + 1). Solved for the distance, this is
   `acceptance_limit`: no profile farther than it matters at this step.
2. *Radius.* Let s be the mean at the start. `squared_distance_bounds` gives lower bounds on all
   |z_j - s| in one pass. Only profiles within a radius R of s are candidates; the others are not
   even computed. By the triangle inequality any other profile has |z_j - u| > R - |u - s|. If the
   nearest candidate, or the limit if that is less, lies within R - |u - s|, no other profile can be
   taken at this step. Otherwise `widen` gathers the candidates of a larger radius, and the step is
   repeated.
3. *Keys.* Let t be the length of the path the mean has travelled. Each candidate keeps the key
   |z_j - u'| + t' of the step at which its distance was last computed. Since |u - u'| <= t - t',
   its distance now is at least key - t. `find_nearest` computes distances in the order of the keys
   and stops where key - t exceeds the least distance found. Keys never fall, so buckets keep the
   order: a step empties the buckets in reach and puts back what it does not take.
   A bucket is a linked list: ``heads`` holds its first item, ``following`` the next one after each
   item, and -1 ends the list.

**Why the result cannot change.** A profile is left out only if a lower bound on its distance,
lowered further for rounding, exceeds the distance of the best one or the limit. What remains is
compared by the same `squared_distance` that the plain loop would use, with the same tie rule.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import (
    ROUND_DOWN,
    ROUND_UP,
    Profiles,
    compute_profiles,
    squared_distance,
    squared_distance_bounds,
)

# A new radius exceeds the distance that is needed by this factor, so that the next steps need no
# new one. Larger factors compute profiles that are never used.
RADIUS_FACTOR = 1.25

# Average number of candidates in a bucket: more of them compute distances that are not needed,
# fewer leave more empty buckets to pass.
CANDIDATES_PER_BUCKET = 4

# Error of a profile, as a share of the line it was computed from. Its entries are differences of a
# line and its mean, so the error is relative to the line, not to the profile; it is below
# n * 2**-52 at worst, which is less than this up to 450,000 positions.
CENTRING_ERROR = 1e-10

# `can_grow` compares this many columns at a time. Their sums (three arrays of 4 KB) and the rows
# that are read stay in the nearest cache.
COLUMNS_PER_PASS = 512

# ... and tests their sums after this many rows: most columns are ruled out by then.
ROWS_PER_TEST = 12

LARGEST = np.finfo(np.float64).max
# Buckets have equal width. A width below this share of the greatest number is taken as zero: all
# items share one bucket. Numbers that close differ by rounding only, and quotients by the width
# stay within integers.
MIN_RELATIVE_WIDTH = 1e-15
# A width below this value is also taken as zero: its inverse could overflow.
MIN_WIDTH = 1e-300

Buckets: TypeAlias = tuple[IndexArray, IndexArray]  # heads, following


class Candidates(NamedTuple):
    """Profiles within the radius, in buckets by their keys."""

    items: IndexArray
    values: FloatArray
    keys: FloatArray
    buckets: Buckets


@kernel
def grow(profiles: Profiles, chosen: IndexArray, max_residue: float, max_lines: int) -> IndexArray:
    """Add lines, the nearest to the mean profile first, while H <= ``max_residue``."""
    m, n = len(profiles.totals), len(profiles.positions)
    taken = np.empty(m, dtype=np.intp)
    count = len(chosen)
    largest = 0.0
    for i in range(count):
        taken[i] = chosen[i]
        largest = max(largest, profiles.squares[chosen[i]])
    mean, residue = mean_and_residue(compute_profiles(profiles, chosen))
    start = mean.copy()
    size = np.sqrt(largest)
    start_bounds = squared_distance_bounds(profiles, mean, size * size)
    start_bounds[chosen] = np.inf  # outside any radius
    drawn = np.empty(m, np.intp)
    needed = acceptance_limit(residue, max_residue, count, n) * ROUND_UP + CENTRING_ERROR * size
    candidates, grid, radius, slack = widen(profiles, start_bounds, needed, size, mean)
    lowest, travelled = 0, 0.0
    while count < min(m, max_lines):
        heads = candidates.buckets[0]
        while heads[lowest] < 0 and lowest < len(heads) - 1:
            lowest += 1
        if lowest == len(heads) - 1:  # all keys have risen into the last bucket
            grid = fill_buckets(candidates.keys, candidates.buckets)
            lowest = 0
        limit = acceptance_limit(residue, max_residue, count, n)
        best, square, nearest, n_drawn = find_nearest(
            candidates, grid, lowest, mean, travelled, limit, slack, drawn
        )
        shift = np.sqrt(squared_distance(mean, start))
        needed = (nearest + shift) * ROUND_UP + slack
        if needed > radius:
            candidates, grid = gather(profiles, chosen[:0], mean)  # frees the old ones first
            candidates, grid, radius, slack = widen(profiles, start_bounds, needed, size, mean)
            lowest, travelled = 0, 0.0
            continue
        residue += square * count / (count + 1)
        if best < 0 or residue > max_residue * n * (count + 1):
            break
        put_back(candidates, grid, lowest, drawn[:n_drawn], best)
        candidates.keys[best] = np.inf
        start_bounds[candidates.items[best]] = np.inf
        taken[count] = candidates.items[best]
        count += 1
        share = 1.0 / count
        added = candidates.values[best]
        for i in range(n):
            mean[i] += (added[i] - mean[i]) * share
        travelled += np.sqrt(square) * share
    return taken[:count].copy()


@kernel
def mean_and_residue(values: FloatArray) -> tuple[FloatArray, float]:
    """Mean of the profiles ``values`` and sum of their squared distances to it."""
    mean = np.zeros(values.shape[1])
    for k in range(len(values)):
        mean += values[k]
    mean /= len(values)
    residue = 0.0
    for k in range(len(values)):
        residue += squared_distance(values[k], mean)
    return mean, residue


@kernel
def acceptance_limit(residue: float, max_residue: float, count: int, n: int) -> float:
    """Largest distance at which one more profile keeps the bound (point 1 of the module)."""
    left = max_residue * n * (count + 1) * ROUND_UP - residue
    return float(np.sqrt(max(left, 0.0) * (count + 1) / count))


@kernel
def widen(
    profiles: Profiles, start_bounds: FloatArray, needed: float, size: float, mean: FloatArray
) -> tuple[Candidates, tuple[float, float], float, float]:
    """Gather the candidates of a radius beyond ``needed`` (point 2 of the module docstring)."""
    radius = RADIUS_FACTOR * needed
    items = no_larger_than(start_bounds, min(radius * radius, LARGEST))
    candidates, grid = gather(profiles, items, mean)
    return candidates, grid, radius, CENTRING_ERROR * (radius + size)


@kernel
def gather(
    profiles: Profiles, items: IndexArray, mean: FloatArray
) -> tuple[Candidates, tuple[float, float]]:
    """Compute the profiles of ``items`` and put them into buckets by their distance to ``mean``."""
    values = compute_profiles(profiles, items)
    keys = np.empty(len(items))
    for k in range(len(items)):
        keys[k] = np.sqrt(squared_distance(values[k], mean))
    n_buckets = len(items) // CANDIDATES_PER_BUCKET + 1
    buckets = np.empty(n_buckets, np.intp), np.empty(len(items), np.intp)
    grid = fill_buckets(keys, buckets)
    return Candidates(items, values, keys, buckets), grid


@kernel
def find_nearest(
    candidates: Candidates,
    grid: tuple[float, float],
    lowest: int,
    mean: FloatArray,
    travelled: float,
    limit: float,
    slack: float,
    drawn: IndexArray,
) -> tuple[int, float, float, int]:
    """Find the candidate nearest to ``mean`` (point 3 of the module docstring)."""
    heads, following = candidates.buckets
    base, scale = grid
    last = len(heads) - 1
    best, square, nearest, n_drawn = -1, np.inf, limit, 0
    bucket = lowest
    in_reach = bucket_of((nearest + travelled) * ROUND_UP + slack, base, scale, last)
    while bucket <= in_reach:
        before = square
        j = heads[bucket]
        heads[bucket] = -1
        while j >= 0:
            drawn[n_drawn] = j
            n_drawn += 1
            found = squared_distance(candidates.values[j], mean)
            candidates.keys[j] = np.sqrt(found) + travelled
            if found < square or (found == square and j < best):
                best, square = j, found
            j = following[j]
        if square < before:
            nearest = min(np.sqrt(square), limit)
            in_reach = bucket_of((nearest + travelled) * ROUND_UP + slack, base, scale, last)
        bucket += 1
    return best, square, nearest, n_drawn


@kernel
def put_back(
    candidates: Candidates, grid: tuple[float, float], lowest: int, drawn: IndexArray, best: int
) -> None:
    """Put the candidates ``drawn``, all but ``best``, into the buckets of their new keys."""
    base, scale = grid
    last = len(candidates.buckets[0]) - 1
    for j in drawn:
        if j != best:
            bucket = bucket_of(candidates.keys[j], base, scale, last)
            put_into(max(lowest, bucket), candidates.buckets, j)


@kernel
def no_larger_than(numbers: FloatArray, limit: float) -> IndexArray:
    """Positions of the numbers that do not exceed ``limit``, and of NaN: bounds that overflowed."""
    positions = np.empty(len(numbers), np.intp)
    count = 0
    for j in range(len(numbers)):
        positions[count] = j
        count += not numbers[j] > limit
    return positions[:count].copy()


@kernel
def can_grow(
    lines: tuple[FloatArray, FloatArray], rows: IndexArray, seed: int, max_residue: float
) -> bool:
    """True if `grow` may add a column to ``seed``; ``lines`` as in `search_block`."""
    m, n = len(lines[1]), len(rows)
    own = lines[1][seed][rows]
    largest = 0.0
    for value in own:
        largest = max(largest, abs(value))
    near = 4 * max_residue * n / ROUND_DOWN
    n_first = min(n, ROWS_PER_TEST)
    for begin in range(0, m, COLUMNS_PER_PASS):
        # Differences are taken relative to the first row, which loses fewer digits to offsets.
        origin = lines[0][rows[0], begin : begin + COLUMNS_PER_PASS] - own[0]
        totals, squares = np.zeros(len(origin)), np.zeros(len(origin))
        for i in range(1, n_first):
            line = lines[0][rows[i], begin : begin + COLUMNS_PER_PASS]
            for k in range(len(origin)):
                difference = line[k] - own[i] - origin[k]
                totals[k] += difference
                squares[k] += difference * difference
        for k in range(len(origin)):
            limit = near + n * (CENTRING_ERROR * (largest + abs(origin[k]))) ** 2
            if (
                squares[k] * ROUND_DOWN - totals[k] * totals[k] / n_first <= limit
                and begin + k != seed
                and stays_within(
                    lines[1][begin + k], rows, own, (totals[k], squares[k]), n_first, limit
                )
            ):
                return True
    return False


@kernel
def stays_within(
    column: FloatArray,
    rows: IndexArray,
    own: FloatArray,
    sums: tuple[float, float],
    start: int,
    limit: float,
) -> bool:
    """True if the sum of squared deviations of ``column[rows] - own`` stays within ``limit``."""
    total, square = sums
    origin, n = column[rows[0]] - own[0], len(rows)
    while start < n:
        stop = min(start + ROWS_PER_TEST, n)
        for i in range(start, stop):
            difference = column[rows[i]] - own[i] - origin
            total += difference
            square += difference * difference
        if square * ROUND_DOWN - total * total / stop > limit:
            return False
        start = stop
    return True


@kernel
def fill_buckets(numbers: FloatArray, buckets: Buckets) -> tuple[float, float]:
    """Put the items with finite numbers into the buckets; numbers are not negative."""
    heads = buckets[0]
    least, greatest = np.inf, 0.0
    for number in numbers:
        if number < np.inf:
            least, greatest = min(least, number), max(greatest, number)
    least = min(least, greatest)  # also if no number is finite
    width = (greatest - least) / len(heads)
    scale = 1.0 / width if width > max(MIN_RELATIVE_WIDTH * greatest, MIN_WIDTH) else 0.0
    heads[:] = -1
    for j in range(len(numbers)):
        if numbers[j] < np.inf:
            put_into(bucket_of(numbers[j], least, scale, len(heads) - 1), buckets, j)
    return least, scale


@kernel
def bucket_of(number: float, base: float, scale: float, last: int) -> int:
    """Bucket of a number; numbers outside the range belong to the first or to the last bucket."""
    position = (number - base) * scale
    return max(0, int(position) if position < last else last)


@kernel
def put_into(bucket: int, buckets: Buckets, item: int) -> None:
    """Add an item to a bucket."""
    heads, following = buckets
    following[item], heads[bucket] = heads[bucket], item
