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
from bicneuron._core._jit import kernel
from bicneuron._core._profiles import SAFETY, squared_distance

# Candidates whose bound is within this multiple of the best distance stay on the short list.
NEAR = 1.2


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
