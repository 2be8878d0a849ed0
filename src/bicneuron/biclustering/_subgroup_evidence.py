"""Evidence for groups: each row is judged by what was learnt without it."""

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray
from bicneuron._core._splits import gains_of_groups
from bicneuron.biclustering._subgroup_kinds import Kind

# Each row is placed on axes whose columns and factors were computed without its fold.
N_FOLDS = 10
# Columns that an axis of a fold has at least, whatever their gains.
MIN_COLUMNS = 3
# The gain is at most this many times that without the strongest column: a third of it may rest on
# one column, which may be a group of its own by chance.
ONE_COLUMN = 1.5
# Groups at once: independent of n_jobs.
GROUPS_PER_TASK = 64


def held_out_gains(
    kind: Kind,
    Z: Float32Array,
    groups: BoolArray,
    among: BoolArray,
    n_jobs: int | None = None,
) -> FloatArray:
    """Gain of each group, on axes that were made without the rows that are placed on them.

    Parameters
    ----------
    kind : Kind
    Z : float32 array of shape (n_rows, n_columns)
    groups : bool array of shape (n_groups, n_rows)
    among : bool array of shape (n_rows,)
        Rows that are told apart; the others only help to make the axes.
    n_jobs : int or None
        Threads.

    Returns
    -------
    gains : array of shape (n_groups,)
        Means over the numbers of columns of an axis.
    """
    tasks = Parallel(n_jobs=n_jobs, require="sharedmem")
    starts = range(0, len(groups), GROUPS_PER_TASK)
    gains = tasks(
        delayed(_gains)(kind, Z, groups[start : start + GROUPS_PER_TASK], among) for start in starts
    )
    return np.concatenate([np.empty(0), *gains])


def _gains(kind: Kind, Z: Float32Array, groups: BoolArray, among: BoolArray) -> FloatArray:
    whole, without = (kind.bounded(axes)[:, :, among] for axes in held_out_axes(kind, Z, groups))
    judged = np.ascontiguousarray(groups[:, among])
    gains, fewer = (
        gains_of_groups(np.ascontiguousarray(axes), judged).mean(axis=1)
        for axes in (whole, without)
    )
    least: FloatArray = np.minimum(gains, ONE_COLUMN * fewer)
    return least


def held_out_axes(kind: Kind, Z: Float32Array, groups: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Values of the rows on axes made without their fold, with and without the strongest column.

    Both have the shape (n_groups, n_axis_sizes, n_rows).
    """
    n = len(Z)
    folds = np.arange(n) % N_FOLDS
    axes = np.zeros((len(groups), len(kind.axis_sizes), n))
    without = np.zeros_like(axes)
    for fold in range(min(N_FOLDS, n)):
        out = folds == fold
        fit = kind.fit(Z[~out], groups[:, ~out])
        strongest = fit.of_columns(np.argmax(fit.order, axis=1), Z[out])
        for a, kept in enumerate(fit.best_columns(kind.axis_sizes, MIN_COLUMNS)):
            axes[:, a, out] = fit.axes(kept, Z[out])
            without[:, a, out] = axes[:, a, out] - strongest
    return axes, without
