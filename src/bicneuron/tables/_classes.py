"""The classes of a target: one for each meaning, and questions where the meaning is open."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._missing import CODES, beyond_the_others
from bicneuron.tables._numbers import POINT, read_column, read_number
from bicneuron.tables._sheet import Column, cells_of, listed, shown, to_labels, to_names
from bicneuron.tables._spelling import FALSE, OPEN, TRUE, Spellings, word_set, words_for_missing
from bicneuron.tables._step import Step
from bicneuron.tables._steps import Classes, Cut

# A word for a missing value among so few of the rows is asked about.
_FEW = 0.1
# Report classes this rare, in tables this large.
_RARE, _FEWEST_ROWS = 2, 10
# Whole numbers: more are not classes, and so are more than ten with few rows each.
_FEW_NUMBERS, _MOST_NUMBERS, _ROWS_EACH = 10, 20, 5
# Similar words are looked for among so many classes, of so many letters.
_MOST_CLASSES, _LONGEST, _SHORTEST = 50, 60, 5
_TWO_EDITS, _SHORTEST_BARE = 8, 3  # A* is better than A
_SIGNS_AROUND = re.compile(r"[\W_]+")
# Marks of footnotes.
_FOOTNOTES = " *\u2020\u2021\u00a7\u00b9\u00b2\u00b3"
_ROMAN = re.compile(r"[ivx]+")
_NEGATIONS = ("hypo", "hyper")
# Words that often mean the same class; the languages of yes and no beside other words, too.
_SYNONYMS = (
    word_set("male m man mann männlich"),
    word_set("female f w woman frau weiblich"),
    word_set("case cases fall fälle"),
    word_set("control controls ctrl kontrolle kontrollen"),
    TRUE,
    FALSE,
)
_MOST_SAID = 8


class Target(NamedTuple):
    """A target with its classes, the steps that made them, notes and problems."""

    column: Column
    steps: tuple[Step, ...]
    notes: list[str]
    problems: list[str]


def read_classes(name: str, column: Column, merge: Mapping[str, str]) -> Target:
    """Return the target of a fit, each class in one spelling and missing ones blank.

    Parameters
    ----------
    name : str
        Name of the target.
    column : column
    merge : mapping of str to str
        Classes, and the class that each is taken as.
    """
    words = to_names(column, merge)
    notes: list[str] = []
    known = [*dict.fromkeys(filter(None, words))]
    problems = [
        f"target {name!r} has no class {word!r} to merge.{close_to(word, known)}"
        for word in merge
        if word not in known
    ]
    if problems:
        return Target(column, (), notes, problems)
    counts = Counter(merge.get(word, word) for word in words if word)
    missing = words_for_missing(counts)
    clear = {word for word in missing if word.lower() not in OPEN}
    taken = Counter({word: counts.pop(word) for word in clear})
    cells = cells_of(column)
    blank = [cell for cell, word in zip(cells, words, strict=True) if not word]
    taken.update(cell.strip() for cell in blank if isinstance(cell, str) and cell.strip())
    if taken:
        said = ", ".join(f"{word!r} ({n})" for word, n in sorted(taken.items()))
        one = shlex.quote(f"{min(taken)}=NAME")
        about = notes if len(counts) > 1 else problems
        about.append(
            f"{said} of target {name!r} taken as missing; to make it a class: --read merge={one}"
        )
    meant = _one_spelling(counts)
    meant |= {word: meant.get(other, other) for word, other in merge.items()}
    levels = Counter[str]()
    for word, n in counts.items():
        levels[meant.get(word, word)] += n
    notes += _questions(name, levels, missing - clear)
    if all(map(_is_number, counts)) and not meant:
        # They stay numbers; there is one way to write each.
        cells = ["" if w in clear else cell for w, cell in zip(words, cells, strict=True)]
        return Target(cells if clear else column, (), notes, problems)
    table = {**{word: word for word in counts}, **meant}
    step = Classes(name, (*table,), (*table.values(),))
    return Target(step.classes(column), (step,), notes, problems)


def _is_number(word: str) -> bool:
    return read_number(word) is not None


def _one_spelling(counts: Mapping[str, int]) -> dict[str, str]:
    """Return words that mean the class of another word, and this class in its usual spelling."""
    usual = Spellings(counts).usual(counts)
    if len({*usual.values()}) < 2:  # one class alone cannot be meant
        return {}
    return {word: other for word, other in usual.items() if other != word}


def _questions(name: str, levels: Counter[str], open_words: Iterable[str]) -> list[str]:
    """Ask about classes that may be codes, misspelt words or too rare."""
    n_rows = levels.total()
    asked: dict[str, str] = {}
    for word in open_words:
        if levels[word] <= _FEW * n_rows:
            asked[word] = _missing_option(name, repr(word), levels[word], "a missing value", word)
    for word in _codes_among(levels):
        asked[word] = _missing_option(name, word, levels[word], "a code for a missing value", word)
    for word, other in _similar(levels).items():
        if word not in asked:
            option = shlex.quote(f"{word}={other}")
            asked[word] = (
                f"{word!r} ({_rows(levels[word])}) looks like {other!r} ({levels[other]}): "
                f"--read merge={option}"
            )
    rare = [word for word, n in levels.items() if n <= _RARE and word not in asked]
    notes = [*asked.values()][:_MOST_SAID]
    if rare and n_rows >= _FEWEST_ROWS and not _are_quantities(levels):
        one = shlex.quote(f"{name}={rare[0]}")
        other = shlex.quote(f"{rare[0]}=CLASS")
        what = f"class {rare[0]!r} of target {name!r} has {_rows(levels[rare[0]])}"
        if len(rare) > 1:
            what = f"classes {listed(rare)} of target {name!r} have 1 or 2 rows each"
        notes.append(
            f"{what}, too few to learn from: leave such rows out with "
            f"--read missing={one}, or --read merge={other}"
        )
    return notes


def _rows(n: int) -> str:
    return f"{n} row{'s' * (n != 1)}"


def _missing_option(name: str, what: str, n: int, like: str, word: str) -> str:
    option = shlex.quote(f"{name}={word}")
    return f"class {what} ({_rows(n)}) of {name!r} looks like {like}: --read missing={option}"


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


def _are_quantities(levels: Mapping[str, int]) -> bool:
    return len(levels) > _FEW_NUMBERS and all(map(_is_number, levels))


def _similar(levels: Counter[str]) -> dict[str, str]:
    """Return rare classes that look like a misspelt other one, with that one."""
    words = [word for word in levels if len(word) <= _LONGEST]
    if len(levels) > _MOST_CLASSES:
        return {}
    found = {}
    for word in sorted(words, key=lambda word: (levels[word], word)):
        for other in sorted(words, key=lambda word: (-levels[word], word)):
            if other in found or other == word or levels[other] < levels[word]:
                continue
            is_rare = levels[word] <= max(_RARE, _FEW * levels[other])
            if _looks_like(word, other, is_rare=is_rare, is_single=levels[word] <= _RARE):
                found[word] = other
                break
    return found


# One way to misspell a word after the other.
def _looks_like(word: str, other: str, *, is_rare: bool, is_single: bool) -> bool:  # noqa: C901
    """True if a word is likely a way to write another."""
    one, two = word.casefold(), other.casefold()
    if any(one in words and two in words for words in _SYNONYMS):
        return True
    if one == two:
        return is_rare  # m and M, but not aa and AA
    bare = _bare(one)
    if bare == _bare(two) and len(bare) >= _SHORTEST_BARE:
        return True
    if _SIGNS_AROUND.sub("", one) == _SIGNS_AROUND.sub("", two) and "+" not in one + two:
        return is_rare and "-" not in (one[-1:], two[-1:])
    last = {(word.split() or [""])[-1] for word in (one, two)}
    if min(map(len, last)) <= 1 or all(_ROMAN.fullmatch(word) for word in last):
        return False  # kinds and stages: type a, stage ii
    short, long = sorted((one, two), key=len)
    letters = max(word, other, key=len)[len(short) :]
    if len(short) >= _SHORTEST and long.startswith(short) and letters.isalpha():
        return letters.islower() or word.isupper()
    if len(short) < _SHORTEST - 1 or one[0] != two[0]:
        return False
    if any(one.startswith(prefix) != two.startswith(prefix) for prefix in _NEGATIONS):
        return False
    changed = _changed(word, other)
    if not changed or not changed.isalpha() or not changed.islower():
        return False
    if len(one) != len(two) and _distance(one, two, 1) == 1:
        return is_rare or len(short) >= _SHORTEST  # tumor and tumour
    # Of short words other letters make other words, not the same ones in another order.
    is_long = len(short) >= _SHORTEST or sorted(one) == sorted(two)
    most = 2 if is_single and len(short) >= _TWO_EDITS else 1
    return is_rare and is_long and _distance(one, two, most) <= most


def _bare(word: str) -> str:
    """Return a word without accents, blanks and marks of footnotes."""
    letters = unicodedata.normalize("NFD", word.rstrip(_FOOTNOTES))
    return "".join(one for one in letters if not (one.isspace() or unicodedata.combining(one)))


def _changed(word: str, other: str) -> str:
    """Return the letters between the beginning and the end that both words have."""
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(word), len(other)) - start and word[-1 - end] == other[-1 - end]:
        end += 1
    return word[start : len(word) - end] + other[start : len(other) - end]


def _distance(one: str, two: str, most: int) -> int:
    """Count letters lost, added, changed or exchanged with the next, if the lengths allow."""
    if abs(len(one) - len(two)) > most:
        return most + 1
    before: list[int] = []
    last: list[int] = [*range(len(two) + 1)]
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, wanted in enumerate(two, start=1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def cut_into_classes(name: str, column: Column, limits: Sequence[float]) -> Target:
    """Return a target of numbers as classes between limits."""
    step = Cut(name, tuple(_in_digits(limit) for limit in sorted({*limits})))
    try:
        return Target(step.classes(column), (step,), [], [])
    except TableError as error:
        return Target(column, (), [], [str(error)])


def no_classes(target: str, column: Column) -> str:
    """Return the reason why labels are not classes, or an empty text."""
    cells = cells_of(column)
    labels = to_labels(column)
    classes = np.unique(labels)
    if len(classes) == 1:
        one = classes.tolist()[0]
        return (
            f"target {target!r} has one class, {one!r}, in all rows; two are needed. Without "
            "--target, bicneuron find searches all rows for groups."
        )
    values = _quantities(column)
    cut = ""
    if values is not None:
        option = shlex.quote(f"{target}={_limit(values)}")
        cut = f", or cut {target!r} into classes: --read cut={option}"
    such = f"such as {shown(cells[0])}"
    if len(classes) == len(labels) > 2:
        return (
            f"target {target!r} has a different value in each row, {such}; name a column of "
            f"classes{cut}."
        )
    if values is None:
        return ""
    if np.any(values != np.floor(values)):
        return f"target {target!r} holds measurements, {such}; name a column of classes{cut}."
    if _how_many(values) == "too many":
        return (
            f"target {target!r} has {len(classes)} different numbers, {such}; name a column of "
            f"classes{cut}."
        )
    return ""


def about_numbers(target: str, column: Column) -> list[str]:
    """Ask whether a target of several numbers is a quantity."""
    values = _quantities(column)
    if values is None or _how_many(values) != "many":
        return []
    option = shlex.quote(f"{target}={_limit(values)}")
    n = len(np.unique(values))
    return [
        f"target {target!r} has {n} numbers as classes; if it is a quantity: --read cut={option}"
    ]


def _quantities(column: Column) -> FloatArray | None:
    """Return the values of a target of numbers; None if there are words, or several units."""
    reading = read_column(column)
    units = {unit for unit in reading.units if unit}
    mark = reading.own_mark or POINT
    if reading.is_text or len(units) > 1 or reading.text_rows(mark) or not reading.n_filled:
        return None
    values = reading.by_mark[mark][np.isfinite(reading.by_mark[mark])]
    if (units or reading.limits) and len(np.unique(values)) <= _FEW_NUMBERS:
        return None
    return values


def _how_many(values: FloatArray) -> str:
    """Tell classes from a quantity, by the number of different values and of rows of each."""
    different, counts = np.unique(values, return_counts=True)
    n = len(different)
    if n <= _FEW_NUMBERS:
        return "few"
    # Numbered from 0 or 1 on, without a gap and with enough rows each.
    is_numbered = different[0] in (0, 1) and different[-1] - different[0] == n - 1
    if is_numbered and counts.min() >= _ROWS_EACH:
        return "few"
    return "too many" if n > _MOST_NUMBERS or len(values) < _ROWS_EACH * n else "many"


def _limit(values: FloatArray) -> str:
    """The value that cuts the rows into two parts as equal as possible, in few digits."""
    different, counts = np.unique(values, return_counts=True)
    below = np.cumsum(counts)[:-1]
    place = int(np.argmin(np.abs(below - len(values) / 2)))
    lower, limit = float(different[place]), float(different[place + 1])
    rounded = f"{limit:.3g}"
    return rounded if lower < float(rounded) <= limit else _in_digits(limit)


def _in_digits(limit: float) -> str:
    return repr(float(limit)).removesuffix(".0")
