"""Text with delimiters: encoding, delimiter, rows of one length."""

import csv
import io
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.exceptions import TableError
from bicneuron.tables._cells import shown
from bicneuron.tables._header import ROWS_LOOKED_AT, is_number, is_remark, rows_above_header
from bicneuron.tables._sheet import Sheet

if TYPE_CHECKING:
    import pyarrow as pa

_MARKS = {
    b"\xef\xbb\xbf": ("utf-8", "UTF-8"),
    b"\xff\xfe": ("utf-16-le", "UTF-16"),
    b"\xfe\xff": ("utf-16-be", "UTF-16"),
}
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_CHARACTERS_LOOKED_AT = 2**20


def decode(path: Path, content: bytes) -> tuple[str, list[str]]:
    """Text of a file, and what was guessed about its encoding."""
    for mark, (encoding, title) in _MARKS.items():
        if content.startswith(mark):
            try:
                text = content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise TableError(f"{path} is cut or damaged: {error}.") from error
            return text, [f"encoding: {title}, by its byte-order mark"]
    if b"\x00" in content:
        raise TableError(f"{path} is not text, despite its name.")
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), ["encoding: Windows-1252, because it is not UTF-8"]
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is neither UTF-8 nor Windows-1252 text; save it as UTF-8."
        ) from error


def read_delimited(path: Path, content: bytes, kind: str) -> Sheet:
    """Columns of text cells."""
    text, notes = decode(path, content)
    text = text.lstrip("\r\n")
    stated = re.match(r"sep=(.)\r?\n", text)  # as Excel writes it
    if stated:
        text = text[stated.end() :]
    delimiter = stated[1] if stated else "\t" if kind == "tsv" else _guess_delimiter(text)
    if kind == "csv":
        notes.append(f"delimiter: {_DELIMITERS.get(delimiter, repr(delimiter))}")
    try:
        text = _without_title(text, delimiter, notes)
        stream = io.StringIO(text, newline="")
        rows = csv.reader(stream, delimiter=delimiter)
        names = [name.strip() for name in next(rows, [])]
        body = text[stream.tell() :]
        first = next(filter(None, rows), None)
    except csv.Error as error:
        raise TableError(f"{path} is not a text table: {error}.") from error
    if first is None:
        raise TableError(f"{path} is empty: it has a header and no rows.")
    if kind == "tsv" and len(first) == 1 and _guess_delimiter(text) in names[0]:
        raise TableError(f"{path} has no tabs; rename it to .csv, whose delimiter is guessed.")
    # R leaves the row names without a name; some programs end rows, not the header, in a delimiter.
    is_wider = len(first) == len(names) + 1
    table = _parse(path, body, delimiter, len(names) + is_wider, notes)
    if is_wider and not any(table.column(len(names)).to_pylist()):
        table = table.drop_columns([table.column_names[-1]])
    elif is_wider:
        names.insert(0, "")
    return Sheet(names, _without_empty_rows(table, notes).columns, notes=notes)


def _without_title(text: str, delimiter: str, notes: list[str]) -> str:
    """The text from the header on."""
    stream = io.StringIO(text[:_CHARACTERS_LOOKED_AT], newline="")
    reader = csv.reader(stream, delimiter=delimiter)
    n_above = rows_above_header([*itertools.islice(reader, ROWS_LOOKED_AT)])
    if not n_above:
        return text
    notes.append(f"lines above the header left out: {n_above}")
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=delimiter)
    for _ in range(n_above):
        next(reader)
    return text[stream.tell() :]


def _guess_delimiter(text: str) -> str:
    """The delimiter that gives rows as long as the header, and the most numbers."""
    scores = {delimiter: _score(text, delimiter) for delimiter in _DELIMITERS}
    return max(scores, key=lambda delimiter: scores[delimiter])


def _score(text: str, delimiter: str) -> tuple[float, float, int]:
    start = text[:_CHARACTERS_LOOKED_AT]
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    try:
        first = [*itertools.islice(filter(None, reader), ROWS_LOOKED_AT)]
        header, *rows = first[rows_above_header(first) :]
    except (csv.Error, ValueError):
        return 0.0, 0.0, 0
    if len(start) < len(text) and len(rows) > 1:
        rows.pop()  # it may be cut off
    widths = [len(row) for row in rows]
    if max(widths, default=0) < 2:
        return 0.0, 0.0, len(header)
    fits = max(widths.count(len(header)), widths.count(len(header) + 1)) / len(rows)
    if len(header) == 1:  # what separates cells, as in 5 mg, but not names
        fits /= 2
    cells = [cell for row in rows for cell in row]
    numbers = sum(map(is_number, cells)) / len(cells)
    return fits, numbers, len(header)


def _parse(path: Path, body: str, delimiter: str, width: int, notes: list[str]) -> "pa.Table":
    from pyarrow import csv as arrow
    from pyarrow.lib import ArrowInvalid

    wrong, remarks = [], []

    def note_row(row: "arrow.InvalidRow") -> str:
        if is_remark(row.text, row.actual_columns):
            remarks.append(row.text)
            return "skip"
        wrong.append(row)
        return "error"

    content = body.encode()
    names = [str(j) for j in range(width)]
    try:
        table = arrow.read_csv(
            io.BytesIO(content),
            # One thread and one block, so that rows are numbered, however long they are.
            arrow.ReadOptions(
                column_names=names, use_threads=False, block_size=min(len(content) + 1, 2**31 - 1)
            ),
            arrow.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note_row
            ),
            arrow.ConvertOptions(
                column_types=dict.fromkeys(names, "string"), strings_can_be_null=False
            ),
        )
    except ArrowInvalid as error:
        if not wrong:
            raise TableError(f"{path} is not a text table: {error}") from error
        raise TableError(
            f"{path}: row {wrong[0].number} has {wrong[0].actual_columns} cells for {width} "
            "columns; a delimiter or a quote is missing there, or the file is cut."
        ) from error
    if remarks:
        notes.append(
            f"lines that are remarks left out: {len(remarks)}, such as {shown(remarks[0])}"
        )
    return table


def _without_empty_rows(table: "pa.Table", notes: list[str]) -> "pa.Table":
    """Leave out rows of delimiters only, as spreadsheets write them below the data."""
    starts = table.column(0).to_pylist()
    empty = {
        i
        for i, start in enumerate(starts)
        if not start.strip() and not any(column[i].as_py().strip() for column in table.columns)
    }
    if not empty:
        return table
    notes.append(f"rows without any value left out: {len(empty)}")
    return table.take([i for i in range(len(starts)) if i not in empty])
