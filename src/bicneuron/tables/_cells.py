"""What the cells of a table say: missing values, words, numbers and dates; how messages show them.

``241,611`` is a number with a decimal comma or with a comma between thousands, and ``03/04/2021`` a
day of April or of March. A cell is read in both ways, and the cells that can be read in one way
only decide for their column.
"""

import math
import re
import unicodedata
from calendar import isleap
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import islice
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray

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


POINT, COMMA = ".", ","
_OTHER = {POINT: COMMA, COMMA: POINT}
_GAPS = " '\u2019"  # marks between thousands besides the other decimal mark
# Signs of full width, Arabic digits and marks, and dashes that programs write for a minus.
_AS_ASCII = {0xFF01 + place: 0x21 + place for place in range(94)}
_AS_ASCII |= {0x0660 + digit: 0x30 + digit for digit in range(10)} | {0x066B: 0x2E, 0x066C: 0x2C}
_AS_ASCII |= dict.fromkeys((0x2212, 0x2013, 0xFE63), 0x2D)
_CELL = re.compile(
    rf"(?P<limit>[<>≤≥]=?)?\s?(?P<sign>[+-]?)(?P<currency>[$€£])?\s?"
    rf"(?P<digits>[0-9.,](?:[0-9.,{_GAPS}]*[0-9.,])?)(?P<exponent>(?:[eE][+-]?|[dD][+-])[0-9]+)?"
    r"\s?(?P<more>\+)?(?P<unit>[%‰$€£]|°[CF]?|/?[^\W\d_][^\s\d<>][^\s<>]{,14}|[^\W\d_]{1,3}[0-9²³]?"
    r"|(?:[x\u00d7*] ?)?10\^[0-9]+[^\s<>]{,10})?"
)
_BODY = {
    mark: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?P<gap>[{_GAPS}{other}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*)"
        rf"(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+"
    )
    for mark, other in _OTHER.items()
}
# Columns of digits and commas and nothing else, as most of a table with a decimal comma.
_DECIMALS = re.compile(r"(?:-?[0-9]+(?:,[0-9]+)?)?(?:\n(?:-?[0-9]+(?:,[0-9]+)?)?)*")
_ONE_GROUP = re.compile(r"-?[1-9][0-9]{0,2},[0-9]{3}")
# Cells that may be decimals, for each that says that they are thousands.
_MANY = 5


class Number(NamedTuple):
    """A number in a cell: its value for each decimal mark, None where it is none with that mark."""

    by_mark: dict[str, float | None]
    unit: str = ""
    is_limit: bool = False
    grouped: frozenset[str] = frozenset()  # marks with which something stands between thousands


_GAP = Number({})  # a cell without a value


def read_number(text: str) -> Number | None:
    """Read the text of a cell; None if it is not a number."""
    cell = _CELL.fullmatch(text if text.isascii() else text.translate(_AS_ASCII))
    unit = cell["unit"] or "" if cell else ""
    # A time, and signs such as the one of a square behind a number.
    if cell is None or unit in ("Uhr", "uhr") or (unit[:1].isnumeric() and not unit[0].isdecimal()):
        return None
    by_mark: dict[str, float | None] = {}
    grouped = []
    for mark, pattern in _BODY.items():
        body = pattern.fullmatch(cell["digits"])
        by_mark[mark] = None
        if body is not None:
            grouped += [mark] * (body["gap"] is not None)
            digits = body[0].replace(body["gap"] or " ", "").replace(mark, ".")
            exponent = (cell["exponent"] or "").lower().replace("d", "e")
            value = float(cell["sign"] + digits + exponent)
            by_mark[mark] = value if math.isfinite(value) else None
    if all(value is None for value in by_mark.values()):
        return None
    is_limit = cell["limit"] is not None or cell["more"] is not None
    return Number(by_mark, (cell["currency"] or "") + unit, is_limit, frozenset(grouped))


@dataclass(frozen=True)
class Reading:
    """A column read as numbers, with a decimal point and with a decimal comma."""

    by_mark: Mapping[str, FloatArray]  # NaN where there is no number, or no value
    missing: Sequence[int]  # rows without a value
    units: Mapping[str, list[int]] = field(default_factory=dict)  # rows of each, the empty one too
    limits: Sequence[int] = ()  # rows such as <0.5
    grouped: Mapping[str, list[int]] = field(default_factory=dict)  # rows with marks of thousands
    has_comma: bool = False

    @property
    def is_plain(self) -> bool:
        """True if each cell is a plain number or missing."""
        return self.by_mark[POINT] is self.by_mark[COMMA]

    @cached_property
    def n_read(self) -> dict[str, int]:
        """Number of cells that are numbers, by decimal mark."""
        return {mark: int(np.isfinite(values).sum()) for mark, values in self.by_mark.items()}

    @property
    def n_filled(self) -> int:
        """Number of cells with a value."""
        return len(self.by_mark[POINT]) - len(self.missing)

    @property
    def is_text(self) -> bool:
        """True for a column of text, rather than one of numbers with a few errors."""
        return not self.is_plain and 2 * max(self.n_read.values()) < self.n_filled

    @property
    def values(self) -> FloatArray:
        """The numbers, with the mark that the cells show or a point."""
        if self.is_plain:
            return self.by_mark[POINT]
        return self.by_mark[self.own_mark or POINT]

    @cached_property
    def own_mark(self) -> str | None:
        """Decimal mark that the cells show; None if they do not show it."""
        point, comma = self.n_read[POINT], self.n_read[COMMA]
        if point != comma:
            mark = POINT if point > comma else COMMA
            shown = np.isfinite(self.by_mark[mark]) & np.isnan(self.by_mark[_OTHER[mark]])
            grouped, n_shown = self.grouped.get(mark, []), int(shown.sum())
            # A few cells such as 1,5 do not make thousands of all others, which are as 1.234.
            are_others = len(grouped) == self.n_read[mark] - n_shown >= _MANY * n_shown
            return None if are_others and not shown[grouped].any() else mark
        thousands = self.mark_of_groups
        if thousands is None:
            return None
        # Programs that write 301 for 301.000 do not write 1.030 for 1.03.
        decimals = np.abs(self.by_mark[_OTHER[thousands]])
        is_marked = np.isin(np.arange(len(decimals)), self.grouped[thousands])
        ends_in_0 = np.any(self.by_mark[thousands][is_marked] % 10 == 0)
        is_sure = ends_in_0 and np.nanmax(decimals[~is_marked]) > decimals[is_marked].max()
        return thousands if is_sure else None

    @cached_property
    def mark_of_groups(self) -> str | None:
        """Decimal mark with which all other marks stand between thousands, as in 1.030 and 301."""
        if not self.depends_on_mark:
            return None
        point, comma = self.by_mark[POINT], self.by_mark[COMMA]
        differ = np.flatnonzero((point != comma) & np.isfinite(point)).tolist()
        others = np.abs(point[point == comma])
        if not np.any(others >= 100) or np.any((others % 1 != 0) | (others >= 1000)):
            return None
        return next((mark for mark, rows in self.grouped.items() if rows == differ), None)

    @cached_property
    def depends_on_mark(self) -> bool:
        """True if the two decimal marks give different numbers."""
        point, comma = self.by_mark[POINT], self.by_mark[COMMA]
        return not self.is_plain and not np.array_equal(point, comma, equal_nan=True)

    @property
    def leaves_mark_open(self) -> bool:
        """True if it shows a decimal comma, or may be read with either mark."""
        if self.is_plain or self.is_text:
            return False
        return self.own_mark == COMMA or (self.own_mark is None and self.depends_on_mark)

    def text_rows(self, mark: str) -> list[int]:
        """Rows with a value that is not a number."""
        no_number = np.isnan(self.by_mark[mark])
        no_number[[*self.missing]] = False
        return [int(row) for row in np.flatnonzero(no_number)]


def read_column(column: Column) -> Reading:
    """Read a column as numbers."""
    if isinstance(column, np.ndarray) and not np.isinf(column).any():
        return Reading({POINT: column, COMMA: column}, np.flatnonzero(np.isnan(column)).tolist())
    cells = cells_of(column)
    return _read_decimals(cells) or _read_cells(cells)


def _read_decimals(cells: list[Any]) -> Reading | None:
    """Read digits with at most a comma, as `_read_cells` does; None if there is anything else."""
    if not all(type(cell) is str for cell in cells):
        return None
    text = "\n".join(cells)
    if "," not in text or _DECIMALS.fullmatch(text) is None or text.count("\n") >= len(cells):
        return None
    comma = np.array([float(cell.replace(",", ".") or "nan") for cell in cells])
    groups = [row for row, cell in enumerate(cells) if _ONE_GROUP.fullmatch(cell)]
    point = np.where([("," in cell) for cell in cells], np.nan, comma)
    point[groups] = [float(cells[row].replace(",", "")) for row in groups]
    missing = [row for row, cell in enumerate(cells) if not cell]
    units = {"": np.flatnonzero(np.isfinite(comma)).tolist()}
    return Reading(
        {POINT: point, COMMA: comma}, missing, units, (), {POINT: groups, COMMA: []}, True
    )


def _read_cells(cells: list[Any]) -> Reading:
    by_mark = {mark: np.full(len(cells), np.nan) for mark in (POINT, COMMA)}
    missing, limits, has_comma = [], [], False
    units: dict[str, list[int]] = {}
    grouped: dict[str, list[int]] = {POINT: [], COMMA: []}
    for row, (cell, number) in enumerate(zip(cells, each_once(_look_at, cells), strict=True)):
        if number is _GAP:
            missing.append(row)
        elif number is not None:
            has_comma |= "," in cell
            units.setdefault(number.unit, []).append(row)
            limits += [row] * number.is_limit
            for mark, value in number.by_mark.items():
                by_mark[mark][row] = np.nan if value is None else value
                grouped[mark] += [row] * (mark in number.grouped)
        elif not isinstance(cell, str | bool) and isinstance(cell, Real) and math.isfinite(cell):
            by_mark[POINT][row] = by_mark[COMMA][row] = float(cell)
    reading = Reading(by_mark, missing, units, limits, grouped, has_comma)
    is_odd = reading.depends_on_mark or limits or {*units} - {""} or grouped[POINT]
    if is_odd or reading.n_read[POINT] < reading.n_filled or not reading.n_filled:
        return reading
    return Reading(dict.fromkeys(by_mark, by_mark[POINT]), missing)


def _look_at(cell: Any) -> Number | None:
    """A number that is written as text; None for anything else with a value."""
    if not isinstance(cell, str):
        return _GAP if is_missing(cell) else None
    text = text_of(cell).removeprefix("'")  # of a spreadsheet, before a number as text
    number = read_number(text)
    return _GAP if number is None and text.lower() in MISSING_AMONG_NUMBERS else number


def may_be_thousands(rows: FloatArray) -> IndexArray:
    """Rows of numbers such as 1.03 and 301, which may have been 1.030 and 301 in the file."""
    largest = np.fmax.reduce(rows, axis=1)
    places = np.flatnonzero((largest >= 100) & (largest < 1000))
    sizes = np.abs(rows[places])
    is_whole = sizes == np.floor(sizes)
    whole, marked = (np.where(one, sizes, np.nan) for one in (is_whole, ~is_whole))
    can_be = (np.fmax.reduce(whole, axis=1) >= 100) & (np.fmin.reduce(marked, axis=1) >= 1)
    thousands = 1000 * marked[can_be]  # NaN where there is no mark
    has_other_digits = (np.abs(thousands - np.rint(thousands)) > 1e-6).any(axis=1)
    found: IndexArray = places[can_be][~has_other_digits]
    return found


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_OF = {word: month for month, word in enumerate(_MONTHS, start=1)}
_MONTH_OF |= {"jän": 1, "mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12}
_WORD = r"(?P<m>[^\W\d_]{3,9})"
_TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r" ?(?P<half>[AaPp][Mm])?(?: ?(?P<offset>Z|[+-]\d{2}(?::?\d{2})?))?)?"
)
_YEAR_LAST = re.compile(rf"(?P<d>\d{{1,2}})([-/.])(?P<m>\d{{1,2}})\2(?P<y>\d{{4}}){_TIME}")
_DATES = (
    re.compile(rf"(?P<y>\d{{4}})([-/.])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}}){_TIME}"),
    re.compile(rf"(?P<d>\d{{1,2}})[ .-]+{_WORD}\.?[ ,-]+(?P<y>\d{{4}}){_TIME}"),
    re.compile(rf"{_WORD}\.? (?P<d>\d{{1,2}}),? (?P<y>\d{{4}}){_TIME}"),
)
_SHORT_YEAR = re.compile(
    r"\d{1,2}(?:([-/.])\d{1,2}\1|[ .-]{1,2}(?P<word>[^\W\d_]{3,9})\.?[ -])\d{2}"
)
_WITHOUT_YEAR = re.compile(r"\d{1,2}[-.] ?([^\W\d_]{3,4})\.?|([^\W\d_]{3,4})[- ]\d{2}")
_MISSING_DATE, _SHORT = (0.0, 0.0), (-1.0, -1.0)  # marks of no value, and of a short year


def _read_date(cell: Any) -> tuple[float, float] | None:
    """A date as a year, read with the day first and with the month first; None if it is none."""
    if is_missing(cell, MISSING_AMONG_NUMBERS):
        return _MISSING_DATE
    if isinstance(cell, date):  # a datetime is one, too
        return (_as_year(cell),) * 2
    text = text_of(cell) if isinstance(cell, str) else ""
    if not text or text.isalnum():
        return None
    short = _SHORT_YEAR.fullmatch(text)
    if short is not None and (short["word"] or "jan")[:3].lower() in _MONTH_OF:
        return _SHORT
    years = (np.nan, np.nan)
    if found := _YEAR_LAST.fullmatch(text):
        month_first = np.nan if found[2] == "." else _year(found, found["d"], found["m"])
        years = (_year(found, found["m"], found["d"]), month_first)
    elif found := next(filter(None, (form.fullmatch(text) for form in _DATES)), None):
        month = _MONTH_OF.get(found["m"][:3].lower(), found["m"])
        years = (_year(found, month, found["d"]),) * 2
    return None if np.isnan(years).all() else years


def _year(found: "re.Match[str]", month: str | int, day: str) -> float:
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"].lower() == "pm")
    with suppress(ValueError, OverflowError):
        zone = datetime.fromisoformat(f"2000-01-01T00{found['offset'] or ''}").tzinfo
        moment = datetime(int(found["y"]), int(month), int(day), hour, minute, second, tzinfo=zone)
        return _as_year(moment)
    return np.nan


def _as_year(moment: date) -> float:
    """A moment as a year, in UTC if its offset is known."""
    seconds = 0
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC) if moment.tzinfo is not None else moment
        seconds = 3600 * moment.hour + 60 * moment.minute + moment.second
    day = moment.timetuple().tm_yday - 1
    return moment.year + (day + seconds / 86400) / (366 if isleap(moment.year) else 365)


def lacks_year(cell: Any) -> bool:
    """True for a date such as 3-Oct or Mar-01, which spreadsheets make of 3/10 and MARCH1."""
    found = _WITHOUT_YEAR.fullmatch(text_of(cell)) if isinstance(cell, str) else None
    return found is not None and (found[1] or found[2]).lower() in {*_MONTH_OF, "sept"}


class Dates(NamedTuple):
    """A column read as dates, with the day first (row 0) and with the month first (row 1)."""

    years: FloatArray
    missing: list[int]
    n_short: int  # years of two digits
    are_most: bool  # cells with a value are mostly dates
    day_first: bool | None  # as the cells show; None if they do not show the order
    depend_on_order: bool


def read_dates(column: Column) -> Dates:
    """Read a column as dates."""
    found = each_once(_read_date, cells_of(column))
    years = np.array([(np.nan, np.nan) if one is None else one for one in found]).reshape(-1, 2).T
    missing = [row for row, one in enumerate(found) if one is _MISSING_DATE]
    short = [row for row, one in enumerate(found) if one is _SHORT]
    years[:, [*missing, *short]] = np.nan
    day, month = (int(n) for n in np.isfinite(years).sum(axis=1))
    are_most = 2 * (max(day, month) + len(short)) > len(found) - len(missing)
    depends = not np.array_equal(years[0], years[1], equal_nan=True)
    return Dates(
        years, missing, len(short), are_most, None if day == month else day > month, depends
    )
