"""What carriers are tested for: a tie to classes, numbers or survival.

Labels or outcomes are exchanged between units (rows or, with groups, patients) within strata. Each
order is as likely as the observed one if patterns do not depend on them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, ndtr, ndtri
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._permuted_sums import orders_within, sums_in_orders, variances_in_orders
from bicneuron._shared._checks import by_size
from bicneuron.outcomes import Effect, Outcome, Scores, as_outcome
from bicneuron.significance import _known
from bicneuron.significance._enrichment import SMALLEST, tails

# Places that are shuffled at once, to save memory, and variances that are none.
MOST_PLACES, TINY = 2**22, 1e-12
# Share of the orders in which a statistic is smaller than the size that it is scaled by.
TAIL = 0.99


class Ties(NamedTuple):
    """P of each pattern, corrected p, and the statistics they come from."""

    p: FloatArray
    family: FloatArray
    statistic: FloatArray
    null_statistic: FloatArray


class Members(NamedTuple):
    """Units that carry groups: the share of rows, or their number, of each unit and group."""

    starts: IndexArray
    groups: IndexArray
    shares: FloatArray
    n_groups: int


class Question(ABC):
    """Labels or outcomes of rows, and the orders that are as likely as the observed one.

    ``strata`` are those of all rows. ``rows`` are known; ``units`` are the places of theirs, and
    ``of_units`` the strata of these.
    """

    strata: IndexArray
    rows: IndexArray
    units: IndexArray
    of_units: IndexArray
    counts_rows = True

    def _place(
        self, rows: IndexArray, units: IndexArray, strata: IndexArray, order: AnyArray
    ) -> None:
        """Put units in the order of their strata, and inside of these of their values."""
        places = np.lexsort((order, strata))
        self.rows, self.units = rows, np.argsort(places)[units]
        self.of_units, self._codes = strata[places], order[places]
        self._ends = np.cumsum(np.bincount(self.of_units))
        pools = np.split(self._codes, self._ends[:-1])
        sizes = [one for pool in pools if len(one := np.unique(pool, return_counts=True)[1]) > 1]
        self.log_orders = sum(float(gammaln(n.sum() + 1) - gammaln(n + 1).sum()) for n in sizes)
        if self.log_orders == 0:
            raise ValueError(
                f"strata leave no {self.what} to exchange: there is {self.one} in each of them, so "
                "that nothing can be tested. Give others, or none."
            )

    what, one = "labels", "one class"

    @cached_property
    @abstractmethod
    def scores(self) -> Scores:
        """Scores of places."""

    @abstractmethod
    def _improbable(self, carriers: BoolArray, members: Members) -> Callable[[Any], FloatArray]:
        """A function of orders: how improbable each group is in each of them."""

    def _comparable(
        self, observed: FloatArray, permuted: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The same for groups of all sizes, so that none decides what is improbable for others."""
        return observed, permuted

    def _alone(self, observed: FloatArray, permuted: FloatArray) -> FloatArray:
        """P of each group alone: the share of the orders in which it is as clear."""
        as_clear = (permuted <= observed * (1 + 1e-9)).sum(axis=0)
        # A sample of few orders may have one of them too seldom.
        p = np.maximum((1 + as_clear) / (1 + len(permuted)), np.exp(-self.log_orders))
        return np.asarray(p)

    def effects(self, carriers: BoolArray) -> list[Effect | None]:
        """How much the outcome differs between each group and the other rows."""
        return [None] * carriers.shape[1]

    def ties(self, carriers: BoolArray, n_permutations: int, seed: int) -> Ties:
        """P of given carriers, of shape (n_rows, n_groups), and corrected for all of them."""
        if not carriers.shape[1]:
            return Ties(*(np.empty(0) for _ in range(4)))
        carriers = carriers[self.rows]
        members = self._members(carriers)
        improbable = self._improbable(carriers, members)
        n_units = len(self.of_units)
        observed = improbable(np.arange(n_units, dtype=np.int32)[None])[0]
        rng = np.random.default_rng(seed)
        parts = np.array_split(range(n_permutations), 1 + n_permutations * n_units // MOST_PLACES)
        permuted = np.concatenate([improbable(self.draw(rng, len(part))) for part in parts])
        observed, permuted = self._comparable(observed, permuted)
        p = self._alone(observed, permuted)
        # A pattern alone is never less clear than among others.
        family = np.maximum(family_p_values(observed, permuted), p)
        return Ties(p, family, -np.log10(observed), -np.log10(permuted.min(axis=1)))

    def __len__(self) -> int:
        return len(self.strata)

    def draw(self, rng: np.random.Generator, n_orders: int) -> Any:
        """Draw orders: the place that each unit gets, of shape (n_orders, n_units)."""
        return orders_within(self._ends, rng.random((n_orders, len(self.of_units))))

    def _sums(self, orders: Any, members: Members) -> FloatArray:
        values = np.ascontiguousarray(self.scores.values.reshape(len(self.of_units), -1))
        return sums_in_orders(orders, members[:3], members.n_groups, values)

    def _members(self, carriers: BoolArray) -> Members:
        row, group = np.nonzero(carriers)
        n_units, n_groups = len(self.of_units), carriers.shape[1]
        cells, counts = np.unique(self.units[row] * n_groups + group, return_counts=True)
        unit, shares = cells // n_groups, counts.astype(np.float64)
        if not self.counts_rows:
            shares /= np.bincount(self.units, minlength=n_units)[unit]
        starts = np.searchsorted(unit, np.arange(n_units + 1))
        return Members(starts, cells % n_groups, shares, n_groups)


class ClassQuestion(Question):
    """Are carriers of one class more often than chance gives? ``y`` are numbers of classes."""

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.y, self._groups = y, groups
        self.strata = _known.row_numbers(strata, n, "strata")
        own = _known.units_by_class(groups, y, n)
        units = np.arange(n) if own is None else own
        self.has_groups = bool(units.max() + 1 < n)
        of_units = _known.strata_of_units(self.strata, units)
        self._place(np.arange(n), units, of_units, y[np.unique(units, return_index=True)[1]])

    def of(self, rows: IndexArray) -> "ClassQuestion":
        """The same question about some rows."""
        if len(rows) == len(self.y):
            return self
        groups = None if self._groups is None else np.asarray(self._groups)[rows]
        return ClassQuestion(self.y[rows], self.strata[rows], groups)

    @cached_property
    def scores(self) -> Scores:
        """1 for units of each class but the last."""
        return Scores((self._codes[:, None] == np.arange(int(self.y.max()))).astype(np.float64))

    def _improbable(self, carriers: BoolArray, members: Members) -> Callable[[Any], FloatArray]:
        tables, totals = tails(carriers, self.y, self.strata), carriers.sum(axis=0)
        groups = np.arange(len(totals))

        def least(orders: Any) -> FloatArray:
            counts = self._sums(orders, members).astype(np.intp)
            counts = np.append(counts, (totals - counts.sum(axis=2))[:, :, None], axis=2)
            own = [table[groups, counts[:, :, label]] for label, table in enumerate(tables)]
            return np.asarray(np.min(own, axis=0))

        return least

    def _alone(self, observed: FloatArray, permuted: FloatArray) -> FloatArray:
        if self.has_groups:  # exact probabilities are those of single rows
            return super()._alone(observed, permuted)
        # Exact, for any of the classes.
        return np.minimum((int(self.y.max()) + 1) * observed, 1.0)


class OutcomeQuestion(Question):
    """Do numbers or survival differ between carriers and other rows?"""

    counts_rows = False
    what, one = "outcomes", "one value"

    def __init__(self, outcome: Outcome, strata: Any = None, groups: Any = None) -> None:
        n = len(outcome)
        self.outcome = outcome
        self.strata = _known.row_numbers(strata, n, "strata")
        rows, units, of_units = _known.units_of(outcome.is_known, self.strata, groups, n)
        values = outcome.of_units(rows, units)
        places = np.lexsort((values.order, of_units))
        self._values = values.of_units(places, np.arange(len(places)))
        self._place(rows, units, of_units, values.order)

    @cached_property
    def scores(self) -> Scores:
        return self._values.scores(self.of_units)

    def _improbable(self, carriers: BoolArray, members: Members) -> Callable[[Any], FloatArray]:
        standardised = self._standardised(members)
        return lambda orders: np.clip(2 * ndtr(-np.abs(standardised(orders))), SMALLEST, 1.0)

    def _comparable(
        self, observed: FloatArray, permuted: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Log-rank statistics of small groups have long tails: each is scaled by its own."""
        if not len(self.scores.spread):
            return observed, permuted
        sizes = -ndtri(np.vstack([observed, permuted]) / 2)
        tails_of_groups = np.maximum(np.quantile(sizes, TAIL, axis=0), TINY)
        scaled = np.clip(2 * ndtr(ndtri((1 - TAIL) / 2) * sizes / tails_of_groups), SMALLEST, 1.0)
        return scaled[0], scaled[1:]

    def _standardised(self, members: Members) -> Callable[[Any], FloatArray]:
        """A function of orders: sums of scores in standard deviations; 0 where nothing varies."""
        _, *at_risk = self.scores
        constant = None if len(at_risk[0]) else self._variances(members)

        def standardised(orders: Any) -> FloatArray:
            sums, variances = self._sums(orders, members)[:, :, 0], constant
            if variances is None:
                sizes = (members[:3], members.n_groups)
                variances = variances_in_orders(orders, self._ends, *sizes, *at_risk)
            varies = variances > TINY
            return np.where(varies, sums / np.sqrt(np.where(varies, variances, 1.0)), 0.0)

        return standardised

    def _variances(self, members: Members) -> FloatArray:
        """Variance of a sum of scores over all orders."""
        shares = self._shares(members)
        variances = np.zeros(members.n_groups)
        for own in np.split(np.arange(len(shares)), self._ends[:-1]):
            spread = shares[own] - shares[own].mean(axis=0)
            centred = self.scores.values[own] - self.scores.values[own].mean()
            variances += (spread**2).sum(axis=0) * np.sum(centred**2) / max(len(own) - 1, 1)
        return variances

    def _shares(self, members: Members) -> FloatArray:
        shares = np.zeros((len(self.of_units), members.n_groups))
        unit = np.repeat(np.arange(len(self.of_units)), np.diff(members.starts))
        shares[unit, members.groups] = members.shares
        return shares

    def statistics(self, carriers: BoolArray) -> FloatArray:
        """Standardised rank sums, or log-rank statistics, of the observed order."""
        order = np.arange(len(self.of_units), dtype=np.int32)[None]
        return np.asarray(self._standardised(self._members(carriers[self.rows]))(order)[0])

    def effects(self, carriers: BoolArray) -> list[Effect | None]:
        """Of units of which more than half of the rows are carriers."""
        inside = self._shares(self._members(carriers[self.rows])) > 0.5
        n_unknown = len(self.outcome) - len(self.rows)
        return [
            self._values.effect(own, self.of_units, float(z))._replace(n_unknown=n_unknown)
            for own, z in zip(inside.T, self.statistics(carriers), strict=True)
        ]


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


def question_of(y: Any, strata: Any = None, groups: Any = None) -> Question:
    """The question about classes, numbers or survival."""
    outcome = as_outcome(y)
    if outcome is not None:
        return OutcomeQuestion(outcome, strata, groups)
    if y is None:
        raise ValueError("y is None, but carriers are compared with classes; give y.")
    labels = column_or_1d(y)
    check_classification_targets(labels)
    classes, numbered = by_size(np.asarray(labels))  # names of classes have no part in the draws
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes.tolist()[0]!r}; two are needed.")
    return ClassQuestion(numbered, strata, groups)
