"""Files of every format as sheets; each format but text has its reader here."""

import io
import textwrap
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bicneuron.exceptions import TableError
from bicneuron.tables._arff import parse_arff
from bicneuron.tables._budget import Budget
from bicneuron.tables._expression import is_series_matrix, read_gct, read_series_matrix
from bicneuron.tables._h5ad import read_h5ad
from bicneuron.tables._kinds import check_begin, check_file, read_bytes
from bicneuron.tables._lines import rows_above_header
from bicneuron.tables._matrix_market import read_matrix_market
from bicneuron.tables._sheet import Sheet
from bicneuron.tables._text import decode, read_delimited

_ROWS_AT_ONCE = 2**16
# Bytes of its places in lists: as it was read, cut to the table, and in its column.
_OF_EMPTY_CELL = 24


def read_sheet(
    path: Path,
    layer: str | None = None,
    wanted: Collection[str] = (),
    max_memory: float | None = None,
    *,
    as_text: bool = False,
) -> tuple[Sheet, Budget]:
    """Read the columns of a file; also return the rest of its memory budget.

    Of several sheets, the first with a wanted column is read. With ``as_text`` the cells of a text
    file are not converted, however many they are.
    """
    kind = check_file(path)
    budget = Budget(path, max_memory)
    if layer is not None and kind != "h5ad":
        raise TableError(f"{path} has no layers, got layer={layer!r}; only .h5ad files have.")
    if kind == "mtx":
        return read_matrix_market(path, budget), budget
    if kind == "h5ad":
        check_begin(path, kind)
        return read_h5ad(path, layer, budget), budget
    content = read_bytes(path, kind, budget)
    if kind == "parquet":
        sheet = _read_parquet(path, content, budget)
    elif kind == "xlsx":
        sheet = _read_xlsx(path, content, wanted, budget)
    elif kind in ("arff", "keel"):
        sheet = _read_arff(path, content, budget)
    elif kind == "gct":
        sheet = read_gct(path, content, budget)
    elif is_series_matrix(content):
        sheet = read_series_matrix(path, content, budget)
    else:
        sheet = read_delimited(path, content, kind, budget, as_text=as_text)
    return sheet, budget


@contextmanager
def _reported_as_damage(path: Path) -> Iterator[None]:
    """Report every failure as damage: libraries fail in more ways than they document."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:  # of any kind: the file is wrong
        sentence = str(error).split(". ")[0].rstrip(".")
        reason = textwrap.shorten(sentence, 120, placeholder=" ...")
        raise TableError(
            f"{path} is cut or damaged ({type(error).__name__}: {reason}). Copy or save it again."
        ) from error


def _read_parquet(path: Path, content: bytes, budget: Budget) -> Sheet:
    import pyarrow as pa
    from pyarrow import parquet

    with _reported_as_damage(path):
        # A million columns need a longer description than pyarrow expects.
        limits = {"thrift_string_size_limit": len(content), "thrift_container_size_limit": 10**7}
        file = parquet.ParquetFile(io.BytesIO(content), **limits)
        n_rows, n_columns = file.metadata.num_rows, len(file.schema_arrow)
        budget.spend_on_cells(n_rows * n_columns, n_rows, n_columns)
        # Values may be repeated by the million in a few bytes, and text is of any length.
        batches = []
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            budget.spend(batch.nbytes)
            batches.append(batch)
        table = pa.Table.from_batches(batches, file.schema_arrow)
        stated = (table.schema.pandas_metadata or {}).get("index_columns", [])
        index = [name for name in stated if isinstance(name, str)]  # a range is not a column
        columns = table.select([*index, *(n for n in table.column_names if n not in index)])
        names = ["" if name.startswith("__index_level_") else name for name in columns.column_names]
        return Sheet(names, columns.columns)


def _read_xlsx(path: Path, content: bytes, wanted: Collection[str], budget: Budget) -> Sheet:
    from openpyxl import load_workbook

    with _reported_as_damage(path):
        # openpyxl keeps parts of what it unpacks in memory.
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                with archive.open(name) as member:
                    budget.count(member)
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        pages = {page.title: _rows_of(page, budget) for page in book.worksheets}
    title, notes = _chosen(pages, wanted)
    rows = pages[title]
    if len(rows) < 2:
        raise TableError(f"{path} is empty: its sheet {title!r} has no rows of data.")
    width = max(j + 1 for row in rows for j, cell in enumerate(row) if cell is not None)
    cut = [(*row, *[None] * width)[:width] for row in rows]
    n_above = rows_above_header(cut)
    if n_above:
        notes.append(f"lines above the header left out: {n_above}")
    header, *body = cut[n_above:]
    names = ["" if name is None else str(name).strip() for name in header]
    return Sheet(names, [list(column) for column in zip(*body, strict=True)], notes=notes)


def _rows_of(page: Any, budget: Budget) -> list[tuple[Any, ...]]:
    rows = []
    for row in page.iter_rows(values_only=True):
        filled = sum(cell is not None for cell in row)
        if filled:
            # Cells that are not there are made up to the last one of the row.
            budget.spend(_OF_EMPTY_CELL * len(row))
            budget.spend_on_words(filled, 0)
            rows.append(row)
    return rows


def _chosen(
    pages: Mapping[str, Sequence[tuple[Any, ...]]], wanted: Collection[str]
) -> tuple[str, list[str]]:
    """Choose the first sheet with a wanted column, or else the first with data."""
    filled = [title for title, rows in pages.items() if len(rows) > 1] or list(pages)
    fitting = [
        title
        for title in filled
        if any(str(cell).strip() in wanted for row in pages[title][:30] for cell in row)
    ]
    title = (fitting or filled)[0]
    if len(pages) == 1:
        return title, []
    if fitting and title != filled[0]:
        what = repr(*wanted) if len(wanted) == 1 else "the columns of the model"
        return title, [f"sheet: {title!r} of {len(pages)}, which has {what}"]
    which = "the first" if title == next(iter(pages)) else "the first with data"
    return title, [f"sheet: {title!r}, {which} of {len(pages)}"]


def _read_arff(path: Path, content: bytes, budget: Budget) -> Sheet:
    text, notes = decode(path, content)
    budget.spend_on_words(content.count(b",") + content.count(b"\n"), len(content))
    try:
        names, rows = parse_arff(text)
    except ValueError as error:
        form = "a KEEL" if path.name.lower().endswith((".dat", ".dat.gz")) else "an ARFF"
        raise TableError(f"{path} is not {form} file, or it is cut: {error}.") from error
    if not rows:
        raise TableError(f"{path} is empty: it has no rows after @data.")
    return Sheet(names, [list(column) for column in zip(*rows, strict=True)], notes=notes)
