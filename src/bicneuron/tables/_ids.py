"""Recognise columns that number or name the rows: patients, cases, samples, lines of a file."""

import re
import shlex
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._numbers import POINT, Reading
from bicneuron.tables._sheet import Column, cells_of, to_names
from bicneuron.tables._spelling import word_set
from bicneuron.tables._steps import LeftOut

_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_WORDS = re.compile(r"[^\W\d_]+|\d+|#|№")


# Who may have several rows.
_PERSONS = word_set(
    "patient patients patienten patientin pat pts pt subject subjects subj proband probanden "
    "probandin participant participants teilnehmer person personen persons donor spender animal "
    "animals tier mouse maus individual client klient customer user student employee mitarbeiter "
    "member volunteer mother mutter child kind family familien"
)
# What else has a row or a number of its own.
_CASES = word_set(
    "case cases fall sample samples specimen probe proben encounter admission aufnahme medical "
    "insurance versicherung versicherungs versicherten krankenblatt akte akten chart"
)
_THINGS = (
    _PERSONS
    | _CASES
    | word_set(
        "record records row rows zeile zeilen line lines entry eintrag file lab labor order "
        "auftrag auftrags serial serien running laufende lfd lauf sequence seq account konto "
        "hospital registration register reg enrollment enrolment screening randomisation "
        "randomization randomisierungs rando study studien unique identifikations kenn "
        "biopsy biopsie block slide scan tube befund eingangs"
    )
)
_NUMBERS = word_set(
    "id ids nr no nbr num number nummer numero code key kennung kennziffer kürzel name names # №"
)
# Words that say id where they are the last of a name.
_ALWAYS = word_set(
    "id ids identifier uid uuid guid pid sid rid eid mrn mpi ssn usubjid seqn kvnr pseudonym "
    "barcode accession kennung kennnummer identifikation"
)
# Words that say id where they are the whole name.
_ALONE = (
    _NUMBERS
    | _PERSONS - word_set("member mother mutter child kind family familien")
    | word_set(
        "case sample samples specimen probe record row rows zeile line lines entry index idx lfd"
    )
)
# Names that programs give to a column of row numbers.
_BY_PROGRAMS = frozenset({"unnamed 0", "column 1", "row names", "rownames", "row index"})
# Where a row comes from; several rows have that in common without being repeats.
_PLACES = word_set(
    "site centre center zentrum hospital klinik clinic ward station batch charge plate platte run "
    "chip lane room country land region state city arzt doctor physician device scanner lot kit "
    "school district group gruppe cluster block"
)
# Codes of places, whose numbers have no order.
_CODES = word_set("plz postleitzahl zip zipcode postcode postal")
# With these, a number is that of how many there are.
_COUNTS = word_set("of per der von pro je count counts copy anzahl")
# Words for what is measured, counted or ordered, whose values may follow the rows.
_MEASURES = _COUNTS | word_set(
    "age alter year years yob jahr jahre geburtsjahr jahrgang rank rang platz dose dosis day days "
    "tag tage score weight "
    "gewicht month months monat monate week weeks woche wochen hour hours stunde stunden minute "
    "minutes minuten min second seconds sekunden sec time zeit zeitpunkt t date datum height größe "
    "groesse length länge size level grade stage points punkte position pos distance depth tiefe "
    "temperature temperatur temp pressure druck frequency frequenz wavelength concentration "
    "konzentration conc volume volumen duration dauer rate ratio value wert total sum summe mean "
    "visit cycle zyklus step epoch generation percentile price preis cost kosten income einkommen "
    "amount menge speed power voltage current mass latitude longitude altitude elevation degree "
    "angle"
)
_ANY_NUMBER = _NUMBERS | _ALWAYS
# Ends and beginnings of names in one word.
_ENDS = (
    *("nummer", "number", "kennung", "kennziffer", "code", "name", "guid"),
    *("nbr", "num", "nr", "no", "id"),
)
_STEMS = _THINGS | word_set("id pid rand studien")
_LONG = tuple(sorted(word for word in _PERSONS | _CASES if len(word) > 5))
_WELL = re.compile("[0-9]{1,2}E[0-9]{1,2}")
# Fewer rows are in one order by chance, or hold few of many numbers.
_FEWEST_IN_ORDER, _FEWEST_SHUFFLED = 10, 20
# Whole numbers of their range that values in the order of the rows have at least.
_DENSE = 0.5
# Cells that show what most of many columns hold, and what one column holds.
_SOME, _MANY = 16, 500
# Up to so many different values are categories, unless few rows have each.
MOST_CATEGORIES = 10
_NEARLY_ALL = 0.9


class Role(Enum):
    """What a column is whose name or values say id."""

    ID = auto()  # a different value in each row
    REPEATED = auto()  # of something that has several rows
    LIKELY = auto()  # perhaps an id, and a feature unless it is dropped
    LIKELY_REPEATED = auto()  # perhaps of something that has several rows


def find_ids(columns: Mapping[str, Column], readings: Mapping[str, Reading]) -> dict[str, Role]:
    """Return the roles of columns that are ids, or may be."""
    roles: dict[str, Role] = {}
    for name, column in columns.items():
        reading = readings[name]
        role = None
        if reading.was_converted:
            role = role_of(name, reading.by_mark[POINT])
        elif reading.is_text:
            role = role_of_words(name, column)
        else:
            mark = reading.own_mark or POINT
            if reading.n_read[mark] == reading.n_filled:  # or else some cells will be refused
                role = role_of(name, reading.by_mark[mark])
        if role is None and written_as(name, column, reading) == "codes or numbers":
            role = Role.LIKELY
        if role is not None:
            roles[name] = role
    return roles


def written_as(name: str, column: Column, reading: Reading) -> str:
    """Return "codes" for digits that are names, "codes or numbers" for those that may be.

    Codes have zeros in front, as 0389 and 25000; numbers, too, are padded to one length. Wells of a
    plate are written as 3E2, and 300 is not.
    """
    values = reading.by_mark[POINT][:_MANY]
    if isinstance(column, np.ndarray) or reading.is_text or np.any(values % 1 > 0):
        return ""
    cells = [cell for cell in cells_of(column[:_MANY]) if isinstance(cell, str)]
    zeros = [cell for cell in cells if cell[:1] == "0" and cell[1:].isdecimal()]
    wells = [cell for cell in cells if cell[-2:] in ("E1", "E2")]
    words = [word for word in to_names(cells) if word] if zeros or wells else []
    if not words or not _MEASURES.isdisjoint(words_of(name)):
        return ""
    if wells:
        return "codes" if all(map(_WELL.fullmatch, words)) else ""
    return "codes" if len(zeros) > 1 and len({*map(len, words)}) > 1 else "codes or numbers"


def left_out(name: str, role: Role) -> LeftOut:
    """The step of a column that is an id."""
    what = "a different number in each row" if role is Role.ID else "the same in several rows"
    return LeftOut(name, f"an id, {what}; --read keep=COLUMN takes it as a feature")


def about_likely(roles: Mapping[str, Role]) -> list[str]:
    """Say which features may be ids, and what leaves them out."""
    notes = []
    for name, role in roles.items():
        drop = with_name("--drop ", name)
        if role is Role.LIKELY:
            notes.append(
                f"column {name!r} may be an id or a code, whose numbers measure nothing; leave it "
                f"out with {drop} if so"
            )
        elif role is Role.LIKELY_REPEATED:
            notes.append(
                f"column {name!r} may be an id that several rows share; keep them together with "
                f"{with_name('--groups ', name)}, or leave it out with {drop}"
            )
    return notes


def with_name(option: str, name: str) -> str:
    """The beginning of an option and the name of a column, as it is typed."""
    if option in ("--drop ", "--read keep=") and ("," in name or '"' in name):
        name = '"' + name.replace('"', '""') + '"'
    return f"{option}{shlex.quote(name)}"


def role_of(name: str, values: FloatArray) -> Role | None:
    """Return what a column of numbers is, None for a feature."""
    # A few cells are enough for most of many columns.
    if values[0] % 1 > 0:
        return None
    some = [value for value in values[:_SOME].tolist() if value == value]
    words = words_of(name)
    is_called_so = says_id(words)
    if not _CODES.isdisjoint(words):
        return Role.LIKELY
    if not is_called_so and (len({*some}) < len(some) or not _MEASURES.isdisjoint(words)):
        return None
    filled = values[np.isfinite(values)]
    if len(filled) < 2 or np.any(filled != np.floor(filled)):
        return None
    n_different = len(np.unique(filled))
    if is_called_so:
        return _role(words, n_different, len(filled))
    if n_different < len(filled):
        return None
    density = len(filled) / (filled.max() - filled.min() + 1)
    if len(filled) >= _FEWEST_IN_ORDER and np.all(np.diff(filled) > 0):
        return Role.ID if density >= _DENSE else Role.LIKELY
    return Role.LIKELY if len(filled) >= _FEWEST_SHUFFLED and density == 1 else None


def role_of_words(name: str, column: Column) -> Role | None:
    """Return what a column of words is by its name, None for a feature."""
    words = words_of(name)
    if not says_id(words):
        return None
    filled = [text for text in to_names(column) if text]
    return _role(words, len({*filled}), len(filled)) if len(filled) > 1 else None


def _role(words: Sequence[str], n_different: int, n_filled: int) -> Role | None:
    """What a column is whose name says id."""
    if n_different == n_filled:
        return Role.ID
    is_many = n_different > MOST_CATEGORIES or 2 * n_different > n_filled
    if not _PLACES.isdisjoint(words):
        return Role.LIKELY_REPEATED if is_many else None
    if not (_PERSONS | _CASES | _ALWAYS).isdisjoint(words):
        is_one = n_different > 2 and not _PERSONS.isdisjoint(words)
        return Role.REPEATED if is_many else Role.LIKELY_REPEATED if is_one else None
    if n_filled >= _FEWEST_IN_ORDER and n_different >= _NEARLY_ALL * n_filled:
        return Role.ID
    return Role.LIKELY if is_many else None


@lru_cache(maxsize=1 << 15)  # both ids and outcomes are known by them
def words_of(name: str) -> tuple[str, ...]:
    """Words of the name of a column in small letters, compounds with a number taken apart."""
    parts: list[str] = []
    for word in _WORDS.findall(_CAMEL.sub(" ", name)):
        small = word.casefold()
        if small.endswith(_ENDS):
            stem = next(small.removesuffix(end) for end in _ENDS if small.endswith(end))
            is_compound = stem in _STEMS or stem.startswith(_LONG)
            parts += [stem, small.removeprefix(stem)] if is_compound else [small]
        else:
            parts.append(small)
    return tuple(parts)


def says_id(words: Sequence[str]) -> bool:
    """True if the name of a column says that it holds ids."""
    if not words or not _COUNTS.isdisjoint(words):
        return False
    if " ".join(words) in _BY_PROGRAMS or words[-1] in _ALWAYS:
        return True
    if len(words) == 1:
        return words[0] in _ALONE
    n_numbers = sum(word in _ANY_NUMBER for word in words)
    is_count = words[0] in ("num", "number") or not _MEASURES.isdisjoint(words)
    if not n_numbers or is_count:
        return False
    return n_numbers > 1 or not (_THINGS.isdisjoint(words) and _PLACES.isdisjoint(words))
