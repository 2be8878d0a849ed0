"""Kinds of groups: gains of columns for a group, in nats, and the axis made of such columns."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import norm, rankdata

from bicneuron._core._arrays import AnyArray, BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import axis_values, keep_largest, largest_normal_gains, normal_gains

# Variance that is left in a column of a coexpressed group when the row effect is known.
NOISE = 0.2
# A row of a coexpressed group is likelier inside it by this many nats.
CLEAR_ROW = 1.0
# Standardised values that differ by less are equal.
EQUAL = 1e-5
# A share of equal values from which on the spread of a column is not evidence.
TIED_SHARE = 0.1
# A share of equal values from which on a column counts as two-valued: that value, and others.
COMMON_SHARE = 0.5
# Rows far below an axis of squares count as this much below its median, in units of its largest
# value's distance from the median.
FLOOR = 0.5


class ColumnFit(NamedTuple):
    """Fit of each column to each group; all arrays have shape (n_groups, n_columns)."""

    order: Float32Array
    least: float
    linear: Float32Array
    squares: Float32Array | None
    n_rows: int | None

    @property
    def gains(self) -> FloatArray:
        """Log likelihood ratios, in nats."""
        if self.n_rows is None:
            return self.order.astype(np.float64)
        return shift_gains(self.order, self.n_rows)

    def best_columns(self, sizes: Sequence[int], fewest: int) -> Iterator[BoolArray]:
        """For each size the best columns, those that clear the least order, or at least a few."""
        n_columns = self.order.shape[1]
        places = [n_columns - min(size, n_columns) for size in (fewest, *sizes)]
        ranked = np.partition(self.order, sorted(set(places)), axis=1)
        least = np.minimum(ranked[:, places[0]], np.float32(self.least))[:, None]
        for place in places[1:]:
            yield self.order >= np.maximum(ranked[:, place][:, None], least)

    def axes(self, kept: BoolArray, Z: Float32Array) -> FloatArray:
        """Values of rows on the axes of the groups, made of the columns that are kept."""
        squares = np.empty((0, 0), np.float32) if self.squares is None else self.squares
        return axis_values(kept, self.linear, squares, Z)

    def of_columns(self, columns: IndexArray, Z: Float32Array) -> Float32Array:
        """Part of one column of each group in the values of rows."""
        which = columns[:, None]
        values = np.take_along_axis(self.linear, which, axis=1) * Z[:, columns].T
        if self.squares is not None:
            squares = np.take_along_axis(self.squares, which, axis=1)
            values = values + squares * np.square(Z[:, columns]).T
        return np.asarray(values)


class GroupKind(ABC):
    """A kind of group whose columns are judged one by one."""

    name: ClassVar[str]
    axis_sizes: ClassVar[tuple[int, ...]]
    max_share: ClassVar[float]
    degrees: ClassVar[int]
    # Nats by which a column on an axis may miss the cost of naming it.
    allowance: ClassVar[float]

    def __init__(self, scores: Float32Array, n_searched: int = 0) -> None:
        self._normal_scores = scores
        self._n_searched = n_searched  # columns among which those of a smaller table were found

    def least_gain(self, n_columns: int) -> float:
        """Gain above which a column is put on an axis; one nat more, and it is reported."""
        return float(np.log(max(n_columns, self._n_searched))) - self.allowance

    @abstractmethod
    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Fit each column to each group."""

    def best_gains(
        self, Z: Float32Array, groups: BoolArray, owners: IndexArray, count: int
    ) -> FloatArray:
        """Gains of the best columns, one column of each group left out."""
        squared = correlations(Z, groups)
        top = np.zeros((len(groups), count), np.float32)
        keep_largest(np.square(squared, out=squared), 0, owners, top, np.empty(top.shape, np.intp))
        return shift_gains(top.astype(np.float64), len(Z))

    def column_gains(self, Z: AnyArray, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Gains by which columns are chosen, and those that count, by normal scores, too."""
        gains = self.fit(Z, groups).gains
        return gains, np.minimum(gains, self.fit(self._normal_scores.astype(Z.dtype), groups).gains)

    def bounded(self, axes: FloatArray) -> FloatArray:
        """Values of rows on axes (the last dimension), without distances that are not evidence."""
        return axes


class Shift(GroupKind):
    """Groups whose means differ from those of the other rows."""

    name = "shift"
    # Few clear columns, or many weak ones.
    axis_sizes = (8, 30, 100, 500)
    max_share = 0.6
    degrees = 1
    allowance = 1.0

    def __init__(self, Z: Float32Array, scores: Float32Array, n_searched: int = 0) -> None:
        super().__init__(scores, n_searched)
        # Columns of which half of the values are equal, and 1 for their other values.
        ordered = np.sort(Z, axis=0)
        width = int(np.ceil(COMMON_SHARE * len(Z)))
        lengths = ordered[width - 1 :] - ordered[: len(Z) - width + 1]
        place = np.argmin(lengths, axis=0)[None]
        self.common = np.flatnonzero(np.take_along_axis(lengths, place, axis=0)[0] < EQUAL)
        value = np.take_along_axis(ordered, place, axis=0)[0, self.common]
        self.differs = (np.abs(Z[:, self.common] - value) > EQUAL).astype(np.float32)

    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Order r^2 and factor r, r the correlation of group and column."""
        correlation = correlations(Z, groups)
        n, n_columns = Z.shape
        least = -np.expm1(-2.0 * self.least_gain(n_columns) / n)
        return ColumnFit(np.square(correlation), least, correlation, None, n)

    def column_gains(self, Z: AnyArray, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Of a column with a common value at most those of how often rows differ from it."""
        gains, least = super().column_gains(Z, groups)
        inside = (groups.astype(np.float32) @ self.differs).astype(np.intp)
        totals = self.differs.sum(axis=0).astype(np.intp)
        sizes = groups.sum(axis=1, keepdims=True)
        by_rate = table_gains(inside, sizes, totals, groups.shape[1])
        gains[:, self.common] = np.minimum(gains[:, self.common], by_rate)
        return gains, np.minimum(gains, least)


class Tight(GroupKind):
    """Groups that have almost one value in columns that vary elsewhere."""

    name = "tight"
    axis_sizes = (8, 30)
    max_share = 0.45
    degrees = 2
    allowance = 0.0

    def __init__(self, Z: Float32Array, scores: Float32Array, n_searched: int = 0) -> None:
        super().__init__(scores, n_searched)
        self._tied = tied_columns(Z)

    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Log likelihood ratio of a normal density of the group and the standard one."""
        gains, linear, squares = normal_gains(*_sums(Z, groups), self._tied)
        return ColumnFit(gains, self.least_gain(Z.shape[1]), linear, squares, None)

    def best_gains(
        self, Z: Float32Array, groups: BoolArray, owners: IndexArray, count: int
    ) -> FloatArray:
        """Gains of the best columns; most of the others are not computed."""
        return largest_normal_gains(*_sums(Z, groups), self._tied, owners, count)

    def bounded(self, axes: FloatArray) -> FloatArray:
        """A row far from a group on one column is not further from it for being very far."""
        return bounded_below(axes)


class Coexpressed:
    """Groups whose columns rise and fall together."""

    name = "coexpressed"

    def correlations(self, block: Float32Array) -> FloatArray:
        """Correlation of each column of a group with the row effect of its other columns."""
        centred = block.astype(np.float64)
        centred -= centred.mean(axis=0)
        leading = np.linalg.svd(centred, full_matrices=False)[2][0]
        signs = np.where(leading * leading[np.argmax(np.abs(leading))] >= 0, 1.0, -1.0)
        others = (centred @ signs)[:, None] - centred * signs
        norms = np.sqrt(np.square(centred).sum(axis=0) * np.square(others).sum(axis=0))
        # Whatever the correlation, the sign is that of the row effect.
        sizes = np.abs(np.sum(centred * others, axis=0)) / np.where(norms > 0, norms, 1.0)
        return np.asarray(signs * sizes)


KINDS = (Shift.name, Tight.name, Coexpressed.name)


def ratio_factors(n_columns: int) -> tuple[float, float, float]:
    """Factors of the sum of squares and of the squared sum in a row's ratio, and its constant."""
    whole = NOISE + n_columns * (1 - NOISE)
    constant = -0.5 * ((n_columns - 1) * np.log(NOISE) + np.log(whole))
    return 0.5 * (1 - 1 / NOISE), 0.5 / n_columns * (1 / NOISE - 1 / whole), float(constant)


def row_ratios(signed: Float32Array) -> FloatArray:
    """Log likelihood ratio of a shared row effect for each row; columns are the last dimension."""
    square, common, constant = ratio_factors(signed.shape[-1])
    total = signed.sum(axis=-1)
    return np.asarray(square * np.square(signed).sum(axis=-1) + common * total**2 + constant)


def bounded_below(axes: FloatArray) -> FloatArray:
    """Values of axes; those far below the median of their axis are raised to a floor."""
    middle = np.median(axes, axis=-1, keepdims=True)
    top = axes.max(axis=-1, keepdims=True)
    return np.asarray(np.maximum(axes, middle - FLOOR * (top - middle)))


def shift_gains(squared: FloatArray | Float32Array, n_rows: int) -> FloatArray:
    """Log likelihood ratios of shifts with these squared correlations, in nats."""
    return np.asarray(-0.5 * n_rows * np.log(np.maximum(1 - squared, 0.02)), np.float64)


def normal_scores(Z: Float32Array) -> Float32Array:
    """The table with normal quantiles in the place of values, by their ranks in the column."""
    # Ranks of ties are halves: one quantile for each possible rank.
    n = len(Z)
    quantiles = norm.ppf((np.arange(1, 2 * n + 1) - 1) / (2 * n)).astype(np.float32)
    order = np.argsort(Z, axis=0)
    ordered = np.take_along_axis(Z, order, axis=0)
    scores = np.empty(Z.shape, np.float32)
    np.put_along_axis(scores, order, quantiles[1::2, None], axis=0)
    is_tied = (ordered[1:] == ordered[:-1]).any(axis=0)
    twice = np.rint(2 * rankdata(Z[:, is_tied], axis=0)).astype(np.intp)
    scores[:, is_tied] = quantiles[twice - 1]
    return scores


def tied_columns(Z: AnyArray) -> BoolArray:
    """True for columns with so many equal values that their spread is not evidence."""
    gap = max(3, int(TIED_SHARE * len(Z)))
    ordered = np.sort(Z, axis=0)
    return np.asarray(np.any(ordered[gap:] - ordered[:-gap] < EQUAL, axis=0))


def _sums(Z: AnyArray, groups: BoolArray) -> tuple[Float32Array, Float32Array, Float32Array]:
    members = groups.astype(Z.dtype)
    sums, squares = (np.asarray(members @ one, np.float32) for one in (Z, np.square(Z)))
    return sums, squares, members.sum(axis=1, dtype=np.float32)


def correlations(Z: AnyArray, groups: BoolArray) -> Float32Array:
    """Correlation of the indicator of each group with each column; 0 for constant columns."""
    n = len(Z)
    members = groups.astype(Z.dtype)
    sizes = members.sum(axis=1, keepdims=True)
    sums = Z.sum(axis=0)
    spread = np.maximum(np.square(Z).sum(axis=0) - sums**2 / n, np.float32(1e-3))
    scale = np.sqrt(np.maximum(sizes * (1 - sizes / n), np.float32(1e-3)))
    correlation = ((members - sizes / n) / scale) @ Z
    correlation /= np.sqrt(spread)
    return np.asarray(np.clip(correlation, -0.99, 0.99, out=correlation), np.float32)


def log_rates(successes: AnyArray, trials: AnyArray | int) -> FloatArray:
    """Log likelihood of numbers of successes at their own rates; at most 0."""
    failures = trials - successes
    of_both = xlogy(successes, successes) + xlogy(failures, failures)
    return np.asarray(of_both - xlogy(trials, trials))


def rate_gains(
    inside: AnyArray, n_inside: AnyArray | int, outside: AnyArray, n_outside: AnyArray | int
) -> FloatArray:
    """Log likelihood ratio of two rates, one inside and one outside, and a single one."""
    apart = log_rates(inside, n_inside) + log_rates(outside, n_outside)
    return apart - log_rates(inside + outside, n_inside + n_outside)


def table_gains(inside: IndexArray, sizes: IndexArray, totals: IndexArray, n: int) -> FloatArray:
    """`rate_gains` of many groups and columns at once: each logarithm is computed once."""
    numbers = np.arange(n + 1)
    products = xlogy(numbers, numbers)
    gains: FloatArray = products[inside]
    gains += products[sizes - inside]
    gains += products[totals - inside]
    gains += products[n - sizes - totals + inside]
    gains -= products[sizes] + products[n - sizes]
    gains -= products[totals] + products[n - totals] - products[n]
    return gains


def class_information(in_class: BoolArray, groups: BoolArray) -> FloatArray:
    """Log likelihood ratio of different rates of a group inside and outside the class."""
    n, n_class = len(in_class), int(in_class.sum())
    inside = groups[:, in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    information = rate_gains(inside, n_class, outside, n - n_class)
    is_more_common = inside * (n - n_class) >= outside * n_class
    return np.where(is_more_common, information, -information)


def log_choices(n: int, k: AnyArray | int) -> FloatArray:
    """Logarithm of the number of ways to choose k of n: the cost of naming them."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
