"""What was decided about the columns of a table at fit, to be applied to new tables.

`look_at` reads columns and finds those that number or name the rows, `learn` decides how the others
become numbers, and an `Encoding` is what is kept of both with a model.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._dates import are_times, read_date_column
from bicneuron.tables._ids import MOST_CATEGORIES, Role, about_likely, find_ids, left_out
from bicneuron.tables._missing import without_codes
from bicneuron.tables._numbers import POINT, Reading
from bicneuron.tables._prepare import Look, Options, Prepared, prepare, read_columns
from bicneuron.tables._sheet import Column, to_names
from bicneuron.tables._shift import Seen, look_at_values, shifts
from bicneuron.tables._step import (
    NumberFormat,
    Step,
    describe_steps,
    steps_from_json,
    steps_to_json,
)
from bicneuron.tables._steps import MissingCodes, Numbers

_LIKE_AN_ID = re.compile(
    r"(?i:column 1|unnamed: 0|index|idx|rows?|no|nr|number|#|sample|patient|subject|case|barcode"
    r"|(.*[ _.-])?(id|ids|identifier|accession|code|name|names|key))|.*[a-z]I[dD]"
)
_AN_ID = re.compile(
    r"(?i:(.*[ _.-])?(ids?|identifier|accession|patient|subject|sample|name))|.*[a-z]I[dD]"
)


@dataclass(frozen=True)
class Encoding:
    """Decisions about the columns of a table, as plain values."""

    columns: tuple[str, ...] = ()  # those that were there to become features
    features: tuple[str, ...] | None = None  # None takes all columns of a table as numbers
    steps: tuple[Step, ...] = ()
    id_column: str | None = None
    seen: Seen | None = None  # values of the columns of numbers

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Columns that the features are made of."""
        made_of = {feature: step.column for step in self.steps for feature in step.features}
        return (*dict.fromkeys(made_of.get(name, name) for name in self.features or ()),)

    def apply(self, look: Look, names: Iterable[str], options: Options) -> Prepared:
        """Convert the columns of a new table as those of the fit."""
        made = prepare(look, names, options, self.steps)
        wanted = made.values if self.features is None else self.features
        return made._replace(values={n: made.values[n] for n in wanted if n in made.values})

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
        if not isinstance(columns, list) or not isinstance(features or [], list):
            raise TableError("the model has no list of columns.")
        names = [*columns, *(features or ()), id_column or ""]
        if not all(isinstance(name, str) for name in names):
            raise TableError("the model names columns that are not text.")
        return cls(
            tuple(columns),
            None if features is None else tuple(features),
            steps_from_json(record["steps"]),
            id_column,
            None if record["seen"] is None else Seen.from_json(record["seen"]),
        )


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

    ``first`` is the first column of the file; the columns that ``may_be_ids`` may be left out, and
    those that ``may_name_rows`` may hold the row names.
    """
    look = read_columns(columns, number_format)
    ids = find_ids({name: columns[name] for name in may_be_ids}, look.readings)
    id_column = _guess_id(look, ids, may_name_rows, first)
    n_cells = {}
    if codes:
        cleaned = dict(columns)
        for name in columns:
            if name != id_column:
                cleaned[name], n_cells[name] = without_codes(name, columns[name], codes)
        look = read_columns(cleaned, number_format)
    return look._replace(ids=ids, id_column=id_column, n_cells=n_cells)


def learn(look: Look, names: Iterable[str], options: Options) -> tuple[Encoding, Prepared]:
    """Decide how columns become numbers, unless they are ids, and convert them."""
    names = [*names]
    numbering = {
        name: left_out(name, role)
        for name, role in look.ids.items()
        if role in (Role.ID, Role.REPEATED) and name != look.id_column
    }
    no_features = {look.id_column, *numbering}
    made = prepare(look, [name for name in names if name not in no_features], options)
    about = describe_steps(numbering.values())
    if options.strict:
        made.problems.extend(f"without --read strict=yes: {line}." for line in about)
    made = made._replace(
        steps=(*made.steps, *numbering.values()),
        notes=[*about, *about_likely(look.ids), *made.notes],
    )
    # New dates are later, and new words are noticed one by one.
    others = {f for step in made.steps if not isinstance(step, Numbers) for f in step.features}
    seen = look_at_values({name: made.values[name] for name in made.values if name not in others})
    return Encoding(tuple(names), tuple(made.values), made.steps, look.id_column, seen), made


def _guess_id(look: Look, ids: Mapping[str, Role], names: Iterable[str], first: str) -> str | None:
    """Return the first column of names, or of numbers that are ids, if there is one."""
    for name in names:
        reading = look.readings[name]
        is_id = ids.get(name) is Role.ID
        if not (is_id or name == first or reading.is_text):
            continue
        is_called_so = is_id or _LIKE_AN_ID.fullmatch(name) is not None
        is_count = is_called_so and _are_counted(reading)
        words = to_names(look.columns[name]) if is_count or reading.is_text else [""]
        if (
            all(words)
            and _are_ids(name, words, is_first=name == first)
            and not any(map(has_line_break, set(words)))
            # Dates, times and numbers such as 1,234 are not names.
            and (is_called_so or _are_names(look.columns[name], words))
        ):
            return name
    return None


def _are_counted(reading: Reading) -> bool:
    values = reading.by_mark[POINT]
    return reading.is_plain and not reading.missing and bool(np.all(values == np.floor(values)))


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
