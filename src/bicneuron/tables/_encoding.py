"""What was decided about the columns of a table at a fit, to be applied to new tables."""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import counted
from bicneuron._shared._names import close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import Column, Reading, cells_of, listed, read_column, shown, text_of
from bicneuron.tables._conversion import KINDS, NO_NUMBER, SAME, Conversion, decide
from bicneuron.tables._ids import Role, are_codes, find_ids, guess_id
from bicneuron.tables._questions import ranges_of
from bicneuron.tables._target import Classes

_FEWEST_ROWS = 5  # with fewer, cells are the same by chance
_INFINITE = re.compile("[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Encoding:
    """Decisions about the columns of a table, as plain values."""

    columns: tuple[str, ...] = ()  # those that were there to become features
    features: tuple[str, ...] | None = None  # None takes all columns of a table as numbers
    conversions: tuple[Conversion, ...] = ()
    id_column: str | None = None
    codes: tuple[tuple[str, str], ...] = ()  # column, or nothing for all, and code
    log: bool = False
    classes: Classes = field(default_factory=Classes)
    # Ranges of the columns of numbers.
    seen: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Columns that the features are made of."""
        made_of = {feature: one.column for one in self.conversions for feature in one.features}
        return (*dict.fromkeys(made_of.get(name, name) for name in self.features or ()),)

    @property
    def about(self) -> list[str]:
        """What is done to columns, in a line for all with the same conversion."""
        of: dict[str, list[str]] = {}
        for one in self.conversions:
            about = f"left out, {one.about}" if one.kind == "left out" else one.about
            of.setdefault(about, []).append(one.column)
        return [f"{listed(names)}: {about}" for about, names in of.items() if about]

    def stated(self, decimal: str | None, log: bool | None) -> "Encoding":
        """The same with what is stated about a new table in the place of what the fit saw."""
        ones = tuple(replace(one, decimal=decimal or one.decimal) for one in self.conversions)
        return replace(self, conversions=ones, log=self.log if log is None else log)

    @classmethod
    def from_json(cls, record: Any) -> "Encoding":
        """Convert the output of `dataclasses.asdict` back; refuse what it cannot have written."""
        try:
            parts = {name: _of_texts(one) for name, one in record.items() if name != "seen"}
            ones = tuple(Conversion(**one) for one in parts.pop("conversions"))
            classes = Classes(**parts.pop("classes"))
            seen = {name: [*map(float, values)] for name, values in record["seen"].items()}
            is_valid = all(min(len(one.words), 2) == KINDS[one.kind] for one in ones)
            is_valid &= len(classes.words) == len(classes.levels)
            numbers = np.array([*seen.values()]).reshape(-1, 8)
            if not is_valid or isinstance(parts["columns"], str) or not np.isfinite(numbers).all():
                raise ValueError("its parts do not fit each other")
            return cls(conversions=ones, classes=classes, seen=seen, **parts)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise TableError(f"the model has no valid reader of tables ({reason}).") from error


def _of_texts(value: Any) -> Any:
    """Lists as tuples, also within others; refuse all but text, yes and no."""
    if isinstance(value, Mapping):
        return {name: _of_texts(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(_of_texts, value))
    if not isinstance(value, str | bool | None):
        raise TypeError(f"{shown(value)} is no text")
    return value


class Look(NamedTuple):
    """Columns as they are read, and which of them number or name the rows."""

    columns: dict[str, Column]  # codes for missing values are gone, but in row names
    readings: dict[str, Reading]
    decimal: str | None  # mark that is stated, or that most columns show
    roles: Mapping[str, Role]  # of columns that are ids, or may be
    id_column: str | None

    @property
    def ids(self) -> list[str]:
        """Columns that are ids beyond doubt."""
        return [name for name, role in self.roles.items() if role in (Role.ID, Role.REPEATED)]


class Prepared(NamedTuple):
    """Features as numbers, and what is wrong with the columns."""

    values: dict[str, FloatArray]
    of_columns: dict[str, FloatArray]  # one array for each column, words numbered
    notes: list[str]
    problems: list[str]


def parse_codes(
    given: Iterable[str], names: Collection[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Columns and codes of settings such as ``-9`` and ``age=999``, and problems with them."""
    codes = [one.rpartition("=")[::2] for one in given]
    unknown = [name for name, _ in codes if name and name not in names]
    problems = [f"has no column {n!r} for missing.{close_to(n, names)}" for n in unknown]
    problems += [f"--read missing={name}= names no value." for name, code in codes if not code]
    return codes, problems


def without_codes(name: str, column: Column, codes: Iterable[tuple[str, str]]) -> Column:
    """A column whose codes are missing cells."""
    own = {_value_of(code) for of, code in codes if of in ("", name)}
    if isinstance(column, list):
        return ["" if _value_of(cell) in own else cell for cell in column] if own else column
    numbers = [one for one in own if isinstance(one, float)]
    return np.where(np.isin(column, numbers), np.nan, column) if own else column


def _value_of(cell: Any) -> str | float:
    """What a cell shares with a code: its number, or its text."""
    text = text_of(cell).casefold()
    with suppress(ValueError):
        return float(text.replace(",", "."))
    return text


def look_at(
    columns: Mapping[str, Column],
    decimal: str | None,
    codes: Sequence[tuple[str, str]] = (),
    *,
    may_be_ids: Sequence[str] = (),
    first: str | None = None,
) -> Look:
    """Read columns, find ids and, where the ``first`` of the file is named, names of the rows."""
    readings = {name: read_column(column) for name, column in columns.items()}
    free = {name: columns[name] for name in may_be_ids}
    roles, texts = find_ids(free, readings), {name for name in free if readings[name].is_text}
    id_column = None if first is None else guess_id(free, texts, roles, first)
    clean = dict(columns)
    for name in columns.keys() - {id_column} if codes else ():
        clean[name] = without_codes(name, columns[name], codes)
        readings[name] = read_column(clean[name])
    marks = Counter(one.own_mark for one in readings.values() if one.own_mark and not one.is_text)
    (most, n), (_, n_others) = [*marks.most_common(), (None, 0), (None, 0)][:2]
    return Look(clean, readings, decimal or (most if n > n_others else None), roles, id_column)


def learn(look: Look, places: Sequence[str], *, log: bool) -> tuple[Encoding, Prepared]:
    """Decide how columns become numbers, unless they are ids, and convert them."""
    found: dict[str, Conversion] = {}
    for name in (one for one in look.columns if one != look.id_column):
        column, reading = look.columns[name], look.readings[name]
        is_code = are_codes(name, column, reading) is True
        one = decide(name, column, reading, look.decimal, are_codes=is_code)
        found[name] = one or Conversion(name, "number")
    about = "an id; --read keep=COLUMN takes it as a feature"
    found |= {one: Conversion(one, "left out", about=about) for one in look.ids if one in found}
    made = _prepared(look, found, places, log=log, is_fit=True)
    conversions = tuple(one for one in found.values() if one.about or one.decimal)  # not plain
    words = {f for one in conversions if one.kind != "number" for f in one.features}
    # New words are noticed one by one.
    seen = ranges_of({name: one for name, one in made.values.items() if name not in words})
    columns, features = (*look.columns,), (*made.values,)
    return Encoding(columns, features, conversions, look.id_column, log=log, seen=seen), made


def apply(encoding: Encoding, look: Look, places: Sequence[str]) -> Prepared:
    """Convert the columns of a new table as those of the fit."""
    names = look.columns if encoding.features is None else encoding.sources
    there = look.columns.keys() - {look.id_column}
    found = {name: Conversion(name, "number") for name in names if name in there}
    found |= {one.column: one for one in encoding.conversions if one.column in found}
    made = _prepared(look, found, places, log=encoding.log, is_fit=False)
    wanted = made.values if encoding.features is None else encoding.features
    return made._replace(values={one: made.values[one] for one in wanted if one in made.values})


def _prepared(
    look: Look, found: dict[str, Conversion], places: Sequence[str], *, log: bool, is_fit: bool
) -> Prepared:
    """Features, one array for each column, and a line for each problem; a fit leaves out more."""
    prepared = Prepared({}, {}, [], [])
    for name, one in found.items():
        made = one.apply(look.columns[name], look.readings[name], look.decimal, log=log)
        values = made.values[0] if len(made.values) == 1 and not made.wrong else np.empty(0)
        if is_fit and len(values) >= _FEWEST_ROWS and np.all(values == values[0]):
            one = found[name] = Conversion(name, "left out", about=SAME)
        cells = cells_of(look.columns[name]) if made.wrong else []
        gaps = {row for row in made.wrong if _INFINITE.fullmatch(text_of(cells[row]))}
        more = f"{name!r}: {counted(len(gaps), 'infinite cell')} taken as missing" if gaps else ""
        prepared.notes.extend(filter(None, [made.note, more]))
        if wrong := {row: why for row, why in made.wrong.items() if row not in gaps}:
            row, why = min(wrong.items())
            more = f" ({len(wrong)} such cells)" if len(wrong) > 1 else ""
            cell, text = cells[row], text_of(cells[row])
            is_word = why.startswith(NO_NUMBER) and not any(map(str.isdigit, text))
            way = f"take it as missing with --read missing={shlex.quote(text)}" if is_word else ""
            way = f"Correct it{way and f', {way},'} or leave the column out with --drop."
            told = f"is {shown(text if isinstance(cell, float) else cell)}, which {why}{more}"
            prepared.problems.append(f"column {name!r}, {places[row]}, {told}. {way}")
        if twice := [feature for feature in one.features if feature in prepared.values]:
            prepared.problems.append(f"has two columns for a feature {twice[0]!r}; rename one.")
        if made.values and one.kind != "left out":
            prepared.values.update(zip(one.features, made.values, strict=True))
            numbered = [place * values for place, values in enumerate(made.values[1:], start=2)]
            prepared.of_columns[name] = sum(numbered, start=made.values[0])
    return prepared
