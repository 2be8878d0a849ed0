"""Is a pattern tied to a class? Exact probabilities of its carriers, and orders of the labels.

Where a few columns differ between the classes, rows that are high in one of them and, by chance, in
others, are of one class too. Such a group adds nothing to the one that has the column already.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import hypergeom

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._formats import LEVEL
from bicneuron.patterns import Pattern, is_other_side
from bicneuron.significance._known import row_numbers, strata_of_units, units_by_class


class Ties(NamedTuple):
    """P of each pattern, corrected p, and the statistics they come from."""

    p: FloatArray
    family: FloatArray
    statistic: FloatArray
    null_statistic: FloatArray


class LabelShuffler:
    """Orders of labels, each as likely as that of y if patterns do not depend on the class."""

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.y, self._groups = y, groups
        self.strata = row_numbers(strata, n, "strata")
        units = units_by_class(groups, y, n)
        self._units = np.arange(n) if units is None else units
        self.has_groups = bool(self._units.max() + 1 < n)
        self._labels = y[np.unique(self._units, return_index=True)[1]]
        of_strata = strata_of_units(self.strata, self._units)
        self._pools = [np.flatnonzero(of_strata == one) for one in np.unique(of_strata)]
        self.log_orders = float(sum(_log_orders(self._labels[pool]) for pool in self._pools))
        if self.log_orders == 0:
            raise ValueError(
                "strata leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def of(self, rows: IndexArray) -> "LabelShuffler":
        """Orders of the labels of some rows."""
        if len(rows) == len(self.y):
            return self
        groups = None if self._groups is None else np.asarray(self._groups)[rows]
        return LabelShuffler(self.y[rows], self.strata[rows], groups)

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw one order of the labels."""
        labels = self._labels.copy()
        for pool in self._pools:
            labels[pool] = labels[rng.permutation(pool)]
        return labels[self._units]


class Enrichment:
    """Exact probabilities of at least the observed carriers in a class, within strata."""

    def __init__(self, carriers: BoolArray, y: IndexArray, strata: IndexArray) -> None:
        self._carriers = carriers.astype(np.float64)
        self._n_classes = int(y.max()) + 1
        n_patterns = carriers.shape[1]
        self._tables = np.ones((n_patterns, self._n_classes, int(carriers.sum(axis=0).max()) + 1))
        for pattern in range(n_patterns):
            for label in range(self._n_classes):
                tail = _upper_tail(carriers[:, pattern], y == label, strata)
                self._tables[pattern, label, : len(tail)] = tail

    def probabilities(self, y: IndexArray) -> FloatArray:
        """For each pattern, the probability of its carriers in the class where they are too many.

        It is that of one class, not corrected for the number of classes.
        """
        counts = np.stack([(y == label) @ self._carriers for label in range(self._n_classes)], 1)
        tails = np.take_along_axis(self._tables, np.round(counts).astype(np.intp)[:, :, None], 2)
        least: FloatArray = tails[:, :, 0].min(axis=1)
        return least

    def p_values(self, y: IndexArray) -> FloatArray:
        """Exact p of each pattern, for any of the classes."""
        return np.minimum(self._n_classes * self.probabilities(y), 1.0)


def ties_of_carriers(
    carriers: BoolArray, shuffler: LabelShuffler, n_permutations: int, seed: int
) -> Ties:
    """Exchange labels over given carriers."""
    if not carriers.shape[1]:
        return Ties(*(np.empty(0) for _ in range(4)))
    rng = np.random.default_rng(seed)
    enrichment = Enrichment(carriers, shuffler.y, shuffler.strata)
    observed = enrichment.probabilities(shuffler.y)
    permuted = np.array(
        [enrichment.probabilities(shuffler.draw(rng)) for _ in range(n_permutations)]
    )
    if shuffler.has_groups:
        # Exact probabilities are those of single rows.
        as_clear = (permuted <= observed * (1 + 1e-9)).sum(axis=0)
        # A sample of few orders may have one of them too seldom.
        p = np.maximum((1 + as_clear) / (1 + n_permutations), np.exp(-shuffler.log_orders))
    else:
        p = enrichment.p_values(shuffler.y)
    # A pattern alone is never less clear than among others.
    family = np.maximum(family_p_values(observed, permuted), p)
    return Ties(p, family, -np.log10(observed), -np.log10(permuted.min(axis=1)))


def family_p_values(observed: FloatArray, permuted: FloatArray) -> FloatArray:
    """P corrected for all patterns, step by step (Westfall and Young's step-down minP)."""
    order = np.argsort(observed, kind="stable")
    # The least probability among this pattern and those that are less clear.
    least = np.minimum.accumulate(permuted[:, order[::-1]], axis=1)[:, ::-1]
    tolerance = 1 + 1e-9  # equal counts give equal probabilities but for rounding
    as_clear = (least <= observed[order] * tolerance).sum(axis=0)
    corrected = np.maximum.accumulate((1 + as_clear) / (1 + len(permuted)))
    family = np.empty_like(corrected)
    family[order] = corrected
    return family


def beyond_clearer(
    patterns: Sequence[Pattern],
    carriers: BoolArray,
    ties: Ties,
    test: Callable[[BoolArray], Ties],
    values_without: Callable[[int, BoolArray], FloatArray],
) -> Ties:
    """Corrected p of groups, not below the p that they have without the columns of clearer ones.

    That p is corrected for the groups that seem to belong to a class (Bonferroni).
    """
    family, n_asked = ties.family.copy(), int(np.sum(ties.family <= LEVEL))
    clearer: list[Pattern] = []
    for k in np.argsort(-ties.statistic, kind="stable").tolist():
        if family[k] > LEVEL or any(is_other_side(patterns[k], other) for other in clearer):
            continue
        told = np.isin(patterns[k].columns, [column for one in clearer for column in one.columns])
        if told.all():
            family[k] = 1.0
        elif told.any():
            values, inside = values_without(k, told), carriers[:, k]
            cut = (values[inside].mean() + values[~inside].mean()) / 2
            p = test((values > cut)[:, None]).p[0]
            family[k] = max(family[k], min(n_asked * p, 1.0))
        if family[k] <= LEVEL:
            clearer.append(patterns[k])
    return ties._replace(family=family)


def _upper_tail(carriers: BoolArray, in_class: BoolArray, strata: IndexArray) -> FloatArray:
    """Probability of at least 0, 1, 2, ... carriers in the class, given those of each stratum."""
    density = np.ones(1)
    for stratum in np.unique(strata):
        rows = strata == stratum
        n_carriers = int(np.sum(carriers & rows))
        counts = np.arange(n_carriers + 1)
        own = hypergeom(int(rows.sum()), int(np.sum(in_class & rows)), n_carriers).pmf(counts)
        density = np.convolve(density, own)
    # Of thousands of rows it may be too small for a float; it is never 0.
    return np.clip(np.cumsum(density[::-1])[::-1], np.finfo(np.float64).tiny, 1.0)


def _log_orders(labels: AnyArray) -> float:
    """Logarithm of the number of different orders."""
    counts = np.unique(labels, return_counts=True)[1]
    return float(gammaln(len(labels) + 1) - gammaln(counts + 1).sum()) if len(counts) > 1 else 0.0
