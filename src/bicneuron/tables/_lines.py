"""Split lines of text into cells, and find the header among them."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
# Rows among which the header is looked for, and rows that show the width of the table.
_MOST_ABOVE = 30
ROWS_LOOKED_AT = 100


def rows_of_lines(lines: Iterable[tuple[int, str]], **dialect: Any) -> Iterator[list[str]]:
    r"""Split lines, given with their numbers, as `csv.reader` does; empty ones are left out.

    A quote that is open at the end of a line is an error: further lines would be lost in its cell.

    >>> list(rows_of_lines([(1, "a,'b,c'"), (2, "d")], quotechar="'"))
    [['a', 'b,c'], ['d']]
    >>> list(rows_of_lines([(1, "a"), (2, "b,'c"), (3, "d")], quotechar="'"))
    Traceback (most recent call last):
        ...
    ValueError: the quote that opens in line 2 is not closed there
    """
    numbers = [0]

    def given() -> Iterator[str]:
        for number, line in lines:
            numbers.append(number)
            yield line
        numbers.append(0)
        yield ""  # what an open quote in the last line takes for its next line

    reader = csv.reader(given(), **dialect)
    n_rows = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            if reader.line_num <= n_rows + 1:
                raise ValueError(f"line {numbers[-1]}: {error}") from error
            row = []
        n_rows += 1
        if reader.line_num > n_rows:
            raise ValueError(f"the quote that opens in line {numbers[n_rows]} is not closed there")
        if row is None:
            return
        if row:
            yield row


def is_number(cell: Any) -> bool:
    """True if a cell is a number, or text that looks like a plain number."""
    if isinstance(cell, str):
        return _NUMBER.fullmatch(cell) is not None
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def rows_above_header(rows: Sequence[Sequence[Any]]) -> int:
    """Number of rows with titles or remarks above the header of a table.

    A row is one if it is narrower than the table, or empty but for one cell, and if what follows
    can be a header: different words, as wide as the table. Otherwise the first row is the header,
    however odd, so that a cut file is not mended by taking its first values for names.
    """
    looked_at = rows[:ROWS_LOOKED_AT]
    widths = Counter(len(row) for row in looked_at if _has_several(row))
    if not widths:
        return 0
    width = max(widths, key=lambda w: (widths[w], w))
    for place, row in enumerate(looked_at[:_MOST_ABOVE]):
        is_narrow = len(row) < width - 1 or (not _has_several(row) and width > 2)
        if is_narrow or (row and str(row[0]).startswith("#") and len(row) != width):
            continue
        if not place:
            break
        filled = [*_filled(row)]
        words = [str(cell).strip() for cell in filled]
        can_be_header = (
            len(words) > 1
            and not any(map(is_number, filled))
            and len(set(words)) == len(words)
            and 2 * len(words) > len(row)
        )
        return place if can_be_header else 0
    return 0


def is_remark(text: str, n_cells: int) -> bool:
    """True if a line of another length than the table is a remark and not a damaged row."""
    return text.startswith("#") or (n_cells == 1 and len(text.split()) > 2)


def _filled(row: Sequence[Any]) -> Iterator[Any]:
    return (cell for cell in row if cell is not None and str(cell).strip())


def _has_several(row: Sequence[Any]) -> bool:
    """True if two cells of a row have a value."""
    return len([*islice(_filled(row), 2)]) == 2
