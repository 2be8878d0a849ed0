"""The classes of a target: one for each meaning, and questions where the meaning is open."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import close_to
from bicneuron.tables._cells import (
    FALSE,
    MISSING,
    MISSING_AMONG_NUMBERS,
    OPEN,
    POINT,
    TRUE,
    Column,
    Spellings,
    cells_of,
    each_once,
    labels_of,
    listed,
    names_of,
    read_column,
    read_number,
    rows_in_words,
    shown,
    some,
    text_of,
    word_set,
)
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._names import with_name
from bicneuron.tables._questions import CODES, Question, beyond_the_others

# Report classes this rare, in tables this large; a word for a missing value among so few rows.
_RARE, _FEWEST_ROWS, _FEW = 2, 10, 0.1
# Whole numbers: more are not classes, and so are more than ten with few rows each.
_FEW_NUMBERS, _MOST_NUMBERS, _ROWS_EACH = 10, 20, 5
_DASHES = word_set("- -- --- \u2013 \u2014")
_SIGNS, _FOOTNOTES = re.compile(r"[\W_]+"), " *\u2020\u2021\u00a7\u00b9\u00b2\u00b3"
# Kinds and stages, such as type a and stage ii, are different however alike.
_KINDS = re.compile(r".|[ivx]+|\d+")
_SYNONYMS = (
    word_set("male m man mann männlich"),
    word_set("female f w woman frau weiblich"),
    word_set("case cases fall fälle"),
    word_set("control controls ctrl kontrolle kontrollen"),
    word_set("pos pos. positiv positive positif"),
    word_set("neg neg. negativ negative négatif"),
    TRUE,
    FALSE,
)
_MOST_CLASSES, _ALIKE = 50, 0.85


@dataclass(frozen=True)
class Classes:
    """Words of a target and the class that each means, or limits that cut its numbers."""

    column: str = ""
    words: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()  # the class of each word
    limits: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """What was made of the words, in words."""
        if self.limits:
            return f"cut into the classes {listed(self._cut_names, 10)}"
        others: dict[str, list[str]] = {}
        for word, level in zip(self.words, self.levels, strict=True):
            if word != level:
                others.setdefault(level, []).append(word)
        merged = [f"{listed(words, 4)} taken as {level!r}" for level, words in others.items()]
        return f"class {some(merged, 4)}" if merged else ""

    @property
    def _cut_names(self) -> list[str]:
        between = [f"{a} to <{b}" for a, b in pairwise(self.limits)]
        return [f"<{self.limits[0]}", *between, f">={self.limits[-1]}"]

    def apply(self, column: Column) -> list[str]:
        """The class of each cell, empty if it is missing."""
        if self.limits:
            values = read_column(column).values
            places = np.searchsorted([*map(float, self.limits), np.inf], values, side="right")
            return [[*self._cut_names, ""][place] for place in places.tolist()]  # NaN is the last
        level_of = dict(zip(self.words, self.levels, strict=True))
        spellings = Spellings(level_of)
        by_key = {spellings.key(word): level for word, level in level_of.items()}

        def class_of(word: str) -> str:
            if not word or word in level_of:
                return level_of.get(word, "")
            lacks = word.lower() in MISSING_AMONG_NUMBERS and word.lower() not in OPEN
            return by_key.get(spellings.key(word), "" if lacks else word)

        return each_once(class_of, names_of(column, level_of))


class Target(NamedTuple):
    """A target with its classes, and what was asked and found wrong."""

    column: Column
    classes: Classes = Classes()
    notes: Sequence[str] = ()
    questions: Sequence[Question] = ()
    problems: Sequence[str] = ()


def cut_into_classes(name: str, column: Column, limits: Sequence[float]) -> Target:
    """A target of numbers as classes between limits."""
    reading = read_column(column)
    wrong = reading.text_rows(reading.own_mark or POINT)
    if wrong:
        cell = shown(cells_of(column)[wrong[0]])
        return Target(
            column,
            problems=[
                f"target {name!r}, row {wrong[0] + 1}, is {cell}, which is not a number to cut. "
                "Correct it, or take it as missing with --read missing=CODE."
            ],
        )
    classes = Classes(name, limits=tuple(_in_digits(limit) for limit in sorted({*limits})))
    return Target(classes.apply(column), classes, [f"{name!r}: {classes.about}"])


def read_classes(name: str, column: Column, merge: Mapping[str, str]) -> Target:
    """A target of a fit, each class in one spelling and missing ones blank."""
    words = names_of(column, merge)
    known = [*dict.fromkeys(filter(None, words))]
    unknown = [word for word in merge if word not in known]
    if unknown:
        said = f"target {name!r} has no class {unknown[0]!r} to merge.{close_to(unknown[0], known)}"
        return Target(column, problems=[said])
    counts = Counter(merge.get(word, word) for word in words if word)
    missing = _words_for_missing([*counts])
    clear = {word for word in missing if word.lower() not in OPEN}
    taken = Counter({word: counts.pop(word) for word in clear})
    cells = cells_of(column)
    blank = [cell for cell, word in zip(cells, words, strict=True) if not word]
    taken.update(cell.strip() for cell in blank if isinstance(cell, str) and cell.strip())
    notes, problems = list[str](), list[str]()
    if taken:
        said = ", ".join(f"{word!r} ({n})" for word, n in sorted(taken.items()))
        one = shlex.quote(f"{min(taken)}=NAME")
        said += f" of target {name!r} taken as missing; to make it a class: --read merge={one}"
        (notes if len(counts) > 1 else problems).append(said)
    usual = Spellings(counts).usual(counts)
    usual = usual if len({*usual.values()}) > 1 else {}  # one class alone cannot be meant
    meant = {word: other for word, other in usual.items() if other != word}
    meant |= {word: meant.get(other, other) for word, other in merge.items()}
    levels = Counter[str]()
    for word, n in counts.items():
        levels[meant.get(word, word)] += n
    questions = _questions(name, levels, missing - clear)
    if all(map(read_number, counts)) and not meant:  # they stay numbers, written in one way
        cells = ["" if word in clear else c for word, c in zip(words, cells, strict=True)]
        return Target(cells if clear else column, Classes(), notes, questions, problems)
    table = {**{word: word for word in counts}, **meant}
    classes = Classes(name, (*table,), (*table.values(),))
    notes += [classes.about] if classes.about else []
    return Target(classes.apply(column), classes, notes, questions, problems)


def _words_for_missing(words: Sequence[str]) -> set[str]:
    """Words that stand for a missing class, if there are two others; a dash beside a plus is."""
    has_plus = any("+" in word for word in words)
    dashes = _DASHES if has_plus else frozenset()
    found = {word for word in words if word.lower() in MISSING_AMONG_NUMBERS and word not in dashes}
    is_beside = len({*words} - found) > 1
    return found if is_beside else {word for word in found if word.lower() in MISSING}


def _questions(name: str, levels: Counter[str], open_words: set[str]) -> list[Question]:
    """Ask about classes that may be codes, misspelt words or too rare."""
    asked: dict[str, str] = {}
    few = {word for word in open_words if levels[word] <= _FEW * levels.total()}
    for word in [*few, *_codes_among(levels)]:
        asked[word] = (
            f"class {word!r} ({_rows(levels[word])}) of {name!r} looks like a code for a missing "
            f"value: --read missing={shlex.quote(f'{name}={word}')}"
        )
    for word, other in similar(levels).items():
        option = shlex.quote(f"{word}={other}")
        text = f"{word!r} ({_rows(levels[word])}) looks like {other!r} ({levels[other]})"
        asked.setdefault(word, f"{text}: --read merge={option}")
    rare = [word for word, n in levels.items() if n <= _RARE and word not in asked]
    lines = [*asked.values()]
    are_quantities = len(levels) > _FEW_NUMBERS and all(map(read_number, levels))
    if rare and levels.total() >= _FEWEST_ROWS and not are_quantities:
        what = f"class {rare[0]!r} of target {name!r} has {_rows(levels[rare[0]])}"
        if len(rare) > 1:
            what = f"classes {listed(rare)} of target {name!r} have 1 or 2 rows each"
        lines.append(
            f"{what}, too few to learn from: leave such rows out with --read "
            f"missing={shlex.quote(f'{name}={rare[0]}')}, or --read "
            f"merge={shlex.quote(f'{rare[0]}=CLASS')}"
        )
    return [Question("classes", name, line) for line in lines[:8]]


def _rows(n: int) -> str:
    return rows_in_words(range(n))


def _codes_among(levels: Mapping[str, int]) -> list[str]:
    """Classes such as 9 and -99 that lie beyond other numbers, or stand beside words."""
    numbers = {word: read_number(word) for word in levels}
    values = {
        word: number.by_mark[POINT] or 0.0
        for word, number in numbers.items()
        if number is not None and not number.unit
    }
    if 0 < len(values) < len(levels):
        is_beside_words = len(levels) - len(values) > 1
        return [word for word, value in values.items() if is_beside_words and value in CODES]
    cells = np.repeat([*values.values()], [levels[word] for word in values])
    codes = beyond_the_others(cells) if len(levels) > 2 else {}
    return [word for word, value in values.items() if value in codes]


def similar(levels: Mapping[str, int]) -> dict[str, str]:
    """Words that look like another way to write a more frequent one, with that one."""
    found: dict[str, str] = {}
    by_size = sorted(levels, key=lambda word: (levels[word], word))
    for place, word in enumerate(by_size if len(levels) <= _MOST_CLASSES else ()):
        for other in reversed(by_size[place + 1 :]):
            if other not in found and _looks_like(word, other, levels[word], levels[other]):
                found[word] = other
                break
    return found


def _looks_like(word: str, other: str, n: int, n_other: int) -> bool:
    """True if a word of so many rows is likely a way to write another."""
    one, two = (text.casefold().rstrip(_FOOTNOTES) for text in (word, other))
    is_rare = n <= max(_RARE, _FEW * n_other)
    if any(one in words and two in words for words in _SYNONYMS):
        return True
    bare = [_SIGNS.sub("", unicodedata.normalize("NFKD", text)) for text in (one, two)]
    if bare[0] == bare[1]:  # a footnote, an accent, m and M, but not + and -
        is_other = word.casefold() != other.casefold() and len(bare[0]) > 3
        return is_other or (is_rare and not {*one, *two} & {*"+-"})
    last = [(text.split() or [""])[-1] for text in (one, two)]
    short, long = sorted(bare, key=len)
    if any(map(_KINDS.fullmatch, last)) or len(short) < 4 or one[0] != two[0]:
        return False
    if not (short + long).isalpha() or ("hypo" in one) != ("hypo" in two):
        return False  # other digits make another class
    is_longer = len(long) > len(short) > 4  # tumor and tumour
    if is_longer and long.startswith(short):
        return len(long) - len(short) <= 3
    alike = SequenceMatcher(None, short, long).ratio()
    return alike >= _ALIKE and (is_rare or (is_longer and len(long) == len(short) + 1))


def alike_words(
    conversions: Mapping[str, Conversion], columns: Mapping[str, Column]
) -> list[Question]:
    """Ask about categories of which two may be one."""
    found = []
    for name, one in conversions.items():
        if one.kind == "category" and len(one.words) > 2:
            counts = Counter(filter(None, names_of(columns[name])))
            for word, other in similar({word: counts[word] for word in one.words}).items():
                text = f"{name!r}: {word!r} and {other!r} are two categories; write them alike if "
                text += f"they are one, or leave the column out with {with_name('--drop ', name)}"
                found.append(Question("classes", name, text))
    return found[:8]


def no_classes(target: str, column: Column) -> str:
    """The reason why labels are not classes, or an empty text."""
    labels = labels_of(column)
    classes = np.unique(labels)
    if len(classes) == 1:
        return (
            f"target {target!r} has one class, {classes.tolist()[0]!r}, in all rows; two are "
            "needed. Without --target, bicneuron find searches all rows for groups."
        )
    values = _quantities(column)
    option = "" if values is None else shlex.quote(f"{target}={_limit(values)}")
    cut = option and f", or cut {target!r} into classes: --read cut={option}"
    such = f"such as {shown(text_of(cells_of(column)[0]))}"
    why = ""
    if len(classes) == len(labels) > 2:
        why = "has a different value in each row"
    elif values is not None and np.any(values != np.floor(values)):
        why = "holds measurements"
    elif values is not None and _how_many(values) == "too many":
        why = f"has {len(classes)} different numbers"
    return f"target {target!r} {why}, {such}; name a column of classes{cut}." if why else ""


def about_numbers(target: str, column: Column) -> list[Question]:
    """Ask whether a target of several numbers is a quantity."""
    values = _quantities(column)
    if values is None or _how_many(values) != "many":
        return []
    option = shlex.quote(f"{target}={_limit(values)}")
    n = len(np.unique(values))
    text = f"target {target!r} has {n} numbers as classes; if it is a quantity: --read cut={option}"
    return [Question("classes", target, text)]


def _quantities(column: Column) -> FloatArray | None:
    """The values of a target of numbers; None if there are words, or several units."""
    reading = read_column(column)
    units = {unit for unit in reading.units if unit}
    if reading.is_text or len(units) > 1 or reading.text_rows(reading.own_mark or POINT):
        return None
    values = reading.values[np.isfinite(reading.values)]
    is_graded = bool(units or reading.limits) and len(np.unique(values)) <= _FEW_NUMBERS
    return None if is_graded or not len(values) else values


def _how_many(values: FloatArray) -> str:
    """Tell classes from a quantity, by the number of different values and of rows of each."""
    different, counts = np.unique(values, return_counts=True)
    n = len(different)
    # Numbered from 0 or 1 on, without a gap and with enough rows each.
    is_numbered = different[0] in (0, 1) and different[-1] - different[0] == n - 1
    if n <= _FEW_NUMBERS or (is_numbered and counts.min() >= _ROWS_EACH):
        return "few"
    return "too many" if n > _MOST_NUMBERS or len(values) < _ROWS_EACH * n else "many"


def _limit(values: FloatArray) -> str:
    """The value that cuts the rows into two parts as equal as possible, in few digits."""
    different, counts = np.unique(values, return_counts=True)
    place = int(np.argmin(np.abs(np.cumsum(counts)[:-1] - len(values) / 2)))
    lower, limit = float(different[place]), float(different[place + 1])
    rounded = f"{limit:.3g}"
    return rounded if lower < float(rounded) <= limit else _in_digits(limit)


def _in_digits(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
