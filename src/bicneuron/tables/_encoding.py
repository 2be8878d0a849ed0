"""What was decided about the columns of a table at a fit, to be applied to new tables."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import (
    COMMA,
    MISSING_AMONG_NUMBERS,
    POINT,
    Column,
    Reading,
    cells_of,
    each_once,
    lacks_year,
    listed,
    read_column,
    read_dates,
    read_number,
    shown,
    some,
    text_of,
)
from bicneuron.tables._changes import Seen, look_at_values
from bicneuron.tables._conversion import (
    DIFFERENT,
    KINDS,
    NO_NUMBER,
    SAME,
    Conversion,
    Converted,
    Notation,
    convert,
    decide,
)
from bicneuron.tables._names import Role, are_codes, find_ids, guess_id
from bicneuron.tables._target import Classes

DECIMALS = {"point": POINT, "comma": COMMA}
ORDERS = {"day-first": True, "month-first": False}
# With fewer rows columns are the same by chance.
_FEWEST_ROWS = 5


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
    probes: Mapping[str, list[int]] = field(default_factory=dict)  # place of the one taken, of many
    seen: Seen | None = None  # values of the columns of numbers

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
        of.pop("", None)
        return [f"{listed(names)}: {about}" for about, names in of.items()]

    def stated(self, notation: Notation, log: bool | None) -> "Encoding":
        """The same with what is stated about a new table."""
        conversions = tuple(one.stated(notation) for one in self.conversions)
        return replace(self, conversions=conversions, log=self.log if log is None else log)

    def to_json(self) -> dict[str, Any]:
        """Values that JSON can hold."""
        seen = None if self.seen is None else self.seen.to_json()
        return {**asdict(replace(self, seen=None)), "seen": seen}

    @classmethod
    def from_json(cls, record: Any) -> "Encoding":
        """Convert the output of `to_json` back; refuse what it cannot have written."""
        try:
            given = {one.name: record[one.name] for one in fields(cls)}
            if len(given) < len(record):
                raise ValueError("it has entries that are not known")
            features, seen = given["features"], given["seen"]
            codes = tuple((str(column), str(code)) for column, code in given["codes"])
            probes = {name: [int(one), int(of)] for name, (one, of) in given["probes"].items()}
            classes = _from_record(Classes, given["classes"])
            if len(classes.words) != len(classes.levels):
                raise ValueError("its target has words without a class")
            [*map(float, classes.limits)]
            found = cls(
                _texts(given["columns"]),
                None if features is None else _texts(features),
                tuple(_from_record(Conversion, one) for one in given["conversions"]),
                None if given["id_column"] is None else _texts([given["id_column"]])[0],
                codes,
                bool(given["log"]),
                classes,
                probes,
                None if seen is None else Seen.from_json(seen),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise TableError(f"the model has no valid reader of tables ({reason}).") from error
        for one in found.conversions:
            n_words = {"yes/no": 2, "category": max(2, len(one.words))}.get(one.kind, 0)
            if one.kind not in KINDS or len(one.words) != n_words:
                raise TableError(f"the model has an unknown conversion: {shown(one)}.")
        return found


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise TypeError("a list of names is none")
    return tuple(values)


def _from_record(kind: Any, record: Mapping[str, Any]) -> Any:
    """A conversion of plain values; refuse what is none."""
    values = {
        name: _texts(value) if isinstance(value, list | tuple) else value
        for name, value in record.items()
    }
    if not all(isinstance(value, str | bool | tuple | None) for value in values.values()):
        raise TypeError("a conversion holds other values than text")
    return kind(**values)


class Look(NamedTuple):
    """Columns as they are read, and which of them number or name the rows."""

    columns: dict[str, Column]  # codes for missing values are gone, but in row names
    readings: dict[str, Reading]
    notation: Notation  # completed from what the columns show
    ids: Mapping[str, Role]  # columns that are ids, or may be
    id_column: str | None
    n_cells: dict[str, dict[str, int]]  # of each code, by column


class Prepared(NamedTuple):
    """Features as numbers, and what is wrong with the columns."""

    values: dict[str, FloatArray]
    of_columns: dict[str, FloatArray]  # one array for each column, words numbered
    missing: dict[str, int]  # cells without a value, by column
    notes: list[str]
    problems: list[str]


def notation_of(decimal: str | None, dates: str | None) -> Notation:
    """The notation of settings such as "comma" and "day-first"."""
    for name, value, known in (("decimal", decimal, DECIMALS), ("dates", dates, ORDERS)):
        if value is not None and value not in known:
            raise ValueError(f"{name}={value!r} must be one of {', '.join(known)}.")
    return Notation(DECIMALS.get(decimal or ""), ORDERS.get(dates or ""))


def parse_codes(
    given: Iterable[str], names: Iterable[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Columns and codes of settings such as ``-9`` and ``age=999``, and problems with them."""
    codes, problems, known = [], [], [*names]
    for one in given:
        parts = one.split("=")
        heads = ["=".join(parts[:place]) for place in range(1, len(parts))]
        column = next((head for head in heads if head in known), "")
        code = one[len(column) + 1 :].strip() if column else one.strip()
        if heads and not column:
            problems.append(f"has no column {heads[0]!r} for missing.{close_to(heads[0], known)}")
        elif not code:
            problems.append(f"--read missing={one!r} names no value.")
        else:
            codes.append((column, code))
    return codes, problems


def without_codes(
    name: str, column: Column, codes: Iterable[tuple[str, str]]
) -> tuple[Column, dict[str, int]]:
    """A column whose codes are missing cells, and the number of cells of each code."""
    n_cells = {}
    for of, code in codes:
        if of not in ("", name):
            continue
        number = read_number(text_of(code))
        is_number = number is not None and not (number.unit or number.is_limit)
        values = {} if number is None or not is_number else number.by_mark
        wanted = {value for value in values.values() if value is not None}
        if isinstance(column, np.ndarray):
            found = np.isin(column, [*wanted])
            column = np.where(found, np.nan, column) if found.any() else column
        else:
            text = text_of(code).casefold()

            def is_code(cell: Any, text: str = text, wanted: Any = wanted) -> bool:
                own = "" if cell is None else text_of(cell).removesuffix(" 00:00:00").casefold()
                read = read_number(own) if wanted and own != text else None
                if read is None or read.unit or read.is_limit:
                    return own == text
                return not wanted.isdisjoint(read.by_mark.values())

            found = np.array(each_once(is_code, column), dtype=bool)
            column = ["" if own else cell for cell, own in zip(column, found, strict=True)]
        n_cells[code] = int(found.sum())
    return column, {code: n for code, n in n_cells.items() if n}


def look_at(
    columns: Mapping[str, Column],
    notation: Notation,
    codes: Sequence[tuple[str, str]] = (),
    *,
    first: str = "",
    may_be_ids: Sequence[str] = (),
    names_rows: bool = False,
) -> Look:
    """Read columns, and find those that number or name the rows.

    ``first`` is the first column of the file; ``names_rows`` looks for a column of row names.
    """
    readings = {name: read_column(column) for name, column in columns.items()}
    ids = find_ids({name: columns[name] for name in may_be_ids}, readings)
    columns, n_cells = dict(columns), dict[str, dict[str, int]]()
    look = Look(columns, readings, notation, ids, None, n_cells)
    id_column = guess_id(columns, readings, ids, may_be_ids, first) if names_rows else None
    for name, column in columns.items() if codes else ():
        if name != id_column:
            columns[name], n_cells[name] = without_codes(name, column, codes)
            readings[name] = read_column(columns[name])
    if notation.day_first is None:
        texts = [columns[name] for name, reading in readings.items() if reading.is_text]
        orders = {
            dates.day_first
            for dates in map(read_dates, texts)
            if dates.are_most and dates.depend_on_order and dates.day_first is not None
        }
        notation = notation._replace(day_first=orders.pop() if len(orders) == 1 else None)
    if notation.decimal is None and any(one.leaves_mark_open for one in readings.values()):
        votes = Counter(
            one.own_mark or (POINT if one.is_plain and _has_parts(one) else None)
            for one in readings.values()
            if not one.is_text
        )
        if votes[POINT] != votes[COMMA]:
            notation = notation._replace(decimal=max((POINT, COMMA), key=lambda m: votes[m]))
    return look._replace(notation=notation, id_column=id_column)


def _has_parts(reading: Reading) -> bool:
    values = reading.by_mark[POINT]
    return bool(np.any(np.isfinite(values) & (values != np.floor(values))))


def learn(
    look: Look, names: Iterable[str], places: Sequence[str], *, log: bool
) -> tuple[Encoding, Prepared]:
    """Decide how columns become numbers, unless they are ids, and convert them."""
    found: dict[str, Conversion | None] = {}
    names = [*names]
    for name in names:
        column, reading = look.columns[name], look.readings[name]
        role = look.ids.get(name)
        if name == look.id_column:
            continue
        if role in (Role.ID, Role.REPEATED):
            what = (
                "a different number in each row" if role is Role.ID else "the same in several rows"
            )
            about = f"an id, {what}; --read keep=COLUMN takes it as a feature"
            found[name] = Conversion(name, "left out", about=about)
        else:
            is_code = are_codes(name, column, reading) is True
            found[name] = decide(name, column, reading, look.notation, are_codes=is_code)
    made = _convert(look, found, places, log=log)
    found |= _useless(found, made)
    prepared = _prepared(look, found, made, places, log=log)
    made_of = {feature: one.column for one in found.values() if one for feature in one.features}
    prepared.problems.extend(
        f"has a column {name!r}, and column {made_of[name]!r} makes a feature of this name; rename "
        "one of them."
        for name in found
        if made_of.get(name, name) != name
    )
    conversions = tuple(one for one in found.values() if one is not None)
    words = {f for one in conversions if one.kind != "number" for f in one.features}
    # New dates are later, and new words are noticed one by one.
    seen = look_at_values({n: v for n, v in prepared.values.items() if n not in words})
    features = tuple(prepared.values)
    return Encoding(
        tuple(names), features, conversions, look.id_column, log=log, seen=seen
    ), prepared


def apply(encoding: Encoding, look: Look, names: Iterable[str], places: Sequence[str]) -> Prepared:
    """Convert the columns of a new table as those of the fit."""
    known = {one.column: one for one in encoding.conversions}
    found = {name: known.get(name) for name in names}
    made = _convert(look, found, places, log=encoding.log)
    prepared = _prepared(look, found, made, places, log=encoding.log)
    values = prepared.values
    wanted = values if encoding.features is None else encoding.features
    return prepared._replace(values={name: values[name] for name in wanted if name in values})


def _convert(
    look: Look, found: Mapping[str, Conversion | None], places: Sequence[str], *, log: bool
) -> dict[str, Converted]:
    made = {
        name: convert(name, one, look.columns[name], look.readings[name], look.notation)
        for name, one in found.items()
    }
    for name, one in found.items() if log else ():
        if made[name].values and (one is None or one.kind == "number"):
            (values,) = made[name].values
            rows = np.flatnonzero(values < 0)
            if len(rows):
                why = "is below 0, of which --read log=yes takes no logarithm"
                made[name] = made[name]._replace(wrong={int(rows[0]): why, **made[name].wrong})
            else:
                made[name].values[0] = np.log2(values + 1.0)
    return made


def _useless(
    found: Mapping[str, Conversion | None], made: Mapping[str, Converted]
) -> dict[str, Conversion]:
    """Columns that are the same in all rows, or the same as another column."""
    left_out: dict[str, Conversion] = {}
    first_of: dict[bytes, str] = {}
    for name, one in made.items():
        if len(one.values) != 1 or one.wrong or len(one.values[0]) < _FEWEST_ROWS:
            continue
        values = one.values[0]
        if np.all(values == values[0]):
            left_out[name] = Conversion(name, "left out", about=SAME)
            continue
        digest = blake2b((values + 0.0).data, digest_size=16).digest()  # -0.0 is 0.0
        first = first_of.setdefault(digest, name)
        if first != name:
            left_out[name] = Conversion(name, "left out", about=f"the same as {first!r}")
    return left_out


def _prepared(
    look: Look,
    found: Mapping[str, Conversion | None],
    made: Mapping[str, Converted],
    places: Sequence[str],
    *,
    log: bool,
) -> Prepared:
    """Features, one array for each column, and a line for each problem."""
    values, of_columns = dict[str, FloatArray](), dict[str, FloatArray]()
    notes, problems = list[str](), list[str]()
    for name, own in made.items():
        one = found[name]
        notes += own.notes
        problems += [f"column {name!r} {own.refused}"] if own.refused else []
        if own.wrong:
            problems.append(_about_cell(name, cells_of(look.columns[name]), own.wrong, places))
        if own.refused or not own.values or (one is not None and one.kind == "left out"):
            continue
        values |= zip((name,) if one is None else one.features, own.values, strict=True)
        of_columns[name] = own.values[0]
        if len(own.values) > 1:
            of_columns[name] = np.sum([(j + 1) * v for j, v in enumerate(own.values)], axis=0)
    missing = {name: len(own.missing) for name, own in made.items() if own.missing}
    return Prepared(values, of_columns, missing, notes, problems)


def _about_cell(
    name: str, cells: Sequence[Any], wrong: Mapping[int, str], places: Sequence[str]
) -> str:
    row, why = min(wrong.items())
    more = f" ({len(wrong)} such cells)" if len(wrong) > 1 else ""
    text = text_of(cells[row])
    cell = text if isinstance(cells[row], float) else cells[row]
    is_word = why.startswith(NO_NUMBER) and not any(map(str.isdigit, text))
    way = f", take it as missing with --read missing={shlex.quote(text)}," if is_word else ""
    return (
        f"column {name!r}, {places[row]}, is {shown(cell)}, which {why}{more}. "
        f"Correct it{way} or leave the column out with --drop."
    )


def about_codes(look: Look, codes: Iterable[tuple[str, str]]) -> list[str]:
    """Say where codes were found, and which were found nowhere."""
    notes = []
    for column, code in codes:
        found = {name: of[code] for name, of in look.n_cells.items() if code in of}
        said = [f"{name!r} ({n})" for name, n in found.items() if column in ("", name)]
        option = "--read missing=" + (f"{column}={code}" if column else code)
        if said:
            notes.append(f"cells {code} taken as missing: {some(said)}")
        elif code.lower() not in MISSING_AMONG_NUMBERS:
            notes.append(f"{option}: no cell holds it")
    return notes


def dates_as_names(names: Iterable[str]) -> list[str]:
    """Say which columns are called as spreadsheets write genes."""
    dates = [name for name in names if lacks_year(name)]
    about = f"columns called {listed(dates)}, as spreadsheets make of MARCH1; rename them"
    return [about] if dates else []


def texts_to_keep(encoding: Encoding, keep: Iterable[str]) -> list[str]:
    """The problem that a column to keep holds texts."""
    texts = {one.column for one in encoding.conversions if one.about == DIFFERENT}
    return [
        f"column {name!r} to keep has {DIFFERENT}; write its numbers in columns of their own."
        for name in keep
        if name in texts
    ]
