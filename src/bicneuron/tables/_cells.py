"""Cells as numbers, as labels and as names."""

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.tables._sheet import Column, cells_of

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "#n/a"})
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


class Numbers(NamedTuple):
    """A column as numbers: NaN in the rows that hold text and in those that hold no value."""

    values: FloatArray
    text: list[int]
    missing: list[int]

    @property
    def is_text(self) -> bool:
        """Whether it is a column of text, rather than one of numbers with a few errors."""
        return 2 * len(self.text) > len(self.values) - len(self.missing)


def is_missing(cell: Any) -> bool:
    """Whether a cell holds no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def to_numbers(column: Column, decimal: str = ".") -> Numbers:
    """Read a column as finite numbers."""
    values = None
    if isinstance(column, np.ndarray):
        values = column.astype(np.float64)
    elif not isinstance(column, list) and decimal == ".":
        values = _cast(column)
    if values is not None and not np.isinf(values).any():
        return Numbers(values, [], np.flatnonzero(np.isnan(values)).tolist())
    cells = cells_of(column)
    missing = [i for i, cell in enumerate(cells) if is_missing(cell)]
    read = [_number(cell, decimal) for cell in cells]
    for i in missing:
        read[i] = math.nan
    text = [i for i, value in enumerate(read) if value is None]
    return Numbers(np.array(read, dtype=np.float64), text, missing)


def _cast(column: Any) -> FloatArray | None:
    """Convert all cells at once, to the same values as one by one; None if any is text."""
    import pyarrow as pa

    try:
        values: FloatArray = column.cast(pa.float64()).to_numpy().astype(np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return values


def _number(cell: Any, decimal: str) -> float | None:
    if isinstance(cell, str):
        if "_" in cell or (decimal == "," and "." in cell):
            return None
        cell = cell.replace(decimal, ".")
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def has_decimal_comma(columns: Iterable[tuple[Column, Numbers]]) -> bool:
    """Whether cells that are not numbers with a point are numbers with a comma, by majority."""
    n_commas = n_points = n_thousands = 0
    for column, numbers in columns:
        if not numbers.text:
            continue
        for cell in cells_of(column):
            if isinstance(cell, str):
                word = cell.strip()
                n_commas += _WITH_COMMA.fullmatch(word) is not None
                n_points += _WITH_POINT.fullmatch(word) is not None
                n_thousands += _THOUSANDS.fullmatch(word) is not None
    # 1,234 may be either: without other evidence the user decides.
    return n_commas > n_points and n_commas > n_thousands


def to_names(column: Column) -> list[str]:
    """Cells as names: no spaces around them, whole numbers without a point."""
    return ["" if is_missing(cell) else _as_text(cell) for cell in cells_of(column)]


def to_labels(column: Column) -> AnyArray:
    """Cells as labels: whole numbers if all cells are, otherwise text."""
    words = to_names(column)
    if all(re.fullmatch(r"0|-?[1-9]\d{0,17}", word) for word in words):
        return np.array([int(word) for word in words])
    return np.array(words)


def _as_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
