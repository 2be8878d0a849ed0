"""Rows of groups, judged by a search that has not seen them, and without the column in question."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._scaling import observed_means, zscore_scaling
from bicneuron._shared._steps import step_by_step
from bicneuron._shared._workers import (
    one_blas_thread,
    resolve_data,
    share_data,
    start_workers,
)
from bicneuron.patterns import Pattern, class_masks
from bicneuron.significance._known import Known
from bicneuron.significance._parts import Units
from bicneuron.significance._refits import carriers_in_class, fitted_quietly

# A pattern is found again if one shares this much of its rows.
LEAST_OVERLAP = 0.6
# Columns that are correlated as much, within the group and within the others, say the same.
SAME = 0.9
TINY = 1e-12
NO_ROWS, NO_COLUMNS, NO_SCORES = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)


class Judged(NamedTuple):
    """Rows that were judged, those inside a group, and those inside without each asked column.

    ``scores`` are 0 at the median of searched rows that do not carry it, 1 at the mean of carriers.
    """

    rows: IndexArray
    inside: BoolArray
    columns: IndexArray
    without: BoolArray
    n_found: int = 0
    scores: FloatArray = NO_SCORES

    def for_columns(self, columns: IndexArray, n_columns: int) -> BoolArray:
        """Rows inside, for each of some columns of the table, without that column."""
        places = np.full(n_columns, -1)
        places[self.columns] = np.arange(len(self.columns))
        own = places[columns]
        inside = np.repeat(self.inside[:, None], len(own), axis=1)
        inside[:, own >= 0] = self.without[:, own[own >= 0]]
        return inside


def fold_numbers(units: Units, n_folds: int, labels: AnyArray | None, seed: int) -> IndexArray:
    """Fold of each row: units at random, with about the same share of every stratum in each.

    Rows without which a class would be missing have -1: they are always searched.
    """
    order = np.random.default_rng(seed).permutation(len(units.strata))
    order = order[np.argsort(units.strata[order], kind="stable")]
    of_units = np.empty(len(order), np.intp)
    of_units[order] = np.arange(len(order)) % n_folds
    folds = of_units[units.of_rows]
    for own in class_masks(labels, len(folds)).values():
        if len(np.unique(folds[own])) == 1:
            folds[own] = -1
    return folds


def judge_in_folds(
    model: Any,
    table: FloatArray,
    carriers: BoolArray,
    labels: AnyArray | None,
    known: Known,
    folds: IndexArray,
    asked: Sequence[int],
    n_jobs: int | None,
) -> list[Judged]:
    """Judge the rows of each fold by a search of the other rows."""
    if not asked:
        return []
    wanted = [
        (model.patterns_[k], carriers_in_class(model.patterns_[k], carriers[:, k], labels))
        for k in asked
    ]
    held_out = [np.flatnonzero(folds == fold) for fold in np.unique(folds[folds >= 0])]
    start_workers(n_jobs)
    data = share_data(model, table, labels, known)
    tasks = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_judge)(*data, wanted, rows) for rows in held_out
    )
    found = step_by_step(tasks, len(held_out))
    return [_joined([of_fold[place] for of_fold in found]) for place in range(len(asked))]


def _judge(
    model: Any,
    table: Any,
    labels: Any,
    known: Any,
    wanted: Sequence[tuple[Pattern, IndexArray]],
    held_out: IndexArray,
) -> list[Judged | None]:
    """Judge the rows of one fold; None for groups that are not found in the others."""
    model, table, labels, known = resolve_data(model, table, labels, known)
    part = np.setdiff1d(np.arange(len(table)), held_out)
    of_part = None if labels is None else labels[part]
    of_searched, of_others, is_known = known.divided(part, held_out)
    held_out = held_out[is_known]
    fitted = fitted_quietly(model, table[part], of_part, 1, known=of_searched)
    carriers = fitted.carriers(table[part])
    found = [
        Pattern(
            part[carriers_in_class(one, own, of_part)],
            one.columns,
            anchor_class=one.anchor_class,
            kind=one.kind,
            strength=one.strength,
        )
        for one, own in zip(fitted.patterns_, carriers.T, strict=True)
    ]
    judged: list[Judged | None] = []
    for pattern, rows in wanted:
        place = match_of(pattern, rows, found, part)
        if place is None:
            judged.append(None)
            continue
        inside = carriers[:, place]
        columns, left_out = _left_out(table[part], fitted.patterns_[place].columns, inside)
        there, here = (
            fitted.values_without(table[these], place, left_out, **own.for_fit(model))
            for these, own in ((part, of_searched), (held_out, of_others))
        )
        cut = (there[inside].mean(axis=0) + there[~inside].mean(axis=0)) / 2
        beyond = (here > cut) & ~left_out.all(axis=0)
        scores = np.full(len(held_out), np.nan)
        axis = fitted.patterns_[place].axis
        if axis is not None and axis.is_linear:
            whole = np.zeros((len(left_out), 1), dtype=bool)
            there, here = (
                fitted.values_without(
                    table[these], place, whole, clip=np.inf, **own.for_fit(model)
                )[:, 0]
                for these, own in ((part, of_searched), (held_out, of_others))
            )
            low, high = np.median(there[~inside]), there[inside].mean()
            scores = (here - low) / (high - low)
        judged.append(Judged(held_out, beyond[:, 0], columns, beyond[:, 1:], 1, scores))
    return judged


def _left_out(
    X: FloatArray, columns: IndexArray, inside: BoolArray
) -> tuple[IndexArray, BoolArray]:
    """Columns of a group that do not count when a column of the table is asked about."""
    centred = zscore_scaling(X).apply(X)
    for side in (inside, ~inside):
        centred[side] -= observed_means(centred[side])
    centred = np.where(np.isnan(centred), 0.0, centred)
    lengths = np.maximum(np.linalg.norm(centred, axis=0), TINY)
    with one_blas_thread():
        correlations = (centred[:, columns].T @ centred) / np.outer(lengths[columns], lengths)
    same = np.abs(correlations) >= SAME
    same[np.arange(len(columns)), columns] = True
    asked = np.flatnonzero(same.any(axis=0))
    return asked, np.column_stack([np.zeros(len(columns), dtype=bool), same[:, asked]])


def _joined(parts: Sequence[Judged | None]) -> Judged:
    """Rows of all folds."""
    found = [one for one in parts if one is not None]
    if not found:
        return Judged(NO_ROWS, np.empty(0, bool), NO_COLUMNS, np.empty((0, 0), bool))
    columns = np.unique(np.concatenate([one.columns for one in found]))
    rows = np.concatenate([one.rows for one in found])
    without = [np.repeat(one.inside[:, None], len(columns), axis=1) for one in found]
    for one, own in zip(found, without, strict=True):
        own[:, np.searchsorted(columns, one.columns)] = one.without
    order = np.argsort(rows)
    inside, scores = (
        np.concatenate([getattr(one, name) for one in found])[order]
        for name in ("inside", "scores")
    )
    return Judged(rows[order], inside, columns, np.concatenate(without)[order], len(found), scores)


def match_of(
    pattern: Pattern, rows: IndexArray, found: Sequence[Pattern], part: IndexArray
) -> int | None:
    """Place of the best-overlapping pattern of a part, the first at ties; None if it is poor."""
    rows = np.intersect1d(rows, part, assume_unique=True)
    best, best_overlap = None, 0.0
    for place, other in enumerate(found):
        if (
            other.anchor_class == pattern.anchor_class
            and other.kind == pattern.kind
            and not other.strength <= 0  # patterns of some models have none
        ):
            shared = len(np.intersect1d(rows, other.rows, assume_unique=True))
            overlap = shared / max(len(rows) + len(other.rows) - shared, 1)
            if overlap > best_overlap:
                best, best_overlap = place, overlap
    return best if best_overlap >= LEAST_OVERLAP else None
