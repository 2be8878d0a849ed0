"""Cells of a table: which are missing, which mean the same word, and how messages show them."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import numpy as np

from bicneuron._core._arrays import AnyArray

# Plain numbers, NaN where a cell is missing, or cells as text and values of Python.
Column: TypeAlias = "np.ndarray[Any, Any] | list[Any]"
MISSING = frozenset(
    {
        *("", "?", "na", "n/a", "nan", "null", "<null>", "<na>", "#n/a", "#nv", "nat"),
        *("k.a.", "k. a.", "keine angabe", "keine angaben", "no data", "keine daten"),
    }
)
# Words for a missing value among numbers and dates; among words they may be words like any other.
MISSING_AMONG_NUMBERS = MISSING | {
    *("-", "--", "---", "\u2013", "\u2014", ".", "..", "none", "n.a.", "n. a.", "nd", "n.d."),
    *(
        "n. d.",
        "n. b.",
        "n. t.",
        "missing",
        "unknown",
        "not done",
        "not available",
        "not determined",
    ),
    *("not measured", "not tested", "n.t.", "n.b.", "n.v.", "s/d", "s.d.", "fehlt", "fehlend"),
    *("unbekannt", "nicht bestimmt", "nicht gemessen", "nicht erhoben", "nicht durchgeführt"),
    *("inconnu", "desconocido", "manquant"),
    *("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "#wert!", "#bezug!", "#zahl!"),
}
Answer = TypeVar("Answer")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
_SPACES = re.compile(r"[^\S\r\n]+")
# Marks of direction and characters of no width.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(text.split())


TRUE = word_set("true yes y t ja j oui si sí sì sim 1 wahr vrai vero verdadero tak evet да")
FALSE = word_set("false no n f nein non não nao 0 falsch faux falso nie nej nee нет")
_POSITIVE = word_set("positive positiv positif positivo pos pos. +")
_NEGATIVE = word_set("negative negativ négatif negativo neg neg. -")
# Words for a missing value that are classes as often, and words for: as in the cell above.
OPEN = word_set("none nd fehlt")
DITTO = word_set("\" '' \u3003 \u201d -\"- dito ditto dto. s.o.")
# Between letters these separate words alike; a whole number may have zeros behind a mark.
_SEPARATOR, _ZEROS = re.compile(r"(?<=[^\W\d_])[-_ ](?=[^\W\d_])"), re.compile(r"(-?\d+)[.,]0+")
# Shorter words may mean something else in capital letters: AA, Aa and aa are genotypes.
_SHORTEST_WORD = 3


def cells_of(column: Column) -> list[Any]:
    """The cells as values of Python."""
    return column if isinstance(column, list) else [None if x != x else x for x in column.tolist()]


def each_once(function: Callable[[Any], Answer], cells: Sequence[Any]) -> list[Answer]:
    """Call a function for each cell, once for all cells with the same text."""
    if not {*map(type, cells)} <= {str}:  # 1 and True are equal, and not the same
        return [function(cell) for cell in cells]
    known = {cell: function(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


def is_missing(cell: Any, words: frozenset[str] = MISSING) -> bool:
    """True if a cell holds no value."""
    if isinstance(cell, str):
        return text_of(cell).lower() in words
    is_nan = isinstance(cell, float) and math.isnan(cell)
    return cell is None or is_nan or type(cell).__name__ in ("NaTType", "NAType")


def text_of(cell: Any) -> str:
    """A cell as text, with single spaces and without quotes around it or what cannot be seen."""
    if isinstance(cell, str) and cell.isalnum():  # as most
        return cell
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = str(cell)
    text = text if text.isascii() else _UNSEEN.sub("", text)
    return without_quotes(" ".join(text.split()))


def without_quotes(text: str) -> str:
    """Text without the quotes around all of it."""
    is_quoted = len(text) > 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1].strip() if is_quoted and text[0] not in text[1:-1] else text


def names_of(column: Column, kept: Container[str] = ()) -> list[str]:
    """Cells as names; words for missing values are empty, but for those that are kept."""

    def name(cell: Any) -> str:
        text = without_quotes(cell.strip()) if isinstance(cell, str) else text_of(cell)
        return "" if is_missing(cell) and text not in kept else text

    return each_once(name, cells_of(column))


def labels_of(column: Column) -> AnyArray:
    """Cells as labels: whole numbers if all cells are, otherwise text."""
    words = names_of(column)
    return np.array([*map(int, words)] if all(map(_WHOLE.fullmatch, words)) else words)


def shown(cell: object) -> str:
    """A cell as a message shows it, shortened."""
    text = repr(cell)
    return text if len(text) <= 60 else text[:57] + "..."


def some(texts: Sequence[str], most: int = 8) -> str:
    """Join some texts, and say how many others there are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def listed(names: Iterable[str], most: int = 8) -> str:
    """List some names, and the number of the others."""
    return some([*map(repr, names)], most)


def rows_in_words(rows: Collection[int]) -> str:
    return f"{len(rows)} row{'s' * (len(rows) != 1)}"


def see(rows: Iterable[int], places: Sequence[str]) -> str:
    """Name the first rows that a note is about."""
    return f"see {' and '.join(places[row] for row in islice(rows, 2))}"


class Spellings:
    """What words mean beside each other: yes, Yes and ja are one where no and nein stand beside.

    ``fold`` takes m and M as one, but neither AA nor Aa as aa.
    """

    def __init__(self, words: Collection[str], *, fold: bool = False) -> None:
        self._fold = fold
        plain = {_plain(word).casefold() for word in words}
        false = FALSE if "tak" in plain else FALSE - {"nie"}  # in German never, and not no
        self._pairs = [
            (yes, no, plain <= yes | no and (len(plain) == 2 or max(map(len, plain)) > 1))
            for yes, no in ((TRUE, false), (_POSITIVE, _NEGATIVE))
            if plain & yes and plain & no
        ]

    def key(self, word: str) -> str:
        """A text that is the same for words of one meaning."""
        plain = _plain(word)
        whole = _ZEROS.fullmatch(plain)
        plain = whole[1] if whole else plain
        folded = plain.casefold()
        for yes, no, are_all in self._pairs:
            # One letter beside other words may stand for one of those.
            if folded in yes | no and (are_all or len(folded) > 1):
                return min(yes if folded in yes else no)
        if len(plain) >= _SHORTEST_WORD:
            return _SEPARATOR.sub(" ", folded.removesuffix("."))
        return folded if self._fold and len({*folded}) == len(folded) else plain

    def usual(self, counts: Mapping[str, int]) -> dict[str, str]:
        """For each word the most frequent one of its meaning."""
        same: dict[str, Counter[str]] = {}
        for word, n in counts.items():
            same.setdefault(self.key(word), Counter())[word] = n
        usual = {key: text_of(words.most_common(1)[0][0]) for key, words in same.items()}
        return {word: usual[self.key(word)] for word in counts}


def _plain(word: str) -> str:
    if word.isascii():
        return " ".join(word.split())
    return _SPACES.sub(" ", _UNSEEN.sub("", unicodedata.normalize("NFKC", word))).strip()
