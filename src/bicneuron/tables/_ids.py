"""Which columns hold ids of the rows, and which rows stay together in folds and tests."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared import _together
from bicneuron._shared._together import common_stems, copies, joined, numbered, repeated_ids
from bicneuron.tables._cells import Column, Reading, listed, names_of, word_set
from bicneuron.tables._conversion import MOST_CATEGORIES

_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_WORDS, _WELL = re.compile(r"[^\W\d_]+|\d+|#"), re.compile("[0-9]{1,2}E[0-9]{1,2}")
# What may have several rows.
_UNITS = word_set(
    "patient patienten pat pt subject subj proband person donor animal mouse case fall sample "
    "probe proben"
)
_THINGS = _UNITS | word_set(
    "record row lab lfd laufende sequence study studien hospital site center zentrum plate batch"
)
_NUMBERS = word_set("id nr no nbr number nummer code kennung name #")
# Words that say id where they are the last of a name.
_ALWAYS = word_set("id identifier identifikation guid pid sid rid eid mrn usubjid seqn barcode")
_ALONE = _NUMBERS | _UNITS | {"row", "index"}
_BY_PROGRAMS = {"unnamed 0", "column 1"}
_CODES = word_set("plz postleitzahl zip postcode")  # numbers without an order
# With these a number counts, or is measured or ordered, so that its values may follow the rows.
_MEASURES = word_set(
    "of per pro count copy anzahl age alter year jahr yob geburtsjahr rank dose day days tag score "
    "weight gewicht month months week weeks hour hours time date datum height size length mass "
    "level grade stage position depth temperature pressure frequency"
)
_COMPOUND = re.compile("(.+?)(nummer|number|kennung|code|guid|nbr|nr|no|id)")
_STAY = "they stay together in folds and tests"


class Role(Enum):
    """What a column is whose name or values say id."""

    ID = auto()  # a different value in each row
    REPEATED = auto()  # of something that has several rows
    LIKELY = auto()  # perhaps an id, and a feature unless it is dropped


@lru_cache(maxsize=1 << 15)
def words_of(name: str) -> tuple[str, ...]:
    """Words of the name of a column in small letters, compounds with a number taken apart."""
    words: list[str] = []
    for word in _WORDS.findall(_CAMEL.sub(" ", name)):
        small = word.casefold()
        compound = _COMPOUND.fullmatch(small)
        words += compound.groups() if compound and compound[1] in _THINGS | {"id"} else [small]
    return tuple(words)


def _says_id(words: Sequence[str]) -> bool:
    """True if the name of a column says that it holds ids."""
    if not words or not _MEASURES.isdisjoint(words):
        return False
    if len(words) == 1 and words[0] in _ALONE:
        return True
    n_numbers = sum(word in _NUMBERS for word in words)
    is_number = n_numbers + (not _THINGS.isdisjoint(words)) > 1 and n_numbers > 0
    return is_number or words[-1] in _ALWAYS or " ".join(words) in _BY_PROGRAMS


def are_codes(name: str, column: Column, reading: Reading) -> bool | None:
    """True for digits that are names, None for those that may be: 0389 and 25000, wells as 3E2."""
    if isinstance(column, np.ndarray) or reading.is_text or np.any(reading.values[:500] % 1 > 0):
        return False
    cells = [cell.strip() for cell in column[:500] if isinstance(cell, str)]
    zeros = [cell for cell in cells if cell[:1] == "0" and cell[1:].isdecimal()]
    wells = [cell for cell in cells if cell[-2:] in ("E1", "E2")]
    if not (zeros or wells) or not _MEASURES.isdisjoint(words_of(name)):
        return False
    words = [word for word in names_of(cells) if word]
    if wells:
        return all(map(_WELL.fullmatch, words))
    return True if len(zeros) > 1 and len({*map(len, words)}) > 1 else None


def find_ids(columns: Mapping[str, Column], readings: Mapping[str, Reading]) -> dict[str, Role]:
    """The roles of columns that are ids, or may be."""
    roles: dict[str, Role | None] = {}
    for name, column in columns.items():
        words, reading = words_of(name), readings[name]
        if reading.is_text and _says_id(words):
            filled = [text for text in names_of(column) if text]
            roles[name] = _role(words, len({*filled}), len(filled))
        elif not reading.is_text and not reading.text_rows():
            roles[name] = _role_of_numbers(words, reading.values)
        if roles.get(name) is None and are_codes(name, column, reading) is None:
            roles[name] = Role.LIKELY
    return {name: role for name, role in roles.items() if role is not None}


def _role_of_numbers(words: Sequence[str], values: FloatArray) -> Role | None:
    if np.any(values[:16] % 1 > 0):  # enough for most of many columns
        return None
    if not _CODES.isdisjoint(words):
        return Role.LIKELY
    filled = values[np.isfinite(values)]
    n, n_different = len(filled), len(np.unique(filled))
    if np.any(filled % 1 > 0):
        return None
    if _says_id(words):
        return _role(words, n_different, n)
    if n_different < max(n, 2) or not _MEASURES.isdisjoint(words):
        return None
    density = n / (np.ptp(filled) + 1)
    is_ordered = n >= 10 and np.all(np.diff(filled) > 0)  # fewer are so by chance
    if is_ordered and density >= 0.5:
        return Role.ID
    return Role.LIKELY if is_ordered or (n >= 20 and density == 1) else None


def _role(words: Sequence[str], n_different: int, n_filled: int) -> Role | None:
    """What a column is whose name says id."""
    if n_different == n_filled:
        return Role.ID if n_filled > 1 else None
    are_units = not _UNITS.isdisjoint(words) or len(words) == 1
    if _are_many(n_different, n_filled):
        return Role.REPEATED if are_units else Role.LIKELY
    return Role.LIKELY if are_units and n_different > 2 else None


def _are_many(n_different: int, n_filled: int) -> bool:
    return n_different > MOST_CATEGORIES or 2 * n_different > n_filled > 2


def guess_id(
    columns: Mapping[str, Column], texts: Collection[str], ids: Mapping[str, Role], first: str
) -> str | None:
    """The first column of names, or of numbers that are ids, if there is one."""
    for name, column in columns.items():
        role = ids.get(name)
        if name not in texts and role not in (Role.ID, Role.REPEATED):
            continue
        words = names_of(column)
        different = {*words}
        is_called_so = role is Role.ID or _says_id(words_of(name))
        may_repeat = name == first and is_called_so and _are_many(len(different), len(words))
        # Numbers such as 1,234 are not names, and neither are texts of two lines.
        is_name = is_called_so or any(map(str.isalpha, "".join(different)))
        if is_name and all(words) and (len(different) == len(words) or may_repeat):
            return None if any(len(word.splitlines()) > 1 for word in different) else name
    return None


def keep_together(
    table: FloatArray,
    repeated: Mapping[str, Sequence[str]],
    row_names: Sequence[str] | None,
    named: AnyArray | None,
    labels: AnyArray | None,
    places: Sequence[str],
) -> tuple[AnyArray | None, list[str]]:
    """Rows that folds and tests keep together, if any, and why; stems of row names are a guess."""
    n_rows, notes, groups = len(table), list[str](), np.arange(len(table))
    equal = copies(table)
    firsts = np.unique(equal, return_index=True)[1]
    if len(firsts) < n_rows:
        groups, row = equal, np.setdiff1d(groups, firsts)[0]
        like = f"the first is {places[row]}, like {places[firsts[equal[row]]]}"
        about = f"rows that repeat another one: {n_rows - len(firsts)} of {n_rows}"
        notes.append(f"{about}, {like}; {_STAY}")
    for name, column in repeated.items():
        groups = joined(groups, repeated_ids(column))
        twice = [one for one, n in Counter(column).items() if n > 1 and one]
        notes.append(f"id {name!r}: {listed(twice, 4)} in several rows; {_STAY}")
    if named is not None:
        groups = joined(numbered(named), groups)
        return groups if groups.max() < numbered(named).max() else named, notes
    stems = None if row_names is None else common_stems(row_names)
    if stems is not None and _cross_classes(stems, labels):
        groups = joined(groups, stems)
        share = f"{_together.n_together(stems)} rows share the stem of their id with another row"
        notes.append(f"{share}; {_STAY}; --groups none takes them as independent")
    return groups if groups.max() + 1 < n_rows else None, notes


def _cross_classes(units: AnyArray, labels: AnyArray | None) -> bool:
    """True unless all rows of a class are one unit, as where ids begin with the class."""
    pairs = {*zip([] if labels is None else labels.tolist(), units.tolist(), strict=False)}
    n_units = Counter(label for label, _ in pairs if label is not None)
    return min(n_units.values(), default=2) > 1
