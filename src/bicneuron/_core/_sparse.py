"""Sparse matrices whose columns are scaled: dense only where they are looked at.

Scaling moves zeros, so that a scaled sparse matrix is not sparse itself. All that is ever dense is
a few columns, or the few rows and columns that are asked for. A matrix is a scipy CSC one of
floats; scaled values are bit for bit those of the dense matrix.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._scaling import Scaling
from bicneuron._core._soft_scaling import SoftScaling

# Dense values that are held at once.
CELLS = 2**20

AnyScaling = TypeVar("AnyScaling", Scaling, SoftScaling)


class Part(NamedTuple):
    """Which items of a list of blocks, and all rows and columns that are in them."""

    items: slice
    rows: IndexArray
    columns: IndexArray


class ScaledSparse:
    """A sparse matrix seen through a scaling; it is indexed as the scaled array would be.

    Some rows with all columns are seen through the scaling again; some columns, with all rows or
    with some, become an array.
    """

    def __init__(self, X: Any, scaling: Scaling | SoftScaling) -> None:
        self._X = X
        self._scaling = scaling
        self.shape: tuple[int, int] = X.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            return ScaledSparse(self._X[index], self._scaling)
        rows, columns = index
        wanted = np.ravel(columns)
        part = self._X[:, wanted][rows if isinstance(rows, slice) else np.ravel(rows)]
        scaled = self._scaling.take(wanted).apply(part.toarray(order="C"))
        return scaled[:, 0] if np.ndim(columns) == 0 else scaled

    def parts(self, blocks: Sequence[tuple[IndexArray, IndexArray]]) -> Iterator[Part]:
        """Cut a list of blocks so that the arrays that hold them are small, or hold one block."""
        nothing = [np.zeros(length, dtype=bool) for length in self.shape]
        first, used = 0, nothing
        for k, block in enumerate(blocks):
            wider = _marked(used, block)
            if k > first and np.prod([mask.sum() for mask in wider]) > CELLS:
                yield Part(slice(first, k), *map(np.flatnonzero, used))
                first, wider = k, _marked(nothing, block)
            used = wider
        yield Part(slice(first, len(blocks)), *map(np.flatnonzero, used))

    def row_blocks(self, columns: IndexArray) -> Iterator[FloatArray]:
        """Some columns of all rows, a bounded number of values at a time."""
        return row_blocks(self._X, columns, self._scaling.take(columns))

    def toarray(self) -> FloatArray:
        """All of it."""
        dense = np.empty(self.shape)
        for part in _column_slices(self.shape):
            dense[:, part] = self[:, np.arange(part.start, part.stop)]
        return dense


def scaling_of(fit: Callable[..., AnyScaling], X: Any, *known: Scaling) -> AnyScaling:
    """``fit(X, *known)``, of a sparse matrix a few columns at a time."""
    if isinstance(X, np.ndarray):
        return fit(X, *known)
    parts = [
        fit(X[:, part].toarray(order="C"), *(scaling.take(part) for scaling in known))
        for part in _column_slices(X.shape)
    ]
    return cast(AnyScaling, _joined(parts))


def scaled(X: Any, scaling: Scaling | SoftScaling) -> FloatArray:
    """Scaled values: an array, or of a sparse matrix, unless it is small, what is read like one."""
    if isinstance(X, np.ndarray):
        return scaling.apply(X)
    Z = ScaledSparse(X, scaling)
    return Z.toarray() if np.prod(X.shape) <= CELLS else cast(FloatArray, Z)


def dense(Z: FloatArray) -> FloatArray:
    """What `scaled` gave, as an array."""
    return Z.toarray() if isinstance(Z, ScaledSparse) else Z


def row_blocks(X: Any, columns: IndexArray, scaling: Scaling | SoftScaling) -> Iterator[FloatArray]:
    """Some columns of all rows through their scaling, a bounded number of values at a time."""
    part = X if isinstance(X, np.ndarray) else X[:, columns].tocsr()
    size = max(1, CELLS // len(columns))
    for first in range(0, X.shape[0], size):
        rows = part[first : first + size]
        if isinstance(rows, np.ndarray):
            yield scaling.apply(rows, columns)
        else:
            yield scaling.apply(rows.toarray())


def _marked(masks: list[BoolArray], block: tuple[IndexArray, IndexArray]) -> list[BoolArray]:
    """Copies of the masks of rows and columns with those of a block."""
    marked = [mask.copy() for mask in masks]
    for mask, indices in zip(marked, block, strict=True):
        mask[indices] = True
    return marked


def _column_slices(shape: tuple[int, int]) -> Iterator[slice]:
    n_rows, n_columns = shape
    width = max(1, CELLS // n_rows)
    return (slice(k, min(k + width, n_columns)) for k in range(0, n_columns, width))


def _joined(parts: Sequence[Any]) -> Any:
    """One scaling, which may be made of others, from those of consecutive columns."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return type(parts[0])(*map(_joined, zip(*parts, strict=True)))
