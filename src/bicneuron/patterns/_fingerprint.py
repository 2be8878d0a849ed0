"""Fingerprint of a training table, by which a fitted model recognises it."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from bicneuron._core._arrays import AnyArray, FloatArray

Hashes = npt.NDArray[np.uint64]
# Cells that are hashed at once.
CELLS_AT_ONCE = 2**20


class Fingerprint(NamedTuple):
    """A hash of each row of a table, of names and values as float32, and of each label."""

    rows: Hashes
    labels: Hashes | None

    def check(self, other: "Fingerprint") -> None:
        """Refuse another table, naming the difference."""
        n_rows = len(self.rows)
        if len(other.rows) != n_rows:
            raise ValueError(
                f"X has {len(other.rows)} rows, but the model was fitted to {n_rows}; give the X "
                "of fit. A second cohort is for replicate."
            )
        are_moved = np.array_equal(np.sort(self.rows), np.sort(other.rows))
        for name, own, given in (
            ("X", self.rows, other.rows),
            ("y", self.labels, other.labels),
        ):
            differ = () if own is None or given is None else np.flatnonzero(own != given)
            if len(differ):
                what = f"{len(differ)} of {n_rows} rows differ, the first is row {differ[0]}"
                if name == "X" and are_moved:
                    what = "its rows are in another order"
                raise ValueError(
                    f"{name} is not what the model was fitted to: {what}; give the {name} of fit."
                )


def fingerprint(X: Any, y: AnyArray | None, names: Iterable[Any] | None) -> Fingerprint:
    """Fingerprint of a checked table; the order of named columns does not matter."""
    n_rows, n_columns = X.shape
    weights = text_hashes(range(n_columns) if names is None else names)
    rows = np.zeros(n_rows, np.uint64)
    if issparse(X):
        cells = X.tocoo()
        np.add.at(rows, cells.row, _bits(cells.data) * weights[cells.col])
    else:
        for some in gen_batches(n_rows, max(1, CELLS_AT_ONCE // max(n_columns, 1))):
            rows[some] = (_bits(X[some]) * weights).sum(axis=1)
    if y is None:
        return Fingerprint(rows, None)
    return Fingerprint(rows, text_hashes(map(_as_text, np.asarray(y).tolist())))


def text_hashes(values: Iterable[Any]) -> Hashes:
    """A hash of the text of each value, the same on all machines."""
    texts = [str(value) for value in values]
    hashes = {
        text: int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        for text in set(texts)
    }
    return np.array([hashes[text] for text in texts], np.uint64)


def _bits(values: FloatArray) -> Hashes:
    """Bits of values as float32, 0 for zeros and one pattern for all missing values."""
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(values, np.float32) + np.float32(0)
    single[np.isnan(single)] = np.nan
    return single.view(np.uint32).astype(np.uint64)


def _as_text(label: Any) -> str:
    """One text for labels that files may write in several ways: 1, 1.0 and "1" are one label."""
    if isinstance(label, list):  # of a column, or several labels
        return " ".join(map(_as_text, label))
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
