"""Which columns hold ids of the rows, and which rows stay together in folds and tests."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._together import (
    close_rows,
    common_stems,
    copies,
    joined,
    n_together,
    numbered,
    repeated_ids,
)
from bicneuron.tables._cells import (
    POINT,
    Column,
    Reading,
    listed,
    names_of,
    word_set,
)
from bicneuron.tables._conversion import MOST_CATEGORIES

_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_WORDS, _WELL = re.compile(r"[^\W\d_]+|\d+|#"), re.compile("[0-9]{1,2}E[0-9]{1,2}")
# What may have several rows.
_UNITS = word_set(
    "patient patients patienten pat pt subject subjects subj proband probanden participant person "
    "donor animal mouse maus case fall sample samples specimen probe proben"
)
_THINGS = _UNITS | word_set(
    "record row zeile lab lfd laufende sequence study studien hospital site center centre zentrum "
    "encounter plate slide batch ward"
)
_NUMBERS = word_set("id nr no nbr number nummer code kennung name #")
# Words that say id where they are the last of a name, and where they are the whole name.
_ALWAYS = word_set(
    "id ids identifier identifikation uid guid pid sid rid eid mrn usubjid seqn barcode accession"
)
_ALONE = _NUMBERS | _UNITS | word_set("record row index idx")
_BY_PROGRAMS = {"unnamed 0", "column 1", "row names"}
_CODES = word_set("plz postleitzahl zip zipcode postcode")  # numbers without an order
# With these a number counts, or is measured or ordered, so that its values may follow the rows.
_MEASURES = word_set(
    "of per pro count counts copy anzahl age alter year years jahr yob geburtsjahr rank rang dose "
    "day days tag score weight gewicht month months week weeks hour hours time date datum height "
    "größe length size mass level grade stage position depth temperature pressure frequency"
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
        is_one = compound is None or compound[1] not in _THINGS | {"id"}
        words += [small] if compound is None or is_one else compound.groups()
    return tuple(words)


def _says_id(words: Sequence[str]) -> bool:
    """True if the name of a column says that it holds ids."""
    if not words or not _MEASURES.isdisjoint(words):
        return False
    if " ".join(words) in _BY_PROGRAMS or words[-1] in _ALWAYS:
        return True
    if len(words) == 1:
        return words[0] in _ALONE
    n_numbers = sum(word in _NUMBERS for word in words)
    return n_numbers > 1 or (n_numbers == 1 and not _THINGS.isdisjoint(words))


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
    roles: dict[str, Role] = {}
    for name, column in columns.items():
        reading, role = readings[name], None
        if reading.is_text:
            words = words_of(name)
            filled = [text for text in names_of(column) if text] if _says_id(words) else []
            role = _role(words, len({*filled}), len(filled)) if filled else None
        elif reading.is_plain or not reading.text_rows(reading.own_mark or POINT):
            role = _role_of_numbers(words_of(name), reading.values)
        if role is None and are_codes(name, column, reading) is None:
            role = Role.LIKELY
        if role is not None:
            roles[name] = role
    return roles


def _role_of_numbers(words: Sequence[str], values: FloatArray) -> Role | None:
    first = values[:16][np.isfinite(values[:16])]  # enough for most of many columns
    if np.any(first % 1 > 0):
        return None
    if not _CODES.isdisjoint(words):
        return Role.LIKELY
    is_called_so = _says_id(words)
    is_repeated = len({*first.tolist()}) < len(first)
    if not is_called_so and (is_repeated or not _MEASURES.isdisjoint(words)):
        return None
    filled = values[np.isfinite(values)]
    if len(filled) < 2 or np.any(filled % 1 > 0):
        return None
    n_different = len(np.unique(filled))
    if is_called_so:
        return _role(words, n_different, len(filled))
    if n_different < len(filled):
        return None
    density = len(filled) / (np.ptp(filled) + 1)
    if len(filled) >= 10 and np.all(np.diff(filled) > 0):  # fewer are in order by chance
        return Role.ID if density >= 0.5 else Role.LIKELY
    return Role.LIKELY if len(filled) >= 20 and density == 1 else None


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
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    ids: Mapping[str, Role],
    names: Iterable[str],
    first: str,
) -> str | None:
    """The first column of names, or of numbers that are ids, if there is one."""
    for name in names:
        role, column = ids.get(name), columns[name]
        if not (readings[name].is_text or role in (Role.ID, Role.REPEATED)):
            continue
        words = names_of(column)
        n_different = len({*words})
        is_called_so = role is Role.ID or _says_id(words_of(name))
        may_repeat = name == first and is_called_so and _are_many(n_different, len(words))
        if not all(words) or (n_different < len(words) and not may_repeat):
            continue
        # Numbers such as 1,234 are not names, and neither are texts of two lines.
        has_letters = any(letter.isalpha() for word in {*words} for letter in word)
        if is_called_so or has_letters:
            return None if any(len(word.splitlines()) > 1 for word in words) else name
    return None


def keep_together(
    table: FloatArray,
    repeated: Mapping[str, Sequence[str]],
    row_names: Sequence[str] | None,
    named: AnyArray | None,
    labels: AnyArray | None,
    places: Sequence[str],
    *,
    guess: bool,
) -> tuple[AnyArray | None, list[str], list[str]]:
    """Find rows that folds and tests keep together; return them, notes and questions.

    Copies, rows with the same of the ``repeated`` ids and rows of a group that the user ``named``
    are never independent. Common stems of row names are a guess.
    """
    n_rows, notes = len(table), []
    groups = np.arange(n_rows)
    equal = copies(table)
    if n_copies := n_rows - 1 - int(equal.max()):
        groups = equal
        first = int(np.flatnonzero(np.bincount(groups)[groups] > 1)[0])
        second = int(np.flatnonzero(groups == groups[first])[1])
        notes.append(
            f"rows that repeat another one: {n_copies} of {n_rows}, the first is "
            f"{places[second]}, like {places[first]}; {_STAY}"
        )
    units = {name: repeated_ids(column) for name, column in repeated.items()}
    if units:
        coarsest = min(units, key=lambda name: units[name].max())  # of visits and patients, these
        groups = joined(groups, units[coarsest])
        twice = [one for one, n in Counter(repeated[coarsest]).items() if n > 1 and one]
        notes.append(f"id {coarsest!r}: {listed(twice, 4)} in several rows; {_STAY}")
    if named is not None:
        groups = joined(numbered(named), groups)
        if groups.max() == numbered(named).max():
            return named, notes, []
        return groups, [*notes, "groups that share such rows are one group"], []
    stems = common_stems(row_names) if guess and row_names is not None else None
    if row_names is not None and stems is not None and _cross_classes(stems, labels):
        groups = joined(groups, stems)
        shared = np.flatnonzero(stems == np.bincount(stems).argmax())
        as_in = ", ".join(row_names[row] for row in shared[:2])
        notes.append(
            f"{n_together(stems)} rows share the stem of their id with another row ({as_in}, ...): "
            f"{_STAY}; --groups none takes them as independent"
        )
    if groups.max() + 1 < n_rows:
        return groups, notes, []
    close = np.flatnonzero(close_rows(table)) if guess else groups[:0]
    question = (
        f"{len(close)} of {n_rows} rows come in pairs that are far more alike than others: samples "
        "of one patient? Name the column of patients with --groups"
    )
    return None, notes, [question] if len(close) else []


def _cross_classes(units: AnyArray, labels: AnyArray | None) -> bool:
    """True unless all rows of a class are one unit, as where ids begin with the class."""
    if labels is None:
        return True
    pairs = {*zip(labels.tolist(), units.tolist(), strict=True)}
    n_units = Counter(label for label, _ in pairs if label is not None)
    return min(n_units.values(), default=2) > 1
