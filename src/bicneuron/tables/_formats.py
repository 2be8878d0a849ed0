"""Formats other than text with delimiters, one reader per format."""

import io
import textwrap
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._files._arff import parse_arff
from bicneuron.exceptions import TableError
from bicneuron.tables._expression import is_series_matrix, read_gct, read_series_matrix
from bicneuron.tables._header import rows_above_header
from bicneuron.tables._kinds import check_file, read_bytes
from bicneuron.tables._matrix_market import read_matrix_market
from bicneuron.tables._sheet import Sheet
from bicneuron.tables._text import decode, read_delimited


def read_sheet(path: Path, layer: str | None = None, wanted: Collection[str] = ()) -> Sheet:
    """Read the columns of a file; of several sheets the first that has a wanted column."""
    kind = check_file(path)
    content = read_bytes(path, kind)
    if layer is not None and kind != "h5ad":
        raise TableError(f"{path} has no layers, got layer={layer!r}; only .h5ad files have.")
    if kind == "h5ad":
        return _read_h5ad(path, layer)
    if kind == "parquet":
        return _read_parquet(path, content)
    if kind == "xlsx":
        return _read_xlsx(path, content, wanted)
    if kind in ("arff", "keel"):
        return _read_arff(path, content)
    if kind == "mtx":
        return read_matrix_market(path)
    if kind == "gct":
        return read_gct(path, content)
    if is_series_matrix(content):
        return read_series_matrix(path, content)
    return read_delimited(path, content, kind)


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


def _read_parquet(path: Path, content: bytes) -> Sheet:
    from pyarrow import parquet

    with _reported_as_damage(path):
        table = parquet.read_table(io.BytesIO(content))
        stated = (table.schema.pandas_metadata or {}).get("index_columns", [])
        index = [name for name in stated if isinstance(name, str)]  # a range is not a column
        columns = table.select([*index, *(n for n in table.column_names if n not in index)])
        names = ["" if name.startswith("__index_level_") else name for name in columns.column_names]
        return Sheet(names, columns.columns)


def _read_xlsx(path: Path, content: bytes, wanted: Collection[str]) -> Sheet:
    from openpyxl import load_workbook

    with _reported_as_damage(path):
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        pages = {page.title: _rows_of(page) for page in book.worksheets}
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


def _rows_of(page: Any) -> list[tuple[Any, ...]]:
    return [row for row in page.iter_rows(values_only=True) if any(c is not None for c in row)]


def _chosen(
    pages: Mapping[str, Sequence[tuple[Any, ...]]], wanted: Collection[str]
) -> tuple[str, list[str]]:
    """The sheet to read: the first with a wanted column, or else the first with data."""
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
        column = next(iter(wanted)) if len(wanted) == 1 else None
        what = "the columns of the model" if column is None else repr(column)
        return title, [f"sheet: {title!r} of {len(pages)}, which has {what}"]
    which = "the first" if title == next(iter(pages)) else "the first with data"
    return title, [f"sheet: {title!r}, {which} of {len(pages)}"]


def _read_arff(path: Path, content: bytes) -> Sheet:
    text, notes = decode(path, content)
    try:
        names, rows = parse_arff(text)
    except ValueError as error:
        form = "a KEEL" if path.name.lower().endswith((".dat", ".dat.gz")) else "an ARFF"
        raise TableError(f"{path} is not {form} file, or it is cut: {error}.") from error
    if not rows:
        raise TableError(f"{path} is empty: it has no rows after @data.")
    return Sheet(names, [list(column) for column in zip(*rows, strict=True)], notes=notes)


def _read_h5ad(path: Path, layer: str | None) -> Sheet:
    try:
        import anndata
    except ImportError as error:
        raise ImportError(f"{path} needs anndata: pip install 'bicneuron[omics]'.") from error
    with _reported_as_damage(path):
        data = anndata.read_h5ad(path)
    if layer is not None and layer not in data.layers:
        raise TableError(f"{path} has no layer {layer!r}.{close_to(layer, data.layers)}")
    if layer is None and data.X is None:
        raise TableError(f"{path} has no matrix X; name a layer: {', '.join(data.layers)}.")
    matrix = data.X if layer is None else data.layers[layer]
    values = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    aside: dict[str, Any] = {
        str(name): column.astype(object).where(column.notna(), None).tolist()
        for name, column in data.obs.items()
    }
    return Sheet(
        [str(name) for name in data.var_names],
        list(values.T),
        aside=aside,
        row_names=[str(name) for name in data.obs_names],
        notes=["features: X" if layer is None else f"features: layer {layer!r}"],
    )


def close_to(name: str, names: Any) -> str:
    """Suggest names for a misspelt one, or list the known ones."""
    known = [str(other) for other in names]
    close = get_close_matches(name, known, n=3) or [
        other for other in known if other.lower() == name.lower()
    ]
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
    return f" There are: {shown}." if known else " There are none."
