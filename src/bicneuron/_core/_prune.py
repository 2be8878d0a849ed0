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
Lines below the largest distance found are skipped, after rounding up: the deleted line is the one
that computing every distance would find.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import ROUND_DOWN, centred_profiles, squared_distance
from bicneuron._core._sorting import ascending


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
def prune_lines(  # noqa: C901, PLR0915
    profiles: FloatArray, max_residue: float, fewest: tuple[int, int], lines_first: bool
) -> tuple[IndexArray, IndexArray]:
    """`prune` for many lines with few places."""
    m, n = profiles.shape
    places, lines = np.arange(n), np.arange(m)
    mean, _ = summed_profiles(profiles, lines, n)
    # Residues do not depend on effects of the places; without these the sums lose fewer digits.
    for j in lines:
        for i in range(n):
            profiles[j, i] -= mean[i]
    mean, squares = summed_profiles(profiles, lines, n)
    keys, kept, place_sums = np.full(m, np.inf), np.ones(m, dtype=np.bool_), np.empty(n)
    travelled, n_summed = 0.0, m  # path of the mean; lines when it was last summed in full
    order, highest, n_ordered = lines, keys.copy(), 2 * m  # lines by their keys some time ago
    while True:
        total = 0.0
        for i in range(n):
            place_sums[i] = squares[i] - m * mean[i] ** 2
            total += place_sums[i]
        if total <= max_residue * n * m:
            places = places[:n]
            return places[ascending(places)], np.flatnonzero(kept)
        places_left, lines_left = n > fewest[0], m > fewest[1]
        if not places_left and not lines_left:
            return places[:0], lines[:0]
        place = 0
        for i in range(1, n):
            higher = place_sums[i] > place_sums[place]
            if higher or (place_sums[i] == place_sums[place] and places[i] < places[place]):
                place = i
        line, square = farthest(profiles, mean, order, highest, keys, travelled)
        if m <= n_ordered // 2:
            order, n_ordered = ascending(-keys), m
            highest = keys[order]
        place_residue, line_residue = place_sums[place] / m, square / n
        place_first = place_residue > line_residue or (
            place_residue == line_residue and not lines_first
        )
        delete_place = places_left and (place_first or not lines_left)
        if delete_place:
            # Keys stay upper bounds: without a place, centred again, profiles are no farther apart.
            n -= 1
            places[place] = places[n]
            lines = np.flatnonzero(kept)
            for j in lines:
                shift = profiles[j, place] / n
                profiles[j, place] = profiles[j, n]
                for i in range(n):
                    profiles[j, i] += shift
            mean, squares = summed_profiles(profiles, lines, n)
            n_summed = m
        else:
            kept[line] = False
            keys[line] = -np.inf
            m -= 1
            travelled += np.sqrt(square) / m
            if m > n_summed // 2:
                for i in range(n):
                    squares[i] -= profiles[line, i] ** 2
                    mean[i] += (mean[i] - profiles[line, i]) / m
            else:  # summed again before the errors of many subtractions matter
                lines = np.flatnonzero(kept)
                mean, squares = summed_profiles(profiles, lines, n)
                n_summed = m


@kernel
def farthest(
    profiles: FloatArray,
    mean: FloatArray,
    order: IndexArray,
    highest: FloatArray,
    keys: FloatArray,
    travelled: float,
) -> tuple[int, float]:
    """The line farthest from ``mean``, the first of equals, and its squared distance."""
    worst, square, least_key = 0, -1.0, -travelled
    for k in range(len(order)):
        if highest[k] < least_key:  # keys never rise
            break
        j = order[k]
        if keys[j] >= least_key:
            candidate = squared_distance(profiles[j], mean)
            keys[j] = np.sqrt(candidate) - travelled
            if candidate > square or (candidate == square and j < worst):
                worst, square = j, candidate
                least_key = np.sqrt(candidate) * ROUND_DOWN - travelled
    return worst, square


@kernel
def summed_profiles(
    profiles: FloatArray, lines: IndexArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squares of the profiles ``lines``, at each of the first ``n`` places."""
    mean, squares = np.zeros(n), np.zeros(n)
    for j in lines:
        for i in range(n):
            mean[i] += profiles[j, i]
            squares[i] += profiles[j, i] ** 2
    return mean / len(lines), squares
