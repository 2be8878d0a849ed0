"""Deletion of rows and columns until a block is coherent (step 3 of the miner).

`prune` must equal this loop, the single node deletion of Cheng and Church:

    while H(rows, columns) > max_residue:
        delete the row or column of largest mean squared residue among those that may be deleted;
        rows may be deleted while there are more than min_rows, columns likewise;
        return nothing if there is none

`prune_lines` deletes from many *lines* (rows or columns) with few *places* on them, whose residues
come from running sums. The residue of a line is its squared distance to the mean profile u, over
n_places (see `_grow`). A deletion moves u by a step of known length. With t the path of u, each
line keeps the key |z - u'| - t' of its last distance, so its distance now is at most key + t.
Lines, and groups of lines, below the largest distance found are skipped, after rounding up: the
deleted line is the one that computing every distance would find.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import ROUND_DOWN, centred_profiles, squared_distance
from bicneuron._core._sorting import ascending

# Lines that are skipped together, by the largest of their keys.
GROUP = 8


@kernel
def prune(
    profiles: FloatArray, max_residue: float, min_rows: int, min_columns: int
) -> tuple[IndexArray, IndexArray]:
    """Delete the row or column of largest mean squared residue until H <= ``max_residue``."""
    m, n = profiles.shape
    many_rows = m < n
    lines, fewest = profiles, (min_rows, min_columns)
    if many_rows:
        lines = centred_profiles(np.ascontiguousarray(profiles.T), np.arange(m))
        fewest = min_columns, min_rows
    places, taken = prune_lines(lines, max_residue, fewest, many_rows)
    return (taken, places) if many_rows else (places, taken)


@kernel
def prune_lines(
    profiles: FloatArray, max_residue: float, fewest: tuple[int, int], lines_first: bool
) -> tuple[IndexArray, IndexArray]:
    """`prune` for many lines with few places."""
    m, n = profiles.shape
    places, kept = np.arange(n), np.ones(m, np.bool_)
    mean, _ = summed_profiles(profiles, kept, n)
    # Residues do not depend on effects of the places; without these the sums lose fewer digits.
    for j in range(m):
        profiles[j] -= mean
    mean, squares = summed_profiles(profiles, kept, n)
    keys, highest = np.full(m, np.inf), np.full(-(-m // GROUP), np.inf)
    place_sums = np.empty(n)
    travelled, n_summed = 0.0, m  # path of the mean; lines when it was last summed in full
    while True:
        total = 0.0
        for i in range(n):
            place_sums[i] = squares[i] - m * mean[i] ** 2
            total += place_sums[i]
        if total <= max_residue * n * m:
            return places[:n][ascending(places[:n])], np.flatnonzero(kept)
        places_left, lines_left = n > fewest[0], m > fewest[1]
        if not places_left and not lines_left:
            return places[:0], places[:0]
        place = worst_place(place_sums, places[:n])
        line, square = farthest(profiles, mean, keys, highest, travelled)
        place_residue, line_residue = place_sums[place] / m, square / n
        place_first = place_residue > line_residue or (
            place_residue == line_residue and not lines_first
        )
        if places_left and (place_first or not lines_left):
            # Keys stay upper bounds: without a place, centred again, profiles are no farther apart.
            n -= 1
            places[place] = places[n]
            take_out(profiles, kept, place, n)
            mean, squares = summed_profiles(profiles, kept, n)
            n_summed = m
            continue
        kept[line], keys[line] = False, -np.inf
        m -= 1
        travelled += np.sqrt(square) / m
        if m > n_summed // 2:
            for i in range(n):
                squares[i] -= profiles[line, i] ** 2
                mean[i] += (mean[i] - profiles[line, i]) / m
        else:  # summed again before the errors of many subtractions matter
            mean, squares = summed_profiles(profiles, kept, n)
            n_summed = m


@kernel
def worst_place(place_sums: FloatArray, places: IndexArray) -> int:
    """Position of the largest residue; of equal ones that of the first place."""
    worst = 0
    for i in range(1, len(places)):
        higher = place_sums[i] > place_sums[worst]
        if higher or (place_sums[i] == place_sums[worst] and places[i] < places[worst]):
            worst = i
    return worst


@kernel
def farthest(
    profiles: FloatArray, mean: FloatArray, keys: FloatArray, highest: FloatArray, travelled: float
) -> tuple[int, float]:
    """The line farthest from ``mean``, the first of equals, and its squared distance."""
    worst, square, least_key = 0, -1.0, -travelled
    for group in range(len(highest)):
        if highest[group] < least_key:  # keys never rise
            continue
        highest[group] = -np.inf
        for j in range(GROUP * group, min(GROUP * (group + 1), len(keys))):
            if keys[j] >= least_key:
                candidate = squared_distance(profiles[j], mean)
                keys[j] = np.sqrt(candidate) - travelled
                if candidate > square:
                    worst, square = j, candidate
                    least_key = np.sqrt(candidate) * ROUND_DOWN - travelled
            highest[group] = max(highest[group], keys[j])
    return worst, square


@kernel
def take_out(profiles: FloatArray, kept: BoolArray, place: int, last: int) -> None:
    """Put the ``last`` place of profiles in the place of another, and centre them again."""
    for j in np.flatnonzero(kept):
        shift = profiles[j, place] / last
        profiles[j, place] = profiles[j, last]
        for i in range(last):
            profiles[j, i] += shift


@kernel
def summed_profiles(profiles: FloatArray, kept: BoolArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squares of the profiles kept, at each of the first ``n`` places."""
    mean, squares = np.zeros(n), np.zeros(n)
    lines = np.flatnonzero(kept)
    for j in lines:
        for i in range(n):
            mean[i] += profiles[j, i]
            squares[i] += profiles[j, i] ** 2
    return mean / len(lines), squares
