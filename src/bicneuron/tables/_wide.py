"""Text of very many columns, read row by row.

pyarrow keeps some kilobytes for each column, so that a million columns take more memory than a
hundred rows of them. Here a row is converted as a whole, and only columns that hold something else
than numbers are kept as text.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._writing._formulas import unescape_formula
from bicneuron.tables._budget import Budget
from bicneuron.tables._lines import rows_of_lines
from bicneuron.tables._numbers import leaves_mark_open, read_column
from bicneuron.tables._sheet import MISSING_AMONG_NUMBERS, Column, text_of

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_COLUMNS = 20_000
_NUMBER = r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
# Rows that are transposed together: one by one every number is written to another place.
_ROWS_AT_ONCE = 32


class Wide(NamedTuple):
    """Columns of a table, and its number of rows without any value."""

    columns: list[Column]
    n_empty: int


def read_wide(
    content: bytes, start: int, delimiter: str, width: int, budget: Budget
) -> Wide | None:
    """Read columns of numbers, and of text where a column is not numeric.

    Parameters
    ----------
    content : bytes
        Text in UTF-8.
    start : int
        Position of the first row.
    delimiter : str
    width : int
        Number of cells in a row.
    budget : Budget

    Returns
    -------
    Wide or None
        None if rows differ in length or go over several lines, or if the cells that are no numbers
        leave open which decimal mark the others have.
    """
    if content.find(b"\r", start) >= 0:
        content, start = content[start:].replace(b"\r\n", b"\n"), 0
        if b"\r" in content:
            return None
    n_lines = content.count(b"\n", start) + 1
    budget.spend_on_numbers(width * n_lines, width)
    values = np.empty((width, n_lines))
    is_text = np.zeros(width, dtype=bool)
    n_rows = n_empty = 0
    block: list[FloatArray] = []
    for line in _lines(content, start):
        if not line.strip(b" \t" + delimiter.encode()):
            n_empty += 1
            continue
        cells = _cells(line, delimiter, width)
        row = None if cells is None else _numbers(cells, is_text)
        if row is None:
            return None
        block.append(row)
        if len(block) == _ROWS_AT_ONCE:
            values[:, n_rows : n_rows + len(block)] = np.stack(block, axis=1)
            n_rows += len(block)
            block.clear()
    if block:
        values[:, n_rows : n_rows + len(block)] = np.stack(block, axis=1)
        n_rows += len(block)
    columns: list[Column] = list(values[:, :n_rows])
    places = np.flatnonzero(is_text).tolist()
    budget.spend_on_words(len(places) * n_rows, 0)
    for place, text in zip(places, _texts(content, start, delimiter, width, places), strict=True):
        columns[place] = text
        if leaves_mark_open(read_column(text)):
            return None
    return Wide(columns, n_empty)


def _lines(content: bytes, start: int) -> Iterator[bytes]:
    """Yield the lines that are not empty."""
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        if end > start:
            yield content[start:end]
        start = end + 1


def _cells(line: bytes, delimiter: str, width: int) -> "pa.StringArray | None":
    """Split a line; None if it has another number of cells, or an open quote at its end."""
    import pyarrow as pa

    if b'"' in line:
        try:
            (cells,) = rows_of_lines([(0, line.decode())], delimiter=delimiter)
        except ValueError:
            return None
        return pa.array(cells, pa.string()) if len(cells) == width else None
    ends = np.flatnonzero(np.frombuffer(line, np.uint8) == ord(delimiter))
    if len(ends) != width - 1:
        return None
    # The text without delimiters, and where each cell begins in it.
    text = line.replace(delimiter.encode(), b"")
    starts = np.concatenate([[0], ends - np.arange(len(ends)), [len(text)]]).astype(np.int32)
    return pa.StringArray.from_buffers(width, pa.py_buffer(starts), pa.py_buffer(text))


def _numbers(cells: "pa.StringArray", is_text: AnyArray) -> FloatArray | None:
    """Convert cells to numbers, NaN for missing ones; mark other columns in ``is_text``."""
    import pyarrow as pa
    from pyarrow import compute

    for is_second in (False, True):
        if is_text.any() or is_second:
            cells = compute.replace_with_mask(cells, pa.array(is_text), "nan")
        try:
            row = cells.cast(pa.float64())
            break
        except pa.ArrowInvalid:
            if is_second:
                return None
        odd = compute.invert(compute.match_substring_regex(cells, _NUMBER))
        words = cells.filter(odd).dictionary_encode()
        has_value = np.array(
            [text_of(w).lower() not in MISSING_AMONG_NUMBERS for w in words.dictionary.to_pylist()]
        )
        places = np.flatnonzero(odd.to_numpy(zero_copy_only=False))
        is_text[places[has_value[words.indices.to_numpy()]]] = True
        cells = compute.replace_with_mask(cells, odd, "nan")
    numbers: FloatArray = row.to_numpy().copy()
    is_text |= np.isinf(numbers)
    return numbers


def _texts(
    content: bytes, start: int, delimiter: str, width: int, places: list[int]
) -> list[list[str]]:
    """Read the columns of text at these positions."""
    if not places:
        return []
    rows: list[Any] = []
    for line in _lines(content, start):
        if line.strip(b" \t" + delimiter.encode()):
            cells = _cells(line, delimiter, width)
            assert cells is not None  # they were read before
            rows.append(map(unescape_formula, cells.take(places).to_pylist()))
    return [list(column) for column in zip(*rows, strict=True)]
