"""Fingerprint of a training table, by which a fitted model recognises it."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, FloatArray

Hashes = npt.NDArray[np.uint64]
# Cells that are hashed at once.
CELLS_AT_ONCE = 2**20


class Fingerprint(NamedTuple):
    """One hash for each row, column and label of a table, of values as float32.

    Hashes of rows do not depend on the order of named columns.
    """

    rows: Hashes
    columns: Hashes
    labels: Hashes | None

    def check(self, other: "Fingerprint", names: Sequence[str]) -> None:
        """Refuse another table, naming the difference."""
        n_rows = len(self.rows)
        if len(other.rows) != n_rows:
            raise ValueError(
                f"X has {len(other.rows)} rows, but the model was fitted to {n_rows}; give the X "
                "of fit. A second cohort is for replicate."
            )
        differ = np.flatnonzero(self.rows != other.rows)
        if len(differ):
            columns = np.flatnonzero(self.columns != other.columns)
            if np.array_equal(np.sort(self.rows), np.sort(other.rows)):
                what = "its rows are in another order"
            elif 0 < len(columns) < len(self.columns):
                some = ", ".join(repr(names[column]) for column in columns[:3].tolist())
                more = ", ..." if len(columns) > 3 else ""
                unit = "column" if len(columns) == 1 else "columns"
                what = f"it differs in {len(columns)} {unit} ({some}{more})"
            else:
                what = f"{len(differ)} of {n_rows} rows differ, the first is row {differ[0]}"
            raise ValueError(f"X is not what the model was fitted to: {what}; give the X of fit.")
        if self.labels is not None and other.labels is not None:
            differ = np.flatnonzero(self.labels != other.labels)
            if len(differ):
                raise ValueError(
                    f"y is not what the model was fitted to: it differs in {len(differ)} of "
                    f"{n_rows} rows, the first is row {differ[0]}; give the y of fit."
                )


def fingerprint(X: Any, y: AnyArray | None, names: Sequence[str] | None) -> Fingerprint:
    """Fingerprint of a checked table."""
    n_rows, n_columns = X.shape
    of_columns = _by_position(n_columns)
    if names is not None:
        of_columns = np.array([digest(str(name)) for name in names], np.uint64)
    of_rows = _by_position(n_rows)
    rows, columns = np.zeros(n_rows, np.uint64), np.zeros(n_columns, np.uint64)
    if issparse(X):
        cells = X.tocoo()
        bits = _bits(cells.data)
        np.add.at(rows, cells.row, bits * of_columns[cells.col])
        np.add.at(columns, cells.col, bits * of_rows[cells.row])
    else:
        step = max(1, CELLS_AT_ONCE // max(n_columns, 1))
        for first in range(0, n_rows, step):
            some = slice(first, first + step)
            bits = _bits(X[some])
            rows[some] = (bits * of_columns).sum(axis=1)
            columns += (bits * of_rows[some, None]).sum(axis=0)
    return Fingerprint(rows, columns, None if y is None else _label_hashes(np.asarray(y)))


def _bits(values: FloatArray) -> Hashes:
    """Bits of values as float32, 0 for zeros and one pattern for all missing values."""
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(values, np.float32) + np.float32(0)
    single[np.isnan(single)] = np.nan
    return single.view(np.uint32).astype(np.uint64)


def _by_position(length: int) -> Hashes:
    """A number for each position: the mixing function of Steele, Lea and Flood (2014)."""
    mixed = np.arange(1, length + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _label_hashes(y: AnyArray) -> Hashes:
    """A hash for each label; 1, 1.0 and "1" are one label, as files may write it."""
    values = y[:, None] if y.ndim == 1 else y
    hashes = np.zeros(len(values), np.uint64)
    for column, weight in zip(values.T, _by_position(values.shape[1]), strict=True):
        labels, places = np.unique(column, return_inverse=True)
        of_labels = np.array([digest(_plain(label)) for label in labels.tolist()], np.uint64)
        hashes += of_labels[places.ravel()] * weight
    return hashes


def _plain(label: Any) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
