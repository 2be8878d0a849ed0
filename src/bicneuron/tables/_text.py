"""Text: tables with delimiters, and the formats of genes, GCT and the series matrix of GEO."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import unescape_formula
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import MISSING_AMONG_NUMBERS, Column, may_be_thousands, read_column
from bicneuron.tables._sheet import Sheet, transposed

_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_is_number = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*").fullmatch
_DELIMITERS, _LINES_TO_GUESS_BY, _CELLS_TO_GUESS_BY = ",;\t| ", 30, 2000
_BLOCK = 100_000  # cells at once
# Whole numbers that may be names: zeros in front, wells of a plate.
_MAY_BE_NAMES = r"^\s*-?0[0-9]|^[0-9]{1,2}[eE][0-9]{1,2}$"
_GCT = re.compile(r"#1\.[23]\s*[\r\n]")  # alone in its line, and not the name of a column
_BEGIN, _END = "!series_matrix_table_begin", "!series_matrix_table_end"
csv.field_size_limit(2**31 - 1)


def read_text(path: Path, content: bytes, *, as_text: bool = False) -> Sheet:
    """Read the columns of a text file; with ``as_text`` numbers with a point stay text."""
    text, notes = decoded(path, content)
    if _GCT.match(text):
        return _read_gct(path, text, notes)
    if text.lstrip().startswith("!Series_"):
        return _read_series_matrix(path, text, notes)
    return read_delimited(path, text, notes, as_text=as_text)


def decoded(path: Path, content: bytes) -> tuple[str, list[str]]:
    """The text of a file, and a note if its encoding is a guess."""
    mark = next(filter(content.startswith, _MARKS), b"")
    if not mark and b"\x00" in content:
        raise TableError(f"{path} is not text and no format that its name could stand for.")
    for encoding in [_MARKS[mark]] if mark else ["utf-8", "cp1252"]:
        with suppress(UnicodeDecodeError):
            notes = ["encoding: Windows-1252, because it is not UTF-8"] * (encoding == "cp1252")
            return content[len(mark) :].decode(encoding), notes
    raise TableError(f"{path} is cut or damaged, or neither UTF-8 nor Windows-1252 text.")


def read_delimited(
    path: Path, text: str, notes: list[str], delimiter: str = "", *, as_text: bool = False
) -> Sheet:
    """Columns between delimiters; without one it is guessed."""
    head = [found[0] for found in islice(_LINE.finditer(text), _LINES_TO_GUESS_BY)]
    present = [one for one in _DELIMITERS if any(one in line for line in head)] or [","]
    delimiter = delimiter or max(present, key=lambda one: _score(head, one))
    reader = csv.reader(head, delimiter=delimiter)
    ends, first = zip(*((reader.line_num, row) for row in reader if row), strict=True)
    n_above = _rows_above_header(first)
    notes += [f"lines above the header left out: {n_above}"] if n_above else []
    if '"' in text:
        width = Counter(map(len, first[n_above:])).most_common(1)[0][0]
        _check_quotes(path, text, delimiter, width)
    if len(first) < n_above + 2:
        raise TableError(f"{path} is empty: it has a header and no rows.")
    names = [unescape_formula(name.strip()) for name in first[n_above]]
    # R leaves the row names without a name; some programs end rows, not the header, in a delimiter.
    is_wider = len(first[n_above + 1]) == len(names) + 1
    body = text[sum(map(len, head[: ends[n_above]])) :]
    cells = _cells(path, body, delimiter, len(names) + is_wider, notes)
    if is_wider and any(map(str.strip, cells[-1].to_pylist())):
        names = ["", *names]
    return Sheet(names, _columns(cells[: len(names)], as_text=as_text), notes=notes)


def _check_quotes(path: Path, text: str, delimiter: str, width: int) -> None:
    """Refuse a quote that is never closed, or not before a line that looks like a row."""
    lines = _LINE.findall(text)
    reader = csv.reader([*lines, "end"], delimiter=delimiter)
    begin = 0
    for _ in reader:
        why = "never closed" if begin < len(lines) < reader.line_num else ""
        for number, line in enumerate(lines[begin + 1 : reader.line_num], start=begin + 2):
            widths = {*map(len, csv.reader([line], delimiter=delimiter)), 1 + line.count(delimiter)}
            if width in widths - {1}:
                why = why or f"not closed before line {number}, which looks like a row of its own"
        if why:
            opens = f"the quote that opens in line {begin + 1} is {why}"
            raise TableError(f"{path}: {opens}; close it or leave it out.")
        begin = reader.line_num


def _cells(path: Path, text: str, delimiter: str, width: int, notes: list[str]) -> list[Any]:
    """The cells of each column as text of Arrow, without empty rows."""
    pa = import_extra("pyarrow", "tables need pyarrow: pip install 'bicneuron[tables]'.")
    from pyarrow import compute, csv

    names, content = [*map(str, range(width))], text.encode()
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(column_names=names, block_size=len(content) + 1, use_threads=False),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid as error:
        reason = shorten(str(error).removeprefix("CSV parse error: "), 120)
        why = "a delimiter or a quote is missing there, it is a remark, or the file is cut."
        raise TableError(f"{path}: {reason}; {why}") from error
    is_empty = np.ones(table.num_rows, dtype=bool)
    for column in table.columns:
        if is_empty.any():
            is_empty &= np.array(compute.binary_length(compute.utf8_trim_whitespace(column))) == 0
    if is_empty.all():
        raise TableError(f"{path} is empty: it has a header and no rows.")
    if not is_empty.any():
        return [*table.columns]
    notes.append(f"rows without any value left out: {is_empty.sum()}")
    return [*table.filter(~is_empty).columns]


def _columns(cells: Sequence[Any], *, as_text: bool) -> list[Column]:
    """Columns of numbers where all cells are plain ones, and of text elsewhere."""
    import pyarrow as pa
    from pyarrow import compute

    numbers: list[FloatArray | None] = []
    n_columns = 1 + _BLOCK // len(cells[0])
    for first in range(0, len(cells), n_columns):
        block = cells[first : first + n_columns]
        numbers += _numbers(block, pa) or _numbers_with_gaps(block, pa)
    columns = [_texts(one) if n is None else n for one, n in zip(cells, numbers, strict=True)]
    texts = [one for one in columns if isinstance(one, list) and any("," in cell for cell in one)]
    if not as_text and not any(read_column(column).own_mark == "," for column in texts):
        return columns
    # 1.234 may be thousands there.
    has_point = [compute.any(compute.match_substring(one, ".")).as_py() for one in cells]
    pairs = zip(cells, columns, has_point, strict=True)
    return [_texts(one) if is_open else column for one, column, is_open in pairs]


def _texts(cells: Any) -> list[str]:
    texts: list[str] = cells.to_pylist()
    return [*map(unescape_formula, texts)] if any("'" in cell for cell in texts) else texts


def _numbers_with_gaps(block: Sequence[Any], pa: Any) -> list[FloatArray | None]:
    gaps, filled = pa.array([*MISSING_AMONG_NUMBERS]), dict[int, Any]()
    found = [_numbers([cells], pa) for cells in block]
    for place in (place for place, numbers in enumerate(found) if not numbers):
        words = pa.compute.utf8_lower(pa.compute.utf8_trim_whitespace(block[place]))
        filled[place] = pa.compute.if_else(pa.compute.is_in(words, gaps), None, words)
    together = _numbers([*filled.values()], pa)
    for k, (place, words) in enumerate(filled.items()):
        found[place] = together[k : k + 1] or _numbers([words], pa) or [None]
    return [numbers for (numbers,) in found]


def _numbers(block: Sequence[Any], pa: Any) -> list[FloatArray | None]:
    """Columns of plain numbers, None for one that may be other ones; empty if a cell is none."""
    joined = pa.chunked_array([chunk for one in block for chunk in one.chunks])
    with suppress(pa.ArrowInvalid):
        values = np.array(joined.cast(pa.float64())).reshape(len(block), -1)
        largest = np.fmax.reduce(np.abs(values), axis=1)
        has_fraction = np.any(values % 1 > 0, axis=1)
        numbers: list[FloatArray | None] = [*values]
        for j in np.flatnonzero(~has_fraction | (largest >= 100)).tolist():
            if has_fraction[j]:
                is_open = may_be_thousands(values[j])
            else:
                names = pa.compute.match_substring_regex(block[j], _MAY_BE_NAMES)
                is_open = pa.compute.any(names).as_py()
            if is_open or largest[j] == np.inf:
                numbers[j] = None
        return numbers
    return []


def _score(lines: Sequence[str], delimiter: str) -> tuple[float, float, int]:
    """How well a delimiter gives rows as long as the header, and how many numbers."""
    first = [*filter(None, csv.reader(lines, delimiter=delimiter))]
    header, *rows = first[_rows_above_header(first) :] or [[]]
    widths = [len(row) for row in rows]
    if max(widths, default=0) < 2:
        return 0.0, 0.0, len(header)
    fits = max(widths.count(len(header)), widths.count(len(header) + 1)) / len(rows)
    if len(header) == 1:  # what separates cells, as in 5 mg, but not names
        fits /= 2
    cells = [cell for row in rows for cell in row]
    cells = cells[:: max(1, len(cells) // _CELLS_TO_GUESS_BY)]
    return fits, sum(_is_number(cell) is not None for cell in cells) / len(cells), len(header)


def _rows_above_header(rows: Sequence[list[str]]) -> int:
    """Number of narrow rows with titles or remarks above what can be a header, or else 0."""
    filled = [[*filter(None, map(str.strip, row))] for row in rows]
    widths = Counter(len(row) for row, cells in zip(rows, filled, strict=True) if len(cells) > 1)
    width = max(widths, key=lambda w: (widths[w], w), default=0)
    for place, (row, cells) in enumerate(zip(rows, filled, strict=True)):
        is_narrow = len(row) < width - 1 or (len(cells) < 2 < width)
        if not is_narrow and not (row[0].startswith("#") and len(row) != width):
            is_header = len({*cells}) == len(cells) > 1 and 2 * len(cells) > len(row)
            return place if is_header and not any(map(_is_number, cells)) else 0
    return 0


def _read_gct(path: Path, text: str, notes: list[str]) -> Sheet:
    """Samples as rows and genes as columns; annotations of samples (#1.3) are set aside."""
    _, size, header, *lines = [*text.splitlines(), "", ""]
    n_genes, n_samples, *more = map(int, size.split())
    n_about, n_annotations = more or (1, 0)
    # As many lines as in the file, by which errors are found.
    table = ["", "", header, *[""] * n_annotations, *lines[n_annotations:]]
    sheet = read_delimited(path, "\n".join(table), notes, "\t")
    if sheet.n_rows != n_genes or len(sheet.names) != 1 + n_about + n_samples:
        size = f"line 2 says {n_genes} genes and {n_samples} samples"
        raise TableError(f"{path} is cut or damaged: {size}. Copy it again.")
    aside: dict[str, Column] = {n.strip(): c[n_about:] for n, *c in _tabs(lines[:n_annotations])}
    return replace(transposed(path, sheet, n_about=n_about), aside=aside, notes=notes)


def _read_series_matrix(path: Path, text: str, notes: list[str]) -> Sheet:
    """Samples as rows and probes as columns; annotations of samples are set aside."""
    head, begin, rest = text.partition(_BEGIN)
    table, end, _ = rest.partition(_END)
    if not begin or not end:
        raise TableError(f"{path} is cut: it has no {_END if begin else _BEGIN}. Copy it again.")
    above = head.splitlines()
    sheet = read_delimited(path, "\n" * len(above) + table, notes, "\t")
    sheet = transposed(path, sheet, n_about=0)
    aside: dict[str, Any] = {}
    for name, *cells in _tabs(above):
        if not name.startswith("!Sample_") or len(cells) != sheet.n_rows:
            continue
        if not name.startswith("!Sample_characteristics"):
            aside.setdefault(name.removeprefix("!Sample_"), cells)
            continue
        for place, cell in enumerate(cells):  # such as tissue: liver
            key, sign, value = cell.partition(":")
            if sign:
                aside.setdefault(key.strip(), [None] * len(cells))[place] = value.strip()
    return replace(sheet, aside=aside, notes=notes)


def _tabs(lines: Iterable[str]) -> list[list[str]]:
    """Cells between tabs; a quote that is not closed spoils its line only."""
    return [row for line in lines for row in csv.reader([line], delimiter="\t") if row]
