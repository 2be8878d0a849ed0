"""Words that mean the same class: other capitals, spaces, accents, and languages of yes and no."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping

from bicneuron.tables._sheet import MISSING, MISSING_AMONG_NUMBERS, text_of


def word_set(text: str) -> frozenset[str]:
    """Return the different words of a text."""
    return frozenset(text.split())


TRUE = word_set(
    "true yes y t ja j oui si sí sì sim 1 wahr vrai vero verdadero verdadeiro tak evet igen kyllä "
    "да"
)
FALSE = word_set(
    "false no n f nein non não nao 0 falsch faux falso nie nej nee hay\u0131r nem ei нет"
)
_POSITIVE = word_set("positive positiv positif positivo pos pos. +")
_NEGATIVE = word_set("negative negativ négatif negativo neg neg. -")
# Words for a missing value that are classes as often, such as none beside mild and severe.
OPEN = word_set("none nd fehlt")
# Words for: the same as in the cell above.
DITTO = word_set("\" '' \u3003 \u201d -\"- dito ditto dto. s.o.")
_DASHES = word_set("- -- --- \u2013 —")
# Between letters these separate words alike.
_SEPARATOR = re.compile(r"(?<=[^\W\d_])[-_ ](?=[^\W\d_])")
# Marks of direction and characters of no width.
_SPACES = re.compile(r"[^\S\r\n]+")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
# A whole number as spreadsheets write it beside numbers with decimals.
_WHOLE = re.compile(r"(-?[0-9]+)[.,]0+")
# Shorter words may mean something else in capital letters: AA, Aa and aa are genotypes.
_SHORTEST_WORD = 3


class Spellings:
    """What the words of a target or of another column mean, beside each other.

    Parameters
    ----------
    words : collection of str
        The different words.
    fold : bool, default=False
        Take m and M as one, but neither AA nor Aa as aa.
    """

    def __init__(self, words: Collection[str], *, fold: bool = False) -> None:
        self._fold = fold
        plain = {_plain(word).casefold() for word in words}
        # In German, nie is never and not no.
        false = FALSE if "tak" in plain else FALSE - {"nie"}
        self._pairs = [
            (yes, no, plain <= yes | no and (len(plain) == 2 or max(map(len, plain)) > 1))
            for yes, no in ((TRUE, false), (_POSITIVE, _NEGATIVE))
            if plain & yes and plain & no
        ]

    def key(self, word: str) -> str:
        """Return a text that is the same for words of one meaning."""
        plain = _plain(word)
        whole = _WHOLE.fullmatch(plain)
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
        """Return for each word the most frequent one with its meaning."""
        same: dict[str, Counter[str]] = {}
        for word, n in counts.items():
            same.setdefault(self.key(word), Counter())[word] = n
        usual = {key: without_unseen(words.most_common(1)[0][0]) for key, words in same.items()}
        return {word: usual[self.key(word)] for word in counts}


def _plain(word: str) -> str:
    if word.isascii():
        return " ".join(word.split())
    return without_unseen(unicodedata.normalize("NFKC", word))


def word_of(cell: object) -> str:
    """Return a cell as a word of a category."""
    return without_unseen(text_of(cell))


def without_unseen(word: str) -> str:
    """Return a word without characters of no width, and with single spaces; lines stay apart."""
    return _SPACES.sub(" ", word if word.isascii() else _UNSEEN.sub("", word)).strip()


def is_word_for_missing(word: str, *, has_plus: bool) -> bool:
    """True for a word that stands for a missing class; a dash beside a plus does not."""
    return word.lower() in MISSING_AMONG_NUMBERS and not (has_plus and word in _DASHES)


def words_for_missing(words: Collection[str]) -> set[str]:
    """Return the words of a target that stand for a missing class, those of `OPEN` included.

    They are classes if there are no two others.
    """
    has_plus = any("+" in word for word in words)
    found = {word for word in words if is_word_for_missing(word, has_plus=has_plus)}
    n_others = len({*words} - found)
    return found if n_others > 1 else {word for word in found if word.lower() in MISSING}
