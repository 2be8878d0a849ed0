"""Two sets of rows in one column: all draws of rows one by one, and Hedges' g from its formula."""

import itertools
import math
from statistics import NormalDist


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


def naive_rank_sum_p(values, inside, strata):
    """Twice the smaller share of draws whose sum of ranks is at least, or at most, as large."""
    sums, observed = [0.0], 0.0
    for pairs in known_strata(values, inside, strata):
        ranks = [
            sum((other < value) + 0.5 * (other == value) for other, _ in pairs) + 0.5
            for value, _ in pairs
        ]
        weight = 1 / (len(pairs) + 1)
        n_inside = sum(side for _, side in pairs)
        observed += weight * sum(rank for rank, (_, side) in zip(ranks, pairs, strict=True) if side)
        drawn = [weight * sum(draw) for draw in itertools.combinations(ranks, n_inside)]
        sums = [first + second for first in sums for second in drawn]
    above = sum(one >= observed - 1e-9 for one in sums) / len(sums)
    below = sum(one <= observed + 1e-9 for one in sums) / len(sums)
    return min(2 * min(above, below), 1.0)


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
