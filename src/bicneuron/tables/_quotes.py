"""Line breaks between quotes: text of several lines, or a quote that nobody closed."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bicneuron.exceptions import TableError

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LINE = re.compile(rb"[^\r\n]+")


class Quoted(NamedTuple):
    """A cell of several lines.

    Attributes
    ----------
    line : int
        Where its quote opens, from 1 on.
    text : str
        What stands between the quotes.
    is_closed : bool
    later_lines : list of bytes
        The lines after the first, each as a whole.
    """

    line: int
    text: str
    is_closed: bool
    later_lines: list[bytes]


def count_lines(content: bytes, start: int) -> int:
    """How many lines are not empty."""
    return sum(1 for _ in _LINE.finditer(content, start))


def is_left_open(content: bytes, start: int, delimiter: str) -> bool:
    """Whether the last line opens a quote that it does not close."""
    end = len(content)
    while end > start and content[end - 1 : end] in (b"\r", b"\n"):
        end -= 1
    last = 1 + max(content.rfind(mark, start, end) for mark in (b"\r", b"\n"))
    cells = _cells_of_several_lines(content, max(last, start), delimiter, 0)
    return any(not cell.is_closed for cell in cells)


def check_quotes(
    path: Path, content: bytes, start: int, delimiter: str, widths: set[int], first_line: int
) -> dict[str, int]:
    """Refuse quotes that swallow rows; give the other cells of several lines.

    Parameters
    ----------
    path : Path
    content : bytes
        Text in UTF-8.
    start : int
        Where to begin; a line begins there.
    delimiter : str
    widths : set of int
        How many cells a row of this table has.
    first_line : int
        Number of the line at ``start`` in the file.

    Returns
    -------
    dict of str to int
        Text of several lines, and the line where its quote opens.
    """
    found: dict[str, int] = {}
    for cell in _cells_of_several_lines(content, start, delimiter, first_line):
        if not cell.is_closed:
            raise TableError(
                f"{path}: the quote that opens in line {cell.line} is never closed; close it or "
                "leave it out."
            )
        for further, line in enumerate(cell.later_lines, start=1):
            if {*_n_cells(line, delimiter)} & widths:
                raise TableError(
                    f"{path}: the quote that opens in line {cell.line} is not closed before line "
                    f"{cell.line + further}, which looks like a row of its own; close it in line "
                    f"{cell.line} or leave it out."
                )
        found.setdefault(cell.text, cell.line)
    return found


def _cells_of_several_lines(
    content: bytes, start: int, delimiter: str, first_line: int
) -> Iterator[Quoted]:
    line, counted = first_line, start
    for match in _quoted_cell(delimiter).finditer(content, start):
        if match[2] and _LINE_END.search(match[1]) is None:
            continue
        line += len(_LINE_END.findall(content, counted, match.start()))
        counted = match.start()
        if not match[2]:
            yield Quoted(line, "", False, [])
            return
        end = _LINE_END.search(content, match.end())
        whole = content[match.start() : end.start() if end else len(content)]
        text = match[1].decode().replace('""', '"')
        yield Quoted(line, text, True, _LINE_END.split(whole)[1:])


def _quoted_cell(delimiter: str) -> "re.Pattern[bytes]":
    """Pattern of a cell in quotes.

    A quote opens a cell only where the cell begins; two quotes stand for one.
    """
    mark = re.escape(delimiter.encode())
    return re.compile(rb'"(?<![^' + mark + rb'\r\n]")([^"]*+(?:""[^"]*+)*+)("?)')


def _n_cells(line: bytes, delimiter: str) -> tuple[int, int]:
    """How many cells a line has by itself, with its quotes taken as text and as quotes."""
    text = line.decode()
    try:
        n_quoted = len(next(csv.reader([text], delimiter=delimiter), []))
    except csv.Error:
        n_quoted = 0
    return text.count(delimiter) + 1, n_quoted
