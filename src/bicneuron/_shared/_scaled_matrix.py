"""Sparse matrices with scaled columns: made dense only where they are read.

Scaling moves zeros, so a scaled sparse matrix is not sparse. Only the rows and columns that are
asked for become dense. A sparse matrix is a scipy CSC matrix of floats; its scaled values are bit
for bit those of the dense matrix.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._scaling import Scaling, SoftScaling

# Dense values held at once: 8 MB.
MAX_CELLS = 2**20

AnyScaling = TypeVar("AnyScaling", Scaling, SoftScaling)


class Chunk(NamedTuple):
    """Consecutive blocks of a list, and the union of their rows and of their columns."""

    blocks: slice
    rows: IndexArray
    columns: IndexArray


class ScaledSparse:
    """A sparse matrix seen through a scaling, indexed as the scaled array would be."""

    def __init__(self, X: Any, scaling: Scaling | SoftScaling, fill: bool = False) -> None:
        self._X = X
        self._scaling = scaling
        self._fill = fill
        self.shape: tuple[int, int] = X.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            return ScaledSparse(self._X[index], self._scaling, self._fill)
        rows, columns = index
        wanted = np.ravel(columns)
        block = self._X[:, wanted][rows if isinstance(rows, slice) else np.ravel(rows)]
        values = self._scaling.take(wanted).apply(block.toarray(order="C"))
        values = filled(values) if self._fill else values
        return values[:, 0] if np.ndim(columns) == 0 else values

    def chunks(self, blocks: Sequence[tuple[IndexArray, IndexArray]]) -> Iterator[Chunk]:
        """Cut a list of blocks into chunks whose dense arrays are small, or hold one block."""
        nothing = [np.zeros(length, dtype=bool) for length in self.shape]
        first, used = 0, nothing
        for k, block in enumerate(blocks):
            wider = _marked(used, block)
            if k > first and np.prod([mask.sum() for mask in wider]) > MAX_CELLS:
                yield Chunk(slice(first, k), *map(np.flatnonzero, used))
                first, wider = k, _marked(nothing, block)
            used = wider
        yield Chunk(slice(first, len(blocks)), *map(np.flatnonzero, used))

    def row_chunks(self, columns: IndexArray) -> Iterator[FloatArray]:
        """Some columns of all rows, at most `MAX_CELLS` values at a time."""
        chunks = row_chunks(self._X, columns, self._scaling.take(columns))
        return map(filled, chunks) if self._fill else chunks

    def filled(self) -> "ScaledSparse":
        """The same with 0 for missing cells."""
        missing = np.isnan(self._X.data).any()
        return ScaledSparse(self._X, self._scaling, fill=True) if missing else self

    def toarray(self) -> FloatArray:
        """The whole matrix as an array."""
        values = np.empty(self.shape)
        for some in _column_slices(self.shape):
            values[:, some] = self[:, np.arange(some.start, some.stop)]
        return values


# What `scaled` gives: kernels take the array, everything else takes both.
ScaledMatrix: TypeAlias = FloatArray | ScaledSparse


def scaling_of(fit: Callable[..., AnyScaling], X: Any, *known: Scaling) -> AnyScaling:
    """``fit(X, *known)``, computed a few columns at a time if ``X`` is sparse."""
    if isinstance(X, np.ndarray):
        return fit(X, *known)
    scalings = [
        fit(X[:, some].toarray(order="C"), *(scaling.take(some) for scaling in known))
        for some in _column_slices(X.shape)
    ]
    return type(scalings[0]).join(scalings)


def scaled(X: Any, scaling: Scaling | SoftScaling) -> ScaledMatrix:
    """Scale an array or a sparse matrix; a small sparse matrix becomes an array."""
    if isinstance(X, np.ndarray):
        return scaling.apply(X)
    Z = ScaledSparse(X, scaling)
    return Z.toarray() if np.prod(X.shape) <= MAX_CELLS else Z


def filled(Z: Any) -> Any:
    """Missing cells (NaN) of a scaled matrix as 0, the mean of their column; ``Z`` if none is."""
    if isinstance(Z, ScaledSparse):
        return Z.filled()
    missing = np.isnan(Z)
    return np.where(missing, 0.0, Z) if missing.any() else Z


def dense(Z: ScaledMatrix) -> FloatArray:
    """Return a scaled matrix as an array."""
    return Z.toarray() if isinstance(Z, ScaledSparse) else Z


def row_chunks(
    X: Any, columns: IndexArray, scaling: Scaling | SoftScaling, most_rows: int = MAX_CELLS
) -> Iterator[FloatArray]:
    """Scale some columns of all rows, at most `MAX_CELLS` values and so many rows at a time."""
    source = X if isinstance(X, np.ndarray) else X[:, columns].tocsr()
    size = min(most_rows, max(1, MAX_CELLS // max(1, len(columns))))
    for first in range(0, X.shape[0], size):
        rows = source[first : first + size]
        if isinstance(rows, np.ndarray):
            yield scaling.apply(rows, columns)
        else:
            yield scaling.apply(rows.toarray())


def _marked(masks: list[BoolArray], block: tuple[IndexArray, IndexArray]) -> list[BoolArray]:
    """Copies of the row and column masks with those of a block set."""
    marked = [mask.copy() for mask in masks]
    for mask, indices in zip(marked, block, strict=True):
        mask[indices] = True
    return marked


def _column_slices(shape: tuple[int, int]) -> Iterator[slice]:
    n_rows, n_columns = shape
    width = max(1, MAX_CELLS // n_rows)
    return (slice(k, min(k + width, n_columns)) for k in range(0, n_columns, width))
