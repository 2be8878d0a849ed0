"""Files of every format as sheets; frames as sheets, too."""

import csv
import io
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._shared._names import close_to
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import Column
from bicneuron.tables._files import check_readable, damage_of, read_bytes
from bicneuron.tables._sheet import Sheet
from bicneuron.tables._text import decode, read_text, rows_above_header

_BEGIN, _END = "!series_matrix_table_begin", "!series_matrix_table_end"


def read_sheet(
    path: Path, layer: str | None = None, wanted: Collection[str] = (), *, as_text: bool = False
) -> Sheet:
    """Read the columns of a file; of several sheets, the first with a wanted column.

    With ``as_text`` the cells of a text file are not converted.
    """
    kind = check_readable(path)
    if layer is not None and kind != "h5ad":
        raise TableError(f"{path} has no layers, got layer={layer!r}; only .h5ad files have.")
    content = read_bytes(path, kind)
    if kind == "h5ad":
        return _read_h5ad(path, content, layer)
    if kind == "xlsx":
        return _read_xlsx(path, content, wanted)
    if kind == "parquet":
        import pandas as pd

        with damage_of(path):
            frame = pd.read_parquet(io.BytesIO(content))
            return of_frame(frame, with_index=not isinstance(frame.index, pd.RangeIndex))
    if kind == "gct":
        return _read_gct(path, content)
    if content.lstrip().startswith(b"!Series_"):
        return _read_series_matrix(path, content)
    return read_text(path, content, kind, as_text=as_text)


def of_frame(frame: Any, *, with_index: bool = False) -> Sheet:
    """The columns of a frame of pandas or polars, and its index before them."""
    names, columns = [], []
    if with_index:
        for level in range(frame.index.nlevels):
            values = frame.index.get_level_values(level)
            names.append("" if values.name is None else str(values.name))
            columns.append(column_of(values.to_numpy()))
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place] if hasattr(frame, "iloc") else frame[name]
        names.append(str(name))
        columns.append(column_of(column.to_numpy()))
    return Sheet(names, columns)


def column_of(array: Any) -> Column:
    """Numbers as float64, other cells as values of Python with None for those that are missing."""
    if array.dtype.kind in "iuf":
        numbers: Column = array.astype(np.float64)
        return numbers
    array = array.astype("datetime64[us]") if array.dtype.kind == "M" else array
    # NaN, NaT and NA are not equal to themselves, or it is unknown whether they are.
    cells = [
        None if not isinstance(cell, str) and (cell != cell) is not False else cell
        for cell in array.tolist()
    ]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {int, float}:
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return cells


def _read_h5ad(path: Path, content: bytes, layer: str | None) -> Sheet:
    """Features from X or a layer, row names and annotations from obs."""
    anndata = import_extra("anndata", f"{path} needs anndata: pip install 'bicneuron[omics]'.")
    with damage_of(path):
        h5py = import_extra("h5py", f"{path} needs h5py: pip install 'bicneuron[omics]'.")
        with h5py.File(io.BytesIO(content), "r") as file:
            if "obs" not in file or "var" not in file:
                raise ValueError("it has no obs or no var")
        data = anndata.read_h5ad(path if path.suffix == ".h5ad" else io.BytesIO(content))
        if layer is not None and layer not in data.layers:
            raise TableError(f"{path} has no layer {layer!r}.{close_to(layer, data.layers)}")
        matrix = data.X if layer is None else data.layers[layer]
        if matrix is None:
            raise TableError(f"{path} has no matrix X; name a layer: {', '.join(data.layers)}.")
        if hasattr(matrix, "check_format"):  # wrong indices would be written beside arrays
            starts, n_stored = matrix.indptr, len(matrix.indices)
            is_sound = starts[0] == 0 and starts[-1] == n_stored == len(matrix.data)
            if not is_sound or np.any(np.diff(starts) < 0):
                raise ValueError("the indices of its matrix do not fit it")
            matrix.check_format(full_check=True)
        dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
        obs = of_frame(data.obs)
    return Sheet(
        [*map(str, data.var_names)],
        [*np.ascontiguousarray(dense.T, dtype=np.float64)],
        aside=dict(zip(obs.names, obs.columns, strict=True)),
        row_names=[*map(str, data.obs_names)],
    )


def _read_xlsx(path: Path, content: bytes, wanted: Collection[str]) -> Sheet:
    from openpyxl import load_workbook

    with damage_of(path):
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        pages = {
            page.title: [row for row in page.iter_rows(values_only=True) if any(_is_filled(row))]
            for page in book.worksheets
        }
    filled = [title for title, rows in pages.items() if len(rows) > 1] or [*pages]
    if not filled:
        raise TableError(f"{path} is empty: it has no sheet of cells.")
    fitting = [
        title
        for title in filled
        if any(str(cell).strip() in wanted for row in pages[title][:30] for cell in row)
    ]
    title = (fitting or filled)[0]
    rows, notes = pages[title], []
    if len(pages) > 1 and fitting and title != filled[0]:
        what = repr(*wanted) if len(wanted) == 1 else "the columns of the model"
        notes = [f"sheet: {title!r} of {len(pages)}, which has {what}"]
    elif len(pages) > 1:
        which = "the first" if title == next(iter(pages)) else "the first with data"
        notes = [f"sheet: {title!r}, {which} of {len(pages)}"]
    if len(rows) < 2:
        raise TableError(f"{path} is empty: its sheet {title!r} has no rows of data.")
    width = max(j + 1 for row in rows for j, is_one in enumerate(_is_filled(row)) if is_one)
    cut = [(*row, *[None] * width)[:width] for row in rows]
    n_above = rows_above_header(cut)
    notes += [f"lines above the header left out: {n_above}"] if n_above else []
    header, *body = cut[n_above:]
    columns = [column_of(np.array([*column, None], dtype=object)[:-1]) for column in zip(*body)]  # noqa: B905
    return Sheet(["" if n is None else str(n).strip() for n in header], columns, notes=notes)


def _is_filled(row: Sequence[Any]) -> list[bool]:
    return [
        cell is not None and cell != "" and not (isinstance(cell, float) and math.isnan(cell))
        for cell in row
    ]


def _read_gct(path: Path, content: bytes) -> Sheet:
    """Samples as rows and genes as columns; annotations of samples (#1.3) are set aside."""
    text, notes = decode(path, content)
    version, rows = text.splitlines()[0].strip(), _tabs(path, text.splitlines()[1:], 2)
    if version not in ("#1.2", "#1.3"):
        raise TableError(f"{path} is not a GCT file: its first line is not #1.2 or #1.3.")
    try:
        sizes = [int(cell) for cell in rows[0] if cell.strip()]
        n_genes, n_samples = sizes[:2]
        n_notes, n_annotations = sizes[2:] if version == "#1.3" else (1, 0)
    except (IndexError, ValueError) as error:
        raise TableError(f"{path} is not a GCT file: line 2 does not state its size.") from error
    body, skipped = rows[2:], 1 + n_notes
    is_whole = len(body) == n_annotations + n_genes and n_genes > 0
    if not is_whole or any(len(row) != skipped + n_samples for row in rows[1:]):
        raise TableError(
            f"{path} is cut or damaged: line 2 says {n_genes} genes and {n_samples} samples, and "
            f"there are {max(len(body) - n_annotations, 0)} lines of genes or lines of another "
            "length. Copy it again."
        )
    genes = body[n_annotations:]
    return Sheet(
        [row[0].strip() for row in genes],
        [_numbers_or_text(row[skipped:]) for row in genes],
        aside={row[0].strip(): row[skipped:] for row in body[:n_annotations]},
        row_names=[name.strip() for name in rows[1][skipped:]],
        row_source="the samples of the file",
        notes=notes,
        other_names={
            source.strip(): [row[j].strip() for row in genes]
            for j, source in enumerate(rows[1][1:skipped], start=1)
        },
    )


def _read_series_matrix(path: Path, content: bytes) -> Sheet:
    """Samples as rows and probes as columns; annotations of samples are set aside."""
    text, notes = decode(path, content)
    head, begin, rest = text.partition(_BEGIN)
    table, end, _ = rest.partition(_END)
    if not begin or not end:
        raise TableError(f"{path} is cut: it has no {_END if begin else _BEGIN}. Copy it again.")
    above = head.splitlines()
    rows = _tabs(path, table.splitlines(), len(above) + 1)
    if len(rows) < 2:
        raise TableError(
            f"{path} has no data, only a description; get the supplementary files of the series."
        )
    samples, *probes = rows
    if any(len(row) != len(samples) for row in probes):
        raise TableError(f"{path} is cut or damaged: its lines differ in length. Copy it again.")
    aside: dict[str, Any] = {}
    for name, *cells in _tabs(path, above, 1):
        if name.startswith("!Sample_") and len(cells) == len(samples) - 1:
            _add_annotation(aside, name.removeprefix("!Sample_"), cells)
    return Sheet(
        [row[0].strip() for row in probes],
        [_numbers_or_text(row[1:]) for row in probes],
        aside=aside,
        row_names=[name.strip() for name in samples[1:]],
        row_source="the samples of the file",
        notes=notes,
    )


def _numbers_or_text(cells: list[str]) -> Column:
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        return cells
    return values if np.isfinite(values).all() else cells


def _tabs(path: Path, lines: Sequence[str], first: int) -> list[list[str]]:
    """Cells between tabs; a quote that is open at the end of a line would swallow others."""
    rows = []
    for number, line in enumerate(lines, start=first):
        try:
            rows += [*csv.reader([line], delimiter="\t", strict=True)]
        except csv.Error as error:
            raise TableError(
                f"{path}: the quote that opens in line {number} is not closed there; close it or "
                "leave it out."
            ) from error
    return [row for row in rows if row]


def _add_annotation(aside: dict[str, Any], name: str, cells: list[str]) -> None:
    """Add an annotation; characteristics such as ``tissue: liver`` are named by their key."""
    if not name.startswith("characteristics"):
        aside.setdefault(name, list(cells))
        return
    for place, cell in enumerate(cells):
        key, sign, value = cell.partition(":")
        if sign:
            aside.setdefault(key.strip(), [None] * len(cells))[place] = value.strip()
