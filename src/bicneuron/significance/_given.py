"""Groups of other tools as users have them: labels, memberships, sets of rows or of columns."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._shared._formats import counted
from bicneuron._shared._names import row_names
from bicneuron.biclustering._subgroups._given import GivenGroup, GivenSubgroups, has_two_sides
from bicneuron.exceptions import GivenGroupsWarning, NoBiclusterWarning
from bicneuron.patterns import class_masks

MOST_NAMES = 4  # that a note or an error lists
NO_GROUP = "given has no group that can be tested"
WAY = "give groups of at least 3 rows beside which there are 3 others"


def fitted_to_given(X: Any, given: Any, cut: float, n_jobs: int | None, **known: Any) -> Any:
    """A miner whose patterns are the groups that were given; warn of what is left out of them."""
    reader = _Reader(X)
    kept: list[GivenGroup] = []
    left_out: list[str] = []
    for one in reader.groups(given, cut):
        same = [own for own in kept if all(map(np.array_equal, one[1:], own[1:]))]
        if same:
            reader.notes.append(f"group {one.name!r} equals group {same[0].name!r} and is left out")
        elif has_two_sides(one.rows) or (len(one.columns) and not one.rows.any()):
            kept.append(one)
        else:
            left_out.append(f"{one.name!r} ({counted(int(one.rows.sum()), 'row')})")
    miner = GivenSubgroups(n_jobs=n_jobs)
    miner.patterns_ = []
    if kept:
        miner._given = kept
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoBiclusterWarning)  # an error here
            miner.fit(X, **known)
    names = [one.name for one in miner.patterns_]
    left_out += [f"{one.name!r} (no split)" for one in kept if one.name not in names]
    if not names:
        why = f": {_few(left_out)}" if left_out else ""
        raise ValueError("; ".join([f"{NO_GROUP}{why}", *reader.notes, f"{WAY}."]))
    if left_out:
        few = "left out, with fewer than 3 rows or 3 others"
        reader.notes.append(f"{counted(len(left_out), 'group')} {few}: {_few(left_out)}")
    for note in reader.notes:
        warnings.warn(f"{note}.", GivenGroupsWarning, stacklevel=3)
    return miner


class _Reader:
    """Finds what was given among the rows and columns of a table."""

    def __init__(self, X: Any) -> None:
        self.n_rows, self.n_columns = X.shape if hasattr(X, "shape") else np.shape(X)
        self.names, self.notes = row_names(X, 0), list[str]()
        columns = getattr(X, "columns", [f"x{k}" for k in range(self.n_columns)])
        self.rows = {str(name): k for k, name in enumerate(self.names)}
        self.columns = {str(name): k for k, name in enumerate(columns)}

    def groups(self, given: Any, cut: float) -> list[GivenGroup]:
        """The groups, each with a name of its own."""
        groups = self._of_sets(given) if isinstance(given, Mapping) else self._of_rows(given, cut)
        names = [one.name for one in groups]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"given has several groups {twice[0]!r}; give each its own name.")
        return groups

    def _of_rows(self, given: Any, cut: float) -> list[GivenGroup]:
        """Groups of labels, or of memberships."""
        values = np.asarray(given, dtype=object)
        if values.ndim == 1:
            masks = class_masks(np.array([*map(_word, values.tolist())], object), len(values))
            what = getattr(given, "name", None) or "group"  # a number alone is no name
            names = [f"{what} {name}" if name[:1].isdigit() else name for name in masks]
            inside = np.array([*masks.values()]).reshape(len(names), len(values)).T
        elif values.ndim == 2:
            try:
                inside = values.astype(np.float64) > cut
            except (TypeError, ValueError):
                raise ValueError(
                    "given has memberships that are not numbers; give True and False, numbers, or "
                    "labels in one dimension."
                ) from None
            names = getattr(given, "columns", [f"group {k}" for k in range(inside.shape[1])])
        else:
            raise ValueError(
                f"given is a {type(given).__name__} of shape {values.shape}; give a label for each "
                "row, a membership for each row and group, or a dict of names and rows."
            )
        found = np.zeros((self.n_rows, inside.shape[1]), dtype=bool)
        rows, is_known = self._places_of(given, len(values))
        found[rows] = inside[is_known]
        return [GivenGroup(str(name), own) for name, own in zip(names, found.T, strict=True)]

    def _places_of(self, given: Any, n: int) -> tuple[IndexArray, Any]:
        """Rows that values are about, by name if both sides have names, and which values count."""
        names = [str(name) for name in row_names(given, 0)]
        is_numbered = row_names(given, 0) in (self.names, [*range(n)])
        known = [] if is_numbered else [name for name in names if name in self.rows]
        if n == self.n_rows and not known:
            return np.arange(n), slice(None)
        if not known:
            raise ValueError(
                f"given has {n} rows and X has {self.n_rows}; give one for each row of X, or a "
                "Series or frame with names of its rows."
            )
        self._tell("row", [name for name in names if name not in self.rows])
        if lacking := self.n_rows - len(known):
            self.notes.append(f"given lacks {lacking} of the {self.n_rows} rows, in no group here")
        return np.array([self.rows[name] for name in known]), np.isin(names, known)

    def _of_sets(self, given: Mapping[Any, Any]) -> list[GivenGroup]:
        """Groups of named sets: rows, rows and columns, or columns alone."""
        sets = {str(name): one if _is_pair(one) else (one, None) for name, one in given.items()}
        listed = (one for rows, _ in sets.values() if _is_list(rows) for one in rows)
        words = {one for one in listed if isinstance(one, str)}
        if len(words & self.columns.keys()) > len(words & self.rows.keys()):
            sets = {name: (None, columns) for name, (columns, _) in sets.items()}
        groups, unknown = [], {"row": list[str](), "column": list[str]()}
        for name, (rows, columns) in sets.items():
            inside = np.zeros(self.n_rows, dtype=bool)
            inside[_found(name, rows, "row", self.rows, self.n_rows, unknown)] = True
            own = _found(name, columns, "column", self.columns, self.n_columns, unknown)
            is_empty = rows is not None and not inside.any()
            groups.append(GivenGroup(name, inside, own[:0] if is_empty else own))
        for what, names in unknown.items():
            self._tell(what, [*dict.fromkeys(names)])
        return groups

    def _tell(self, what: str, unknown: list[str]) -> None:
        if unknown:
            few = _few([*map(repr, unknown)])
            told = f"given names {counted(len(unknown), what)} that X does not have, left out"
            self.notes.append(f"{told}: {few}")


def _found(
    group: str, given: Any, what: str, known: dict[str, int], n: int, unknown: dict[str, list[str]]
) -> IndexArray:
    """Places of rows or columns, which are names, positions or a mask."""
    if not _is_list(given) and given is not None:
        raise ValueError(f"given[{group!r}] is {given!r}; give a list of {what}s.")
    values = np.asarray(given if hasattr(given, "dtype") else [*(given or ())])
    if values.dtype == bool:
        if len(values) != n:
            raise ValueError(
                f"given[{group!r}] is a mask of {len(values)} values for {counted(n, what)}; give "
                "one value for each."
            )
        return np.flatnonzero(values)
    if values.dtype.kind in "iu":
        known = {str(place): place for place in range(n)}
    names = [str(one) for one in values.tolist()]
    unknown[what] += [name for name in names if name not in known]
    return np.array(sorted({known[name] for name in names if name in known}), np.intp)


def _is_list(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str)


def _is_pair(value: Any) -> bool:
    """True for rows and columns, one of which may be None."""
    is_pair = isinstance(value, tuple) and len(value) == 2
    return is_pair and all(one is None or _is_list(one) for one in value)


def _word(label: Any) -> str | None:
    """A label as text, 1.0 as 1; None for a missing one."""
    if label is None or label != label or not str(label):
        return None
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _few(words: list[str]) -> str:
    return ", ".join([*words[:MOST_NAMES], *["..."][: len(words) - MOST_NAMES]])
