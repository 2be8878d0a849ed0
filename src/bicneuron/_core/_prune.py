"""Deletion of rows and columns until a block is coherent (step 3 of the miner).

`prune` must equal this loop, the single node deletion of Cheng and Church:

    while H(rows, columns) > max_residue:
        delete the row or column of largest mean squared residue among those that may be deleted;
        rows may be deleted while there are more than min_rows, columns likewise;
        return nothing if there is none

It does less work in this order:

1. `prune` transposes the block if it has more rows than columns. The *lines* are then the many rows
   or columns, and the *places* on them are the few. All place residues cost O(n_places) at each
   step, from running sums.
2. The residue of a line is its squared distance to the mean profile u, over n_places (see `_grow`).
   When a line is deleted, u moves by a step of known length, so no distance changes by more. Each
   line keeps the key |z - u'| - t', with t' the path u had travelled when the distance was last
   computed. Its distance now is at most key + t.
3. The lines are a heap by their keys, the largest first. The search for the farthest line starts at
   the root and skips a line, and all below it, if its key + t is less than the largest distance
   found so far.

A line is skipped only if an upper bound on its distance, raised for rounding, is below the largest
distance. The deleted line is thus the one that computing every distance would find.
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
def prune_lines(
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
    heap, keys, kept = lines.copy(), np.full(m, np.inf), np.ones(m, dtype=np.bool_)
    visited, place_sums = np.empty(m, dtype=np.intp), np.empty(n)
    travelled, n_summed = 0.0, m  # path of the mean; lines when it was last summed in full
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
        # Walk down the heap; ``visited`` holds the entries whose distances are computed.
        worst, square, least_key = 0, -1.0, -travelled
        visited[0], n_visited, n_seen = 0, 1, 0
        while n_seen < n_visited:
            k = visited[n_seen]
            if keys[k] < least_key:
                n_visited -= 1
                visited[n_seen] = visited[n_visited]
                continue
            n_seen += 1
            candidate = squared_distance(profiles[heap[k]], mean)
            keys[k] = np.sqrt(candidate) - travelled
            if candidate > square or (candidate == square and heap[k] < heap[worst]):
                worst, square = k, candidate
                least_key = np.sqrt(candidate) * ROUND_DOWN - travelled
            for child in range(2 * k + 1, min(2 * k + 3, len(heap))):
                if keys[child] >= least_key:
                    visited[n_visited] = child
                    n_visited += 1
        line = heap[worst]
        place_residue, line_residue = place_sums[place] / m, square / n
        place_first = place_residue > line_residue or (
            place_residue == line_residue and not lines_first
        )
        delete_place = places_left and (place_first or not lines_left)
        if not delete_place:
            keys[worst] = -np.inf
        for k in visited[:n_visited][::-1]:
            sift_down(heap, keys, k)
        if delete_place:
            # Keys stay upper bounds: without a place, centred again, profiles are no farther apart.
            n -= 1
            places[place] = places[n]
            remaining = np.flatnonzero(kept)
            for j in remaining:
                shift = profiles[j, place] / n
                profiles[j, place] = profiles[j, n]
                for i in range(n):
                    profiles[j, i] += shift
            mean, squares = summed_profiles(profiles, remaining, n)
            n_summed = m
        else:
            kept[line] = False
            m -= 1
            travelled += np.sqrt(square) / m
            if m > n_summed // 2:
                for i in range(n):
                    squares[i] -= profiles[line, i] ** 2
                    mean[i] += (mean[i] - profiles[line, i]) / m
            else:  # summed again before the errors of many subtractions matter
                mean, squares = summed_profiles(profiles, np.flatnonzero(kept), n)
                n_summed = m


@kernel
def sift_down(heap: IndexArray, keys: FloatArray, k: int) -> None:
    """Move the entry ``k`` of a heap down until no entry below it has a larger key."""
    entry, key = heap[k], keys[k]
    child = 2 * k + 1
    while child < len(heap):
        if child + 1 < len(heap) and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        heap[k], keys[k] = heap[child], keys[child]
        k, child = child, 2 * child + 1
    heap[k], keys[k] = entry, key


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
