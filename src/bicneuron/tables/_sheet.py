"""Columns and cells of a table as they are in its file, before columns get their roles."""

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

# Python values, an array of numbers, or what pyarrow reads.
Column: TypeAlias = "list[Any] | np.ndarray[Any, Any] | pa.ChunkedArray"
MISSING = frozenset(
    {
        *("", "?", "na", "n/a", "nan", "null", "<null>", "<na>", "#n/a", "#nv"),
        *("k.a.", "k. a.", "keine angabe", "keine angaben", "no data", "keine daten"),
    }
)
# Words for a missing value among numbers and dates; among words they may be words like any other.
MISSING_AMONG_NUMBERS = MISSING | {
    *("-", "--", "---", "\u2013", "—", ".", "..", "none", "n.a.", "n. a.", "nd", "n.d.", "n. d."),
    *("missing", "unknown", "not done", "not available", "not determined", "not measured"),
    *("not tested", "n.t.", "n. t.", "n.b.", "n. b.", "n.v.", "s/d", "s.d.", "fehlt", "fehlend"),
    *("unbekannt", "nicht bestimmt", "nicht verfügbar", "nicht gemessen", "nicht erhoben"),
    *("nicht getestet", "nicht durchgeführt", "entfällt", "inconnu", "desconocido", "manquant"),
    *("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "#wert!", "#bezug!", "#zahl!"),
}
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
_COLUMNS_AT_ONCE = 1024
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Sheet:
    """Columns as a file holds them."""

    names: list[str]  # some may be repeated or empty
    columns: list[Column]
    aside: dict[str, Column] = field(default_factory=dict)  # no features
    row_names: list[str] | None = None  # for formats that have them
    notes: list[str] = field(default_factory=list)  # on what was guessed
    row_source: str = "obs_names"
    row_numbers: list[int] | None = None  # in the file, from 1 on; None if no row was left out
    other_names: dict[str, list[str]] = field(default_factory=dict)  # of genes: symbols, say
    opened: dict[str, int] = field(default_factory=dict)  # lines where cells of several lines open

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    @property
    def numbers(self) -> Sequence[int]:
        """Numbers of the rows in the file."""
        return self.row_numbers or range(1, self.n_rows + 1)

    def with_rows(self, rows: list[int]) -> "Sheet":
        """Return the table with these rows only, by position."""
        return replace(
            self,
            columns=[_taken(column, rows) for column in self.columns],
            aside={name: _taken(column, rows) for name, column in self.aside.items()},
            row_names=None if self.row_names is None else [self.row_names[row] for row in rows],
            row_numbers=[self.numbers[row] for row in rows],
        )


def _taken(column: Column, rows: list[int]) -> Column:
    if isinstance(column, list):
        return [column[row] for row in rows]
    return column[rows] if isinstance(column, np.ndarray) else column.take(rows)


def cells_of(column: Column) -> list[Any]:
    """The cells as Python values."""
    if isinstance(column, list):
        return column
    return list(column.tolist() if isinstance(column, np.ndarray) else column.to_pylist())


def in_blocks(columns: Iterable[FloatArray]) -> Iterator[FloatArray]:
    """Yield many columns of numbers at once, as rows of an array; one by one they take long."""
    columns = [*columns]
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        yield np.stack(columns[start : start + _COLUMNS_AT_ONCE])


def each_once(function: Callable[[Any], Answer], cells: list[Any]) -> list[Answer]:
    """Call a function for each cell, once for all cells with the same text.

    Columns of words repeat a few of them, and genotypes do so by the million.
    """
    if not {*map(type, cells)} <= {str}:  # 1 and True are equal, and not the same
        return [function(cell) for cell in cells]
    known = {cell: function(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


def is_missing(cell: Any, words: frozenset[str] = MISSING) -> bool:
    """True if a cell holds no value."""
    if isinstance(cell, str):
        return text_of(cell).lower() in words
    is_nan = isinstance(cell, float) and math.isnan(cell)
    return cell is None or is_nan or type(cell).__name__ == "NaTType"  # the missing date of pandas


def text_of(cell: Any) -> str:
    """Return a cell as text, with single spaces and without surrounding quotes."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return without_quotes(" ".join(str(cell).split()))


def without_quotes(text: str) -> str:
    """Text without the quotes around all of it."""
    is_quoted = len(text) > 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1].strip() if is_quoted and text[0] not in text[1:-1] else text


def to_names(column: Column, kept: Container[str] = ()) -> list[str]:
    """Cells as names, without spaces around them and words for missing values but kept ones."""
    return each_once(lambda cell: _as_name(cell, kept), cells_of(column))


def to_labels(column: Column) -> AnyArray:
    """Cells as labels: whole numbers if all cells are, otherwise text."""
    words = to_names(column)
    if all(map(_WHOLE.fullmatch, words)):
        return np.array([int(word) for word in words])
    return np.array(words)


def _as_name(cell: Any, kept: Container[str]) -> str:
    if is_missing(cell) and str(cell).strip() not in kept:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return without_quotes(str(cell).strip())


def shown(cell: object) -> str:
    """Shorten a cell for a message."""
    text = repr(cell)
    return text if len(text) <= 60 else text[:57] + "..."


def see(rows: Iterable[int], places: Sequence[str]) -> str:
    """Name the first rows that a note is about."""
    return f"see {' and '.join(places[row] for row in islice(rows, 2))}"


def some(texts: Sequence[str], most: int = 8) -> str:
    """Join some texts, and say how many others there are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def listed(names: Sequence[str], most: int = 8) -> str:
    """List some names, and the number of the others."""
    return some([*map(repr, names)], most)
