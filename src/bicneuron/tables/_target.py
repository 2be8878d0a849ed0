"""The classes of a target: one for each meaning, and questions where the meaning is open."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import counted
from bicneuron._shared._names import close_to
from bicneuron.outcomes import are_numbers
from bicneuron.tables import _cells
from bicneuron.tables._cells import Column, Spellings, listed, names_of, shown, word_set
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._questions import Question, with_name

_RARE, _FEWEST_ROWS = 2, 10  # ask about classes this rare, in tables this large
_MOST_NUMBERS = 10  # of grades, or of classes that are rare
_SYNONYMS = (
    *map(word_set, ("male m man mann männlich", "female f w woman frau weiblich")),
    *map(word_set, ("case cases fall fälle", "control controls ctrl kontrolle kontrollen")),
    *(_cells.TRUE, _cells.FALSE),
)
_EVENT = _cells.word_set("dead deceased died death event decedent tot verstorben décédé")
_NO_EVENT = _cells.word_set("alive living censored none lebt lebend vivant")
_CODE = re.compile(r"^[01]\s*:\s*")
_NO_CLASSES = _cells.MISSING_AMONG_NUMBERS - _cells.OPEN
# Signs that are left away to compare words; a plus or a minus at an end is another class.
_SIGNS = re.compile(r"[^\w+-]|_|(?<=\w)-(?=\w)")
# Words of so few letters are others if one letter is; longer ones are alike from here on.
_SHORT, _ALIKE, _MOST_COMPARED, _MOST_ASKED = 3, 0.9, 50, 8


@dataclass(frozen=True)
class Classes:
    """Words of a target and the class that each means."""

    column: str = ""
    words: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()  # the class of each word

    @property
    def about(self) -> str:
        """What was made of the words, in words."""
        pairs = zip(self.words, self.levels, strict=True)
        merged = [f"{word!r} taken as {level!r}" for word, level in pairs if word != level]
        return f"class {_cells.some(merged)}" if merged else ""

    def apply(self, column: Column) -> list[str]:
        """The class of each cell, empty if it is missing."""
        level_of = dict(zip(self.words, self.levels, strict=True))
        spellings = Spellings(level_of)
        by_key = {spellings.key(word): level for word, level in level_of.items()}

        def class_of(word: str) -> str:
            new = "" if word.lower() in _NO_CLASSES else word
            return level_of.get(word) or by_key.get(spellings.key(word), new)

        return _cells.each_once(class_of, names_of(column, level_of))


class Target(NamedTuple):
    """A target with its classes, and what was asked and found wrong."""

    column: Column
    classes: Classes = Classes()
    notes: Sequence[str] = ()
    questions: Sequence[Question] = ()
    problems: Sequence[str] = ()


def read_target(
    name: str, column: Column, merge: Mapping[str, str], of_fit: Classes | None
) -> Target:
    """The target of a fit, or of another table, which gets the classes of the fit."""
    if of_fit is None:
        return _read_classes(name, column, merge)
    if of_fit.column == name:
        column = of_fit.apply(column)
        if not merge:
            return Target(column, of_fit)
    read = _read_classes(name, column, merge)
    return Target(read.column, of_fit, problems=read.problems if merge else ())


def _read_classes(name: str, column: Column, merge: Mapping[str, str]) -> Target:
    """A target of a fit, each class in one spelling and missing ones blank."""
    words, cells = names_of(column, merge), _cells.cells_of(column)
    known = [*dict.fromkeys(filter(None, words))]
    if unknown := [word for word in merge if word not in known]:
        said = f"target {name!r} has no class {unknown[0]!r} to merge.{close_to(unknown[0], known)}"
        return Target(column, problems=[said])
    pairs = zip(cells, words, strict=True)
    gaps = Counter(str(cell).strip() for cell, word in pairs if cell is not None and not word)
    counts = Counter(merge.get(word, word) for word in words if word)
    n_clear = sum(word.lower() not in _cells.MISSING_AMONG_NUMBERS for word in counts)
    gap_words = _NO_CLASSES if n_clear > 1 else _cells.MISSING  # a dash is a class beside one other
    lacking = {word for word in counts if word.lower() in gap_words}
    gaps.update({word: counts.pop(word) for word in lacking})
    taken = [f"{word!r} ({n})" for word, n in sorted(gaps.items()) if word]
    notes, problems = list[str](), list[str]()
    if taken:
        way = shlex.quote(f"{min(filter(None, gaps))}=NAME")
        said = f"{', '.join(taken)} of target {name!r} taken as missing; to make it a class: "
        (notes if len(counts) > 1 else problems).append(f"{said}--read merge={way}")
    usual = Spellings(counts).usual(counts)
    usual = usual if len({*usual.values()}) > 1 else {}  # one class alone cannot be meant
    meant = {word: other for word, other in usual.items() if other != word}
    meant |= {word: meant.get(other, other) for word, other in merge.items()}
    questions = _questions(name, Counter(meant.get(word, word) for word in counts.elements()))
    if all(map(_cells.read_number, counts)) and not meant:  # they stay numbers, written in one way
        filled = ["" if word in lacking else cell for word, cell in zip(words, cells, strict=True)]
        return Target(filled if lacking else column, Classes(), notes, questions, problems)
    table = {word: word for word in counts} | meant
    classes = Classes(name, (*table,), (*table.values(),))
    notes += filter(None, [classes.about])
    return Target(classes.apply(column), classes, notes, questions, problems)


def _questions(name: str, levels: Counter[str]) -> list[Question]:
    """Ask about classes that may be misspelt or too rare."""
    lines, alike = [], similar(levels)
    for word, other in alike.items():
        about = f"{word!r} ({counted(levels[word], 'row')}) looks like {other!r}"
        merge = with_name("--read merge=", f"{word}={other}")
        lines.append(f"{about} ({levels[other]}): {merge}")
    rare = [word for word, n in levels.items() if n <= _RARE and word not in alike]
    are_numbers = len(levels) > _MOST_NUMBERS and all(map(_cells.read_number, levels))
    if rare and levels.total() >= _FEWEST_ROWS and not are_numbers:
        about = f"class {listed(rare)} of target {name!r} has fewer than 3 rows, too few to learn"
        leave_out = with_name("--read missing=", f"{name}={rare[0]}")
        merge = with_name("--read merge=", f"{rare[0]}=CLASS")
        lines.append(f"{about} from: leave them out with {leave_out}, or {merge}")
    return [Question("classes", name, line) for line in lines[:_MOST_ASKED]]


def similar(levels: Mapping[str, int]) -> dict[str, str]:
    """Words that look like another way to write a more frequent one, with the most frequent."""
    by_size = sorted(levels, key=lambda word: (levels[word], word))[-_MOST_COMPARED:]
    pairs = combinations(by_size, 2)
    return {one: two for one, two in pairs if _look_alike(one, two, is_rare=levels[one] <= _RARE)}


def _look_alike(*pair: str, is_rare: bool) -> bool:
    words = [word.casefold() for word in pair]
    if any(one.issuperset(words) for one in _SYNONYMS):
        return True
    one, two = (_SIGNS.sub("", unicodedata.normalize("NFD", word)) for word in words)
    last = [part for word in words for part in word.split()[-1:]]
    is_long = min(map(len, (one, two, *last))) > _SHORT
    if one == two:  # but for a footnote or an accent
        return is_rare or is_long
    # Stages, types and other digits are other classes; tumor and tumour are one.
    is_typing = (is_rare or abs(len(one) - len(two)) == 1) and (one + two).isalpha()
    return is_long and is_typing and SequenceMatcher(None, one, two).ratio() >= _ALIKE


def alike_words(conversions: Sequence[Conversion], columns: Mapping[str, Column]) -> list[Question]:
    """Ask about categories of which two may be one."""
    found = []
    for name, words in ((one.column, one.words) for one in conversions if len(one.words) > 2):
        counts = Counter(names_of(columns[name]))
        for word, other in similar({word: counts[word] for word in words}).items():
            text = f"{name!r}: {word!r} and {other!r} are two categories; if they are one, write "
            drop = with_name("--drop ", name)
            found.append(Question("classes", name, f"{text}them alike, or use {drop}"))
    return found[:_MOST_ASKED]


def taken_as_numbers(
    name: str, column: Column, *, numbers: bool, classes: bool
) -> tuple[bool, str]:
    """Whether a target that may be either is taken as numbers, if not named; and what is said."""
    values = _quantities(column)
    n = len(np.unique(values))
    if not n or classes:
        return False, ""
    is_number = numbers or are_numbers(values)
    known, other = ("numbers", "classes") if is_number else ("classes", "numbers")
    if n < 3 or numbers:
        return is_number, ""
    way = with_name(f"--read {other}=", name)
    return is_number, f"target {name!r} ({n} different numbers) taken as {known}; as {other}: {way}"


def event_cells(column: Column) -> Column:
    """Words of events, as in "1:DECEASED", as 1 and 0; others as they are."""
    words = [_CODE.sub("", word.casefold()) for word in names_of(column)]
    if not {*words} <= _EVENT | _NO_EVENT | {""}:
        return column
    return ["" if not word else "1" if word in _EVENT else "0" for word in words]


def survival_problems(columns: Mapping[str, FloatArray], places: Sequence[str]) -> list[str]:
    """The first cell of a time and an event that neither can have."""
    found = []
    for name, values in [*columns.items()] if len(columns) == 2 else []:
        is_time = name == next(iter(columns))
        wrong = values < 0 if is_time else ~np.isnan(values) & ~np.isin(values, (0, 1))
        if wrong.any():
            way = "a time is never negative: correct it, or leave it empty."
            way = way if is_time else "write 1 for an event and 0 for none."
            row = int(wrong.argmax())
            found.append(f"column {name!r}, {places[row]}, is {values[row]:g}; {way}")
    return found


def no_classes(target: str, column: Column) -> str:
    """The reason why labels are not classes, or an empty text."""
    labels = _cells.labels_of(column)
    values = _quantities(column)
    different = np.unique(values)
    n_classes, n = len(np.unique(labels)), len(different)
    if n_classes == 1:
        said = f"target {target!r} has one class, {labels.tolist()[0]!r}, in all rows; two are "
        return said + "needed. Without --target, bicneuron find searches all rows for groups."
    if n_classes == len(labels) > 2:
        why = "has a different value in each row"
    elif np.any(different % 1 > 0):
        why = "holds measurements"
    elif n and are_numbers(values):
        why = f"has {n} different numbers"
    else:
        return ""
    way = f", or make one beforehand (such as {target} >= {different[n // 2]:g})" if n else ""
    such = f"such as {shown(names_of(column)[0])}; name a column of classes"
    return f"target {target!r} {why}, {such}{way}."


def _quantities(column: Column) -> FloatArray:
    """Numbers of a target; none of words, units or a few grades."""
    reading = _cells.read_column(column)
    values, units = reading.values[np.isfinite(reading.values)], {*reading.units} - {""}
    are_words = reading.is_text or len(units) > 1 or reading.text_rows()
    are_grades = (units or reading.has_limits) and len(np.unique(values)) <= _MOST_NUMBERS
    return values[:0] if are_words or are_grades else values
