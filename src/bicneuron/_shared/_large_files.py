"""Numbers of large files, read a part at a time into one array with a row for each column."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError

MANY_CELLS, CELLS_AT_ONCE = 2**24, 2**22  # smaller tables, of 128 MB, are read at once
_BYTES = 11  # for each number, with what is made beside them
_MEMORY = Path("/proc/meminfo")


def free_memory() -> float:
    """Bytes that a process may still take; infinity where the system does not say."""
    lines = _MEMORY.read_text().splitlines() if _MEMORY.exists() else []
    free = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024.0 * int(free[0]) if free else np.inf


def room_for(path: Path, n_rows: int, n_columns: int) -> FloatArray:
    """An array for the columns of a table; refuse a table that is larger than the memory."""
    need, free = _BYTES * n_rows * n_columns, free_memory()
    if need > free:
        size = f"{n_rows:,} rows x {n_columns:,} columns take {need / 1e9:.2g} GB of memory"
        way = "take fewer rows or columns, or another machine."
        raise TableError(f"{path}: {size}, and {free / 1e9:.2g} GB are free; {way}")
    return np.empty((n_columns, n_rows))


def columns_of_matrix(path: Path, matrix: Any) -> FloatArray:
    """Columns of a sparse matrix or of an array in a file, in blocks of rows."""
    n_rows, n_columns = matrix.shape
    columns, matrix = room_for(path, n_rows, n_columns), getattr(matrix, "tocsr", lambda: matrix)()
    step = max(1, CELLS_AT_ONCE // max(n_columns, 1))
    for first in range(0, n_rows, step):
        rows = matrix[first : first + step]
        columns[:, first : first + step] = getattr(rows, "toarray", lambda rows=rows: rows)().T
    return columns


def columns_of_parquet(path: Path) -> tuple[dict[str, FloatArray], Any, list[str]] | None:
    """Numbers of a large file, a frame of its other columns and all names; None if it is small."""
    pq = import_extra("pyarrow.parquet", "tables need pyarrow: pip install 'bicneuron[tables]'.")
    from pyarrow.types import is_floating, is_integer

    with pq.ParquetFile(path) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        plain = (one for one in schema if is_floating(one.type) or is_integer(one.type))
        numbers = [one.name for one in plain if one.name not in index]
        is_odd = any(isinstance(one, dict) and one["name"] for one in index)
        if is_odd or len({*schema.names}) < len(schema) or n_rows * len(numbers) < MANY_CELLS:
            return None
        columns = dict(zip(numbers, room_for(path, n_rows, len(numbers)), strict=True))
        for name, column in columns.items():
            column[:] = file.read([name]).column(name).to_numpy()
        others = [name for name in schema.names if name not in columns]
        frame = file.read(others, use_pandas_metadata=True).to_pandas() if others else None
        return columns, frame, [name for name in schema.names if name not in index]


def side_by_side(columns: Sequence[AnyArray]) -> FloatArray:
    """Columns as a matrix; those of a large file move up in their array, over those left out."""
    base: Any = columns[0].base
    starts = [one.ctypes.data for one in columns]
    is_large = all(one.base is base for one in columns) and np.size(base) >= MANY_CELLS
    if not is_large or starts != sorted({*starts}):
        return np.column_stack(columns)
    for place, one in zip(base, columns, strict=False):
        if place.ctypes.data != one.ctypes.data:
            place[:] = one
    return np.asarray(base[: len(columns)].T)
