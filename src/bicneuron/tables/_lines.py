"""Text in which each line is a row."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any


def rows_of_lines(lines: Iterable[tuple[int, str]], **dialect: Any) -> Iterator[list[str]]:
    r"""Split lines into cells, which may be quoted; empty lines are left out.

    Parameters
    ----------
    lines : iterable of (int, str)
        Lines with their numbers in the file.
    **dialect : dict
        As of `csv.reader`.

    Yields
    ------
    list of str
        The cells of a line.

    Raises
    ------
    ValueError
        If a quote is open at the end of a line: further lines would be lost in its cell.

    Examples
    --------
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
