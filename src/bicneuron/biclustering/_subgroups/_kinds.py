"""Kinds of groups: the gain of a column for a group of rows, and the axis made of such columns."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.stats import norm, rankdata

from bicneuron._core._arrays import AnyArray, BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import axis_values, largest_normal_gains, largest_values, normal_gains
from bicneuron.biclustering._subgroups._rates import table_gains

# Variance that is left in a column of a coexpressed group when the row effect is known.
NOISE = 0.2
# Standardised values that differ by less are equal.
EQUAL = 1e-5
# A share of equal values from which on the spread of a column is not evidence.
TIED_SHARE = 0.1
# A share of equal values from which on a column counts as two-valued: that value, and others.
COMMON_SHARE = 0.5
# Rows far below an axis of squares count as this much below its median, in units of its largest
# value's distance from the median: their distance says nothing about the group.
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
        values: Float32Array = np.take_along_axis(self.linear, which, axis=1) * Z[:, columns].T
        if self.squares is not None:
            squares = np.take_along_axis(self.squares, which, axis=1)
            values = values + squares * np.square(Z[:, columns]).T
        return values


class GroupKind(ABC):
    """A kind of group whose columns are judged one by one."""

    name: ClassVar[str]
    axis_sizes: ClassVar[tuple[int, ...]]
    max_share: ClassVar[float]
    degrees: ClassVar[int]

    @abstractmethod
    def least_gain(self, n_columns: int) -> float:
        """Gain above which a column is put on an axis; one nat more, and it is reported."""

    @abstractmethod
    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Fit each column to each group."""

    @abstractmethod
    def best_gains(
        self, Z: Float32Array, groups: BoolArray, owners: IndexArray, count: int
    ) -> FloatArray:
        """Gains of the best columns, one column of each group left out."""

    def column_gains(self, Z: AnyArray, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Gains by which columns are chosen, and those that count as evidence, which are less."""
        gains = self.fit(Z, groups).gains
        return gains, gains

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

    def __init__(self, Z: Float32Array, scores: Float32Array) -> None:
        self._normal_scores = scores
        self.common, self.differs = _common_values(Z)

    def least_gain(self, n_columns: int) -> float:
        """The cost of naming the column, less one nat."""
        return float(np.log(n_columns)) - 1.0

    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Order r^2 and factor r, r the correlation of group and column."""
        correlation = correlations(Z, groups)
        n, n_columns = Z.shape
        least = -np.expm1(-2.0 * self.least_gain(n_columns) / n)
        return ColumnFit(np.square(correlation), least, correlation, None, n)

    def best_gains(
        self, Z: Float32Array, groups: BoolArray, owners: IndexArray, count: int
    ) -> FloatArray:
        """From the largest squared correlations."""
        squares = np.square(correlations(Z, groups))
        return shift_gains(largest_values(squares, owners, count), len(Z))

    def column_gains(self, Z: AnyArray, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
        """By values, and by normal scores: few rows far out in skewed columns are not evidence."""
        gains = self.fit(Z, groups).gains
        gains[:, self.common] = np.minimum(gains[:, self.common], self._rate_gains(groups))
        return gains, np.minimum(gains, self.fit(self._normal_scores.astype(Z.dtype), groups).gains)

    def _rate_gains(self, groups: BoolArray) -> FloatArray:
        inside = (groups.astype(np.float32) @ self.differs).astype(np.intp)
        totals = self.differs.sum(axis=0).astype(np.intp)
        return table_gains(inside, groups.sum(axis=1, keepdims=True), totals, groups.shape[1])


class Tight(GroupKind):
    """Groups that have almost one value in columns that vary elsewhere."""

    name = "tight"
    axis_sizes = (8, 30)
    max_share = 0.45
    degrees = 2

    def __init__(self, Z: Float32Array, scores: Float32Array) -> None:
        self._normal_scores = scores
        gap = max(3, int(TIED_SHARE * len(Z)))
        ordered = np.sort(Z, axis=0)
        self._tied: BoolArray = np.any(ordered[gap:] - ordered[:-gap] < EQUAL, axis=0)

    def least_gain(self, n_columns: int) -> float:
        """The cost of naming the column."""
        return float(np.log(n_columns))

    def fit(self, Z: AnyArray, groups: BoolArray) -> ColumnFit:
        """Log likelihood ratio of a normal density of the group and the standard one."""
        gains, linear, squares = normal_gains(*_sums(Z, groups), self._tied)
        return ColumnFit(gains, self.least_gain(Z.shape[1]), linear, squares, None)

    def best_gains(
        self, Z: Float32Array, groups: BoolArray, owners: IndexArray, count: int
    ) -> FloatArray:
        """From the largest likelihood ratios."""
        return largest_normal_gains(*_sums(Z, groups), self._tied, owners, count)

    def column_gains(self, Z: AnyArray, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
        """By values, and by normal scores: where many rows are close to each other, few are not."""
        gains = self.fit(Z, groups).gains
        return gains, np.minimum(gains, self.fit(self._normal_scores.astype(Z.dtype), groups).gains)

    def bounded(self, axes: FloatArray) -> FloatArray:
        """A row far from a group on one column is not further from it for being very far."""
        return bounded_below(axes)


class Coexpressed:
    """Groups whose columns rise and fall together."""

    name = "coexpressed"

    def factors(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Factors of the columns, of their squares and of the sum whose square counts."""
        square, common, _ = ratio_factors(len(weights))
        signs = np.where(weights >= 0, 1.0, -1.0)
        return np.zeros(len(weights)), np.full(len(weights), square), np.sqrt(common) * signs

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

    def bounded(self, axes: FloatArray) -> FloatArray:
        """A row far from a group is not further from it for being very far."""
        return bounded_below(axes)


KINDS = (Shift.name, Tight.name, Coexpressed.name)


def ratio_factors(n_columns: int) -> tuple[float, float, float]:
    """Factors of the sum of squares and of the squared sum in a row's ratio, and its constant."""
    whole = NOISE + n_columns * (1 - NOISE)
    constant = -0.5 * ((n_columns - 1) * np.log(NOISE) + np.log(whole))
    return 0.5 * (1 - 1 / NOISE), 0.5 / n_columns * (1 / NOISE - 1 / whole), float(constant)


def row_ratios(signed: Float32Array) -> FloatArray:
    """Log likelihood ratio of a shared row effect for each row; columns are the last dimension."""
    square, common, constant = ratio_factors(signed.shape[-1])
    ratios: FloatArray = (
        square * np.square(signed).sum(axis=-1) + common * signed.sum(axis=-1) ** 2 + constant
    )
    return ratios


def bounded_below(axes: FloatArray) -> FloatArray:
    """Values of axes; those far below the median of their axis are raised to a floor."""
    middle = np.median(axes, axis=-1, keepdims=True)
    top = axes.max(axis=-1, keepdims=True)
    values: FloatArray = np.maximum(axes, middle - FLOOR * (top - middle))
    return values


def shift_gains(squared: FloatArray | Float32Array, n_rows: int) -> FloatArray:
    """Log likelihood ratios of shifts with these squared correlations, in nats."""
    return np.asarray(-0.5 * n_rows * np.log(np.maximum(1 - squared, 0.02)), np.float64)


def normal_scores(Z: Float32Array) -> Float32Array:
    """The table with normal quantiles in the place of values, by their ranks in the column."""
    # Ranks of ties are halves: one quantile for each possible rank.
    n = len(Z)
    quantiles = norm.ppf((np.arange(1, 2 * n + 1) - 1) / (2 * n)).astype(np.float32)
    twice = np.rint(2 * rankdata(Z, axis=0)).astype(np.intp)
    scores: Float32Array = quantiles[twice - 1]
    return scores


def _common_values(Z: Float32Array) -> tuple[IndexArray, Float32Array]:
    """Columns of which half of the values are equal, and 1 for their other values."""
    ordered = np.sort(Z, axis=0)
    width = int(np.ceil(COMMON_SHARE * len(Z)))
    lengths = ordered[width - 1 :] - ordered[: len(Z) - width + 1]
    place = np.argmin(lengths, axis=0)[None]
    columns = np.flatnonzero(np.take_along_axis(lengths, place, axis=0)[0] < EQUAL)
    value = np.take_along_axis(ordered, place, axis=0)[0, columns]
    return columns, (np.abs(Z[:, columns] - value) > EQUAL).astype(np.float32)


def _sums(Z: AnyArray, groups: BoolArray) -> tuple[Float32Array, Float32Array, Float32Array]:
    """Sums of the values of groups and of their squares, and sizes."""
    members = groups.astype(Z.dtype)
    return (
        (members @ Z).astype(np.float32, copy=False),
        (members @ np.square(Z)).astype(np.float32, copy=False),
        members.sum(axis=1, dtype=np.float32),
    )


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
    clipped: Float32Array = np.clip(correlation, -0.99, 0.99).astype(np.float32, copy=False)
    return clipped
