"""Groups found in a part of a large table, on all of its rows and columns.

In turn, the best split of all rows on the axis of a group gives its rows, and its rows give its
columns, until the rows stay the same. A step is one pass over the table in blocks. Where there are
many rows, a column is reported if its gain also pays for its own parameters (BIC).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._splits import best_splits, normal_gains
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._blocks import (
    CELLS_AT_ONCE,
    BlockTable,
    Learnt,
    column_blocks,
)
from bicneuron.biclustering._subgroups._list import (
    are_same,
    axis_factors,
    correlation_weights,
    fewest_rows,
    largest_first,
    rank,
)
from bicneuron.biclustering._subgroups._part import Part
from bicneuron.biclustering._subgroups._search import size_limits
from bicneuron.biclustering._subgroups._strength import (
    FEW_MEMBERS,
    LEAST_STRENGTH,
    MAX_COLUMNS,
    MIN_COLUMNS,
    STRONG,
    AxisFactors,
    Labelled,
    Origin,
    ScoredGroup,
    belongs_to_class,
    held_out_gains,
    known_rates,
    naming_cost,
)
from bicneuron.biclustering._subgroups._table import (
    MOST_ROWS,
    SAME_COLUMN,
    Background,
    CanonicalOrder,
    SearchTask,
)

# Columns that a group may be given on an axis, the best of all.
CANDIDATES = 2 * MAX_COLUMNS
# Rows that strengths are measured on, at most, and cells of tables made for that.
JUDGED_ROWS, JUDGED_CELLS = 2**14, 2**24
MAX_SWEEPS = 4
WIDTH = 4096  # columns of a block of some rows


class Chosen(NamedTuple):
    """Best columns of a group, the best first, and their factors on its axis."""

    columns: IndexArray
    gains: FloatArray
    linear: FloatArray
    squares: FloatArray

    def best(self, count: int) -> "Chosen":
        """The first columns."""
        return Chosen(*(values[:count] for values in self))

    def joined(self, other: "Chosen") -> "Chosen":
        """The best columns of both."""
        both = [np.concatenate(pair) for pair in zip(self, other, strict=True)]
        order = np.argsort(-both[1], kind="stable")[:CANDIDATES]
        return Chosen(*(values[order] for values in both))


NOTHING = Chosen(np.empty(0, np.intp), *np.empty((3, 0)))


class Residuals:
    """The table without a background, with columns of deviation 1, in blocks."""

    def __init__(self, table: BlockTable, rows: Any, scores: FloatArray) -> None:
        self.table, self.scores = table, scores
        n_columns = table.shape[1]
        effects, deviation = np.empty((scores.shape[1], n_columns)), np.ones(n_columns)
        known = scores[rows]
        inverse = np.linalg.pinv(known)
        for columns in column_blocks((len(known), n_columns)) if len(effects) else ():
            Z = table.standard(rows, columns)
            effects[:, columns] = inverse @ Z
            deviation[columns] = (Z - known @ effects[:, columns]).std(axis=0)
        self.background = Background(effects, np.where(deviation > 1e-3, deviation, 1.0))

    def blocks(self, columns: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Some columns, a few rows at a time."""
        effects, deviation = (values[..., columns] for values in self.background)
        for rows, Z in self.table.by_rows(columns):
            yield rows, (Z - self.scores[rows] @ effects) / deviation

    def of(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Some rows and columns."""
        effects, deviation = (values[..., columns] for values in self.background)
        return (self.table.standard(rows, columns) - self.scores[rows] @ effects) / deviation


class WholeTable:
    """All rows and columns of a table of which a part was searched."""

    def __init__(
        self,
        table: BlockTable,
        learnt: Learnt,
        part: Part,
        places: IndexArray,
        removed: list[Background],
        scores: FloatArray,
    ) -> None:
        self._table, self._places = table, places
        self._rows = np.arange(table.shape[0])[part.rows]
        self._first = self._first_copies(learnt.columns)
        self._is_copy = self._first != np.arange(table.shape[1])
        by_key = np.argsort(learnt.rows, kind="stable")
        self._judged = np.sort(by_key[:JUDGED_ROWS])
        self._removed, self._scores = removed, scores
        n_rows, n_columns = table.shape
        self._n_own = n_columns - int(self._is_copy.sum())
        self._for_parameter = 0.5 * np.log(n_rows) if n_rows > MOST_ROWS else 0.0

    def groups(
        self, found: list[Labelled], in_class: Mapping[Any, BoolArray], order: CanonicalOrder
    ) -> list[tuple[Any, ScoredGroup, Background, CanonicalOrder]]:
        """Groups on the whole table, strongest first, as `subgroup_of` takes them."""
        scored: list[tuple[Any, ScoredGroup]] = []
        backgrounds: dict[int, Background] = {}
        for place, background in enumerate(self._removed):
            own = [one for one in found if one[1].origin.background == place]
            if own:
                scores = self._scores[:, : len(background.components)]
                residuals = Residuals(self._table, self._rows, scores)
                backgrounds[place] = residuals.background
                for name in _kinds.KINDS:
                    alike = [one for one in own if one[1].origin.kind.name == name]
                    if alike and name == _kinds.Coexpressed.name:
                        scored += self._coexpressed(alike, in_class, order)
                    elif alike:
                        scored += self._refined(alike, residuals, in_class)
        listed: list[tuple[Any, ScoredGroup]] = []
        for label, group in largest_first(
            scored, lambda one: rank(one[1]), lambda one: fewest_rows(one[1])
        ):
            if not any(k == label and are_same(group.rows, one.rows) for k, one in listed):
                listed.append((label, group))
        return [
            (label, *self._described(group, backgrounds[group.origin.background]))
            for label, group in listed
        ]

    def _first_copies(self, keys: AnyArray) -> IndexArray:
        """The first column of those with the same content: only that one counts."""
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        firsts = first[places]
        for columns in slices(len(firsts), WIDTH):
            others = np.arange(len(firsts))[columns]
            others = others[firsts[others] != others]
            own, of_first = (
                self._table.standard(self._rows, these) for these in (others, firsts[others])
            )
            apart = np.minimum(np.abs(own - of_first), np.abs(own + of_first)).max(
                axis=0, initial=0
            )
            differ = others[apart >= SAME_COLUMN]  # the same ranks, but other values
            firsts[differ] = differ
        return firsts

    def _task(
        self, label: Any, group: ScoredGroup, in_class: Mapping[Any, BoolArray]
    ) -> SearchTask:
        """The task of a group for all rows, of which it needs no table."""
        n_rows = self._table.shape[0]
        is_searched = label in in_class and group.origin.task.labelled
        mask = in_class[label] if is_searched else np.ones(n_rows, dtype=bool)
        limits = size_limits(mask, int(mask.sum()))
        assert limits is not None  # the part of the class had groups
        return SearchTask(np.empty((n_rows, 0), np.float32), mask, is_searched, *limits)

    def _refined(
        self, found: list[Labelled], residuals: Residuals, in_class: Mapping[Any, BoolArray]
    ) -> list[Labelled]:
        """Alternate between all rows and all columns, and score what is left."""
        tasks = [self._task(label, group, in_class) for label, group in found]
        chosen = []
        for _, group in found:
            factors = axis_factors(group)
            columns = self._places[group.columns]
            all_count = np.full(len(columns), np.inf)
            chosen.append(Chosen(columns, all_count, factors.linear, factors.squares))
        tight = found[0][1].origin.kind.name == _kinds.Tight.name
        carriers = np.zeros((len(found), self._table.shape[0]), dtype=bool)
        moving = np.arange(len(found))
        for _ in range(MAX_SWEEPS):
            axes = self._axes([chosen[k] for k in moving], residuals, tight)
            after = carriers[moving]
            for own, k, axis in zip(after, moving.tolist(), axes, strict=True):
                task = tasks[k]
                own[:] = best_splits(
                    axis[None], task.in_class, task.labelled, task.fewest, task.most
                )[0][0]
            has_moved = (after != carriers[moving]).any(axis=1)
            moving = moving[has_moved]
            carriers[moving] = after[has_moved]
            if not len(moving):
                break
            for k, best in zip(moving, self._best(residuals, carriers[moving], tight), strict=True):
                chosen[k] = best
        return self._scored(found, tasks, chosen, carriers, residuals, in_class)

    def _axes(self, chosen: list[Chosen], residuals: Residuals, tight: bool) -> FloatArray:
        """Values of all rows on axes of the columns that clear the cost, shape (groups, rows)."""
        chosen = [self._reported(one, tight) for one in chosen]
        columns = np.unique(np.concatenate([one.columns for one in chosen]))
        linear, squares = np.zeros((2, len(columns), len(chosen)))
        for k, one in enumerate(chosen):
            places = np.searchsorted(columns, one.columns)
            linear[places, k], squares[places, k] = one.linear, one.squares
        axes = np.empty((len(chosen), self._table.shape[0]))
        for rows, Z in residuals.blocks(columns):
            axes[:, rows] = (Z @ linear).T
            if tight:
                axes[:, rows] += (np.square(Z) @ squares).T
        return _kinds.bounded_below(axes) if tight else axes

    def _reported(self, one: Chosen, tight: bool) -> Chosen:
        """The columns whose gain pays for naming them, but not fewer than a few."""
        count = int(np.sum(one.gains > self._least_gain(tight) + 1.0))
        return one.best(min(max(count, MIN_COLUMNS), MAX_COLUMNS))

    def _least_gain(self, tight: bool) -> float:
        kind = _kinds.Tight if tight else _kinds.Shift
        gain = float(np.log(self._n_own)) - kind.allowance
        return gain + kind.degrees * self._for_parameter

    def _best(self, residuals: Residuals, groups: BoolArray, tight: bool) -> list[Chosen]:
        """The best columns of each group, in one pass."""
        best = [NOTHING] * len(groups)
        n_rows, n_columns = self._table.shape
        width = max(WIDTH, CELLS_AT_ONCE // n_rows)
        for first in range(0, n_columns, width):
            columns = np.arange(first, min(first + width, n_columns))
            columns = columns[~self._is_copy[columns]]
            if not len(columns):
                continue
            gains, linear, squares = self._fit(residuals, groups, columns, tight)
            for k, own in enumerate(gains):
                places = np.argsort(-own, kind="stable")[:CANDIDATES]
                some = Chosen(columns[places], own[places], linear[k, places], squares[k, places])
                best[k] = best[k].joined(some)
        return best

    def _fit(
        self, residuals: Residuals, groups: BoolArray, columns: IndexArray, tight: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gains of columns for groups, and factors, from sums over all rows."""
        n_rows, sizes = groups.shape[1], groups.sum(axis=1, keepdims=True)
        sums, squares, n_different = np.zeros((3, len(groups), len(columns)))
        total, square, different = np.zeros((3, len(columns)))
        robust = residuals.table.robust.take(columns)
        middle = np.round(-robust.shift / robust.scale, 5) + 0.0  # the score of the median
        has_values = not len(residuals.background.components) and residuals.table.aside is None
        for rows, Z in residuals.blocks(columns):
            members = groups[:, rows].astype(np.float64)
            sums += members @ Z
            if tight:
                squares += members @ np.square(Z)
                continue
            total += Z.sum(axis=0)
            square += np.square(Z).sum(axis=0)
            if has_values:
                differs = np.abs(Z - middle) > _kinds.EQUAL
                different += differs.sum(axis=0)
                common = np.flatnonzero(different <= (1 - _kinds.COMMON_SHARE) * n_rows)
                n_different[:, common] += members @ differs[:, common]
        if tight:
            tied = _kinds.tied_columns(residuals.of(self._rows, columns))
            single = (values.astype(np.float32) for values in (sums, squares, sizes[:, 0]))
            return tuple(one.astype(np.float64) for one in normal_gains(*single, tied))
        spread = np.maximum(square - total**2 / n_rows, 1e-3)
        scale = np.sqrt(np.maximum(sizes * (1 - sizes / n_rows), 1e-3))
        correlation = (sums - sizes / n_rows * total) / (scale * np.sqrt(spread))
        correlation = np.clip(correlation, -0.99, 0.99)
        gains = _kinds.shift_gains(np.square(correlation), n_rows)
        if has_values and len(common):
            counts = n_different[:, common].astype(np.intp), different[common].astype(np.intp)
            by_rate = _kinds.table_gains(counts[0], sizes, counts[1], n_rows)
            gains[:, common] = np.minimum(gains[:, common], by_rate)
        return gains, correlation, np.zeros_like(gains)

    def _scored(
        self,
        found: list[Labelled],
        tasks: list[SearchTask],
        chosen: list[Chosen],
        carriers: BoolArray,
        residuals: Residuals,
        in_class: Mapping[Any, BoolArray],
    ) -> list[Labelled]:
        """Groups with their strength, measured on some of the rows."""
        scored: list[Labelled] = []
        for (label, group), task, one, own in zip(found, tasks, chosen, carriers, strict=True):
            kind = group.origin.kind
            tight = kind.name == _kinds.Tight.name
            is_wide = np.sum(own & task.in_class) > kind.max_share * task.in_class.sum()
            if is_wide or not belongs_to_class(task, own[None])[0]:
                continue
            reported = self._reported(one, tight)
            some = one.best(max(JUDGED_CELLS // len(self._judged), MAX_COLUMNS))
            Z = residuals.of(self._judged, some.columns).astype(np.float32)
            judged, scale = own[self._judged][None], len(own) / len(self._judged)
            scores = _kinds.normal_scores(Z[:, : len(reported.columns)])
            split = held_out_gains(
                type(kind)(Z, scores, self._n_own), Z, judged, task.in_class[self._judged]
            )[0]
            split = split * scale + known_rates(task, own[None])[0]
            block = Z[:, : len(reported.columns)].astype(np.float64)
            by_rank = type(kind)(block, scores).column_gains(block, judged)[1][0]
            least = np.minimum(reported.gains, by_rank * scale)
            surplus = float(np.sum(least - self._least_gain(tight)))
            strength = min(split, surplus - naming_cost(task, own))
            task = task._replace(in_class=in_class.get(label, task.in_class))
            rows = np.flatnonzero(own & task.in_class)
            if strength < LEAST_STRENGTH or (len(rows) < FEW_MEMBERS and strength < STRONG):
                continue
            columns = np.argsort(reported.columns)
            reported = Chosen(*(values[columns] for values in reported))
            weights = correlation_weights(reported.gains, reported.linear, len(own))
            factors = AxisFactors(reported.linear, reported.squares, weights)
            origin = Origin(task, kind, group.origin.background)
            scored.append(
                (label, ScoredGroup(own, rows, reported.columns, strength, origin, factors))
            )
        return scored

    def _coexpressed(
        self, found: list[Labelled], in_class: Mapping[Any, BoolArray], order: CanonicalOrder
    ) -> list[Labelled]:
        """Rows of the whole table that carry coexpressed groups, whose columns stay as they are."""
        scored: list[Labelled] = []
        for label, group in found:
            factors = axis_factors(group)
            columns = self._places[group.columns]
            signs = np.where(factors.weights >= 0, 1.0, -1.0)
            ratios = [
                _kinds.row_ratios(Z.astype(np.float32) * signs)
                for _, Z in self._table.by_rows(columns)
            ]
            own = np.concatenate(ratios) > _kinds.CLEAR_ROW
            task = self._task(label, group, in_class)
            task = task._replace(in_class=in_class.get(label, task.in_class))
            rows = np.flatnonzero(own & task.in_class)
            if not belongs_to_class(task, own[None])[0]:
                continue
            strength = group.strength * len(own) / len(self._rows)
            origin = Origin(task, group.origin.kind, group.origin.background)
            sorting = np.argsort(columns)
            factors = AxisFactors(*(values[sorting] for values in factors))
            scored.append(
                (label, ScoredGroup(own, rows, columns[sorting], strength, origin, factors))
            )
        return scored

    def _described(
        self, group: ScoredGroup, background: Background
    ) -> tuple[ScoredGroup, Background, CanonicalOrder]:
        """A group in the order of the table, with the copies of its columns."""
        copies, signs = [], []
        for column in group.columns.tolist():
            alike = np.flatnonzero(self._first == column)
            scores = self._table.standard(self._rows, alike)
            copies.append(alike)
            signs.append(np.where(scores[:, 0] @ scores >= 0, 1.0, -1.0))
        own = Background(*(values[..., group.columns] for values in background))
        order = CanonicalOrder(np.arange(self._table.shape[0]), group.columns, copies, signs)
        return group._replace(columns=np.arange(len(group.columns))), own, order
