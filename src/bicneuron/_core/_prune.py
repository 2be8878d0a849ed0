"""Deletion of rows and columns, one at a time, until a block is coherent."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import ROUND_DOWN, centred_profiles, squared_distance


@kernel
def prune(
    profiles: FloatArray, max_residue: float, min_rows: int, min_columns: int
) -> tuple[IndexArray, IndexArray]:
    """Delete the row or column of largest mean squared residue until H <= ``max_residue``.

    Cheng and Church's single node deletion, never below the minimum sizes. Ties: a row goes before
    a column, the lower index before the higher; residues that rounding keeps apart are no tie.

    Parameters
    ----------
    profiles : array of shape (n_columns, n_rows)
        The block's columns, centred. Overwritten.

    Returns
    -------
    rows, columns : arrays of int
        What is left, as positions in ``profiles``; both empty when the bound cannot be met.
    """
    m, n = profiles.shape
    if m >= n:
        return prune_lines(profiles, max_residue, (min_rows, min_columns), False)
    by_row = centred_profiles(np.ascontiguousarray(profiles.T), np.arange(m))
    columns, rows = prune_lines(by_row, max_residue, (min_columns, min_rows), True)
    return rows, columns


@kernel
def prune_lines(
    profiles: FloatArray, max_residue: float, fewest: tuple[int, int], lines_first: bool
) -> tuple[IndexArray, IndexArray]:
    """`prune` where the lines of ``profiles`` are many and the places on them are few.

    Each line keeps a bound on its distance to the mean profile, as in `grow` but from above. The
    lines are a heap: no bound is above that of its parent, at half the position. So the lines
    whose bounds reach the largest distance are found from the root down, and the others are not
    even looked at; only the deletion of a place passes over all of them. The result is that of
    computing every distance at every step.

    Parameters
    ----------
    profiles : array of shape (n_lines, n_places)
        Each line centred. Overwritten.
    fewest : (places, lines)
        Smallest numbers to keep.
    lines_first : bool
        Whether a line goes before a place of equal residue.

    Returns
    -------
    places, lines : arrays of int
    """
    m, n = profiles.shape
    places, lines = np.arange(n), np.arange(m)
    mean, _ = summed_profiles(profiles, lines, n)
    for j in lines:  # residues do not feel place effects, but sums of squares lose digits to them
        for i in range(n):
            profiles[j, i] -= mean[i]
    mean, squares = summed_profiles(profiles, lines, n)
    heap, bound, kept = lines.copy(), np.full(m, np.inf), np.ones(m, dtype=np.bool_)
    visited, place_sums = np.empty(m, dtype=np.intp), np.empty(n)
    way, fresh = 0.0, m
    while True:
        total = 0.0
        for i in range(n):
            place_sums[i] = squares[i] - m * mean[i] ** 2
            total += place_sums[i]
        if total <= max_residue * n * m:
            return np.sort(places[:n]), np.flatnonzero(kept)
        places_left, lines_left = n > fewest[0], m > fewest[1]
        if not places_left and not lines_left:
            return places[:0], lines[:0]
        place = 0
        for i in range(1, n):
            higher = place_sums[i] > place_sums[place]
            if higher or (place_sums[i] == place_sums[place] and places[i] < places[place]):
                place = i
        worst, square, reach = 0, -1.0, -way
        visited[0], n_visited, seen = 0, 1, 0
        while seen < n_visited:
            k = visited[seen]
            if bound[k] < reach:
                n_visited -= 1
                visited[seen] = visited[n_visited]
                continue
            seen += 1
            candidate = squared_distance(profiles[heap[k]], mean)
            bound[k] = np.sqrt(candidate) - way
            if candidate > square or (candidate == square and heap[k] < heap[worst]):
                worst, square, reach = k, candidate, np.sqrt(candidate) * ROUND_DOWN - way
            for child in range(2 * k + 1, min(2 * k + 3, len(heap))):
                if bound[child] >= reach:
                    visited[n_visited] = child
                    n_visited += 1
        line = heap[worst]
        of_place, of_line = place_sums[place] / m, square / n
        higher = of_place > of_line or (of_place == of_line and not lines_first)
        place_goes = places_left and (higher or not lines_left)
        if not place_goes:
            bound[worst] = -np.inf
        for k in visited[:n_visited][::-1]:
            sift_down(heap, bound, k)
        if place_goes:
            # Bounds still hold: without a place, and centred again, profiles are no farther apart.
            n -= 1
            places[place] = places[n]
            left = np.flatnonzero(kept)
            for j in left:
                shift = profiles[j, place] / n
                profiles[j, place] = profiles[j, n]
                for i in range(n):
                    profiles[j, i] += shift
            mean, squares = summed_profiles(profiles, left, n)
            fresh = m
        else:
            kept[line] = False
            m -= 1
            way += np.sqrt(square) / m
            if m > fresh // 2:
                for i in range(n):
                    squares[i] -= profiles[line, i] ** 2
                    mean[i] += (mean[i] - profiles[line, i]) / m
            else:  # before the rounding errors of many subtractions matter
                mean, squares = summed_profiles(profiles, np.flatnonzero(kept), n)
                fresh = m


@kernel
def sift_down(heap: IndexArray, bound: FloatArray, k: int) -> None:
    """Move the entry ``k`` of a heap down until none below it has a larger bound."""
    entry, key = heap[k], bound[k]
    child = 2 * k + 1
    while child < len(heap):
        if child + 1 < len(heap) and bound[child + 1] > bound[child]:
            child += 1
        if bound[child] <= key:
            break
        heap[k], bound[k] = heap[child], bound[child]
        k, child = child, 2 * child + 1
    heap[k], bound[k] = entry, key


@kernel
def summed_profiles(
    profiles: FloatArray, columns: IndexArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Mean and summed squares, per row, of the profiles ``columns`` over the first ``n`` rows."""
    mean, squares = np.zeros(n), np.zeros(n)
    for j in columns:
        for i in range(n):
            mean[i] += profiles[j, i]
            squares[i] += profiles[j, i] ** 2
    return mean / len(columns), squares
