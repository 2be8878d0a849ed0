"""Formats of tables by the names of their files, packed files, and tables that are written."""

import gzip
import io
import math
import os
import stat
import textwrap
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import escape_formula
from bicneuron.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".gct": "gct",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".h5ad": "h5ad",
}
TEXT = {"csv", "tsv", "gct"}
WRITTEN = ("csv", "tsv", "parquet", "xlsx")
_TITLES = {"parquet": "a Parquet file", "xlsx": "an Excel file", "h5ad": "an HDF5 file"}
_FIRST_BYTES = {b"PAR1": "parquet", b"PK\x03\x04": "xlsx", b"\x89HDF\r\n\x1a\n": "h5ad"}
_GZIP = b"\x1f\x8b"
# What a packed file may unpack to: so many bytes, or so many times its size if that is more. Few
# tables shrink to less than a hundredth, and those are mostly made to fill the memory.
_MOST_BYTES, _MOST_RATIO, _CHUNK = 10**8, 100, 2**20
_EXCEL_ROWS, _EXCEL_COLUMNS, _EXCEL_LETTERS = 2**20, 2**14, 2**15 - 1


def kind_of(path: Path) -> str:
    """Format of a file by its name."""
    name = path.name.lower()
    plain = Path(name.removesuffix(".gz"))
    kind = SUFFIXES.get(plain.suffix)
    if kind is None or (name.endswith(".gz") and kind not in TEXT):
        hint = " Save old Excel files as .xlsx." if plain.suffix == ".xls" else ""
        raise TableError(
            f"{path} is not a table that can be read or written: its name must end in "
            f"{', '.join(SUFFIXES)} (text also in .gz, one file also in .zip).{hint}"
        )
    return kind


def check_readable(path: str | os.PathLike[str]) -> str:
    """Refuse a path that `read_table` cannot read, without reading the table.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    kind : str
        The format, such as ``"csv"``.

    Raises
    ------
    TableError
        If there is no such file, its name has an unsupported suffix, or it is a pipe or a
        device, which may never end.

    Examples
    --------
    >>> from bicneuron.tables import check_readable
    >>> check_readable("notes.doc")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    bicneuron.exceptions.TableError: notes.doc is not a table that can be read or written: ...
    """
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path} is a folder, not a table.")
    if path.exists() and not stat.S_ISREG(os.stat(path).st_mode):
        raise TableError(f"{path} is a pipe or a device, not a file; save its content in a file.")
    if path.suffix.lower() == ".zip" and path.exists():
        with damage_of(path), zipfile.ZipFile(path) as archive:
            return kind_of(Path(_only_member(path, archive)))
    kind = kind_of(path)
    if not path.exists():
        raise TableError(f"{path} does not exist.")
    return kind


@contextmanager
def damage_of(path: Path) -> Iterator[None]:
    """Report every failure as damage: libraries fail in more ways than they document."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:  # of any kind: the file is wrong
        sentence = " ".join(str(error).split(". ")[0].rstrip(".").split())
        reason = textwrap.shorten(sentence, 120, placeholder=" ...")
        raise TableError(
            f"{path} is cut or damaged ({type(error).__name__}: {reason}). Copy or save it again."
        ) from error


def read_bytes(path: Path, kind: str) -> bytes:
    """Read and unpack a file; refuse it if its content is of another format than its name says."""
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        is_gzip = file.read(len(_GZIP)) == _GZIP
    if suffix == ".gz" and path.stat().st_size and not is_gzip:
        raise TableError(f"{path} is not packed with gzip; rename it to {path.stem}.")
    if is_gzip and suffix != ".gz":
        raise TableError(f"{path} is packed with gzip; rename it to {path.name}.gz.")
    with damage_of(path):
        if suffix == ".zip":
            with (
                zipfile.ZipFile(path) as archive,
                archive.open(_only_member(path, archive)) as file,
            ):
                content = _unpacked(path, file)
        elif is_gzip:
            with gzip.open(path) as file:
                content = _unpacked(path, file)
        else:
            content = path.read_bytes()
    if not content or content.isspace():
        raise TableError(f"{path} is empty.")
    found = next((k for first, k in _FIRST_BYTES.items() if content.startswith(first)), None)
    if found != (None if kind in TEXT else kind):
        if found is not None:
            named = f"rename it to {path.stem}.{found}"
            raise TableError(f"{path} is {_TITLES[found]} despite its name; {named}.")
        raise TableError(
            f"{path} is not {_TITLES[kind]} despite its name, or it is damaged. "
            "Text tables are called .csv or .tsv."
        )
    return content


def _only_member(path: Path, archive: zipfile.ZipFile) -> str:
    """Name of the only table in the archive, without the files that macOS adds."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and "/." not in f"/{name}"
    ]
    if len(names) != 1:
        raise TableError(f"{path} contains {len(names)} files; unpack it and name one of them.")
    return names[0]


def _unpacked(path: Path, file: IO[bytes] | Any) -> bytes:
    """Unpack a file within the limit."""
    size = path.stat().st_size
    most, chunks, n_bytes = max(_MOST_BYTES, _MOST_RATIO * size), [], 0
    while chunk := file.read(_CHUNK):
        chunks.append(chunk)
        n_bytes += len(chunk)
        if n_bytes > most:
            raise TableError(
                f"{path}: {size / 1e6:.3g} MB unpack to more than {most / 1e6:.0f} MB, as of a "
                "file made to fill the memory. Unpack it first if it is a table."
            )
    return b"".join(chunks)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file name whose format `write_table` does not write.

    Parameters
    ----------
    path : path-like

    Examples
    --------
    >>> from bicneuron.tables import check_writable
    >>> check_writable("predictions.csv.gz")
    """
    if kind_of(Path(path)) not in WRITTEN:
        raise TableError(f"{path} cannot be written; use .csv, .tsv (also .gz), .parquet or .xlsx.")


def write_table(
    frame: "pd.DataFrame",
    path: str | os.PathLike[str],
    *,
    keep_formulas: bool = False,
    overwrite: bool = True,
) -> Path:
    """Write a frame to a file, atomically.

    Parameters
    ----------
    frame : DataFrame
        Its index becomes the first column, unless it just numbers the rows without a name.
    path : path-like
        The suffix decides the format: ``.csv``, ``.tsv``, both also in ``.gz``, ``.parquet`` or
        ``.xlsx``, which keeps 16 digits of a number.
    keep_formulas : bool, default=False
        Write text that a spreadsheet would run, such as ``=A1``, ``-x`` or ``@x``, to CSV and TSV
        as it is. Otherwise it gets an apostrophe in front, which `read_table` takes away. In Excel
        files text is marked as text.
    overwrite : bool, default=True
        Replace an older file. Otherwise it is a `FileExistsError`, also if the file appears while
        this one is written.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from bicneuron.tables import read_table, write_table
    >>> frame = pd.DataFrame({"size": [1.5, 2.0]}, index=pd.Index(["anna", "bert"], name="name"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_table(frame, f"{folder}/sizes.parquet")
    ...     read_table(path).features.equals(frame)
    True
    """
    import pandas as pd

    check_writable(path)
    path = Path(path)
    if not (isinstance(frame.index, pd.RangeIndex) and frame.index.name is None):
        frame = frame.reset_index()
    kind = kind_of(path)
    if kind == "xlsx":
        content = _workbook(frame, path)
    elif kind == "parquet":
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False, engine="pyarrow")
        content = buffer.getvalue()
    else:
        if not keep_formulas:
            frame = frame.map(_escaped).set_axis([*map(_escaped, frame.columns)], axis=1)
        delimiter = "\t" if kind == "tsv" else ","
        content = frame.to_csv(index=False, sep=delimiter, lineterminator="\n").encode()
        if path.suffix.lower() == ".gz":
            content = gzip.compress(content, mtime=0)
    write_atomically(path, content, overwrite=overwrite)
    return path


def _escaped(value: Any) -> Any:
    return escape_formula(value) if isinstance(value, str) else value


def _workbook(frame: "pd.DataFrame", path: Path) -> bytes:
    from openpyxl import Workbook
    from openpyxl.utils.exceptions import IllegalCharacterError

    if len(frame) >= _EXCEL_ROWS or frame.shape[1] > _EXCEL_COLUMNS:
        raise TableError(f"{path} would be too large for Excel; use .csv or .parquet.")
    longest = max((len(v) for v in frame.to_numpy().flat if isinstance(v, str)), default=0)
    if longest > _EXCEL_LETTERS:
        raise TableError(
            f"{path}: Excel cannot hold a text of {longest} characters in a cell; use .csv or "
            ".parquet."
        )
    book = Workbook()
    rows = [frame.columns.tolist(), *frame.astype(object).to_numpy().tolist()]
    try:
        for i, row in enumerate(rows, start=1):
            for j, value in enumerate(row, start=1):
                if isinstance(value, float) and not math.isfinite(value):  # Excel has none of them
                    value = None if math.isnan(value) else str(value)
                cell = book.active.cell(i, j, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # text that starts with = must not become a formula
                    # Nor when somebody edits the cell; Excel hides this apostrophe.
                    cell.quotePrefix = escape_formula(value) != value
    except IllegalCharacterError as error:
        raise TableError(f"{path}: Excel cannot hold a control character; use .csv.") from error
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
