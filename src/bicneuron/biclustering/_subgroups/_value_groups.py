"""Groups that start from the rows of a class with the same value in one column.

In columns of yes and no a group may be a part of the many rows that say yes: no column alone splits
it off, and no pair of columns stands out from thousands. But among the rows of its class that have
a value of the group it is more common than in the whole class, so that these rows have a little of
each of its other columns. Many weak columns, together, lead to the group.
"""

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray
from bicneuron._core._splits import best_splits
from bicneuron.biclustering._subgroups._kinds import Shift, correlations, shift_gains
from bicneuron.biclustering._subgroups._rates import log_choices
from bicneuron.biclustering._subgroups._table import SearchTask, distinct_sets, spaced

# Columns that groups are started from, at most: rows with the common value, and all others.
OWNERS = 2000
# Columns on an axis, all with the same weight: most of them are there by chance.
AXIS_COLUMNS = 20
SWEEPS = 2
# Groups of which the evidence is computed with rates: those with the strongest correlations.
JUDGED = 1000
# Groups at once, to save memory.
AT_ONCE = 512


def value_groups(task: SearchTask, kind: Shift) -> tuple[BoolArray, FloatArray]:
    """Groups that rows with a common value of a column, or without it, lead to."""
    if not task.labelled:
        return np.empty((0, len(task.Z)), dtype=bool), np.empty(0)
    chosen = spaced(len(kind.common), OWNERS)
    differs = kind.differs[:, chosen].T > 0
    groups = np.concatenate([differs, ~differs]) & task.in_class
    owners = np.tile(kind.common[chosen], 2)
    sizes = groups.sum(axis=1)
    possible = (sizes >= task.fewest) & (sizes < task.in_class.sum())
    groups, owners = groups[possible], owners[possible]
    evidence = np.empty(len(groups))
    for first in range(0, len(groups), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        correlation = correlations(task.Z, groups[some])
        # The column that a group comes from tells nothing new.
        np.put_along_axis(correlation, owners[some, None], np.float32(0), axis=1)
        for _ in range(SWEEPS):
            axes = np.asarray(_signs(correlation) @ task.Z.T, np.float64)
            groups[some] = best_splits(axes, task.in_class, task.labelled, task.fewest, task.most)[
                0
            ]
            correlation = correlations(task.Z, groups[some])
        gains = shift_gains(np.square(correlation), len(task.Z))
        evidence[some] = _evidence(task, kind, groups[some], gains)
    groups = distinct_sets(groups[np.argsort(-evidence, kind="stable")[:JUDGED]])
    judged = [
        _evidence(task, kind, some, kind.column_gains(task.Z, some)[1])
        for some in (groups[first : first + AT_ONCE] for first in range(0, len(groups), AT_ONCE))
    ]
    return groups, np.concatenate([np.empty(0), *judged])


def _signs(correlation: Float32Array) -> Float32Array:
    """Signs of the columns that are most correlated with each group, and 0 for others."""
    sizes = np.abs(correlation)
    place = max(sizes.shape[1] - AXIS_COLUMNS, 0)
    least = np.partition(sizes, place, axis=1)[:, place][:, None]
    return np.where(sizes >= least, np.sign(correlation), np.float32(0))


def _evidence(task: SearchTask, kind: Shift, groups: BoolArray, gains: FloatArray) -> FloatArray:
    """Gains of the columns that would be reported, less what it costs to name them and the rows."""
    least = kind.least_gain(task.Z.shape[1])
    evidence: FloatArray = np.where(gains > least + 1.0, gains - least, 0.0).sum(axis=1)
    for rows in (task.in_class, ~task.in_class):
        evidence -= log_choices(int(rows.sum()), groups[:, rows].sum(axis=1))
    return evidence
