"""Column scalings that neither overflow nor lose digits, whatever the magnitudes.

Missing cells (NaN) have no effect on a scaling and stay missing. A column without any value counts
as constant.

Each column is first divided by a power of two, which is exact, so that its largest magnitude lies
between 1/2 and 1. Squares and differences of the result can then neither overflow nor underflow.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._scale_columns import deviation_sums, scale_columns

# Values sorted at once, which bounds the memory of the quartiles.
VALUES_PER_SORT = 2**20
QUARTERS = (0.25, 0.5, 0.75)


class Scaling(NamedTuple):
    """Scaled value = (x / 2**exponent - shift) / scale, for each column."""

    exponent: IndexArray
    shift: FloatArray
    scale: FloatArray

    @staticmethod
    def join(scalings: Sequence["Scaling"]) -> "Scaling":
        """One scaling from those of consecutive columns."""
        return Scaling(*map(np.concatenate, zip(*scalings, strict=True)))

    def take(self, columns: IndexArray | slice) -> "Scaling":
        """Scaling of some of the columns."""
        if not isinstance(columns, slice) and not are_within(columns, len(self.scale)):
            raise ValueError(f"a scaling of {len(self.scale)} columns does not fit those given.")
        return Scaling(self.exponent[columns], self.shift[columns], self.scale[columns])

    def apply(self, X: FloatArray, columns: IndexArray | None = None) -> FloatArray:
        """Scale ``X``, or the matching ``columns`` of it; return a new C-ordered array."""
        n_columns = X.shape[1] if columns is None else len(columns)
        exist = columns is None or are_within(columns, X.shape[1])
        if not exist or any(len(values) != n_columns for values in self):
            raise ValueError(
                f"a scaling of {len(self.scale)} columns does not fit {n_columns} of the "
                f"{X.shape[1]} columns of X."
            )
        if columns is not None:
            X = X[:, columns]
        with np.errstate(over="ignore", under="ignore"):  # when numba is disabled
            powers, scaled = _powers(self.exponent), np.empty(X.shape)
            scale_columns(X, powers, self.shift, self.scale, scaled)
        return scaled

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore", under="ignore"):
            values: FloatArray = np.ldexp(Z * self.scale + self.shift, self.exponent)
        return values

    def per_unit(self, weights: FloatArray) -> FloatArray:
        """Weights of scaled columns as weights of one unit of the columns themselves."""
        with np.errstate(over="ignore", under="ignore"):
            unscaled: FloatArray = np.ldexp(weights / self.scale, -self.exponent)
        return unscaled


def are_within(indices: IndexArray, length: int) -> bool:
    """True if all indices exist; those of a model file are checked before a kernel uses them."""
    return len(indices) == 0 or bool(0 <= indices.min() <= indices.max() < length)


def minmax_scaling(X: FloatArray) -> Scaling:
    """Smallest value to 0, largest to 1; constant columns to 0."""
    exponent, low, high = _extent(X)
    return Scaling(exponent, low, np.where(high > low, high - low, 1.0))


def zscore_scaling(X: FloatArray, minmax: Scaling | None = None) -> Scaling:
    """Mean 0 and population standard deviation 1; constant columns to 0."""
    exponent, low, _ = minmax_scaling(X) if minmax is None else minmax
    powers = _powers(exponent)
    counts = _observed_counts(X)
    mean = deviation_sums(X, powers, low, np.zeros_like(low))[0] / counts
    deviation = np.sqrt(deviation_sums(X, powers, low, mean)[1] / counts)
    return Scaling(exponent, low + mean, np.where(deviation > 0, deviation, 1.0))


def _powers(exponent: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Two powers of two whose product is 2**-exponent, which may be too large for one float."""
    held = np.maximum(exponent, -1023)
    return np.ldexp(1.0, -held), np.ldexp(1.0, held - exponent)


def _observed_counts(X: FloatArray) -> FloatArray:
    """Number of rows that have a value in each column, but at least 1."""
    if not np.isnan(X.min()):
        return np.full(X.shape[1], float(len(X)))
    counts: FloatArray = np.maximum(len(X) - np.isnan(X).sum(axis=0), 1.0)
    return counts


def _extent(X: FloatArray) -> tuple[IndexArray, FloatArray, FloatArray]:
    low, high = (X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64))
    if np.isnan(low).any():
        ends = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        low, high = (np.nan_to_num(end.astype(np.float64)) for end in ends)
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    exponent = exponent.astype(np.intp)
    return exponent, np.ldexp(low, -exponent), np.ldexp(high, -exponent)


class SoftScaling(NamedTuple):
    """Scaled value = standard(arcsinh(robust(x))), for each column; robust to heavy tails."""

    robust: Scaling
    standard: Scaling

    @staticmethod
    def join(scalings: Sequence["SoftScaling"]) -> "SoftScaling":
        """One scaling from those of consecutive columns."""
        return SoftScaling(*map(Scaling.join, zip(*scalings, strict=True)))

    def take(self, columns: IndexArray | slice) -> "SoftScaling":
        """Scaling of some of the columns."""
        return SoftScaling(self.robust.take(columns), self.standard.take(columns))

    def apply(self, X: FloatArray, columns: IndexArray | None = None) -> FloatArray:
        """Scale ``X``, or the matching ``columns`` of it; return a new C-ordered array."""
        return self.standard.apply(_soften(X, self.robust, columns))

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore"):
            return self.robust.undo(np.sinh(self.standard.undo(Z)))


def soft_scaling(X: FloatArray) -> SoftScaling:
    """Median and interquartile range of each column, then the z-scores of the result."""
    plain = zscore_scaling(X)
    low, median, high = np.concatenate(list(_quartiles(X, plain)), axis=1)
    spread = high - low
    robust = Scaling(plain.exponent, median, np.where(spread > 0, spread, plain.scale))
    return SoftScaling(robust, zscore_scaling(_soften(X, robust)))


def _soften(X: FloatArray, robust: Scaling, columns: IndexArray | None = None) -> FloatArray:
    scores = robust.apply(X, columns)
    return np.arcsinh(scores, out=scores)


def _quartiles(X: FloatArray, plain: Scaling) -> Iterator[FloatArray]:
    """A few columns at a time, so that no copy of ``X`` is made."""
    width = max(1, VALUES_PER_SORT // len(X))
    for first in range(0, X.shape[1], width):
        part = slice(first, first + width)
        columns = np.ldexp(X[:, part], -plain.exponent[part], dtype=np.float64, order="C")
        quartiles = np.quantile(columns, QUARTERS, axis=0, overwrite_input=True)
        for k in np.flatnonzero(np.isnan(quartiles[0])).tolist():
            values = columns[:, k]
            values = values[~np.isnan(values)]
            quartiles[:, k] = np.quantile(values, QUARTERS) if len(values) else 0.0
        yield quartiles


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


# Robust scores are clipped to this size, so that single outliers do not make a group.
CLIP = 4.0
# Smallest share of the standard deviation that the median absolute deviation may have to be used:
# of a column with many equal values it is zero.
LEAST_SPREAD = 0.3
NORMAL_MAD = 1.4826
# Decimals that standardised values keep.
DECIMALS = 5


class RobustScaling(NamedTuple):
    """Scaled value = (clip((x - centre) / spread) - shift) / scale, for each column."""

    centre: FloatArray
    spread: FloatArray
    shift: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray, clip: float = CLIP) -> FloatArray:
        """Scale rows; columns without spread become 0, and so do missing values, as no evidence."""
        if any(values.shape != (X.shape[1],) for values in self):
            raise ValueError(
                f"a scaling of {np.size(self.scale)} columns does not fit the {X.shape[1]} of X."
            )
        with np.errstate(over="ignore"):  # infinite values are clipped
            scores = np.clip((X - self.centre) / self.spread, -clip, clip)
        values = np.round((scores - self.shift) / self.scale, DECIMALS) + 0.0
        standard: FloatArray = filled(values)
        return standard


def robust_scaling(X: FloatArray) -> RobustScaling:
    """Median and median absolute deviation, then the mean and deviation of the clipped scores."""
    ordered = np.sort(X, axis=0)  # missing values last
    median, mean, std = np.median, np.mean, np.std
    if np.isnan(ordered[-1]).any():
        median, mean, std = np.nanmedian, np.nanmean, np.nanstd
        ordered = np.where(np.isnan(ordered[0]), 0.0, ordered)
    centre = median(ordered, axis=0)
    deviation = std(ordered, axis=0)
    spread = NORMAL_MAD * median(np.abs(ordered - centre), axis=0)
    spread = np.where(spread > LEAST_SPREAD * deviation, spread, deviation)
    spread = np.where(spread > 0, spread, 1.0)
    scores = np.clip((ordered - centre) / spread, -CLIP, CLIP)
    scale = std(scores, axis=0)
    return RobustScaling(centre, spread, mean(scores, axis=0), np.where(scale > 1e-9, scale, 1.0))
