"""Groups of other tools as users have them: sets, labels, memberships or columns alone."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._shared._formats import counted
from bicneuron._shared._names import row_names
from bicneuron.biclustering._subgroups._given import GivenGroup, GivenSubgroups, has_two_sides
from bicneuron.exceptions import GivenGroupsWarning, NoBiclusterWarning
from bicneuron.patterns import class_masks

# Names that a note or an error lists.
MOST_NAMES = 4
NO_GROUP = "given has no group that can be tested"
WAY = "give groups of at least 3 rows beside which there are 3 others"


def fitted_to_given(X: Any, given: Any, cut: float, n_jobs: int | None, **known: Any) -> Any:
    """A miner whose patterns are the groups that were given; warn of what is left out of them."""
    reader = _Reader(X)
    kept: list[GivenGroup] = []
    left_out: list[str] = []
    for one in reader.groups(given, cut):
        if not _is_split(one) and not has_two_sides(one.rows):
            left_out.append(_sized(one.name, int(one.rows.sum())))
        elif same := [other for other in kept if _are_same(one, other)]:
            reader.notes.append(f"group {one.name!r} equals group {same[0].name!r} and is left out")
        else:
            kept.append(one)
    miner, names = GivenSubgroups(n_jobs=n_jobs), set()
    if kept:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoBiclusterWarning)  # an error here
            miner.fit_groups(X, kept, **known)
        names = {one.name for one in miner.patterns_}
    left_out += [f"{one.name!r} (no split)" for one in kept if one.name not in names]
    if not names:
        why = f": {_some(left_out)}" if left_out else ""
        raise ValueError("; ".join([f"{NO_GROUP}{why}", *reader.notes, f"{WAY}."]))
    if left_out:
        are = "groups are" if len(left_out) > 1 else "group is"
        few = "with fewer than 3 rows or 3 others"
        reader.notes.insert(0, f"{len(left_out)} {are} left out, {few}: {_some(left_out)}")
    for note in reader.notes:
        warnings.warn(f"{note}.", GivenGroupsWarning, stacklevel=3)
    return miner


class _Reader:
    """Finds what was given among the rows and columns of a table."""

    def __init__(self, X: Any) -> None:
        self.shape = X.shape if hasattr(X, "shape") else np.shape(X)
        self.names, columns = row_names(X, 0), getattr(X, "columns", None)
        numbered = (f"x{k}" for k in range(self.shape[1]))
        self.rows = _places(self.names)
        self.columns = _places(numbered if columns is None else columns)
        self.notes: list[str] = []
        self.unknown: dict[str, list[str]] = {"row": [], "column": []}

    def groups(self, given: Any, cut: float) -> list[GivenGroup]:
        """The groups, each with a name of its own."""
        if isinstance(given, Mapping):
            groups = self._of_sets(given)
        else:
            values = given if hasattr(given, "shape") else np.array(given, dtype=object)
            if len(values.shape) not in (1, 2):
                raise ValueError(
                    f"given is a {type(given).__name__} of shape {values.shape}; give a label for "
                    "each row, a membership for each row and group, or a dict of names and rows."
                )
            is_flat = len(values.shape) == 1
            groups = self._of_labels(given) if is_flat else self._of_memberships(given, cut)
        for what, names in self.unknown.items():
            distinct = [*dict.fromkeys(names)]
            if distinct:
                few = _some(map(repr, distinct))
                n = counted(len(distinct), what)
                self.notes.append(f"given names {n} that X does not have, left out: {few}")
        names = [one.name for one in groups]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"given has several groups {twice[0]!r}; give each its own name.")
        return groups

    def _of_labels(self, given: Any) -> list[GivenGroup]:
        words = np.array([_word(one) for one in np.asarray(given, object).tolist()], object)
        masks = class_masks(self._aligned(given, words, None), self.shape[0])
        what = getattr(given, "name", None) or "group"  # a number alone is no name
        return [
            GivenGroup(f"{what} {name}" if name[:1].isdigit() else name, own)
            for name, own in masks.items()
        ]

    def _of_memberships(self, given: Any, cut: float) -> list[GivenGroup]:
        try:
            values = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                "given has memberships that are not numbers; give True and False, numbers, or "
                "labels in one dimension."
            ) from None
        columns = getattr(given, "columns", None)
        names = [f"group {k}" for k in range(values.shape[1])] if columns is None else columns
        inside = self._aligned(given, values > cut, False)
        return [GivenGroup(str(name), own) for name, own in zip(names, inside.T, strict=True)]

    def _aligned(self, given: Any, values: AnyArray, missing: Any) -> AnyArray:
        """One value for each row of X, by the names of rows where both have such."""
        n_rows, names = self.shape[0], row_names(given, 0)
        is_named = names not in (self.names, [*range(len(names))])
        places = [self.rows.get(str(name), []) if is_named else [] for name in names]
        if len(values) == n_rows and not any(places):
            return values
        if not any(places):
            raise ValueError(
                f"given has {len(values)} rows and X has {n_rows}; give one for each row of X, or "
                "a Series or frame with names of its rows."
            )
        self.unknown["row"] += [
            str(name) for name, own in zip(names, places, strict=True) if not own
        ]
        found = np.full((n_rows, *values.shape[1:]), missing, dtype=values.dtype)
        for own, value in zip(places, values, strict=True):
            found[own] = value
        if n_lacking := n_rows - sum(map(len, places)):
            self.notes.append(f"given lacks {n_lacking} of the {n_rows} rows; they are in no group")
        return found

    def _of_sets(self, given: Mapping[Any, Any]) -> list[GivenGroup]:
        pairs = {
            str(name): value
            if isinstance(value, tuple) and len(value) == 2 and not any(map(_is_name, value))
            else (value, None)
            for name, value in given.items()
        }
        plain = [one for rows, _ in pairs.values() for one in _names(rows)]
        of_rows = sum(one in self.rows for one in plain)
        if plain and sum(one in self.columns for one in plain) > of_rows:
            pairs = {name: (None, columns) for name, (columns, _) in pairs.items()}
        groups = []
        for name, (rows, columns) in pairs.items():
            inside = np.zeros(self.shape[0], dtype=bool)
            inside[self._found(name, rows, "row")] = True
            own = self._found(name, columns, "column")
            is_empty = rows is not None and not inside.any()
            groups.append(GivenGroup(name, inside, own[:0] if is_empty else own))
        return groups

    def _found(self, group: str, given: Any, what: str) -> IndexArray:
        """Places of rows or columns, which are names, positions or a mask."""
        if given is None:
            return np.empty(0, np.intp)
        if _is_name(given) or not hasattr(given, "__iter__"):
            raise ValueError(f"given[{group!r}] is {given!r}; give a list of {what}s.")
        known, n = (self.rows, self.shape[0]) if what == "row" else (self.columns, self.shape[1])
        values = np.asarray(list(given) if not hasattr(given, "dtype") else given)
        if values.dtype == bool:
            if len(values) != n:
                raise ValueError(
                    f"given[{group!r}] is a mask of {len(values)} values for {counted(n, what)}; "
                    "give one value for each."
                )
            return np.flatnonzero(values)
        if values.dtype.kind in "iu":
            places = {str(one): [one] for one in values.tolist() if 0 <= one < n}
        else:
            places = {str(one): known[str(one)] for one in values.tolist() if str(one) in known}
        self.unknown[what] += [str(one) for one in values.tolist() if str(one) not in places]
        return np.array(sorted({place for own in places.values() for place in own}), np.intp)


def _is_split(one: GivenGroup) -> bool:
    """True if its rows are those that its columns split."""
    return len(one.columns) > 0 and not one.rows.any()


def _are_same(one: GivenGroup, other: GivenGroup) -> bool:
    return np.array_equal(one.rows, other.rows) and np.array_equal(one.columns, other.columns)


def _places(names: Iterable[Any]) -> dict[str, list[int]]:
    """Places of each name."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(str(name), []).append(place)
    return places


def _names(value: Any) -> list[str]:
    """The names in a value, which may be positions or a mask instead."""
    return [one for one in value if _is_name(one)] if hasattr(value, "__iter__") else []


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


def _word(label: Any) -> str | None:
    """A label as text, 1.0 as 1; None for a missing one."""
    if label is None or label != label or not str(label):
        return None
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _sized(name: str, n_rows: int) -> str:
    return f"{name!r} ({counted(n_rows, 'row')})"


def _some(words: Iterable[str]) -> str:
    told = [*words]
    more = f" and {len(told) - MOST_NAMES} more" if len(told) > MOST_NAMES else ""
    return ", ".join(told[:MOST_NAMES]) + more
