"""Write a table to a file."""

import gzip
import io
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import escape_formula
from bicneuron.exceptions import TableError
from bicneuron.tables._kinds import kind_of

if TYPE_CHECKING:
    import pandas as pd

WRITTEN = ("csv", "tsv", "parquet", "xlsx")
_EXCEL_ROWS, _EXCEL_COLUMNS, _EXCEL_LETTERS = 2**20, 2**14, 2**15 - 1


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
    is_numbered = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if not is_numbered:
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
            frame = _without_formulas(frame)
        delimiter = "\t" if kind == "tsv" else ","
        content = frame.to_csv(index=False, sep=delimiter, lineterminator="\n").encode()
        if path.suffix.lower() == ".gz":
            content = gzip.compress(content, mtime=0)
    write_atomically(path, content, overwrite=overwrite)
    return path


def _without_formulas(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Escape text that a spreadsheet would run."""
    frame = frame.set_axis([_escaped(name) for name in frame.columns], axis=1)
    for place, kind in enumerate(frame.dtypes):
        if not isinstance(kind, np.dtype) or kind.kind == "O":
            column = frame.iloc[:, place].astype(object)
            column[:] = np.array([*map(_escaped, column), None], dtype=object)[:-1]
            frame.isetitem(place, column)
    return frame


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
                cell = book.active.cell(i, j, _for_excel(value))
                if isinstance(cell.value, str):
                    cell.data_type = "s"  # text that starts with = must not become a formula
                    # Nor when somebody edits the cell; Excel hides this apostrophe.
                    cell.quotePrefix = escape_formula(cell.value) != cell.value
    except IllegalCharacterError as error:
        raise TableError(f"{path}: Excel cannot hold a control character; use .csv.") from error
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _for_excel(value: Any) -> Any:
    """Replace infinity and NaN, which Excel does not have."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)
