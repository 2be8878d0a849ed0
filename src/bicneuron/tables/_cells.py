"""What the cells of a table say: missing values, words and numbers; how messages show them.

``241,611`` is a number with a decimal comma or with a comma between thousands. A cell is read in
both ways, and the cells that can be read in one way only decide for their column.
"""

import math
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar
from unicodedata import normalize

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray

# Plain numbers, NaN where a cell is missing, or cells as text and values of Python.
Column: TypeAlias = "np.ndarray[Any, Any] | list[Any]"
Answer = TypeVar("Answer")
POINT, COMMA = ".", ","
DECIMALS = {"point": POINT, "comma": COMMA}


def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(text.split())


TRUE = word_set("true yes y t ja j oui si sí 1 wahr positive positiv positif pos pos. +")
FALSE = word_set("false no n f nein 0 falsch negative negativ négatif neg neg. -")
# Also marks that stand for the cell above, which may be a cell of another patient.
MISSING = word_set('? na n/a nan null <null> <na> #n/a #nv nat k.a. " \u3003 ditto dito')
MISSING |= {"", "k. a.", "keine angabe", "no data"}
# Words for a missing value among numbers; among words they may be words like any other.
MISSING_AMONG_NUMBERS = MISSING | word_set(
    "- -- --- \u2013 \u2014 . .. none n.a. nd n.d. missing unknown fehlt unbekannt #div/0! #value! "
    "#wert! #bezug!"
)
MISSING_AMONG_NUMBERS |= {"not available", "not done", "not determined", "not measured"}
MISSING_AMONG_NUMBERS |= {"nicht bestimmt", "nicht gemessen"}
OPEN = word_set("none nd fehlt")  # words for a missing value that are classes as often
_WHOLE, _ZEROS = re.compile(r"0|-?[1-9]\d{0,17}"), re.compile(r"^(-?\d+)[.,]0+$")
# Marks of direction and characters of no width.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def cells_of(column: Column) -> list[Any]:
    """The cells as values of Python."""
    return column if isinstance(column, list) else [None if x != x else x for x in column.tolist()]


def each_once(function: Callable[[Any], Answer], cells: Sequence[Any]) -> list[Answer]:
    """Call a function for each cell, once for all cells with the same text."""
    if not {*map(type, cells)} <= {str}:  # 1 and True are equal, and not the same
        return [function(cell) for cell in cells]
    known = {cell: function(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


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
        seen = text_of(cell)
        text = without_quotes(cell.strip()) if isinstance(cell, str) and seen is not cell else seen
        return "" if (cell is None or seen.lower() in MISSING) and text not in kept else text

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


def see(rows: Iterable[int], places: Sequence[str]) -> str:
    """Name the first rows that a note is about."""
    return f"see {' and '.join(places[row] for row in islice(rows, 2))}"


class Spellings:
    """What words mean beside each other: yes and ja are one, M and m too, but not AA and aa."""

    def __init__(self, words: Collection[str]) -> None:
        folded = {normalize("NFKC", text_of(word)).casefold() for word in words}
        are_flags = folded & TRUE and folded & FALSE and folded <= TRUE | FALSE
        are_letters = len(folded) > 2 and max(map(len, folded)) == 1  # such as n, t and f
        self._flags = TRUE | FALSE if are_flags and not are_letters else frozenset[str]()

    def key(self, word: str) -> str:
        """A text that is the same for words of one meaning."""
        plain = _ZEROS.sub(r"\1", normalize("NFKC", text_of(word)))
        folded = plain.casefold()
        if folded in self._flags:
            return "yes" if folded in TRUE else "no"
        is_genotype = len(plain) == 2 and len({*folded}) == 1
        return plain if is_genotype else folded

    def usual(self, counts: Mapping[str, int]) -> dict[str, str]:
        """For each word the most frequent one of its meaning."""
        by_size = sorted(counts, key=lambda one: -counts[one])
        most = {self.key(word): text_of(word) for word in reversed(by_size)}
        return {word: most[self.key(word)] for word in counts}


def mark_of(decimal: str | None) -> str | None:
    """The decimal mark of a setting such as "comma"."""
    if decimal is not None and decimal not in DECIMALS:
        raise ValueError(f"decimal={decimal!r} must be one of {', '.join(DECIMALS)}.")
    return None if decimal is None else DECIMALS[decimal]


_GAPS = " '\u2019"  # marks between thousands besides the other decimal mark
# Signs of full width, and dashes that programs write for a minus.
_AS_ASCII = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x2212: 0x2D, 0x2013: 0x2D}
# Limit, sign, currency, digits, exponent and unit.
_CELL = re.compile(
    rf"([<>≤≥]=?)?\s?([+-]?)([$€£])?\s?([0-9.,](?:[0-9.,{_GAPS}]*[0-9.,])?)"
    r"((?:[eE][+-]?|[dD][+-])[0-9]+)?\s?([%‰$€£]|°[CF]?|"
    r"/?[^\W\d_](?:[^\s\d<>][^\s<>]{,14}|[0-9²³])?|[x*\u00d7] ?10\^[0-9]+[^\s<>]{,10})?"
)
_BODY = {
    mark: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?P<gap>[{_GAPS}{other}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*)"
        rf"(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+"
    )
    for mark, other in ((POINT, COMMA), (COMMA, POINT))
}
_DECIMAL = re.compile("-?[0-9]{1,15},([0-9]+)")
_MANY = 5  # cells that may be decimals, for each that shows its mark


class Number(NamedTuple):
    """A number in a cell: its value for each decimal mark, NaN where it is none with that mark."""

    by_mark: Mapping[str, float]
    unit: str = ""
    is_limit: bool = False
    grouped: str = ""  # marks with which something stands between thousands


_NOTHING = dict.fromkeys(_BODY, math.nan)
_GAP, _WORD = Number(_NOTHING), Number(_NOTHING)  # no value, and a value that is no number


def read_number(text: str) -> Number | None:
    """Read the text of a cell; None if it is not a number."""
    cell = _CELL.fullmatch(text if text.isascii() else text.translate(_AS_ASCII))
    limit, sign, currency, digits, exponent, unit = cell.groups("") if cell else [""] * 6
    if not digits or unit[:1].isnumeric() or unit in ("Uhr", "uhr"):  # a square, a time
        return None
    by_mark, grouped = {**_NOTHING}, ""
    for mark, pattern in _BODY.items():
        if body := pattern.fullmatch(digits):
            plain = digits.replace(body["gap"] or " ", "").replace(mark, ".")
            value = float(sign + plain + exponent.upper().replace("D", "E"))
            by_mark[mark] = value if math.isfinite(value) else math.nan
            grouped += mark if body["gap"] else ""
    if all(map(math.isnan, by_mark.values())):
        return None
    return Number(by_mark, currency + unit, bool(limit), grouped)


class Reading(NamedTuple):
    """A column read as numbers, with a decimal point and with a decimal comma."""

    by_mark: Mapping[str, FloatArray]  # NaN where there is no number, or no value
    missing: Sequence[int] | IndexArray  # rows without a value
    own_mark: str | None = None  # decimal mark that the cells show
    open_row: int | None = None  # the first number whose marks may be decimal or for thousands
    units: Mapping[str, list[int]] = {}  # rows of each, the empty one too
    grouped: Collection[str] = ()  # marks with which something stands between thousands
    has_limits: bool = False  # such as <0.5
    depends_on_mark: bool = False  # the two decimal marks give different numbers
    is_text: bool = False  # text, rather than numbers with a few errors
    is_plain: bool = True  # each cell is a plain number or missing

    @property
    def n_filled(self) -> int:
        """Number of cells with a value."""
        return len(self.by_mark[POINT]) - len(self.missing)

    @property
    def values(self) -> FloatArray:
        """The numbers, with the mark that the cells show or a point."""
        return self.by_mark[self.own_mark or POINT]

    def text_rows(self, mark: str | None = None) -> list[int]:
        """Rows with a value that is not a number."""
        values = self.values if mark is None else self.by_mark[mark]
        gaps = [] if self.is_plain else np.flatnonzero(np.isnan(values)).tolist()
        return sorted({*gaps} - {*self.missing}) if gaps else gaps


def read_column(column: Column) -> Reading:
    """Read a column as numbers."""
    if isinstance(column, np.ndarray) and not np.isinf(column).any():
        own_mark, gaps = POINT if np.any(column % 1 > 0) else None, np.flatnonzero(np.isnan(column))
        return Reading(dict.fromkeys(_BODY, column), gaps, own_mark)
    found = each_once(_read_cell, cells_of(column))
    by_mark = {mark: np.array([one.by_mark[mark] for one in found]) for mark in _BODY}
    missing = [row for row, one in enumerate(found) if one is _GAP]
    units: dict[str, list[int]] = {}
    for row, one in enumerate(found):
        if one is not _GAP and one is not _WORD:
            units.setdefault(one.unit, []).append(row)
    grouped = {mark for one in found for mark in one.grouped}
    has_limits = any(one.is_limit for one in found)
    point, comma = by_mark.values()
    depends_on_mark = not np.array_equal(point, comma, equal_nan=True)
    n_filled = len(found) - len(missing)
    n_numbers = int(np.isfinite([point, comma]).sum(axis=1).max())
    is_odd = depends_on_mark or has_limits or grouped or [*units] != [""]
    if not is_odd and n_numbers == n_filled:
        return Reading(by_mark, missing)
    known = units, grouped, has_limits, depends_on_mark, 2 * n_numbers < n_filled, False
    mark, first = _mark_of(point, comma)
    return Reading(by_mark, missing, mark, first, *known)


def _mark_of(point: FloatArray, comma: FloatArray) -> tuple[str | None, int | None]:
    """The decimal mark that the cells show, or else the first that may be read with either."""
    n_more = int(np.isfinite(point).sum()) - int(np.isfinite(comma).sum())
    rows = np.flatnonzero(np.isfinite(point) & np.isfinite(comma) & (point != comma))
    has_comma = np.abs(point[rows]) > np.abs(comma[rows])  # as in 1,234, and not as in 1.234
    n_groups = int(np.sum(has_comma if n_more > 0 else ~has_comma))
    if n_groups < _MANY * abs(n_more):
        return (POINT if n_more > 0 else COMMA), None
    others = np.where((point == comma) | (point % 1 > 0), point, np.nan)  # without 301.000
    is_open = len(rows) > 0 and (may_be_thousands(others) or has_comma.any())
    return None, int(rows[0]) if is_open else None


def _read_cell(cell: Any) -> Number:
    if isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell):
        return Number(dict.fromkeys(_BODY, float(cell)))
    decimal = _DECIMAL.fullmatch(cell) if isinstance(cell, str) else None
    if decimal and len(decimal[1]) != 3:  # most cells of a table with a decimal comma
        return Number({POINT: math.nan, COMMA: float(cell.replace(",", "."))})
    text = text_of(cell).removeprefix("'")  # of a spreadsheet, before a number as text
    return read_number(text) or (_GAP if text.lower() in MISSING_AMONG_NUMBERS else _WORD)


def may_be_thousands(values: FloatArray) -> bool:
    """True for 1.03 and 301, which may be 1.030 and 301 in a file, but not for decimals alone."""
    sizes = np.abs(values[np.isfinite(values)])
    whole, thousands = sizes[sizes % 1 == 0], 1000 * sizes[sizes % 1 > 0]
    if not 100 <= whole.max(initial=0) < 1000 or not 1000 <= thousands.min(initial=np.inf) < np.inf:
        return False
    return np.allclose(thousands, np.rint(thousands), rtol=0, atol=1e-6)
