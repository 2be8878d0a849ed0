"""Say which rows of a table are not independent, and keep them together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._together import (
    close_rows,
    common_stems,
    copies,
    joined,
    n_together,
    numbered,
    repeated_ids,
)
from bicneuron.tables._cells import listed

_STAY = "they stay together in folds and tests"


class Ids(NamedTuple):
    """Columns that say which rows are of one unit.

    Parameters
    ----------
    repeated : dict of str to list of str
        Columns of ids of which some stand in several rows; empty where there is none.
    row_names : list of str or None
    groups : array of shape (n_rows,) or None
        Groups that the user named.
    """

    repeated: Mapping[str, Sequence[str]]
    row_names: Sequence[str] | None
    groups: AnyArray | None


def keep_together(
    table: FloatArray,
    ids: Ids,
    labels: AnyArray | None,
    places: Sequence[str],
    *,
    guess: bool,
) -> tuple[AnyArray | None, list[str], list[str]]:
    """Find rows that folds and tests keep together; return them, notes and warnings.

    Copies, and rows with the same id, are never independent. Common stems of ids are a guess, which
    is made with ``guess`` and without groups of the user's.
    """
    n_rows = len(table)
    groups, notes = np.arange(n_rows), []
    equal = copies(table)
    if n_copies := n_rows - 1 - int(equal.max()):
        groups = equal
        first = int(np.flatnonzero(np.bincount(equal)[equal] > 1)[0])
        second = int(np.flatnonzero(equal == equal[first])[1])
        notes.append(
            f"rows that repeat another one: {n_copies} of {n_rows}, the first is "
            f"{places[second]}, like {places[first]}; {_STAY}"
        )
    units = {name: repeated_ids(column) for name, column in ids.repeated.items()}
    if units:
        coarsest = min(units, key=lambda name: units[name].max())  # of visits and patients, these
        groups = joined(groups, units[coarsest])
        counts = Counter(ids.repeated[coarsest])
        twice = [one for one, n in counts.items() if n > 1 and one]
        stand = "stands" if len(twice) == 1 else "stand"
        notes.append(f"id {coarsest!r}: {listed(twice, 4)} {stand} in several rows; {_STAY}")
    if ids.groups is not None:
        named = numbered(ids.groups)
        groups = joined(named, groups)
        if groups.max() == named.max():
            return ids.groups, notes, []
        return groups, [*notes, "groups that share such rows are one group"], []
    names = ids.row_names if guess else None
    stems = None if names is None else common_stems(names)
    if names is not None and stems is not None and _has_each_class_twice(stems, labels):
        groups = joined(groups, stems)
        shared = np.flatnonzero(stems == stems[np.bincount(stems)[stems].argmax()])
        as_in = ", ".join(names[row] for row in shared[:2])
        notes.append(
            f"{n_together(stems)} rows share the stem of their id with another row ({as_in}, ...): "
            f"{_STAY}; --groups none takes them as independent"
        )
    if groups.max() + 1 < n_rows:
        return groups, notes, []
    return None, notes, _about_close(table, places) if guess else []


def _has_each_class_twice(units: IndexArray, labels: AnyArray | None) -> bool:
    """True unless all rows of a class are one unit, as where ids begin with the class."""
    if labels is None:
        return True
    known = np.array([label is not None for label in labels.tolist()])
    return all(
        len(np.unique(units[known][labels[known] == label])) > 1
        for label in {*labels[known].tolist()}
    )


def _about_close(table: FloatArray, places: Sequence[str]) -> list[str]:
    rows = np.flatnonzero(close_rows(table))
    if not len(rows):
        return []
    return [
        f"{len(rows)} of {len(table)} rows come in pairs that are far more alike than others, as "
        f"{places[rows[0]]}: samples of one patient? Name the column of patients with --groups"
    ]
