"""An order of rows and columns by ranks, which neither units nor the last bits of values change."""

from functools import cmp_to_key

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray

# Values of a column are equal if they differ by less than this share of its range, or by less than
# this share of its largest magnitude.
TIED_RANGE, TIED_SIZE = 1e-9, 1e-12
SAME_VALUE = 1e-9  # scaled values that differ by less do not tell two columns apart
VALUES_AT_ONCE = 2**22  # are ranked, which bounds the memory
ROUNDS = 3  # in which rows and columns are told apart by each other


def tied_ranks(X: FloatArray) -> AnyArray:
    """Ranks of values within their columns: 1, 2, ... without gaps, 0 for missing values."""
    ranks = np.empty(X.shape, np.int32)
    width = max(1, VALUES_AT_ONCE // max(len(X), 1))
    for first in range(0, X.shape[1], width):
        some = np.asarray(X[:, first : first + width], np.float64)
        order = np.argsort(some, axis=0)  # missing values last; the order of equal ones is all one
        values = np.take_along_axis(some, order, axis=0)
        last = np.maximum(np.sum(~np.isnan(values), axis=0, keepdims=True) - 1, 0)
        low, high = values[:1], np.take_along_axis(values, last, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # huge values; no value at all
            size = np.maximum(np.abs(low), np.abs(high))
            gap = np.maximum(TIED_RANGE * high - TIED_RANGE * low, TIED_SIZE * size)
            steps = np.ones(some.shape, np.int32)
            steps[1:] = np.diff(values, axis=0) > gap
        placed = np.where(np.isnan(values), 0, np.cumsum(steps, axis=0))
        np.put_along_axis(ranks[:, first : first + width], order, placed, axis=0)
    return ranks


def mirrored(ranks: AnyArray) -> AnyArray:
    """The ranks of columns with the opposite sign."""
    return np.where(ranks > 0, ranks.max(axis=0, initial=0) + 1 - ranks, 0)


def content_order(ranks: AnyArray, values: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Rows and columns of a table in an order that depends on their content alone."""
    turned = mirrored(ranks)
    rows = np.zeros(len(ranks), np.uint64)
    columns = np.zeros(ranks.shape[1], np.uint64)
    for _ in range(ROUNDS):
        up, down = (_hashed(side, rows[:, None]).sum(axis=0) for side in (ranks, turned))
        columns, own = _by_rows(up, down, ranks, turned)
        rows = _hashed(own, columns).sum(axis=1)
    by_row = np.argsort(rows, kind="stable")
    by_column = np.argsort(columns, kind="stable")
    equal = np.split(by_column, np.flatnonzero(np.diff(columns[by_column])) + 1)
    ordered = [_by_values(values, by_row, some) if len(some) > 1 else some for some in equal]
    return by_row, np.concatenate(ordered)


def content_keys(ranks: AnyArray) -> tuple[AnyArray, AnyArray]:
    """What some columns add to hashes of rows by content, and a hash of each, whatever its sign."""
    sides = [side.astype(np.uint64) for side in (ranks, mirrored(ranks))]
    columns, own = _by_rows(*(np.sum(side * side * side, axis=0) for side in sides), *sides)
    places = _hashed(np.arange(len(ranks)), np.zeros(1, np.uint64))
    return _hashed(own, columns).sum(axis=1), np.minimum(*(places @ side for side in sides))


def _by_rows(
    up: AnyArray, down: AnyArray, ranks: AnyArray, turned: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """A hash of each column, and its ranks in the direction that hashes less."""
    low, high = np.minimum(ranks, turned), np.maximum(ranks, turned)
    folded = low.astype(np.int64) * (len(ranks) + 1) + high
    own = np.where(up == down, folded, np.where(up < down, ranks, turned))
    return _hashed(np.minimum(up, down), np.maximum(up, down)), own


def _hashed(values: AnyArray, others: AnyArray) -> AnyArray:
    """A hash of each pair of integers (the finaliser of SplitMix64)."""
    mixed = values.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + others
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _by_values(values: FloatArray, rows: IndexArray, columns: IndexArray) -> IndexArray:
    """Columns of equal ranks in the order of the first row in which they differ."""
    block = values[np.ix_(rows, columns)]

    def compared(a: int, b: int) -> int:
        differences = block[:, a] - block[:, b]
        apart = differences[np.abs(differences) > SAME_VALUE]
        return int(np.sign(apart[0])) if len(apart) else 0

    return columns[sorted(range(len(columns)), key=cmp_to_key(compared))]
