"""Two sets of rows in one column: all draws of rows counted, and Hedges' g from its formula."""

import math
from statistics import NormalDist

import numpy as np


def known_strata(values, inside, strata):
    """For each stratum with rows on both sides, the known values with their sides."""
    found = []
    for stratum in sorted(set(strata)):
        pairs = [
            (value, side)
            for value, side, own in zip(values, inside, strata, strict=True)
            if own == stratum and not math.isnan(value)
        ]
        if 0 < sum(side for _, side in pairs) < len(pairs):
            found.append(pairs)
    return found


def naive_rank_p(values, inside, strata):
    """Exact two-sided p of a rank test: all draws are counted, stratum by stratum."""
    sums, chances, observed = np.zeros(1), np.ones(1), 0.0
    for pairs in known_strata(values, inside, strata):
        # Twice the ranks, so that those of equal values are whole numbers.
        ranks = [
            sum(2 * (other < value) + (other == value) for other, _ in pairs) + 1
            for value, _ in pairs
        ]
        n_inside, weight = sum(side for _, side in pairs), 1 / (2 * len(pairs) + 2)
        ways = np.zeros((n_inside + 1, sum(ranks) + 1))
        ways[0, 0] = 1
        for rank in ranks:
            for size in range(n_inside, 0, -1):
                ways[size, rank:] += ways[size - 1, : ways.shape[1] - rank]
        possible = np.flatnonzero(ways[-1])
        observed += weight * sum(rank for rank, (_, side) in zip(ranks, pairs, strict=True) if side)
        sums = np.add.outer(sums, possible * weight).ravel()
        chances = np.outer(chances, ways[-1][possible] / ways[-1].sum()).ravel()
    tails = chances[sums >= observed - 1e-9].sum(), chances[sums <= observed + 1e-9].sum()
    return min(2 * min(tails), 1.0)


def naive_hedges_g(values, inside, strata):
    """Difference of means, g, and the ends of its interval of 95 %."""
    weights, shifts, squares, freedom, n_rows = [], [], 0.0, 0, 0
    for pairs in known_strata(values, inside, strata):
        sides = [[value for value, side in pairs if side == wanted] for wanted in (True, False)]
        means = [sum(side) / len(side) for side in sides]
        weights.append(len(sides[0]) * len(sides[1]) / len(pairs))
        shifts.append(means[0] - means[1])
        squares += sum(
            (value - mean) ** 2 for side, mean in zip(sides, means, strict=True) for value in side
        )
        freedom += len(pairs) - 2
        n_rows += len(pairs)
    shift = sum(w * s for w, s in zip(weights, shifts, strict=True)) / sum(weights)
    g = shift / math.sqrt(squares / freedom) * (1 - 3 / (4 * freedom - 1))
    error = math.sqrt(1 / sum(weights) + g**2 / (2 * n_rows))
    reach = NormalDist().inv_cdf(0.975) * error
    return shift, g, g - reach, g + reach
