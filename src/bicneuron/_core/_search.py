"""Local search for coherent blocks: refine and expand under a bound on the residue.

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
from bicneuron._core._blocks import Blocks, block_columns, block_rows
from bicneuron._core._jit import kernel

# A search alternates expansion and row addition this often at the most.
MAX_SWEEPS = 20
# Distances and their bounds carry rounding errors far below this share.
SAFETY = 1.0 - 1e-9
# Candidates whose bound is within this multiple of the best distance stay on the short list.
NEAR = 1.2


@kernel
def centred_profiles(lines: FloatArray, positions: IndexArray) -> FloatArray:
    """``lines[:, positions]`` with each line centred."""
    profiles = np.empty((len(lines), len(positions)))
    for j in range(len(lines)):
        mean = 0.0
        for i in range(len(positions)):
            profiles[j, i] = lines[j, positions[i]]
            mean += profiles[j, i]
        mean /= len(positions)
        for i in range(len(positions)):
            profiles[j, i] -= mean
    return profiles


@kernel
def squared_distance(a: FloatArray, b: FloatArray) -> float:
    """Squared Euclidean distance, in four independent sums (a loop that the processor overlaps)."""
    w = x = y = z = 0.0
    whole = len(b) - len(b) % 4
    for i in range(0, whole, 4):
        w += (a[i] - b[i]) ** 2
        x += (a[i + 1] - b[i + 1]) ** 2
        y += (a[i + 2] - b[i + 2]) ** 2
        z += (a[i + 3] - b[i + 3]) ** 2
    for i in range(whole, len(b)):
        w += (a[i] - b[i]) ** 2
    return (w + x) + (y + z)


@kernel
def norms_of(profiles: FloatArray) -> FloatArray:
    """Euclidean norm of each profile."""
    origin = np.zeros(profiles.shape[1])
    norms = np.empty(len(profiles))
    for j in range(len(profiles)):
        norms[j] = np.sqrt(squared_distance(profiles[j], origin))
    return norms


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
    norms differ.) Profiles with small bounds stand on a short list; the others are looked at again
    only when the smallest bound among them no longer rules them out. The result is that of
    computing every distance at every step.
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
    norm = np.sqrt(squared_distance(mean, np.zeros(n)))
    bound = np.abs(norms - norm)
    bound[chosen] = np.inf
    listed = np.empty(m, dtype=np.intp)
    listed_bound = np.empty(m)
    n_listed = 0
    way, least_unlisted = 0.0, 0.0
    while count < min(m, most):
        best, place, square, reach = -1, -1, np.inf, np.inf
        if n_listed > 0:
            place = 0
            for k in range(1, n_listed):
                if listed_bound[k] < listed_bound[place]:
                    place = k
            first = place
            best = listed[first]
            square = squared_distance(profiles[best], mean)
            listed_bound[first] = np.sqrt(square) + way
            reach = listed_bound[first] / SAFETY
            for k in range(n_listed):
                if listed_bound[k] <= reach and k != first:
                    j = listed[k]
                    candidate = squared_distance(profiles[j], mean)
                    listed_bound[k] = np.sqrt(candidate) + way
                    if candidate < square or (candidate == square and j < best):
                        best, place, square = j, k, candidate
                        reach = listed_bound[k] / SAFETY
        if least_unlisted <= reach:
            for k in range(n_listed):
                bound[listed[k]] = listed_bound[k]
            for j in range(m):
                if bound[j] <= reach and bound[j] < np.inf:
                    candidate = squared_distance(profiles[j], mean)
                    bound[j] = np.sqrt(candidate) + way
                    if candidate < square or (candidate == square and j < best):
                        best, square = j, candidate
                        reach = bound[j] / SAFETY
            n_listed, least_unlisted = 0, np.inf
            for j in range(m):
                if bound[j] <= NEAR * np.sqrt(square) + way:
                    if j == best:
                        place = n_listed
                    listed[n_listed], listed_bound[n_listed] = j, bound[j]
                    n_listed += 1
                    bound[j] = np.inf
                elif bound[j] < least_unlisted:
                    least_unlisted = bound[j]
        residue += square * count / (count + 1)
        if residue > max_residue * n * (count + 1):
            break
        taken[count] = best
        count += 1
        n_listed -= 1
        listed[place], listed_bound[place] = listed[n_listed], listed_bound[n_listed]
        share = 1.0 / count
        for i in range(n):
            mean[i] += (profiles[best, i] - mean[i]) * share
        way += np.sqrt(square) * share
    return taken[:count].copy()


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
                worst, square, reach = k, candidate, np.sqrt(candidate) * SAFETY - way
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


@kernel
def search_block(
    lines: tuple[FloatArray, FloatArray],
    rows: IndexArray,
    profiles: FloatArray,
    norms: FloatArray,
    seed: int,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> tuple[IndexArray, IndexArray]:
    """Steps 2 and 3 of the miner from one seed: refine, expand, and again to a fixed point.

    Parameters
    ----------
    lines : (rows of Z, columns of Z)
        Arrays of shape (n_rows, n_columns) and (n_columns, n_rows).
    rows : array
        Row set of the seed.
    profiles, norms : arrays of shape (n_columns, len(rows)) and (n_columns,)
        `centred_profiles` of the columns over ``rows``, and their norms.
    seed : int
        The column to start from; -1 starts from all of them.
    max_residue, minimum, max_columns, add_rows
        Bound on H, smallest numbers of rows and columns, number of columns at which growth stops,
        and whether outside rows may join.

    Returns
    -------
    rows, columns : sorted arrays, both empty when no block of the minimum size was found.
    """
    if seed < 0:
        kept, columns = prune(profiles.copy(), max_residue, minimum[0], minimum[1])
        rows = rows[kept]
        if len(rows) == 0:
            return rows, columns
        if len(kept) < profiles.shape[1]:
            profiles = centred_profiles(lines[1], rows)
            norms = norms_of(profiles)
    else:
        columns = np.array([seed])
    for _ in range(MAX_SWEEPS):
        columns = grow(profiles, norms, columns, max_residue, max_columns)
        if not add_rows:
            break
        before = len(rows)
        row_profiles = centred_profiles(lines[0], columns)
        rows = grow(row_profiles, norms_of(row_profiles), rows, max_residue, len(row_profiles))
        if len(rows) == before:
            break
        profiles = centred_profiles(lines[1], rows)
        norms = norms_of(profiles)
    if len(columns) < minimum[1]:
        return rows[:0], columns[:0]
    return np.sort(rows), np.sort(columns)


@kernel
def search_blocks(
    lines: tuple[FloatArray, FloatArray],
    seeds: Blocks,
    max_residue: float,
    minimum: tuple[int, int],
    max_columns: int,
    add_rows: bool,
) -> Blocks:
    """`search_block` from many seeds, one block for each of them.

    ``seeds`` lists distinct row sets; the columns of each are its seeds, or -1 for all columns.
    """
    size = len(seeds.columns)
    row_starts, column_starts = np.zeros(size + 1, np.intp), np.zeros(size + 1, np.intp)
    all_rows, all_columns = np.empty(1024, np.intp), np.empty(1024, np.intp)
    count = 0
    for s in range(len(seeds.row_starts) - 1):
        rows = block_rows(seeds, s)
        profiles = centred_profiles(lines[1], rows)
        norms = norms_of(profiles)
        for seed in block_columns(seeds, s):
            r, c = search_block(
                lines, rows, profiles, norms, seed, max_residue, minimum, max_columns, add_rows
            )
            all_rows = put(all_rows, row_starts[count], r)
            all_columns = put(all_columns, column_starts[count], c)
            row_starts[count + 1] = row_starts[count] + len(r)
            column_starts[count + 1] = column_starts[count] + len(c)
            count += 1
    return Blocks(
        row_starts,
        all_rows[: row_starts[-1]].copy(),
        column_starts,
        all_columns[: column_starts[-1]].copy(),
    )


@kernel
def put(array: IndexArray, start: int, values: IndexArray) -> IndexArray:
    """Write ``values`` at ``start``, into a larger array where they do not fit."""
    end = start + len(values)
    if end > len(array):
        larger = np.empty(2 * end, np.intp)
        larger[:start] = array[:start]
        array = larger
    array[start:end] = values
    return array
