"""Text of very many columns, read row by row.

pyarrow keeps some kilobytes for each column, so that a million columns take more memory than a
hundred rows of them. Here a row is converted as a whole, and only columns that hold something else
than numbers are kept as text.
"""

from typing import TYPE_CHECKING

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._formats import unescape_formula
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


def read_wide(
    content: bytes, start: int, delimiter: str, width: int, budget: Budget
) -> tuple[list[Column], int] | None:
    """Read columns of numbers, and of text where a column is not numeric.

    Also return the number of rows without any value. None if rows differ in length or go over
    several lines, or if cells that are not numbers leave open which decimal mark the others have.
    """
    if content.find(b"\r", start) >= 0:
        content, start = content[start:].replace(b"\r\n", b"\n"), 0
        if b"\r" in content:
            return None
    budget.spend_on_numbers(width * (content.count(b"\n", start) + 1), width)
    lines, n_empty = _filled_lines(content, start, delimiter.encode())
    values = np.empty((width, len(lines)))
    is_text = np.zeros(width, dtype=bool)
    try:
        for first in range(0, len(lines), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            block = [_cells(content[line], delimiter, width) for line in lines[rows]]
            values[:, rows] = np.stack([_numbers(cells, is_text) for cells in block], axis=1)
    except ValueError:
        return None
    columns: list[Column] = list(values)
    places = np.flatnonzero(is_text).tolist()
    budget.spend_on_words(len(places) * len(lines), 0)
    if places:
        taken = [_cells(content[line], delimiter, width).take(places).to_pylist() for line in lines]
        for place, *cells in zip(places, *taken, strict=True):
            text = [*map(unescape_formula, cells)]
            if leaves_mark_open(read_column(text)):
                return None
            columns[place] = text
    return columns, n_empty


def _filled_lines(content: bytes, start: int, delimiter: bytes) -> tuple[list[slice], int]:
    """Where the lines with a value are, and how many hold delimiters only."""
    filled, n_empty = [], 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        if content[start:end].strip(b" \t" + delimiter):
            filled.append(slice(start, end))
        else:
            n_empty += end > start
        start = end + 1
    return filled, n_empty


def _cells(line: bytes, delimiter: str, width: int) -> "pa.StringArray":
    """Split a line; a ValueError if it has another number of cells, or an open quote."""
    import pyarrow as pa

    if b'"' in line:
        (cells,) = rows_of_lines([(0, line.decode())], delimiter=delimiter)
        if len(cells) != width:
            raise ValueError
        return pa.array(cells, pa.string())
    ends = np.flatnonzero(np.frombuffer(line, np.uint8) == ord(delimiter))
    if len(ends) != width - 1:
        raise ValueError
    # The text without delimiters, and where each cell begins in it.
    text = line.replace(delimiter.encode(), b"")
    starts = np.concatenate([[0], ends - np.arange(len(ends)), [len(text)]]).astype(np.int32)
    return pa.StringArray.from_buffers(width, pa.py_buffer(starts), pa.py_buffer(text))


def _numbers(cells: "pa.StringArray", is_text: AnyArray) -> FloatArray:
    """Convert cells to numbers, NaN for missing ones; mark other columns in ``is_text``."""
    import pyarrow as pa
    from pyarrow import compute

    if is_text.any():
        cells = compute.replace_with_mask(cells, pa.array(is_text), "nan")
    try:
        row = cells.cast(pa.float64())
    except pa.ArrowInvalid:
        odd = compute.invert(compute.match_substring_regex(cells, _NUMBER))
        words = cells.filter(odd).dictionary_encode()
        has_value = np.array(
            [text_of(w).lower() not in MISSING_AMONG_NUMBERS for w in words.dictionary.to_pylist()]
        )
        places = np.flatnonzero(odd.to_numpy(zero_copy_only=False))
        is_text[places[has_value[words.indices.to_numpy()]]] = True
        row = compute.replace_with_mask(cells, odd, "nan").cast(pa.float64())
    numbers: FloatArray = row.to_numpy().copy()
    is_text |= np.isinf(numbers)
    return numbers
