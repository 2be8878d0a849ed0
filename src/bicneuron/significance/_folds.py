"""Rows of groups, judged by searches that have not seen them, without the column in question."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._checks import by_size, check_numbers
from bicneuron._shared._scaling import observed_means, zscore_scaling
from bicneuron._shared._steps import step_by_step
from bicneuron._shared._workers import one_blas_thread, resolve_data, share_data, start_workers
from bicneuron.patterns import Pattern, class_masks
from bicneuron.significance import _known
from bicneuron.significance._known import Known, row_numbers, strata_of_units

LEAST_OVERLAP = 0.6  # of the rows of a pattern that is found again
# Columns that are correlated as much, within the group and within the others, say the same.
SAME = 0.9
TINY = 1e-12
NO_COLUMNS, NO_SCORES = np.empty(0, np.intp), np.empty(0)
NOT_ASKED = np.empty((1, 0), dtype=bool)  # of any number of rows


class Units(NamedTuple):
    """The unit of each row (a group of rows, or the row), and the stratum of each unit."""

    of_rows: IndexArray
    strata: IndexArray


class Judged(NamedTuple):
    """Rows that were judged, those inside a group, and those inside without each asked column.

    ``scores`` are 0 at the median of searched rows that do not carry it, 1 at the mean of carriers.
    """

    rows: IndexArray
    inside: BoolArray
    columns: IndexArray = NO_COLUMNS
    without: BoolArray = NOT_ASKED
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


def rows_and_units(
    model: Any, X: Any, y: Any, groups: Any, strata: Any = None
) -> tuple[FloatArray, AnyArray | None, Units]:
    """The table, the labels, and what folds keep together."""
    if y is None:
        table, labels = check_numbers(clone(model), X, to_be_scaled=True), None
    else:
        table, labels = check_numbers(clone(model), X, y, to_be_scaled=True)
        check_classification_targets(labels)
    n_rows = table.shape[0]
    _known.warn_of_dependence(X, groups)
    of_rows = np.arange(n_rows) if groups is None else row_numbers(groups, n_rows, "groups")
    of_classes = row_numbers(labels, n_rows, "y")
    of_strata = row_numbers(strata, n_rows, "strata")
    kinds = row_numbers(np.column_stack([of_classes, of_strata]), n_rows, "rows")
    # By size, and not by the names of classes: they have no part in the folds.
    _, of_units = by_size(strata_of_units(kinds, of_rows))
    table = np.asarray(table.toarray() if issparse(table) else table, np.float64)
    return table, labels, Units(of_rows, of_units)


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


def fitted_quietly(copy: Any, X: Any, y: Any, *, seed: int = 0, **settings: Any) -> Any:
    """Fit a copy, with a seed if it has none, and with the settings that its fit takes."""
    parameters = copy.get_params(deep=False)
    if "n_jobs" in parameters:
        copy.set_params(n_jobs=settings.pop("n_jobs", 1))
    if parameters.get("random_state", seed) is None:
        copy.set_params(random_state=seed)
    if y is None and parameters.get("anchor") is not None:
        copy.set_params(anchor=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a part has no group is a result
        return copy.fit(X, y, **_known.taken_by(copy, settings))


def in_own_class(
    patterns: Sequence[Pattern], carriers: BoolArray, labels: AnyArray | None
) -> BoolArray:
    """Carriers of each pattern that are of its class, of shape (n_rows, n_patterns)."""
    own = carriers.copy()
    for place, pattern in enumerate(patterns):
        if labels is not None and pattern.anchor_class is not None:
            own[:, place] &= labels == pattern.anchor_class
    return own


def jaccard(one: IndexArray, other: IndexArray) -> float:
    """Share of sorted numbers that both have, among those that one of them has."""
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / max(len(one) + len(other) - shared, 1)


def judge_in_folds(
    model: Any,
    table: FloatArray,
    labels: AnyArray | None,
    known: Known,
    folds: IndexArray,
    wanted: Sequence[tuple[Pattern, BoolArray]],
    n_jobs: int | None,
) -> list[Judged]:
    """Judge rows of each fold by a search of the others, for patterns with their carriers."""
    if not wanted:
        return []
    held_out = [np.flatnonzero(folds == fold) for fold in np.unique(folds[folds >= 0])]
    start_workers(n_jobs)
    data = share_data(model, table, labels, known)
    tasks = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_judge)(*data, wanted, rows) for rows in held_out
    )
    found = step_by_step(tasks, len(held_out))
    return [_joined([of_fold[place] for of_fold in found]) for place in range(len(wanted))]


def _judge(
    model: Any,
    table: Any,
    labels: Any,
    known: Any,
    wanted: Sequence[tuple[Pattern, BoolArray]],
    held_out: IndexArray,
) -> list[Judged | None]:
    """Judge the rows of one fold; None for groups that are not found in the others."""
    model, table, labels, known = resolve_data(model, table, labels, known)
    part = np.setdiff1d(np.arange(len(table)), held_out)
    of_part = None if labels is None else labels[part]
    of_searched, of_others, is_known = known.divided(part, held_out)
    held_out = held_out[is_known]
    copy = model._unfitted([(pattern, own[part]) for pattern, own in wanted])
    fitted = fitted_quietly(copy, table[part], of_part, **of_searched._asdict())
    carriers = fitted.carriers(table[part])
    own = in_own_class(fitted.patterns_, carriers, of_part)

    def values(place: int, left_out: BoolArray, **clip: float) -> list[FloatArray]:
        """Values of the rows that were searched and of the others, without some columns."""
        return [
            fitted.values_without(table[these], place, left_out, **clip, **of_these.for_fit(model))
            for these, of_these in ((part, of_searched), (held_out, of_others))
        ]

    judged: list[Judged | None] = []
    for pattern, of_pattern in wanted:
        place = _match(pattern, of_pattern[part], fitted.patterns_, own)
        if place is None:
            judged.append(None)
            continue
        inside, axis = carriers[:, place], fitted.patterns_[place].axis
        columns, left_out = _left_out(table[part], fitted.patterns_[place].columns, inside)
        there, here = values(place, left_out)
        cut = (there[inside].mean(axis=0) + there[~inside].mean(axis=0)) / 2
        beyond = (here > cut) & ~left_out.all(axis=0)
        scores = np.full(len(held_out), np.nan)
        if axis is not None and axis.is_linear:
            there, here = values(place, np.zeros((len(left_out), 1), dtype=bool), clip=np.inf)
            low, high = np.median(there[~inside, 0]), there[inside, 0].mean()
            scores = (here[:, 0] - low) / (high - low)
        judged.append(Judged(held_out, beyond[:, 0], columns, beyond[:, 1:], 1, scores))
    return judged


def _match(
    pattern: Pattern, carriers: BoolArray, found: Sequence[Pattern], own: BoolArray
) -> int | None:
    """Place of the pattern of a part that shares most rows, the first at ties; None if few."""
    overlaps = [
        jaccard(np.flatnonzero(carriers), np.flatnonzero(rows))
        if other.anchor_class == pattern.anchor_class
        and other.kind == pattern.kind
        and not other.strength <= 0  # patterns of some models have none
        else 0.0
        for other, rows in zip(found, own.T, strict=True)
    ]
    best = int(np.argmax(overlaps)) if overlaps else -1
    return best if overlaps and overlaps[best] >= LEAST_OVERLAP else None


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
        return Judged(NO_COLUMNS, np.empty(0, bool))
    columns = np.unique(np.concatenate([one.columns for one in found]))
    rows = np.concatenate([one.rows for one in found])
    without = [np.repeat(one.inside[:, None], len(columns), axis=1) for one in found]
    for one, own in zip(found, without, strict=True):
        own[:, np.searchsorted(columns, one.columns)] = one.without
    order = np.argsort(rows)
    inside = np.concatenate([one.inside for one in found])[order]
    scores = np.concatenate([one.scores for one in found])[order]
    return Judged(rows[order], inside, columns, np.concatenate(without)[order], len(found), scores)
