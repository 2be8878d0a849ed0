"""Text with delimiters: encoding, delimiter, quotes, rows of one length."""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bicneuron._shared._formats import ESCAPED, unescape_formula
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._lines import ROWS_LOOKED_AT, is_number, is_remark, rows_above_header
from bicneuron.tables._sheet import Column, Sheet, cells_of, is_missing, shown
from bicneuron.tables._wide import FEWEST_COLUMNS, read_wide

if TYPE_CHECKING:
    import pyarrow as pa

_MARKS = {
    b"\xef\xbb\xbf": ("utf-8", "UTF-8"),
    b"\xff\xfe": ("utf-16-le", "UTF-16"),
    b"\xfe\xff": ("utf-16-be", "UTF-16"),
}
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
# The line in which Excel names the delimiter.
_STATED_DELIMITER = re.compile(r"sep=([!-~\t ])\r?\n")
_LINE_END, _LINE_FEED = re.compile(rb"\r\n|\r|\n"), re.compile(rb"\n")
_CHARACTERS_LOOKED_AT, _CELLS_LOOKED_AT = 2**20, 2000
_PIECE = 2**24
_LINE = re.compile(rb"[^\r\n]+")


def decode(path: Path, content: bytes) -> tuple[str, list[str]]:
    """Decode a file; also return notes on its encoding."""
    content, notes = as_utf8(path, content)
    return content.decode(), notes


def as_utf8(path: Path, content: bytes) -> tuple[bytes, list[str]]:
    """Recode a file as UTF-8; also return notes on its encoding."""
    mark = next(filter(content.startswith, _MARKS), None)
    if mark is not None:
        encoding, title = _MARKS[mark]
        try:
            content = _recoded(content[len(mark) :], encoding)
        except UnicodeDecodeError as error:
            raise TableError(f"{path} is cut or damaged: {error}.") from error
        return content, [f"encoding: {title}, by its byte-order mark"]
    if b"\x00" in content:
        raise TableError(f"{path} is not text, despite its name.")
    with suppress(UnicodeDecodeError):
        return _recoded(content, "utf-8"), []
    try:
        return _recoded(content, "cp1252"), ["encoding: Windows-1252, because it is not UTF-8"]
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is neither UTF-8 nor Windows-1252 text; save it as UTF-8."
        ) from error


def _recoded(content: bytes, encoding: str) -> bytes:
    """Recode text as UTF-8 in pieces; as a whole it may take four times the memory."""
    decoder = codecs.getincrementaldecoder(encoding)()
    pieces = []
    for start in range(0, len(content), _PIECE):
        text = decoder.decode(content[start : start + _PIECE], start + _PIECE >= len(content))
        if encoding != "utf-8":
            pieces.append(text.encode())
    return content if encoding == "utf-8" else b"".join(pieces)


def read_delimited(  # noqa: C901  # one kind of text after the other
    path: Path, content: bytes, kind: str, budget: Budget, *, as_text: bool = False
) -> Sheet:
    """Read columns as text; very many columns as numbers where possible, unless ``as_text``."""
    content, notes = as_utf8(path, content)
    lines = Lines(content)
    lines.skip_empty()
    head = lines.ahead(_CHARACTERS_LOOKED_AT)
    stated = _STATED_DELIMITER.match(head)
    if stated:
        next(lines)
        head = head[stated.end() :]
    delimiter = stated[1] if stated else "\t" if kind == "tsv" else _guess_delimiter(head)
    if kind == "csv":
        notes.append(f"delimiter: {_DELIMITERS.get(delimiter, repr(delimiter))}")
    reader = csv.reader(lines, delimiter=delimiter)
    above = (lines.position, lines.number)
    try:
        n_above = rows_above_header([*itertools.islice(_rows(head, delimiter), ROWS_LOOKED_AT)])
        if n_above:
            notes.append(f"lines above the header left out: {n_above}")
        for _ in range(n_above):
            next(reader)
        above = (lines.position, lines.number)
        names = [unescape_formula(name.strip()) for name in next(reader, [])]
        start, n_before = lines.position, lines.number
        first = next(filter(None, reader), None)
    except csv.Error as error:
        _check_quotes(path, content, above[0], delimiter, set(), above[1] + 1)
        raise TableError(f"{path} is not a text table: {error}.") from error
    if n_before > above[1] + 1:
        widths = {len(names), len(first or ())}
        _check_quotes(path, content[:start], above[0], delimiter, widths, above[1] + 1)
    if first is None:
        raise TableError(f"{path} is empty: it has a header and no rows.")
    if kind == "tsv" and len(first) == 1 and _guess_delimiter(head) in names[0]:
        raise TableError(f"{path} has no tabs; rename it to .csv, whose delimiter is guessed.")
    # R leaves the row names without a name; some programs end rows, not the header, in a delimiter.
    is_wider = len(first) == len(names) + 1
    body = Body(path, content, start, n_before, delimiter, len(names) + is_wider)
    columns, opened = _columns(body, notes, budget, as_text=as_text)
    if is_wider and all(map(is_missing, cells_of(columns[-1]))):
        columns.pop()
    elif is_wider:
        names.insert(0, "")
    return Sheet(names, columns, notes=notes, opened=opened)


class Lines:
    """Iterator over the lines of a text in UTF-8, with line ends, that knows its position."""

    def __init__(self, content: bytes) -> None:
        self.position = 0  # of the next line
        self.number = 0  # of lines that were read
        self._content = content
        self._end = _LINE_END if b"\r" in content else _LINE_FEED

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        start = self.position
        if start >= len(self._content):
            raise StopIteration
        end = self._end.search(self._content, start)
        self.position = end.end() if end else len(self._content)
        self.number += 1
        return self._content[start : self.position].decode()

    def skip_empty(self) -> None:
        """Skip empty lines."""
        while match := self._end.match(self._content, self.position):
            self.position = match.end()
            self.number += 1

    def ahead(self, n_characters: int) -> str:
        """Return the next characters without moving forward."""
        piece = self._content[self.position : self.position + 4 * n_characters]
        return piece.decode(errors="ignore")[:n_characters]


class Body(NamedTuple):
    """Position and form of the rows in a text."""

    path: Path
    content: bytes
    start: int
    n_lines_before: int
    delimiter: str
    width: int


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield rows up to the first that cannot be read."""
    with suppress(csv.Error):
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _columns(
    body: Body, notes: list[str], budget: Budget, *, as_text: bool
) -> tuple[list[Column], dict[str, int]]:
    """Read columns without empty rows; also return the lines where multi-line cells begin."""
    if body.width >= FEWEST_COLUMNS and not as_text:
        wide = read_wide(body.content, body.start, body.delimiter, body.width, budget)
        if wide is not None:
            columns, n_empty = wide
            notes += _about_empty(n_empty)
            return columns, {}
    table, opened = _parse(body, notes, budget)
    # Rows of delimiters only, as spreadsheets write them below the data.
    empty = {
        row
        for row, first in enumerate(table.column(0).to_pylist())
        if not first.strip() and not any(column[row].as_py().strip() for column in table.columns)
    }
    notes += _about_empty(len(empty))
    if empty:
        table = table.take([row for row in range(table.num_rows) if row not in empty])
    columns = table.columns
    if body.content.find(b"'", body.start) >= 0:
        columns = [*map(_unescaped, columns)]
    return columns, opened


def _about_empty(n_rows: int) -> list[str]:
    return [f"rows without any value left out: {n_rows}"] if n_rows else []


def _unescaped(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Remove the apostrophes that keep a spreadsheet from running text."""
    import pyarrow as pa
    from pyarrow import compute

    if not compute.any(compute.match_substring_regex(column, ESCAPED)).as_py():
        return column
    return pa.chunked_array([[unescape_formula(cell) for cell in column.to_pylist()]])


def _guess_delimiter(text: str) -> str:
    """Choose the delimiter that gives rows as long as the header, and the most numbers."""
    scores = {delimiter: _score(text, delimiter) for delimiter in _DELIMITERS}
    return max(scores, key=lambda delimiter: scores[delimiter])


def _score(text: str, delimiter: str) -> tuple[float, float, int]:
    if delimiter not in text:
        return 0.0, 0.0, 1
    first = [*itertools.islice(filter(None, _rows(text, delimiter)), ROWS_LOOKED_AT)]
    header, *rows = first[rows_above_header(first) :] or [[]]
    if len(text) == _CHARACTERS_LOOKED_AT and len(rows) > 1:
        rows.pop()  # it may be cut off
    widths = [len(row) for row in rows]
    if max(widths, default=0) < 2:
        return 0.0, 0.0, len(header)
    fits = max(widths.count(len(header)), widths.count(len(header) + 1)) / len(rows)
    if len(header) == 1:  # what separates cells, as in 5 mg, but not names
        fits /= 2
    cells = [cell for row in rows for cell in row]
    cells = cells[:: max(1, len(cells) // _CELLS_LOOKED_AT)]
    numbers = sum(map(is_number, cells)) / len(cells)
    return fits, numbers, len(header)


# Callbacks of pyarrow, which share what is wrong, stand inside.
def _parse(body: Body, notes: list[str], budget: Budget) -> tuple["pa.Table", dict[str, int]]:  # noqa: C901
    """Read columns of text; also return the lines where multi-line cells begin."""
    from pyarrow import BufferReader, py_buffer
    from pyarrow import csv as arrow
    from pyarrow.lib import ArrowInvalid

    path, width, delimiter = body.path, body.width, body.delimiter
    wrong, remarks = [], []

    def note_row(row: "arrow.InvalidRow") -> str:
        if is_remark(row.text, row.actual_columns):
            remarks.append(row.text)
            return "skip"
        wrong.append(row)
        return "error"

    def opened_quotes() -> dict[str, int]:
        first_line = body.n_lines_before + 1
        return _check_quotes(path, body.content, body.start, delimiter, {width}, first_line)

    names = [str(j) for j in range(width)]
    n_bytes = len(body.content) - body.start
    n_rows = body.content.count(b"\n", body.start)
    if body.content.find(b"\r", body.start) >= 0:  # at once, as counting is not
        n_rows += body.content.count(b"\r", body.start)
    budget.spend(n_bytes)
    budget.spend_on_cells(min(width * n_rows, n_bytes), n_rows, width)
    try:
        table = arrow.read_csv(
            BufferReader(py_buffer(body.content).slice(body.start)),
            # One thread and one block, so that rows are numbered, however long they are.
            arrow.ReadOptions(
                column_names=names, use_threads=False, block_size=min(n_bytes + 1, 2**31 - 1)
            ),
            arrow.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note_row
            ),
            arrow.ConvertOptions(
                column_types=dict.fromkeys(names, "string"), strings_can_be_null=False
            ),
        )
    except ArrowInvalid as error:
        opened_quotes()
        if not wrong:
            raise TableError(f"{path} is not a text table: {error}") from error
        raise TableError(
            f"{path}: row {wrong[0].number} has {wrong[0].actual_columns} cells for {width} "
            "columns; a delimiter or a quote is missing there, or the file is cut."
        ) from error
    opened: dict[str, int] = {}
    if body.content.find(b'"', body.start) >= 0:
        n_lines = sum(1 for _ in _LINE.finditer(body.content, body.start))
        has_more = n_lines != table.num_rows + len(remarks)
        if has_more or _is_left_open(body.content, body.start, delimiter):
            opened = opened_quotes()
    if opened:
        lines = min(opened.values())
        notes.append(f"cells of several lines: {len(opened)}, the first opens in line {lines}")
    if remarks:
        notes.append(
            f"lines that are remarks left out: {len(remarks)}, such as {shown(remarks[0])}"
        )
    return table, opened


class Quoted(NamedTuple):
    """A cell of several lines."""

    line: int  # in which its quote opens, from 1 on
    text: str
    is_closed: bool
    later_lines: list[bytes]  # those after the first, each as a whole


def _is_left_open(content: bytes, start: int, delimiter: str) -> bool:
    """True if the last line opens a quote that it does not close."""
    end = len(content)
    while end > start and content[end - 1 : end] in (b"\r", b"\n"):
        end -= 1
    last = 1 + max(content.rfind(mark, start, end) for mark in (b"\r", b"\n"))
    cells = _cells_of_several_lines(content, max(last, start), delimiter, 0)
    return any(not cell.is_closed for cell in cells)


def _check_quotes(
    path: Path, content: bytes, start: int, delimiter: str, widths: set[int], first_line: int
) -> dict[str, int]:
    """Refuse quotes that swallow rows; return other cells of several lines, and where they open.

    ``widths`` are possible numbers of cells in a row, ``first_line`` is the number of the line at
    ``start`` in the file.
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
    """Pattern of a cell in quotes, which open where it begins; two quotes stand for one."""
    mark = re.escape(delimiter.encode())
    return re.compile(rb'"(?<![^' + mark + rb'\r\n]")([^"]*+(?:""[^"]*+)*+)("?)')


def _n_cells(line: bytes, delimiter: str) -> tuple[int, int]:
    """Count the cells of a line, with quotes taken as text and as quotes."""
    text = line.decode()
    try:
        n_quoted = len(next(csv.reader([text], delimiter=delimiter), []))
    except csv.Error:
        n_quoted = 0
    return text.count(delimiter) + 1, n_quoted
