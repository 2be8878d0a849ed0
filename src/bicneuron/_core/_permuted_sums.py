"""Orders of units within strata, and sums over the members of groups in each order.

The outcome has a place for each unit, sorted by stratum; an order gives each unit the place of
another. ``members`` are, for each unit, the start of its groups, and of these the numbers and the
shares of its rows.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray, Int32Array
from bicneuron._core._jit import kernel


@kernel
def orders_within(ends: IndexArray, draws: FloatArray) -> Int32Array:
    """Shuffle places within strata that end at ``ends``, by draws from [0, 1) for each place."""
    n_orders, n = draws.shape
    orders = np.empty((n_orders, n), np.int32)
    for order in range(n_orders):
        own = orders[order]
        for place in range(n):
            own[place] = place
        start = 0
        for end in ends:
            for place in range(end - 1, start, -1):
                other = start + int(draws[order, place] * (place - start + 1))
                own[place], own[other] = own[other], own[place]
            start = end
    return orders


@kernel
def sums_in_orders(
    orders: Int32Array,
    members: tuple[IndexArray, IndexArray, FloatArray],
    n_groups: int,
    scores: FloatArray,
) -> FloatArray:
    """Sums of the scores of places over groups, of shape (n_orders, n_groups, n_scores)."""
    starts, groups, shares = members
    n_orders, n_units = orders.shape
    sums = np.zeros((n_orders, n_groups, scores.shape[1]))
    for order in range(n_orders):
        own = sums[order]
        for unit in range(n_units):
            for k in range(starts[unit], starts[unit + 1]):
                of_place = scores[orders[order, unit]]
                for score in range(len(of_place)):
                    own[groups[k], score] += shares[k] * of_place[score]
    return sums


@kernel
def variances_in_orders(
    orders: Int32Array,
    ends: IndexArray,
    members: tuple[IndexArray, IndexArray, FloatArray],
    n_groups: int,
    spread: FloatArray,
    pull: FloatArray,
) -> FloatArray:
    """Variances of log-rank statistics of groups, which depend on who is at risk when.

    With w the shares of members and k those of later places in the stratum, one is the sum of
    w^2 spread - (2 w k + w^2) pull over the places; both add up what events until then contribute.
    """
    starts, groups, shares = members
    n_orders, n_units = orders.shape
    variances = np.zeros((n_orders, n_groups))
    units, later = np.empty(n_units, np.int32), np.empty(n_groups)
    for order in range(n_orders):
        for unit in range(n_units):
            units[orders[order, unit]] = unit
        own, start = variances[order], 0
        for end in ends:
            later[:] = 0.0
            for place in range(end - 1, start - 1, -1):
                unit = units[place]
                for k in range(starts[unit], starts[unit + 1]):
                    share, before = shares[k], later[groups[k]]
                    own[groups[k]] += share * share * spread[place]
                    own[groups[k]] -= share * (2.0 * before + share) * pull[place]
                    later[groups[k]] = before + share
            start = end
    return variances
