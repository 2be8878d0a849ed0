"""From a scored group to a `Pattern` in the order of the user's table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._residue import observed_residue
from bicneuron.biclustering._subgroups._kinds import Coexpressed
from bicneuron.biclustering._subgroups._strength import ScoredGroup
from bicneuron.biclustering._subgroups._table import Background, CanonicalOrder
from bicneuron.patterns import Axis, Pattern

# A child shares at least this much of its rows with its parent.
CHILD_SHARE = 0.8
# Values on an axis, in its deviations, that differ by less are equal: its weights are float32.
SAME_VALUE = 1e-5


class UserTable(NamedTuple):
    """The table in the user's order."""

    values: FloatArray
    standard: FloatArray
    components: FloatArray
    order: CanonicalOrder


def subgroup_of(
    group: ScoredGroup,
    label: Any,
    background: Background,
    table: UserTable,
    stronger: Sequence[Pattern],
) -> Pattern:
    """Describe a group in the user's table."""
    carriers = np.zeros(len(table.values), dtype=bool)
    carriers[table.order.rows[group.carriers]] = True
    members = np.sort(table.order.rows[group.rows])
    columns, weights, axis = _axis(group, carriers, background, table)
    return Pattern(
        rows=members,
        columns=columns,
        msr=observed_residue(table.values[np.ix_(members, columns)]),
        anchor_class=label,
        kind=group.origin.kind.name,
        strength=group.strength,
        parent=_parent(members, label, stronger),
        weights=weights,
        axis=axis,
    )


def chosen(patterns: Sequence[Pattern], places: Sequence[int]) -> list[Pattern]:
    """Patterns at some places, in this order; parents that are not among them are forgotten."""
    place_of: dict[int | None, int] = {old: new for new, old in enumerate(places)}
    return [replace(patterns[old], parent=place_of.get(patterns[old].parent)) for old in places]


def _axis(
    group: ScoredGroup, carriers: BoolArray, background: Background, table: UserTable
) -> tuple[IndexArray, FloatArray, Axis]:
    """Sorted columns of a group, their correlations with it, and its axis."""
    (task, kind, _), chosen, order = group.origin, group.columns, table.order
    common = np.zeros(len(chosen))
    if isinstance(kind, Coexpressed):
        block = task.Z[np.ix_(np.flatnonzero(group.carriers), chosen)]
        weights = kind.correlations(block)
        linear, squares, common = kind.factors(weights)
    else:
        fit = kind.fit(task.Z, group.carriers[None])
        linear = fit.linear[0, chosen].astype(np.float64) / background.deviation[chosen]
        squares = np.zeros(len(chosen))
        if fit.squares is not None:
            squares = fit.squares[0, chosen].astype(np.float64)
        # As a correlation: for a shift it is the correlation itself.
        gains = fit.gains[0, chosen].astype(np.float64)
        weights = np.sqrt(-np.expm1(-2.0 * gains / len(task.Z)))
        weights = np.where(linear >= 0, weights, -weights)
    # Copies of a column share its factors.
    columns = np.concatenate([order.copies[k] for k in chosen.tolist()])
    sign = np.concatenate([order.signs[k] for k in chosen.tolist()])
    counts = np.array([len(order.copies[k]) for k in chosen.tolist()])
    share = np.repeat(1.0 / counts, counts)
    sorting = np.argsort(columns, kind="stable")
    columns = columns[sorting]

    def spread(values: FloatArray, signs: FloatArray) -> FloatArray:
        return (np.repeat(values, counts) * signs)[sorting]

    axis = Axis(
        linear=spread(linear, sign * share),
        squares=spread(squares, share),
        common=spread(common, sign * share),
        removed=background.components[:, chosen] @ linear,
        floor=-np.inf,
    )
    values = axis.values(np.take(table.standard, columns, axis=1), table.components)
    if squares.any():
        axis = axis._replace(floor=float(kind.bounded(values).min()))
        values = np.maximum(values, axis.floor)
    cut, scale = _cut(values, carriers)
    return columns, spread(weights, sign), axis._replace(cut=cut, scale=scale)


def _cut(values: FloatArray, carriers: BoolArray) -> tuple[float, float]:
    """Value that separates carriers from other rows best, and the deviation within both."""
    inside, outside = values[carriers], values[~carriers]
    within = np.sum((inside - inside.mean()) ** 2) + np.sum((outside - outside.mean()) ** 2)
    scale = float(np.sqrt(within / len(values))) or 1.0
    order = np.argsort(-values, kind="stable")
    mistakes = len(inside) + np.cumsum(np.where(carriers[order], -1, 1))
    # A cut is between values that differ, by more than rounding.
    gaps = values[order[:-1]] - values[order[1:]]
    possible = np.flatnonzero(gaps > SAME_VALUE * scale)
    if not len(possible):
        possible = np.array([int(np.argmax(gaps))])
    best = int(possible[np.argmin(mistakes[possible])])
    return float((values[order[best]] + values[order[best + 1]]) / 2), scale


def _parent(rows: IndexArray, label: Any, stronger: Sequence[Pattern]) -> int | None:
    """The smallest stronger group of the same class that includes most of the rows."""
    around = [
        (len(other.rows), place)
        for place, other in enumerate(stronger)
        if other.anchor_class == label
        and len(other.rows) > len(rows)
        and len(np.intersect1d(rows, other.rows)) >= CHILD_SHARE * len(rows)
    ]
    return min(around)[1] if around else None
