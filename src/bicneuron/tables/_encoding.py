"""What was decided about the columns of a table at fit, to be applied to new tables.

`look_at` reads columns and finds those that number or name the rows, `learn` decides how the others
become numbers, and an `Encoding` is what is kept of both with a model.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._dates import are_times, read_date_column
from bicneuron.tables._ids import MOST_CATEGORIES, Role, about_likely, find_ids, left_out
from bicneuron.tables._missing import without_codes
from bicneuron.tables._numbers import POINT, Reading
from bicneuron.tables._prepare import Prepared, apply_steps, prepare, read_columns
from bicneuron.tables._sheet import Column, to_names
from bicneuron.tables._shift import Seen, look_at_values, shifts
from bicneuron.tables._steps import MissingCodes, NumberFormat, Numbers, Step
from bicneuron.tables._steps_json import describe_steps, steps_from_json, steps_to_json

_LIKE_AN_ID = re.compile(
    r"(?i:column 1|unnamed: 0|index|idx|rows?|no|nr|number|#|sample|patient|subject|case|barcode"
    r"|(.*[ _.-])?(id|ids|identifier|accession|code|name|names|key))|.*[a-z]I[dD]"
)
_AN_ID = re.compile(
    r"(?i:(.*[ _.-])?(ids?|identifier|accession|patient|subject|sample|name))|.*[a-z]I[dD]"
)


@dataclass(frozen=True)
class Encoding:
    """Decisions about the columns of a table, as plain values.

    Parameters
    ----------
    columns : tuple of str, default=()
        Columns that were there to become features, in their order.
    features : tuple of str or None, default=None
        Names of the features; None takes all columns of a table as numbers.
    steps : tuple of steps, default=()
        Conversions of columns to numbers, and columns that are left out.
    id_column : str, default=None
        Column with the row names.
    seen : Seen, default=None
        Values of the columns of numbers.
    """

    columns: tuple[str, ...] = ()
    features: tuple[str, ...] | None = None
    steps: tuple[Step, ...] = ()
    id_column: str | None = None
    seen: Seen | None = None

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Columns that the features are made of."""
        made_of = {feature: step.column for step in self.steps for feature in step.features}
        return (*dict.fromkeys(made_of.get(name, name) for name in self.features or ()),)

    def apply(
        self,
        columns: Mapping[str, Column],
        readings: Mapping[str, Reading],
        number_format: NumberFormat,
        places: Sequence[str],
        budget: Budget | None,
        *,
        keep_missing: bool,
    ) -> Prepared:
        """Convert the columns of a new table as those of the fit."""
        made = apply_steps(
            columns,
            readings,
            self.steps,
            number_format,
            places,
            budget,
            keep_missing=keep_missing,
        )
        if self.features is None:
            return made
        values = {name: made.values[name] for name in self.features if name in made.values}
        return made._replace(values=values)

    def shifts(self, values: Mapping[str, FloatArray], places: Sequence[str]) -> list[str]:
        """Say which columns no longer hold what the fit saw."""
        return [] if self.seen is None else shifts(values, self.seen, places)

    def to_json(self) -> dict[str, Any]:
        """Values that JSON can hold."""
        return {
            "columns": list(self.columns),
            "features": None if self.features is None else list(self.features),
            "steps": steps_to_json(self.steps),
            "id": self.id_column,
            "seen": None if self.seen is None else self.seen.to_json(),
        }

    @classmethod
    def from_json(cls, record: Any) -> "Encoding":
        """Convert the output of `to_json` back; refuse what it cannot have written."""
        if not isinstance(record, dict) or {*record} != {*cls().to_json()}:
            raise TableError("the model has no valid reader of tables.")
        columns, features, id_column = record["columns"], record["features"], record["id"]
        names = [*_list_of_names(columns), *_list_of_names(features or [])]
        if not all(isinstance(name, str) for name in [*names, id_column or ""]):
            raise TableError("the model names columns that are no text.")
        return cls(
            tuple(columns),
            None if features is None else tuple(features),
            steps_from_json(record["steps"]),
            id_column,
            None if record["seen"] is None else Seen.from_json(record["seen"]),
        )


def _list_of_names(names: Any) -> list[Any]:
    if not isinstance(names, list):
        raise TableError("the model has no list of columns.")
    return names


class Look(NamedTuple):
    """Columns as they are read, and which of them number or name the rows.

    Parameters
    ----------
    columns, readings : dicts of str to column and to what was read
        Codes for missing values are gone, but in row names.
    number_format : NumberFormat
        Completed from what the columns show.
    ids : dict of str to Role
        Columns that are ids, or may be.
    id_column : str or None
        The column with the row names.
    n_cells : dict of str to dict of str to int
        Cells of each code, by column.
    """

    columns: dict[str, Column]
    readings: dict[str, Reading]
    number_format: NumberFormat
    ids: dict[str, Role]
    id_column: str | None
    n_cells: dict[str, dict[str, int]]


def look_at(
    columns: Mapping[str, Column],
    number_format: NumberFormat,
    codes: Sequence[MissingCodes] = (),
    *,
    first: str = "",
    may_be_ids: Iterable[str] = (),
    may_name_rows: Iterable[str] = (),
) -> Look:
    """Read columns, and find those that number or name the rows.

    Parameters
    ----------
    columns : mapping of str to column
    number_format : NumberFormat
        What is stated.
    codes : sequence of MissingCodes
    first : str
        The first column of the file.
    may_be_ids, may_name_rows : iterables of str
        Columns that may be left out as ids, and that may hold the row names.
    """
    readings, found_format = read_columns(columns, number_format)
    ids = find_ids({name: columns[name] for name in may_be_ids}, readings)
    id_column = _guess_id(columns, readings, ids, may_name_rows, first)
    columns, n_cells = dict(columns), {}
    if codes:
        for name in columns:
            if name != id_column:
                columns[name], n_cells[name] = without_codes(name, columns[name], codes)
        readings, found_format = read_columns(columns, number_format)
    return Look(columns, readings, found_format, ids, id_column, n_cells)


def learn(
    look: Look,
    names: Iterable[str],
    places: Sequence[str],
    budget: Budget | None,
    *,
    strict: bool,
    keep_missing: bool,
    log: bool,
) -> tuple[Encoding, Prepared]:
    """Decide how columns become numbers, and convert them.

    Parameters
    ----------
    look : Look
    names : iterable of str
        Columns to become features, unless they are ids.
    places, budget, strict, keep_missing, log
        As of `prepare`.
    """
    names = [*names]
    numbering = {
        name: left_out(name, role)
        for name, role in look.ids.items()
        if role in (Role.ID, Role.REPEATED) and name != look.id_column
    }
    features = {
        name: look.columns[name]
        for name in names
        if name != look.id_column and name not in numbering
    }
    made = prepare(
        features,
        look.readings,
        look.number_format,
        places,
        budget,
        strict=strict,
        keep_missing=keep_missing,
        log=log,
    )
    about = describe_steps(numbering.values())
    if strict:
        made.problems.extend(f"without --strict: {line}." for line in about)
    made = made._replace(
        steps=(*made.steps, *numbering.values()),
        notes=[*about, *about_likely(look.ids), *made.notes],
    )
    # New dates are later, and new words are noticed one by one.
    no_numbers = {
        feature for step in made.steps if not isinstance(step, Numbers) for feature in step.features
    }
    numbers = {name: values for name, values in made.values.items() if name not in no_numbers}
    encoding = Encoding(
        tuple(names), tuple(made.values), made.steps, look.id_column, look_at_values(numbers)
    )
    return encoding, made


def _guess_id(
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    ids: Mapping[str, Role],
    names: Iterable[str],
    first: str,
) -> str | None:
    """Return the first column of names, or of numbers that are ids, if there is one."""
    for name in names:
        reading = readings[name]
        values = reading.by_mark[POINT]
        is_called_so = _LIKE_AN_ID.fullmatch(name) is not None or ids.get(name) is Role.ID
        is_count = (
            (name == first or ids.get(name) is Role.ID)
            and is_called_so
            and reading.is_plain
            and not reading.missing
            and bool(np.all(values == np.floor(values)))
        )
        if is_count or reading.is_text:
            words = to_names(columns[name])
            is_one = all(words) and _are_ids(name, words, is_first=name == first)
            # Dates, times and numbers such as 1,234 are not names.
            if (
                is_one
                and not any(map(has_line_break, set(words)))
                and (is_called_so or _are_names(columns[name], words))
            ):
                return name
    return None


def _are_names(column: Column, words: Sequence[str]) -> bool:
    return (
        any(letter.isalpha() for word in set(words) for letter in word)
        and not read_date_column(column).is_dates
        and not are_times(column)
    )


def _are_ids(name: str, words: Sequence[str], *, is_first: bool) -> bool:
    """True if names are all different, or repeated in a first column that is called an id."""
    n_different = len(set(words))
    is_many = n_different > MOST_CATEGORIES or 2 * n_different > len(words) > 2
    return n_different == len(words) or (
        is_first and _AN_ID.fullmatch(name) is not None and is_many
    )


def has_line_break(word: object) -> bool:
    """True for text of several lines."""
    return isinstance(word, str) and ("\n" in word or "\r" in word)
