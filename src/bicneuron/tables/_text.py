"""Text with delimiters: encoding, delimiter, header, quotes, rows of one length."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._shared._formats import unescape_formula
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import (
    COMMA,
    MISSING_AMONG_NUMBERS,
    Column,
    may_be_thousands,
    read_column,
    shown,
)
from bicneuron.tables._sheet import Sheet

_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_STATED_DELIMITER = re.compile(r"sep=([!-~\t ])\r?\n")  # as Excel names it
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
# What the delimiter and the header are guessed by.
_CHARACTERS, _ROWS, _MOST_ABOVE, _CELLS = 2**20, 100, 30, 2000
_CELLS_AT_ONCE = 2**14
# Digits that may be names: zeros in front, wells of a plate; and what float() reads besides.
_LEADING_ZEROS, _WELLS = re.compile(r"\n[ \t]*-?0[0-9]"), re.compile(r"E[0-9]{1,2}\n")
_ONE_NAME = re.compile(r"\s*-?0[0-9]|[0-9]{1,2}E[0-9]{1,2}$|.*_")
_GAPS = dict.fromkeys(MISSING_AMONG_NUMBERS, "nan") | {w.upper(): "nan" for w in ("na", "nan")}
csv.field_size_limit(2**31 - 1)


def decode(path: Path, content: bytes) -> tuple[str, list[str]]:
    """Decode a file; also return notes on its encoding."""
    mark = next(filter(content.startswith, _MARKS), b"")
    if not mark and b"\x00" in content:
        raise TableError(f"{path} is not text, despite its name.")
    try:
        return content[len(mark) :].decode(_MARKS.get(mark, "utf-8")), []
    except UnicodeDecodeError as error:
        if mark:
            raise TableError(f"{path} is cut or damaged: {error}.") from error
    try:
        return content.decode("cp1252"), ["encoding: Windows-1252, because it is not UTF-8"]
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is neither UTF-8 nor Windows-1252 text; save it as UTF-8."
        ) from error


def read_text(path: Path, content: bytes, kind: str, *, as_text: bool = False) -> Sheet:
    """Read the columns: numbers where all cells are plain ones, unless ``as_text``."""
    text, notes = decode(path, content)
    start = len(text) - len(text.lstrip("\r\n"))
    stated = _STATED_DELIMITER.match(text, start)
    start = stated.end() if stated else start
    head = text[start : start + _CHARACTERS]
    delimiter = stated[1] if stated else "\t" if kind == "tsv" else _guess_delimiter(head)
    first = [*islice(_rows_of(head, delimiter), _ROWS)]
    n_above = rows_above_header(first)
    notes += [f"lines above the header left out: {n_above}"] if n_above else []
    lines = Lines(path, text, start, delimiter)
    for _ in range(n_above):
        next(lines.rows(), None)
    usual = Counter(map(len, first[n_above:])).most_common(1)
    header = next(lines.rows(usual[0][0] if usual else 0), [])
    names = [unescape_formula(name.strip()) for name in header]
    begin = lines.position
    body = next(lines.rows(len(names)), None)
    if body is None:
        raise TableError(f"{path} is empty: it has a header and no rows.")
    if kind == "tsv" and len(body) == 1 and _guess_delimiter(head) in names[0]:
        raise TableError(f"{path} has no tabs; rename it to .csv, whose delimiter is guessed.")
    # R leaves the row names without a name; some programs end rows, not the header, in a delimiter.
    is_wider = len(body) == len(names) + 1
    columns = _columns(lines, begin, len(names) + is_wider, notes, as_text=as_text)
    if is_wider:
        *others, last = columns
        is_empty = not any(isinstance(cell, str) and cell.strip() for cell in last)
        is_empty &= isinstance(last, list) or bool(np.isnan(last).all())
        columns, names = (others, names) if is_empty else (columns, ["", *names])
    return Sheet(names, columns, notes=notes)


class Lines:
    """Rows of a text; quotes that swallow rows and rows of another length are refused."""

    def __init__(self, path: Path, text: str, start: int, delimiter: str) -> None:
        self.remarks: dict[int, str] = {}  # by line
        self.position = (start, 1 + len(text[:start].splitlines()))  # of the next line, and number
        self.path, self._text, self._delimiter = path, text, delimiter

    def rows(self, width: int = 0, *, is_body: bool = False) -> Iterator[list[str]]:
        """Yield rows from the position on; those of a body must have this width."""
        start, number = self.position
        stream = io.StringIO(self._text, newline="")
        stream.seek(start)
        taken: list[str] = []

        def lines() -> Iterator[str]:
            for line in stream:
                taken.append(line)
                yield line

        n_rows = 0
        reader = csv.reader(lines(), delimiter=self._delimiter)
        for row in reader:
            self._check_quotes(taken, row, width, number)
            start, number = start + sum(map(len, taken)), number + len(taken)
            self.position = (start, number)
            raw = taken[0]
            taken.clear()
            if not row:
                continue
            n_rows += 1
            if is_body and len(row) != width:
                if raw.startswith("#") or (len(row) == 1 and len(raw.split()) > 2):
                    self.remarks[number] = raw.strip()
                    continue
                raise TableError(
                    f"{self.path}: row {n_rows} has {len(row)} cells for {width} columns; a "
                    "delimiter or a quote is missing there, or the file is cut."
                )
            yield row

    def _check_quotes(self, taken: list[str], row: list[str], width: int, number: int) -> None:
        """Refuse a quote that is never closed, or not before a line that looks like a row."""
        text = "".join(taken)
        is_whole = text.endswith(("\n", "\r")) and not (row and row[-1].endswith(("\n", "\r")))
        if '"' not in text or (len(taken) == 1 and is_whole):
            return
        where = f"{self.path}: the quote that opens in line {number}"
        try:
            for _ in csv.reader(taken, delimiter=self._delimiter, strict=True):
                pass
        except csv.Error as error:
            if "unexpected end" in str(error):
                line = number + _opens_in(taken, self._delimiter)
                raise TableError(
                    f"{self.path}: the quote that opens in line {line} is never closed; close it "
                    "or leave it out."
                ) from error
        for further, later in enumerate(taken[1:], start=1):
            widths = {len(one) for one in _rows_of(later, self._delimiter)}
            widths.add(later.count(self._delimiter) + 1)
            if widths & {width, len(row)} - {1}:
                raise TableError(
                    f"{where} is not closed before line {number + further}, which looks like a "
                    f"row of its own; close it in line {number} or leave it out."
                )


def _opens_in(lines: Sequence[str], delimiter: str) -> int:
    """Place of the first line from which on a quote is open."""
    for place in range(len(lines)):
        with suppress(csv.Error):
            [*csv.reader(lines[place:], delimiter=delimiter, strict=True)]
            return max(0, place - 1)
    return len(lines) - 1


def _columns(
    lines: Lines, begin: Any, width: int, notes: list[str], *, as_text: bool
) -> list[Column]:
    """Columns of numbers, or as text, without empty rows."""
    is_text = first = np.full(width, as_text)
    numbers, texts, kept = list[FloatArray](), list[Any](), list[bool]()
    lines.position = begin
    rows = lines.rows(width, is_body=True)
    while block := [*islice(rows, max(1, _CELLS_AT_ONCE // width))]:
        is_filled = [any(map(str.strip, row)) for row in block]
        kept += is_filled
        if filled := [*compress(block, is_filled)]:
            numbers.append(_numbers(filled, is_text))
            first = is_text.copy() if len(numbers) == 1 else first  # most texts are known by it
            texts += [[*compress(row, first.tolist())] for row in filled]
    if not numbers:
        raise TableError(f"{lines.path} is empty: it has a header and no rows.")
    values = np.concatenate(numbers).T
    is_text |= np.isinf(values).any(axis=1)
    for start in range(0, width, 1024):  # what may have been thousands is looked at closely
        is_text[start + may_be_thousands(values[start : start + 1024])] = True
    columns: list[Any] = [*np.ascontiguousarray(values)]

    def read_again(is_text: BoolArray) -> None:
        if is_text.any():
            lines.position, mask = begin, is_text.tolist()
            rows = compress(lines.rows(width, is_body=True), kept)
            _put_texts(columns, is_text, (compress(row, mask) for row in rows))

    _put_texts(columns, first, texts)
    read_again(is_text & ~first)
    with_comma = [columns[j] for j in np.flatnonzero(is_text) if "," in "".join(columns[j])]
    if any(read_column(one).own_mark == COMMA for one in with_comma):
        has_parts = np.any(np.nan_to_num(values, posinf=0.0, neginf=0.0) % 1 > 0, axis=1)
        read_again(~is_text & has_parts)  # 1.234 may be thousands there
    if remarks := [*lines.remarks.values()]:
        about = f"{len(remarks)}, such as {shown(remarks[0])}"
        notes.append(f"lines that are remarks left out: {about}")
    n_empty = kept.count(False)
    notes += [f"rows without any value left out: {n_empty}"] if n_empty else []
    return columns


def _put_texts(columns: list[Any], is_text: BoolArray, rows: Iterable[Any]) -> None:
    """Put the cells of some rows into their columns."""
    texts = [*zip(*rows, strict=True)] or [()] * int(is_text.sum())
    for place, cells in zip(np.flatnonzero(is_text).tolist(), texts, strict=True):
        has_mark = any("'" in cell for cell in cells)
        columns[place] = [*map(unescape_formula, cells)] if has_mark else [*cells]


def _numbers(rows: Sequence[list[str]], is_text: BoolArray) -> FloatArray:
    """Cells as numbers, NaN where they are missing or text; columns of text are marked."""
    values = np.full((len(rows), len(is_text)), np.nan)
    places, mask = np.flatnonzero(~is_text), (~is_text).tolist()
    cells = [*chain.from_iterable(compress(row, mask) for row in rows)]
    text = "\n".join(["", *cells, ""])
    if "_" in text or ("E" in text and _WELLS.search(text)) or _LEADING_ZEROS.search(text):
        are_names = np.array([_ONE_NAME.match(cell) is not None for cell in cells])
        is_name = are_names.reshape(len(rows), -1).any(axis=0)
        if is_name.any():
            is_text[places[is_name]] = True
            return _numbers(rows, is_text)
    for has_gaps in (False, True):
        form = [_GAPS.get(cell, cell) for cell in cells] if has_gaps else cells
        with suppress(ValueError):
            values[:, places] = np.array(form, dtype=np.float64).reshape(len(rows), -1)
            return values
    found = np.array([*map(_float, cells)], dtype=object).reshape(len(rows), -1)
    is_text[places[(found == None).any(axis=0)]] = True  # noqa: E711  # of each cell
    values[:, places] = np.where(found == None, np.nan, found)  # noqa: E711
    return values


def _float(cell: str) -> float | None:
    """A cell as a number, NaN if it is missing and None if it is text."""
    try:
        return float(cell)
    except ValueError:
        return np.nan if cell.strip().lower() in MISSING_AMONG_NUMBERS else None


def _rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield rows up to the first that cannot be read."""
    with suppress(csv.Error):
        yield from filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _guess_delimiter(text: str) -> str:
    """Choose the delimiter that gives rows as long as the header, and the most numbers."""
    scores = {delimiter: _score(text, delimiter) for delimiter in _DELIMITERS}
    return max(scores, key=lambda delimiter: scores[delimiter])


def _score(text: str, delimiter: str) -> tuple[float, float, int]:
    if delimiter not in text:
        return 0.0, 0.0, 1
    first = [*islice(_rows_of(text, delimiter), _ROWS)]
    header, *rows = first[rows_above_header(first) :] or [[]]
    if len(text) == _CHARACTERS and len(rows) > 1:
        rows.pop()  # it may be cut off
    widths = [len(row) for row in rows]
    if max(widths, default=0) < 2:
        return 0.0, 0.0, len(header)
    fits = max(widths.count(len(header)), widths.count(len(header) + 1)) / len(rows)
    if len(header) == 1:  # what separates cells, as in 5 mg, but not names
        fits /= 2
    cells = [cell for row in rows for cell in row]
    cells = cells[:: max(1, len(cells) // _CELLS)]
    return fits, sum(map(is_number, cells)) / len(cells), len(header)


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
    filled = [[cell for cell in row if cell is not None and str(cell).strip()] for row in rows]
    widths = Counter(len(row) for row, cells in zip(rows, filled, strict=True) if len(cells) > 1)
    width = max(widths, key=lambda w: (widths[w], w), default=0)
    for place, (row, cells) in enumerate(zip(rows[:_MOST_ABOVE], filled, strict=False)):
        is_narrow = len(row) < width - 1 or (len(cells) < 2 < width)
        if is_narrow or (row and str(row[0]).startswith("#") and len(row) != width):
            continue
        words = {str(cell).strip() for cell in cells}
        is_header = len(words) == len(cells) > 1 and 2 * len(words) > len(row)
        return place if is_header and not any(map(is_number, cells)) else 0
    return 0
