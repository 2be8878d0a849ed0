"""The axis of a group in the order of the user's table, by which new rows are judged."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron.biclustering._subgroup import Axis
from bicneuron.biclustering._subgroup_background import Background
from bicneuron.biclustering._subgroup_kinds import Coexpressed
from bicneuron.biclustering._subgroup_list import ScoredGroup
from bicneuron.biclustering._subgroup_order import CanonicalOrder


class ReadAxis(NamedTuple):
    """Columns of a group, how strongly each is tied to it, and its axis.

    Parameters
    ----------
    columns : array of intp
        Sorted.
    weights : array of shape (n_columns,)
        Correlations of the columns with the group, as far as its kind has such.
    axis : Axis
    """

    columns: IndexArray
    weights: FloatArray
    axis: Axis


def axis_of(
    group: ScoredGroup,
    background: Background,
    order: CanonicalOrder,
    standard: FloatArray,
    components: FloatArray,
) -> ReadAxis:
    """Read a group's axis off the table it was found in.

    Parameters
    ----------
    group : ScoredGroup
        In canonical order.
    background : Background
        What was removed from the table before the group was found.
    order : CanonicalOrder
    standard : array of shape (n_rows, n_columns)
        The user's table, standardised.
    components : array of shape (n_rows, n_components)
        Scores of its rows on the leading components.
    """
    searched, chosen = group.searched, group.columns
    problem, kind = searched.problem, searched.kind
    common = np.zeros(len(chosen))
    if isinstance(kind, Coexpressed):
        block = problem.Z[np.ix_(np.flatnonzero(group.carriers), chosen)]
        weights = kind.correlations(block)
        linear, squares, common = kind.factors(weights)
    else:
        fit = kind.fit(problem.Z, group.carriers[None])
        linear = fit.linear[0, chosen].astype(np.float64) / background.deviation[chosen]
        squares = np.zeros(len(chosen))
        if fit.squares is not None:
            squares = fit.squares[0, chosen].astype(np.float64)
        # As a correlation: for a shift it is the correlation itself.
        gains = fit.gains[0, chosen].astype(np.float64)
        weights = np.sqrt(-np.expm1(-2.0 * gains / len(problem.Z)))
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
    carriers = np.zeros(len(standard), dtype=bool)
    carriers[order.rows[group.carriers]] = True
    values = axis.values(np.take(standard, columns, axis=1), components)
    if squares.any():
        axis = axis._replace(floor=float(kind.bounded(values).min()))
        values = np.maximum(values, axis.floor)
    cut, scale = _cut(values, carriers)
    return ReadAxis(columns, spread(weights, sign), axis._replace(cut=cut, scale=scale))


def _cut(values: FloatArray, carriers: BoolArray) -> tuple[float, float]:
    """Value that separates carriers from other rows best, and the deviation within both."""
    inside, outside = values[carriers], values[~carriers]
    within = np.sum((inside - inside.mean()) ** 2) + np.sum((outside - outside.mean()) ** 2)
    scale = float(np.sqrt(within / len(values))) or 1.0
    order = np.argsort(-values, kind="stable")
    mistakes = len(inside) + np.cumsum(np.where(carriers[order], -1, 1))
    best = int(np.argmin(mistakes[:-1]))
    return float((values[order[best]] + values[order[best + 1]]) / 2), scale
