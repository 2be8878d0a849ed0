"""Growth of a block under a bound on its residue (step 2 of the miner, and row addition in step 3).

`grow` must equal this loop, in which z_j is the profile of column j (see `_profiles`):

    taken = list(chosen)
    while len(taken) < min(n_lines, max_lines):
        u = mean(z_j for j in taken)
        best = argmin(|z_j - u| for j not in taken)             # the lower index among equals
        if H(taken + [best]) > max_residue:
            break
        taken.append(best)

With |I| rows, adding column c to k columns adds |z_c - u|^2 k / (k + 1) to the summed squared
residue |I| k H, so the nearest column has the least H. H does not change under transposition: the
same function adds rows. Three bounds save distances; all are loosened for rounding, and what they
leave is compared by the same numbers as in the loop, so they cannot change the result:

1. No profile farther than `acceptance_limit` can be taken at a step.
2. Only profiles within a radius of the mean s at the start are candidates. If the nearest one or
   the limit exceeds the radius less |u - s|, candidates of a larger radius are gathered.
3. Each candidate keeps its last distance plus the path t the mean had travelled then, so it cannot
   be nearer now than this key less t.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core import _profiles
from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import ROUND_UP, Profiles, compute_profiles, squared_distance

# A new radius exceeds the distance that is needed by this factor.
RADIUS_FACTOR = 1.25
# Error of a profile as a share of the line it comes from: below n * 2**-52.
CENTRING_ERROR = 1e-10
# `can_grow` compares this many columns at a time, whose sums stay in the cache, and tests the sums
# after this many rows, when most columns are ruled out.
COLUMNS_PER_PASS, ROWS_PER_TEST = 512, 12
LARGEST = np.finfo(np.float64).max


class Candidates(NamedTuple):
    """Lines within a radius, their profiles, and the error of a distance."""

    items: IndexArray
    values: FloatArray
    keys: FloatArray  # infinite once taken
    radius: float
    slack: float


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
    start_bounds = _profiles.squared_distance_bounds(profiles, mean, size * size)
    start_bounds[chosen] = np.inf  # outside any radius
    needed = acceptance_limit(residue, max_residue, count, n) * ROUND_UP + CENTRING_ERROR * size
    near = candidates_within(profiles, start_bounds, needed, size, mean)
    travelled = 0.0
    while count < min(m, max_lines):
        limit = acceptance_limit(residue, max_residue, count, n)
        best, square = find_nearest(near, mean, travelled, limit)
        shift = np.sqrt(squared_distance(mean, start))
        needed = (min(np.sqrt(square), limit) + shift) * ROUND_UP + near.slack
        if needed > near.radius:
            near = candidates_within(profiles, start_bounds, needed, size, mean)
            travelled = 0.0
            continue
        residue += square * count / (count + 1)
        if best < 0 or residue > max_residue * n * (count + 1):
            break
        near.keys[best] = np.inf
        start_bounds[near.items[best]] = np.inf
        taken[count] = near.items[best]
        count += 1
        share = 1.0 / count
        added = near.values[best]
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
def candidates_within(
    profiles: Profiles, start_bounds: FloatArray, needed: float, size: float, mean: FloatArray
) -> Candidates:
    """Gather the candidates of a radius beyond ``needed`` (point 2 of the module)."""
    radius = RADIUS_FACTOR * needed
    # Bounds that overflowed are NaN, and stay.
    items = np.flatnonzero(~(start_bounds > min(radius * radius, LARGEST)))
    values = compute_profiles(profiles, items)
    keys = np.empty(len(items))
    for k in range(len(items)):
        keys[k] = np.sqrt(squared_distance(values[k], mean))
    slack = CENTRING_ERROR * (radius + size)
    return Candidates(items, values, keys, radius, slack)


@kernel
def find_nearest(
    near: Candidates, mean: FloatArray, travelled: float, limit: float
) -> tuple[int, float]:
    """The candidate nearest to ``mean`` and its squared distance; -1 if none is in the limit."""
    best, square, reach = -1, np.inf, key_of(limit, travelled, near.slack)
    for j in range(len(near.keys)):
        if near.keys[j] <= reach:
            found = squared_distance(near.values[j], mean)
            distance = np.sqrt(found)
            near.keys[j] = distance + travelled
            if found < square:
                best, square = j, found
                reach = key_of(min(distance, limit), travelled, near.slack)
    return best, square


@kernel
def key_of(distance: float, travelled: float, slack: float) -> float:
    """The largest key of a candidate that may be within this distance."""
    return min((distance + travelled) * ROUND_UP + slack, LARGEST)


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
    near = 4 * max_residue * n / _profiles.ROUND_DOWN
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
            least = squares[k] * _profiles.ROUND_DOWN - totals[k] * totals[k] / n_first
            if least <= limit and begin + k != seed:
                column = lines[1][begin + k]
                if stays_within(column, rows, own, limit):
                    return True
    return False


@kernel
def stays_within(column: FloatArray, rows: IndexArray, own: FloatArray, limit: float) -> bool:
    """True unless the summed squared deviations of ``column[rows] - own`` exceed ``limit``."""
    total = square = 0.0
    origin = column[rows[0]] - own[0]
    for i in range(len(rows)):
        difference = column[rows[i]] - own[i] - origin
        total += difference
        square += difference * difference
        # The sum never falls as rows are added.
        is_due = (i + 1) % ROWS_PER_TEST == 0 or i + 1 == len(rows)
        if is_due and square * _profiles.ROUND_DOWN - total * total / (i + 1) > limit:
            return False
    return True
