"""What names of columns say: ids of rows, outcomes, what is measured."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._cells import POINT, Column, Reading, names_of, word_set
from bicneuron.tables._conversion import MOST_CATEGORIES

_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_WORDS, _WELL = re.compile(r"[^\W\d_]+|\d+|#|№"), re.compile("[0-9]{1,2}E[0-9]{1,2}")
# Who may have several rows, and what else has a row or a number of its own.
_PERSONS = word_set(
    "patient patients patienten pat pts pt subject subjects subj proband probanden participant "
    "participants teilnehmer person personen persons donor spender animal tier mouse maus client "
    "individual customer user student employee member mother mutter child kind family familie"
)
_CASES = word_set(
    "case cases fall sample samples specimen probe proben encounter admission aufnahme medical "
    "insurance versicherung akte chart"
)
_THINGS = _PERSONS | _CASES
_THINGS |= word_set(
    "record records row rows zeile line lines entry eintrag file lab labor order auftrag serial "
    "running laufende lfd sequence seq account hospital registration reg enrollment screening "
    "randomisation randomization study studien unique biopsy block slide scan tube befund eingangs"
)
_NUMBERS = word_set("id ids nr no nbr num number nummer numero code key kennung name names # №")
# Words that say id where they are the last of a name, and where they are the whole name.
_ALWAYS = word_set(
    "id ids identifier uid uuid guid pid sid rid eid mrn mpi ssn usubjid seqn kvnr pseudonym "
    "barcode accession kennung identifikation"
)
_ALONE = _NUMBERS | _PERSONS - word_set("member mother mutter child kind family familie")
_ALONE |= word_set("case sample samples specimen probe record row rows zeile line index idx lfd")
_BY_PROGRAMS = frozenset({"unnamed 0", "column 1", "row names", "rownames", "row index"})
# Where a row comes from; several rows have that in common without being repeats.
_PLACES = word_set(
    "site centre center zentrum hospital klinik clinic ward station batch charge plate platte run "
    "chip lane room country region state city arzt doctor physician device scanner lot kit school "
    "district group gruppe cluster block"
)
_CODES = word_set("plz postleitzahl zip zipcode postcode postal")  # numbers without an order
# With these a number counts, or is measured or ordered, so that its values may follow the rows.
_COUNTS = word_set("of per der von pro je count counts copy anzahl")
_MEASURES = _COUNTS | word_set(
    "age alter year years jahr jahre yob geburtsjahr rank rang dose dosis day days tag tage score "
    "weight gewicht month months monat week weeks woche hour hours stunde minute minutes min "
    "second seconds sec time zeit t date datum height größe length size level grade stage points "
    "punkte position distance depth temperature temp pressure druck frequency conc concentration "
    "volume duration dauer rate ratio value wert total sum mean visit cycle step epoch generation "
    "price cost kosten income amount speed power mass latitude longitude degree angle"
)
_ENDS = ("nummer", "number", "kennung", "code", "name", "nbr", "num", "nr", "no", "id")
_STEMS = _THINGS | word_set("id pid rand studien")
_LONG = tuple(sorted(word for word in _PERSONS | _CASES if len(word) > 5))
# Names of what is known only afterwards; some are those of times.
_TIMES = word_set("os pfs dfs rfs efs mfs dmfs dss ttp lfu fu")
_OUTCOMES = word_set(
    "tod todesdatum sterbedatum verstorben gestorben exitus mortality mortalität survival "
    "überleben überlebenszeit died dead death deceased outcome outcomes rezidiv rezidivdatum "
    "recurrence relapse relapsed progression progress followup nachbeobachtung nachsorge censored "
    "censoring zensiert event ereignis vital fustat futime"
)
_OUTCOME_PAIRS = {("follow", "up"), ("last", "contact"), ("last", "seen"), ("time", "to")}
_NOT_OUTCOMES = word_set(
    "family familie cell previous prior history anamnese father mother vater mutter predicted risk "
    "rate expected pre programmed baseline"
)


_LIKE_AN_ID = re.compile(
    r"(?i:column 1|unnamed: 0|index|idx|rows?|no|nr|number|#|sample|patient|subject|case|barcode"
    r"|(.*[ _.-])?(id|ids|identifier|accession|code|name|names|key))|.*[a-z]I[dD]"
)
_AN_ID = re.compile(
    r"(?i:(.*[ _.-])?(ids?|identifier|accession|patient|subject|sample|name))|.*[a-z]I[dD]"
)


class Role(Enum):
    """What a column is whose name or values say id."""

    ID = auto()  # a different value in each row
    REPEATED = auto()  # of something that has several rows
    LIKELY = auto()  # perhaps an id, and a feature unless it is dropped
    LIKELY_REPEATED = auto()  # perhaps of something that has several rows


def with_name(option: str, name: str) -> str:
    """The beginning of an option and the name of a column, as it is typed."""
    if option in ("--drop ", "--read keep=") and ("," in name or '"' in name):
        name = '"' + name.replace('"', '""') + '"'
    return f"{option}{shlex.quote(name)}"


@lru_cache(maxsize=1 << 15)
def words_of(name: str) -> tuple[str, ...]:
    """Words of the name of a column in small letters, compounds with a number taken apart."""
    parts: list[str] = []
    for word in _WORDS.findall(_CAMEL.sub(" ", name)):
        small = word.casefold()
        stem = next((small.removesuffix(end) for end in _ENDS if small.endswith(end)), small)
        is_compound = stem != small and (stem in _STEMS or stem.startswith(_LONG))
        parts += [stem, small.removeprefix(stem)] if is_compound else [small]
    return tuple(parts)


def _says_id(words: Sequence[str]) -> bool:
    """True if the name of a column says that it holds ids."""
    if not words or not _COUNTS.isdisjoint(words):
        return False
    if " ".join(words) in _BY_PROGRAMS or words[-1] in _ALWAYS:
        return True
    if len(words) == 1:
        return words[0] in _ALONE
    n_numbers = sum(word in _NUMBERS or word in _ALWAYS for word in words)
    if not n_numbers or words[0] in ("num", "number") or not _MEASURES.isdisjoint(words):
        return False
    return n_numbers > 1 or not (_THINGS.isdisjoint(words) and _PLACES.isdisjoint(words))


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
            role = _role(words, len({*filled}), len(filled)) if len(filled) > 1 else None
        elif reading.is_plain or not reading.text_rows(reading.own_mark or POINT):
            role = _role_of_numbers(name, reading.values)
        if role is None and are_codes(name, column, reading) is None:
            role = Role.LIKELY
        if role is not None:
            roles[name] = role
    return roles


def _role_of_numbers(name: str, values: FloatArray) -> Role | None:
    """What a column of numbers is, None for a feature."""
    if values[0] % 1 > 0:  # a few cells are enough for most of many columns
        return None
    words, some = words_of(name), values[:16][np.isfinite(values[:16])].tolist()
    is_called_so = _says_id(words)
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
    if len(filled) >= 10 and np.all(np.diff(filled) > 0):  # fewer are in order by chance
        return Role.ID if density >= 0.5 else Role.LIKELY
    return Role.LIKELY if len(filled) >= 20 and density == 1 else None


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
    if n_filled >= 10 and n_different >= 0.9 * n_filled:
        return Role.ID
    return Role.LIKELY if is_many else None


def is_outcome(name: str, values: FloatArray) -> bool:
    """True if name and values are those of an event, or of the time until it."""
    words = words_of(name)
    is_called_so = not _OUTCOMES.isdisjoint(words) or not _OUTCOME_PAIRS.isdisjoint(pairwise(words))
    if (not is_called_so and _TIMES.isdisjoint(words)) or not _NOT_OUTCOMES.isdisjoint(words):
        return False
    filled = values[np.isfinite(values)]
    # A time has many values; os may as well be an eye.
    has_many = is_called_so or len(np.unique(filled)) > min(10, len(filled) // 2)
    return has_many and len(filled) > 0 and float(filled.min()) >= 0  # a time, a date, yes and no


def guess_id(
    columns: Mapping[str, Column],
    readings: Mapping[str, Reading],
    ids: Mapping[str, Role],
    names: Iterable[str],
    first: str,
) -> str | None:
    """The first column of names, or of numbers that are ids, if there is one."""
    for name in names:
        reading, column = readings[name], columns[name]
        is_id = ids.get(name) is Role.ID
        if not (is_id or name == first or reading.is_text):
            continue
        is_called_so = is_id or _LIKE_AN_ID.fullmatch(name) is not None
        values = reading.by_mark[POINT]
        is_count = is_called_so and not reading.missing and bool(np.all(values == np.floor(values)))
        words = names_of(column) if is_count or reading.is_text else [""]
        n_different = len({*words})
        is_many = n_different > MOST_CATEGORIES or 2 * n_different > len(words) > 2
        may_repeat = name == first and _AN_ID.fullmatch(name) is not None and is_many
        if not all(words) or (n_different < len(words) and not may_repeat):
            continue
        # Dates, times and numbers such as 1,234 are not names.
        are_names = any(letter.isalpha() for word in {*words} for letter in word)
        if is_called_so or are_names:
            return None if any(map(has_line_break, words)) else name
    return None


def has_line_break(word: object) -> bool:
    """True for text of several lines."""
    return isinstance(word, str) and ("\n" in word or "\r" in word)
