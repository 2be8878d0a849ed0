"""Groups found in a part of a large table, on all of its rows and columns.

In turn, the best split of all rows on the axis of a group gives its rows, and its rows give its
columns, until the rows stay the same. A step is one pass over the table in blocks. Where there are
many rows, a column is reported if its gain also pays for its own parameters (BIC).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._splits import best_splits
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds, _list, _strength, _table
from bicneuron.biclustering._subgroups._blocks import BlockTable, Learnt, column_blocks
from bicneuron.biclustering._subgroups._part import Part
from bicneuron.biclustering._subgroups._passes import WIDTH, Chosen, Residuals
from bicneuron.biclustering._subgroups._search import size_limits
from bicneuron.biclustering._subgroups._wide import find_leaders

# Rows that strengths are measured on, at most.
JUDGED_ROWS = 2**14
# Steps, and the first of them in which a leader's axis has few columns: many would confirm it.
MAX_SWEEPS, FIRST_SWEEPS, FIRST_COLUMNS = 8, 3, 8
# A leader is listed if it shares no larger part of its rows with a stronger group.
NEW_GROUP = 0.5

Described = tuple[Any, _strength.ScoredGroup, _table.Background, _table.CanonicalOrder]


@dataclass
class Start:
    """A group on its way: its axis, then its rows; a leader was found among all columns."""

    label: Any
    task: _table.SearchTask
    kind: _kinds.Shift | _kinds.Tight
    axis: Chosen
    is_leader: bool = False
    carriers: BoolArray = field(default_factory=lambda: np.empty(0, dtype=bool))

    @property
    def key(self) -> tuple[Any, bool, bytes]:
        """What is the same for groups that need to be followed once."""
        return self.label, self.task.labelled, np.packbits(self.carriers).tobytes()


class WholeTable:
    """All rows and columns of a table of which a part was searched."""

    def __init__(
        self, table: BlockTable, learnt: Learnt, part: Part, in_class: Mapping[Any, BoolArray]
    ) -> None:
        self._table, self._part, self._in_class = table, part, in_class
        by_key = np.argsort(learnt.rows, kind="stable")
        self._rows, self._judged = by_key[: _table.MOST_ROWS], by_key[:JUDGED_ROWS]
        self._first = self._first_copies(learnt.columns)
        self._is_own = self._first == np.arange(table.shape[1])
        n_rows = table.shape[0]
        self._of_parameter = 0.5 * np.log(n_rows) if n_rows > _table.MOST_ROWS else 0.0

    def _first_copies(self, keys: AnyArray) -> IndexArray:
        """The first column of those with the same content: only that one counts."""
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        firsts: IndexArray = first[places]
        for some in slices(len(firsts), WIDTH):
            others = np.arange(len(firsts))[some]
            others = others[firsts[others] != others]
            own, same = (self._table.standard(self._rows, k) for k in (others, firsts[others]))
            apart = np.minimum(np.abs(own - same), np.abs(own + same)).max(axis=0, initial=0)
            differ = others[apart >= _table.SAME_COLUMN]  # the same ranks, but other values
            firsts[differ] = differ
        return firsts

    def groups(
        self,
        found: list[_strength.Labelled],
        places: IndexArray,
        removed: list[_table.Background],
        scores: FloatArray,
        labels: list[Any],
        most: int,
    ) -> list[Described]:
        """Groups on the whole table, strongest first, as `subgroup_of` takes them.

        ``found`` are those of the part, ``places`` its columns, and ``scores`` those of all rows on
        the last components that were removed.
        """
        scored: list[tuple[Any, _strength.ScoredGroup, bool]] = []
        backgrounds = {}
        for place, background in enumerate(removed):
            own = [one for one in found if one[1].origin.background == place]
            if not own and self._part.screen is None:
                continue
            known = scores[:, : len(background.components)]
            residuals = Residuals(self._table, self._rows, known)
            backgrounds[place] = residuals.background
            starts = []
            for label, group in own:
                kind, every = group.origin.kind, np.full(len(group.columns), np.inf)
                if isinstance(kind, _kinds.Shift | _kinds.Tight):
                    factors = _list.axis_factors(group)
                    axis = Chosen(places[group.columns], every, factors.linear, factors.squares)
                    task = self._task(label, group.origin.task.labelled)
                    starts.append(Start(label, task, kind, axis))
            if self._part.screen is not None:
                starts += self._leaders(residuals)
            for searched in (_kinds.Shift, _kinds.Tight):
                alike = [one for one in starts if isinstance(one.kind, searched)]
                scored += self._refined(alike, residuals, place) if alike else []
            scored += self._coexpressed(own, places)
        listed: list[tuple[Any, _strength.ScoredGroup]] = []
        for label, group, is_leader in _list.largest_first(
            scored, lambda one: _list.rank(one[1]), lambda one: _list.fewest_rows(one[1])
        ):
            than = NEW_GROUP if is_leader else _list.SAME_GROUP
            if label in labels and not any(
                label == other and _list.are_same(group.rows, one.rows, than)
                for other, one in listed
            ):
                listed.append((label, group))
        return [
            (label, *self._described(group, backgrounds[group.origin.background]))
            for label, group in listed[:most]
        ]

    def _task(self, label: Any, labelled: bool) -> _table.SearchTask:
        """The task of a group for all rows; it needs no table."""
        n_rows = self._table.shape[0]
        mask = self._in_class[label] if labelled else np.ones(n_rows, dtype=bool)
        limits = size_limits(mask)
        assert limits is not None  # there are more than in the part
        return _table.SearchTask(np.empty((n_rows, 0), np.float32), mask, labelled, *limits)

    def _leaders(self, residuals: Residuals) -> list[Start]:
        """Starts of groups that are looked for among all columns of a wide table."""
        assert self._part.screen is not None
        task, rows = self._task(None, False), self._rows[: _table.SEED_ROWS]
        limits = size_limits(np.ones(len(rows), dtype=bool), self._table.shape[0])
        assert limits is not None
        some = column_blocks((len(rows), self._table.shape[1]))
        blocks = (residuals.of(rows, columns) for columns in some)
        found = find_leaders(blocks, len(rows), self._part.screen, *limits)
        nothing = np.empty((1, 0), np.float32)
        kind, none = _kinds.Shift(nothing, nothing), np.zeros(found[0].shape[1])
        axes = (
            Chosen(columns, none + np.inf, linear, none)
            for columns, linear in zip(*found, strict=True)
        )
        return [Start(None, task, kind, axis, True) for axis in axes]

    def _refined(
        self, starts: list[Start], residuals: Residuals, place: int
    ) -> list[tuple[Any, _strength.ScoredGroup, bool]]:
        """Alternate between all rows and all columns, and score what is left."""
        tight = isinstance(starts[0].kind, _kinds.Tight)
        done: list[Start] = []
        for sweep in range(MAX_SWEEPS):
            few = sweep < FIRST_SWEEPS
            used = [
                one.axis.take(slice(FIRST_COLUMNS))
                if one.is_leader and few
                else self._reported(one.axis, tight)
                for one in starts
            ]
            moving: list[Start] = []
            for one, axis in zip(starts, self._axes(used, residuals, tight), strict=True):
                task = one.task
                limits = task.fewest, task.most
                (after,), _ = best_splits(axis[None], task.in_class, task.labelled, *limits)
                has_moved = (one.is_leader and few) or not np.array_equal(after, one.carriers)
                one.carriers = after
                (moving if has_moved else done).append(one)
            # Of those that came to the same rows, the first goes on.
            distinct = {one.key: one for one in [*moving[::-1], *done[::-1]]}
            starts = [one for one in moving if distinct[one.key] is one]
            if not starts:
                break
            groups = np.array([one.carriers for one in starts])
            best = residuals.best_columns(groups, self._is_own, self._rows, tight)
            for one, columns in zip(starts, best, strict=True):
                one.axis = columns
            # Most leaders are there by chance.
            starts = [one for one in starts if few or not one.is_leader or self._is_worth(one)]
        scored = []
        for one in [*done, *starts]:
            group = self._scored(one, residuals, place) if self._is_worth(one) else None
            if group is not None and one.is_leader:
                scored.append((*_list.with_class(group, self._in_class), True))
            elif group is not None:
                mask = self._in_class.get(one.label, one.task.in_class)
                origin = group.origin._replace(task=one.task._replace(in_class=mask))
                rows = np.flatnonzero(group.carriers & mask)
                scored.append((one.label, group._replace(rows=rows, origin=origin), False))
        return scored

    def _axes(self, chosen: list[Chosen], residuals: Residuals, tight: bool) -> FloatArray:
        """Values of all rows on axes of some columns, shape (n_groups, n_rows)."""
        columns = np.unique(np.concatenate([one.columns for one in chosen]))
        linear, squares = np.zeros((2, len(columns), len(chosen)))
        for k, one in enumerate(chosen):
            places = np.searchsorted(columns, one.columns)
            linear[places, k], squares[places, k] = one.linear, one.squares
        axes = np.empty((len(chosen), self._table.shape[0]))
        for rows, Z in residuals.by_rows(columns):
            axes[:, rows] = (Z @ linear).T
            if tight:
                axes[:, rows] += (np.square(Z) @ squares).T
        return _kinds.bounded_below(axes) if tight else axes

    def _least_gain(self, tight: bool) -> float:
        kind = _kinds.Tight if tight else _kinds.Shift
        naming = float(np.log(self._is_own.sum())) - kind.allowance
        return naming + kind.degrees * self._of_parameter

    def _reported(self, one: Chosen, tight: bool) -> Chosen:
        """The columns whose gain pays for naming them, but not fewer than a few."""
        count = int(np.sum(one.gains > self._least_gain(tight) + 1.0))
        return one.take(slice(min(max(count, _strength.MIN_COLUMNS), _strength.MAX_COLUMNS)))

    def _named(self, start: Start, gains: FloatArray) -> float:
        """Gains of the reported columns, less the cost of naming them and the rows."""
        least = self._least_gain(isinstance(start.kind, _kinds.Tight))
        return float(np.sum(gains - least)) - _strength.naming_cost(start.task, start.carriers)

    def _is_worth(self, start: Start) -> bool:
        """Whether a group may be strong enough, and is one of its class."""
        task, own = start.task, start.carriers
        reported = self._reported(start.axis, isinstance(start.kind, _kinds.Tight))
        n_inside, most = int(np.sum(own & task.in_class)), start.kind.max_share
        is_small = (
            n_inside <= most * task.in_class.sum()
            and _strength.belongs_to_class(task, own[None])[0]
        )
        return bool(is_small and self._named(start, reported.gains) >= _table.LEAST_STRENGTH)

    def _scored(
        self, start: Start, residuals: Residuals, place: int
    ) -> _strength.ScoredGroup | None:
        """A group with its strength, measured on some of the rows; None if it is too weak."""
        task, one, own, make = start.task, start.axis, start.carriers, type(start.kind)
        reported = self._reported(one, make is _kinds.Tight)
        facts = self._table.values(self._judged, reported.columns)
        if _strength.n_facts(facts) < _strength.MIN_COLUMNS:
            return None
        # The best columns of all rows are candidates; each fold chooses among them without its own.
        Z = residuals.of(self._judged, one.columns).astype(np.float32)
        judged, scale = own[self._judged][None], len(own) / len(self._judged)
        own_columns = Z[:, : len(reported.columns)]
        scores = _kinds.normal_scores(own_columns)
        kind = make(Z, scores, int(self._is_own.sum()))
        split = _strength.held_out_gains(kind, Z, judged, task.in_class[self._judged])[0] * scale
        split += _strength.known_rates(task, own[None])[0]
        exact = own_columns.astype(np.float64)
        by_rank = make(own_columns, scores).column_gains(exact, judged)[1][0] * scale
        strength = min(float(split), self._named(start, np.minimum(reported.gains, by_rank)))
        rows = np.flatnonzero(own & task.in_class)
        if strength < _table.LEAST_STRENGTH or (
            len(rows) < _strength.FEW_MEMBERS and strength < _strength.STRONG
        ):
            return None
        reported = reported.take(np.argsort(reported.columns))
        weights = _list.correlation_weights(reported.gains, reported.linear, len(own))
        return _strength.ScoredGroup(
            own,
            rows,
            reported.columns,
            strength,
            _strength.Origin(task, start.kind, place),
            _strength.AxisFactors(reported.linear, reported.squares, weights),
        )

    def _coexpressed(
        self, found: list[_strength.Labelled], places: IndexArray
    ) -> Iterator[tuple[Any, _strength.ScoredGroup, bool]]:
        """Rows of the whole table that carry coexpressed groups, whose columns stay as they are."""
        for label, group in found:
            kind, in_part = group.origin.kind, len(group.carriers)
            if not isinstance(kind, _kinds.Coexpressed):
                continue
            factors, columns = _list.axis_factors(group), places[group.columns]
            signs = np.where(factors.weights >= 0, 1.0, -1.0)
            blocks = self._table.by_rows(columns)
            ratios = [_kinds.row_ratios(Z.astype(np.float32) * signs) for _, Z in blocks]
            own = np.concatenate(ratios) > _kinds.CLEAR_ROW
            task = self._task(label, label in self._in_class)
            rows, order = np.flatnonzero(own & task.in_class), np.argsort(columns)
            if _strength.belongs_to_class(task, own[None])[0]:
                strength = group.strength * len(own) / in_part
                origin = _strength.Origin(task, kind, 0)
                factors = _strength.AxisFactors(*(values[order] for values in factors))
                scored = (own, rows, columns[order], strength, origin, factors)
                yield label, _strength.ScoredGroup(*scored), False

    def _described(
        self, group: _strength.ScoredGroup, background: _table.Background
    ) -> tuple[_strength.ScoredGroup, _table.Background, _table.CanonicalOrder]:
        """A group in the order of the table, with the copies of its columns."""
        copies, signs = [], []
        for column in group.columns.tolist():
            alike = np.flatnonzero(self._first == column)
            scores = self._table.standard(self._rows, alike)
            copies.append(alike)
            signs.append(np.where(scores[:, 0] @ scores >= 0, 1.0, -1.0))
        effects, deviation = background
        own = _table.Background(effects[:, group.columns], deviation[group.columns])
        order = _table.CanonicalOrder(np.arange(self._table.shape[0]), group.columns, copies, signs)
        return group._replace(columns=np.arange(len(group.columns))), own, order
