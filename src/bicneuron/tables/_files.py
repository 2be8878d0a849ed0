"""Files of tables: which can be read, packed ones, Excel, Parquet and h5ad; and written ones."""

import gzip
import io
import os
import re
import warnings
import zipfile
from collections.abc import Collection
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import escape_formula
from bicneuron._shared._large_files import MANY_CELLS, columns_of_matrix, columns_of_parquet
from bicneuron._shared._names import close_to
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import listed
from bicneuron.tables._sheet import Sheet, of_frame
from bicneuron.tables._text import read_delimited, read_text

if TYPE_CHECKING:
    import pandas as pd

_TEXT = (".csv", ".txt", ".tsv", ".tab", ".gct")
_READ = (*_TEXT, *(f"{one}.gz" for one in _TEXT), ".zip", ".parquet", ".pq", ".xlsx", ".h5ad")
_NO_TABLE = re.compile(r"/$|(^|/)(__MACOSX/|\.)")  # folders, and what macOS adds
_PANDAS = "tables need pandas: pip install 'bicneuron[tables]'."
_WRITTEN = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".xlsx")
# What a packed file may unpack to: so many bytes, or so many times what was read if that is more.
# Few tables shrink to less than a hundredth, and those are mostly made to fill the memory.
_MOST_BYTES, _MOST_RATIO, _CHUNK = 10**8, 100, 2**20


def check_readable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that `read_table` cannot read, without reading the table."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise TableError(f"{path} is a folder, a pipe or a device; save its content in a file.")
    if not path.name.lower().endswith(_READ):
        must = f"its name must end in {', '.join(_READ)}. Save old Excel files as .xlsx."
        raise TableError(f"{path} is not a table that can be read: {must}")
    if not path.exists():
        raise TableError(f"{path} does not exist.")


def read_sheet(
    path: Path, layer: str | None = None, wanted: Collection[str] = (), *, as_text: bool = False
) -> Sheet:
    """Read the columns of a file, whose content shows the format."""
    check_readable(path)
    try:
        with warnings.catch_warnings(action="ignore"):
            with path.open("rb") as file:
                start = b"" if path.suffix.lower() == ".zip" else file.read(8)
            if start == b"\x89HDF\r\n\x1a\n":
                return _read_h5ad(path, layer)
            if start.startswith(b"PAR1") and layer is None and (large := columns_of_parquet(path)):
                return _of_parts(*large)
            content = unpacked(path)
            if content.isspace() or not content:
                raise TableError(f"{path} is empty.")
            if layer is not None:
                raise TableError(f"{path} has no layer {layer!r}; only .h5ad files have layers.")
            if content.startswith(b"PK\x03\x04"):
                return _read_xlsx(path, content, wanted)
            if content.startswith(b"PAR1"):
                frame = import_extra("pandas", _PANDAS).read_parquet(io.BytesIO(content))
                return of_frame(_with_index(frame))
            return read_text(path, content, as_text=as_text)
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:  # libraries fail in more ways than they document
        reason = shorten(str(error).split(". ")[0].rstrip("."), 120, placeholder=" ...")
        raise TableError(
            f"{path} is cut or damaged ({type(error).__name__}: {reason}). Copy or save it again."
        ) from error


def unpacked(path: Path) -> bytes:
    """The content of a file, which is unpacked within a limit."""
    with path.open("rb") as packed:
        is_gzip = packed.peek(2).startswith(b"\x1f\x8b")
        if path.suffix.lower() != ".zip" and not is_gzip:
            return packed.read()
        if is_gzip:
            file: Any = gzip.GzipFile(fileobj=packed)
        else:
            archive = zipfile.ZipFile(packed)
            names = [name for name in archive.namelist() if not _NO_TABLE.search(name)]
            if len(names) != 1:
                must = "unpack it and name one of them."
                raise TableError(f"{path} contains {len(names)} files; {must}")
            file = archive.open(names[0])
        content = bytearray()
        while chunk := file.read(_CHUNK):
            content += chunk
            if len(content) > max(_MOST_BYTES, _MOST_RATIO * packed.tell()):
                sizes = f"{packed.tell() / 1e6:.2g} MB of it unpack to {len(content) / 1e6:.0f} MB"
                why = "as of a file made to fill the memory. Unpack it first if it is a table."
                raise TableError(f"{path}: {sizes}, {why}")
        return bytes(content)


def _with_index(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The frame with its index as columns, unless that just numbers the rows."""
    import pandas as pd

    is_numbered = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    return frame if is_numbered else frame.reset_index(allow_duplicates=True)


def _of_parts(numbers: dict[str, FloatArray], frame: Any, names: list[str]) -> Sheet:
    """The columns of a file whose numbers were read apart, those of its index first."""
    rest = Sheet([], []) if frame is None else of_frame(_with_index(frame))
    columns = {**dict(zip(rest.names, rest.columns, strict=True)), **numbers}
    names = [*(name for name in rest.names if name not in names), *names]
    return Sheet(names, [columns[name] for name in names])


def _read_h5ad(path: Path, layer: str | None) -> Sheet:
    """Features from X or a layer, row names and annotations from obs."""
    anndata = import_extra("anndata", f"{path} needs anndata: pip install 'bicneuron[omics]'.")
    data = anndata.read_h5ad(path, backed="r" if path.stat().st_size > MANY_CELLS else None)
    if layer is not None and layer not in data.layers:
        raise TableError(f"{path} has no layer {layer!r}.{close_to(layer, data.layers)}")
    matrix = data.X if layer is None else data.layers[layer]
    matrix = matrix.to_memory() if hasattr(matrix, "to_memory") else matrix  # sparse
    if hasattr(matrix, "check_format"):  # wrong indices would be written beside arrays
        if np.any(np.diff(matrix.indptr) < 0) or matrix.indptr[-1] != len(matrix.indices):
            raise ValueError("the indices of its matrix do not fit it")
        matrix.check_format(full_check=True)
    obs, columns = of_frame(data.obs), [*columns_of_matrix(path, matrix)]
    aside, names = dict(zip(obs.names, obs.columns, strict=True)), [*map(str, data.obs_names)]
    data.file.close()
    return Sheet([*map(str, data.var_names)], columns, aside, names)


def _read_xlsx(path: Path, content: bytes, wanted: Collection[str]) -> Sheet:
    """The first sheet with a wanted column, or else the first with data, read as text."""
    read, file = import_extra("pandas", _PANDAS).read_excel, io.BytesIO(content)
    pages = read(file, sheet_name=None, header=None, dtype=object, keep_default_na=False)
    filled = {title: page for title, page in pages.items() if len(page) > 1}
    if not filled:
        raise TableError(f"{path} is empty: no sheet has a header and rows of data.")
    fitting = [one for one in filled if filled[one].head(30).isin([*wanted]).any(axis=None)]
    title = (fitting or [*filled])[0]
    what = listed(wanted, 1) if fitting else "data"
    notes = [f"sheet: {title!r}, the first of {len(pages)} with {what}"] * (len(pages) > 1)
    text = filled[title].to_csv(header=False, index=False)
    return read_delimited(path, text, notes, ",")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file name whose format `write_table` does not write."""
    if not Path(path).name.lower().endswith(_WRITTEN):
        raise TableError(f"{path} cannot be written; use one of {', '.join(_WRITTEN)}.")


def write_table(
    frame: "pd.DataFrame", path: str | os.PathLike[str], *, overwrite: bool = True
) -> Path:
    r"""Write a frame to a file, atomically.

    Text that a spreadsheet would run, as ``=A1``, gets an apostrophe, which `read_table` removes.

    Parameters
    ----------
    frame : DataFrame
        Its index becomes the first column, unless it just numbers the rows without a name.
    path : path-like
        The suffix decides the format: ``.csv``, ``.tsv``, both also in ``.gz``, ``.parquet`` or
        ``.xlsx``, which keeps 16 digits of a number.
    overwrite : bool, default=True
        Replace an older file, rather than raise a `FileExistsError`.

    Examples
    --------
    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_table(pd.DataFrame({"size": [1.5, 2.0]}), f"{folder}/sizes.csv").read_text()
    'size\n1.5\n2.0\n'
    """
    check_writable(path)
    path, frame, buffer = Path(path), _with_index(frame), io.BytesIO()
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        frame.to_parquet(buffer, index=False, engine="pyarrow")
    elif suffix == ".xlsx":
        from openpyxl.utils.exceptions import IllegalCharacterError

        try:
            _escaped(frame).to_excel(buffer, index=False, engine="openpyxl")
        except (IllegalCharacterError, ValueError) as error:
            raise TableError(f"{path}: Excel cannot hold the table ({error}); use .csv.") from error
    else:
        delimiter = "\t" if ".tsv" in path.name.lower()[-7:] else ","
        _escaped(frame).to_csv(buffer, index=False, sep=delimiter, lineterminator="\n")
    content = gzip.compress(buffer.getvalue(), mtime=0) if suffix == ".gz" else buffer.getvalue()
    write_atomically(path, content, overwrite=overwrite)
    return path


def _escaped(frame: "pd.DataFrame") -> "pd.DataFrame":
    def escaped(value: Any) -> Any:
        return escape_formula(value) if isinstance(value, str) else value

    return frame.map(escaped).rename(columns=escaped)
