"""What is told of groups of the kind "shift", from the table and the definitions.

Given are the rows and columns of groups, as a search found them; all other numbers follow.
"""

from itertools import pairwise

import numpy as np
from oracles.rank_sums import naive_hedges_g, naive_rank_p
from scipy.stats import hypergeom


class NaiveScaling:
    """Robust scores of columns, without what strata explain; learnt from some rows."""

    def __init__(self, X, strata):
        self._columns = []
        for values in np.asarray(X, float).T:
            known = values[~np.isnan(values)]
            centre, deviation = np.median(known), np.std(known)
            spread = 1.4826 * np.median(np.abs(known - centre))
            spread = spread if spread > 0.3 * deviation else deviation
            scores = np.clip((known - centre) / spread, -4, 4)
            self._columns.append((centre, spread, scores.mean(), scores.std()))
        self._explained = None
        if strata is not None:
            Z = self._robust(X)
            self._explained = {name: Z[strata == name].mean(axis=0) for name in set(strata)}
            left = Z - np.array([self._explained[name] for name in strata])
            self._deviation = left.std(axis=0)

    def _robust(self, X, clip=4):
        scaled = [
            np.round((np.clip((values - centre) / spread, -clip, clip) - shift) / scale, 5)
            for values, (centre, spread, shift, scale) in zip(
                np.asarray(X, float).T, self._columns, strict=True
            )
        ]
        return np.nan_to_num(np.array(scaled).T)

    def apply(self, X, strata, clip=4):
        Z = self._robust(X, clip)
        if self._explained is None:
            return Z
        left = Z - np.array([self._explained[name] for name in strata])
        return np.round(left / self._deviation, 5)


class NaiveGroup:
    """Scores and carriers of a group: correlations with it are the weights of its axis."""

    def __init__(self, Z, rows, columns, n_removed=0):
        self.members = inside = np.isin(np.arange(len(Z)), rows)
        self._components = np.linalg.svd(Z)[2][:n_removed]
        self._left = Z - Z @ self._components.T @ self._components
        self._deviation = self._left.std(axis=0) if n_removed else np.ones(Z.shape[1])
        self.columns, centred = columns, inside - inside.mean()
        self.weights = np.array(
            [
                float(
                    centred @ z / np.sqrt((centred @ centred) * ((z - z.mean()) @ (z - z.mean())))
                )
                for z in (self._left / self._deviation).T[columns]
            ]
        )
        values = self.values(Z)
        groups = values[inside], values[~inside]
        within = sum(np.sum((group - group.mean()) ** 2) for group in groups)
        ordered = np.sort(values)[::-1]
        mistakes = {
            (high + low) / 2: np.sum((values > (high + low) / 2) != inside)
            for high, low in pairwise(ordered)
        }
        cut = min(mistakes, key=mistakes.get)
        self.scores = (values - cut) / np.sqrt(within / len(values))
        self.carriers = self.scores > 0

    def values(self, Z, without=None):
        """Place of rows on the axis, perhaps without one of its columns."""
        left = (Z - Z @ self._components.T @ self._components) / self._deviation
        kept = [place for place, column in enumerate(self.columns) if column != without]
        return sum(self.weights[place] * left[:, self.columns[place]] for place in kept)


def naive_enrichment(carriers, y, strata, permuted):
    """Least probability over classes of so many carriers in a class, for orders of the labels."""
    tails = {}
    for label in np.unique(y):
        chances = np.ones(1)
        for stratum in np.unique(strata):
            own = strata == stratum
            n = int(np.sum(carriers & own))
            law = hypergeom(int(own.sum()), int(np.sum(own & (y == label))), n)
            chances = np.convolve(chances, [law.pmf(k) for k in range(n + 1)])
        tails[label] = [chances[k:].sum() for k in range(len(chances))]
    return np.array(
        [
            min(tails[label][int(np.sum(carriers & (order == label)))] for label in tails)
            for order in permuted
        ]
    )


def naive_class_p(all_carriers, y, strata, seed, n_orders=999):
    """Corrected p of each of several groups: the clearest first, against the least of the rest."""
    rng = np.random.default_rng(int(np.random.RandomState(seed).randint(2**31)))
    labels = y.tolist()
    sizes = [(-labels.count(label), labels.index(label)) for label in labels]
    rows = sorted(range(len(y)), key=lambda row: (strata[row], sizes[row], row))
    pools = [[row for row in rows if strata[row] == stratum] for stratum in np.unique(strata)]
    orders = [y]
    for draws in rng.random((n_orders, len(y))):
        order, start = y.copy(), 0
        for pool in pools:
            swapped = [*pool]
            for place in range(len(pool) - 1, 0, -1):
                other = int(draws[start + place] * (place + 1))
                swapped[place], swapped[other] = swapped[other], swapped[place]
            order[pool] = y[swapped]
            start += len(pool)
        orders.append(order)
    chances = [naive_enrichment(carriers, y, strata, orders) for carriers in all_carriers]
    alone = [min(len(np.unique(y)) * one[0], 1.0) for one in chances]
    p, so_far = [0.0] * len(chances), 0.0
    order = sorted(range(len(chances)), key=lambda k: chances[k][0])
    for place, k in enumerate(order):
        least = np.min([chances[other][1:] for other in order[place:]], axis=0)
        as_clear = np.sum(least <= chances[k][0] * (1 + 1e-9))
        so_far = max(so_far, (1 + as_clear) / (1 + n_orders))
        p[k] = max(so_far, alone[k])
    return p


def naive_folds(kinds, n_folds, seed):
    """Fold of each row; ``kinds`` are the classes and strata of rows, spread evenly."""
    order = np.random.default_rng(seed).permutation(len(kinds))
    order = sorted(order, key=lambda row: kinds[row])
    folds = np.empty(len(kinds), int)
    folds[order] = np.arange(len(kinds)) % n_folds
    return folds


def naive_match(rows, part, found):
    """Position of the group that shares most of the rows, if it shares enough; else None."""
    wanted = set(rows) & set(part)
    overlaps = [len(wanted & set(one)) / max(len(wanted | set(one)), 1) for one in found]
    best = max(range(len(found)), key=lambda k: (overlaps[k], -k), default=None)
    return None if best is None or overlaps[best] < 0.6 else best


def naive_in_order(p_values):
    """The least level at which each pattern passes, if levels are handed on in their order."""

    def passes(level):
        accepted, carried, n = [], 0.0, len(p_values)
        for k, p in enumerate(p_values):
            own = level / 2 ** min(k + 1, n - 1) + carried
            accepted.append(p <= own * (1 + 1e-12))
            carried = own if accepted[-1] else 0.0
        return accepted

    n = len(p_values)
    own = [2.0 ** -min(k + 1, n - 1) for k in range(n)]
    handed_on = {sum(own[first:last]) for first in range(n) for last in range(first + 1, n + 1)}
    levels = sorted({min(p / share, 1.0) for p in p_values for share in handed_on})
    return [
        min((level for level in levels if passes(level)[k]), default=1.0)
        for k in range(len(p_values))
    ]


def naive_corrected(p_values):
    """Benjamini and Hochberg's correction."""
    p, n = np.asarray(p_values), len(p_values)
    return np.array([min(1.0, min(q * n / np.sum(p <= q) for q in p if q >= own)) for own in p])


def naive_column_tests(X, inside_of, strata):
    """Difference, effect, its interval and p of each column; ``inside_of`` says who is inside."""
    tested = []
    for column, values in enumerate(X.T):
        inside = inside_of(column)
        tested.append(
            (*naive_hedges_g(values, inside, strata), naive_rank_p(values, inside, strata))
        )
    return np.array(tested)
