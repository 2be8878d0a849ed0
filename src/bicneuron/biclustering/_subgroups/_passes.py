"""Columns of groups of a large table: sums over all of its rows, in one pass."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._splits import normal_gains
from bicneuron._shared._scaling import DECIMALS, Columns
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._blocks import CELLS_AT_ONCE, BlockTable, column_blocks
from bicneuron.biclustering._subgroups._strength import MAX_COLUMNS
from bicneuron.biclustering._subgroups._table import Background

# Columns of a group that are kept, the best of all, and columns of a block of some rows.
CANDIDATES, WIDTH = 2 * MAX_COLUMNS, 4096


class Chosen(NamedTuple):
    """Best columns of a group, the best first, and their factors on its axis."""

    columns: IndexArray
    gains: FloatArray
    linear: FloatArray
    squares: FloatArray

    def take(self, places: Columns) -> "Chosen":
        """Some of the columns."""
        return Chosen._make(one[places] for one in self)


class Residuals:
    """A table without a background, with columns of deviation 1, in blocks."""

    def __init__(self, table: BlockTable, rows: IndexArray, scores: FloatArray) -> None:
        self.table, self.scores = table, scores
        n_columns = table.shape[1]
        effects, deviation = np.empty((scores.shape[1], n_columns)), np.ones(n_columns)
        known = scores[rows]
        inverse = np.linalg.pinv(known)
        for columns in column_blocks((len(rows), n_columns)) if len(effects) else ():
            Z = table.standard(rows, columns)
            effects[:, columns] = inverse @ Z
            deviation[columns] = (Z - known @ effects[:, columns]).std(axis=0)
        self.background = Background(effects, np.where(deviation > 1e-3, deviation, 1.0))

    def _less(self, Z: FloatArray, rows: Columns, columns: Columns) -> FloatArray:
        effects, deviation = self.background
        if not len(effects):
            return Z
        return np.asarray((Z - self.scores[rows] @ effects[:, columns]) / deviation[columns])

    def by_rows(self, columns: Columns) -> Iterator[tuple[slice, FloatArray]]:
        """Some columns, a few rows at a time."""
        for rows, Z in self.table.by_rows(columns):
            yield rows, self._less(Z, rows, columns)

    def of(self, rows: IndexArray, columns: Columns) -> FloatArray:
        """Some rows and columns."""
        return self._less(self.table.standard(rows, columns), rows, columns)

    def best_columns(
        self, groups: BoolArray, is_own: BoolArray, rows: IndexArray, tight: bool
    ) -> list[Chosen]:
        """The best columns of each group among some; few values are told by some of the rows."""
        n_rows, n_columns = self.table.shape
        best = [Chosen(np.empty(0, np.intp), *np.empty((3, 0)))] * len(groups)
        for some in slices(n_columns, max(WIDTH, CELLS_AT_ONCE // n_rows)):
            columns = np.arange(n_columns)[some][is_own[some]]
            if not len(columns):
                continue
            fit = self._tight(groups, columns, rows) if tight else self.shift(groups, columns)
            for k, (order, linear, squares) in enumerate(zip(*fit, strict=True)):
                least = best[k].gains[-1] if len(best[k].gains) == CANDIDATES else 0.0
                high = np.flatnonzero(order > least)
                if len(high) > CANDIDATES:
                    place = len(high) - CANDIDATES
                    high = high[order[high] >= np.partition(order[high], place)[place]]
                own = Chosen(columns[high], order[high], linear[high], squares[high])
                both = Chosen(*(np.concatenate(p) for p in zip(best[k], own, strict=True)))
                best[k] = both.take(np.argsort(-both.gains, kind="stable")[:CANDIDATES])
        if tight:
            return best
        return [one._replace(gains=_kinds.shift_gains(one.gains, n_rows)) for one in best]

    def shift(
        self, groups: BoolArray, columns: IndexArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Squared correlations of columns with shifted groups, and factors."""
        n_rows, sizes = groups.shape[1], groups.sum(axis=1, keepdims=True)
        sums, n_different = np.zeros((2, len(groups), len(columns)))
        total, square, different = np.zeros((3, len(columns)))
        robust, common = self.table.robust.take(columns), np.empty(0, np.intp)
        middle = np.round(-robust.shift / robust.scale, DECIMALS)  # the score of the median
        has_values = not len(self.background.components) and self.table.aside is None
        for rows, Z in self.by_rows(columns):
            members = groups[:, rows].astype(np.float64)
            sums += members @ Z
            total += Z.sum(axis=0)
            square += np.square(Z).sum(axis=0)
            if has_values:
                differs = np.abs(Z - middle) > _kinds.EQUAL
                different += differs.sum(axis=0)
                common = np.flatnonzero(different <= (1 - _kinds.COMMON_SHARE) * n_rows)
                n_different[:, common] += members @ differs[:, common]
        spread = np.maximum(square - total**2 / n_rows, 1e-3)
        scale = np.sqrt(np.maximum(sizes * (1 - sizes / n_rows), 1e-3))
        sums -= sizes / n_rows * total
        sums /= scale * np.sqrt(spread)
        correlation = np.clip(sums, -0.99, 0.99, out=sums)
        squared = np.square(correlation)
        # As in `Shift.column_gains`: the correlation that would have the gain of the rates.
        inside, totals = n_different[:, common].astype(np.intp), different[common].astype(np.intp)
        by_rate = _kinds.table_gains(inside, sizes, totals, n_rows)
        squared[:, common] = np.minimum(squared[:, common], -np.expm1(-2 * by_rate / n_rows))
        return squared, correlation, np.broadcast_to(0.0, squared.shape)

    def _tight(
        self, groups: BoolArray, columns: IndexArray, some: IndexArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gains of columns for tight groups, and factors."""
        sums, squares = np.zeros((2, len(groups), len(columns)))
        for rows, Z in self.by_rows(columns):
            members = groups[:, rows].astype(np.float64)
            sums += members @ Z
            squares += members @ np.square(Z)
        gains, linear, factors = normal_gains(
            sums.astype(np.float32),
            squares.astype(np.float32),
            groups.sum(axis=1, dtype=np.float32),
            _kinds.tied_columns(self.of(some, columns)),
        )
        return gains.astype(np.float64), linear.astype(np.float64), factors.astype(np.float64)
