"""Scalings of columns, and estimates of missing cells (NaN), which scalings leave as they are.

Columns are first divided by a power of two, which is exact, so that no square overflows.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._filling import fill_rows
from bicneuron._core._scale_columns import deviation_sums, robust_scores, scale_columns

VALUES_PER_SORT = MAX_CELLS = 2**20  # values sorted and scaled at once: 8 MB
# Robust scores are clipped to this size, so that single outliers do not make a group.
CLIP = 4.0
# Least share of the standard deviation for the median absolute deviation: of many ties it is 0.
LEAST_SPREAD = 0.3
NORMAL_MAD = 1.4826
DECIMALS = 5  # that robust scores keep
# Filling: components, rounds in which they are found, and rows that stand for a wider table.
MOST_COMPONENTS, ROUNDS, MOST_ROWS = 10, 10, 250
# A column has a variance of about 1; this share of it, at least, is its own.
LEAST_NOISE = 0.01
# Share of the variance of a cell that the rest of its row has to explain: a mere guess would look
# like a value near the mean, which may be the mark of a class.
LEAST_EXPLAINED = 0.5
Columns: TypeAlias = IndexArray | slice


class Scaling(NamedTuple):
    """Scaled value = (x / 2**exponent - shift) / scale, for each column."""

    exponent: IndexArray
    shift: FloatArray
    scale: FloatArray

    def take(self, columns: "Columns") -> "Scaling":
        """Scaling of some of the columns."""
        if not isinstance(columns, slice) and not are_within(columns, len(self.scale)):
            raise ValueError(f"a scaling of {len(self.scale)} columns does not fit those given.")
        return Scaling(self.exponent[columns], self.shift[columns], self.scale[columns])

    def apply(self, X: FloatArray) -> FloatArray:
        """Scale ``X``; return a new C-ordered array."""
        return self._apply(X, np.empty(X.shape))

    def _apply(self, X: FloatArray, scaled: FloatArray) -> FloatArray:
        """Scale ``X`` into another array, or into itself."""
        _check_fit(self, X)
        with np.errstate(over="ignore", under="ignore"):  # when numba is disabled
            scale_columns(X, _powers(self.exponent), self.shift, self.scale, scaled)
        return scaled

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.ldexp(Z * self.scale + self.shift, self.exponent))

    def per_unit(self, weights: FloatArray) -> FloatArray:
        """Weights of scaled columns as weights of one unit of the columns themselves."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.ldexp(weights / self.scale, -self.exponent))


class SoftScaling(NamedTuple):
    """Scaled value = standard(arcsinh(robust(x))), for each column; robust to heavy tails."""

    robust: Scaling
    standard: Scaling

    def take(self, columns: IndexArray) -> "SoftScaling":
        """Scaling of some of the columns."""
        return SoftScaling(self.robust.take(columns), self.standard.take(columns))

    def apply(self, X: FloatArray) -> FloatArray:
        """Scale ``X``; return a new C-ordered array."""
        values = self.robust.apply(X)
        return self.standard._apply(np.arcsinh(values, out=values), values)

    def undo(self, Z: FloatArray) -> FloatArray:
        """Return scaled values in the columns' own units."""
        with np.errstate(over="ignore"):
            return self.robust.undo(np.sinh(self.standard.undo(Z)))


class RobustScaling(NamedTuple):
    """Scaled value = (clip((x - centre) / spread) - shift) / scale, for each column."""

    centre: FloatArray
    spread: FloatArray
    shift: FloatArray
    scale: FloatArray

    def take(self, columns: Columns) -> "RobustScaling":
        """Scaling of some of the columns."""
        return RobustScaling(*(values[columns] for values in self))

    def apply(self, X: FloatArray, clip: float = CLIP) -> FloatArray:
        """Scale rows; columns without spread become 0, and so do missing values, as no evidence."""
        _check_fit(self, X)
        with np.errstate(over="ignore"):  # when numba is disabled
            return robust_scores(np.ascontiguousarray(X, np.float64), *self, clip)


def _check_fit(scaling: tuple[Any, ...], X: FloatArray) -> None:
    """Refuse the scaling of another table, such as a forged one, before a kernel uses it."""
    if any(np.shape(values) != X.shape[1:] for values in scaling):
        columns = f"{np.size(scaling[-1])} columns does not fit the {X.shape[1]} columns of X."
        raise ValueError(f"a scaling of {columns}")


def are_within(indices: IndexArray, length: int) -> bool:
    """True if all indices exist; those of a model file are checked before a kernel uses them."""
    return len(indices) == 0 or bool(0 <= indices.min() <= indices.max() < length)


def minmax_scaling(X: FloatArray) -> Scaling:
    """Smallest value to 0, largest to 1; constant columns to 0."""
    ends = (end.reduce(X, axis=0).astype(np.float64) for end in (np.fmin, np.fmax))
    low, high = map(np.nan_to_num, ends)
    exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1].astype(np.intp)
    low, high = np.ldexp(low, -exponent), np.ldexp(high, -exponent)
    return Scaling(exponent, low, np.where(high > low, high - low, 1.0))


def zscore_scaling(X: FloatArray, minmax: Scaling | None = None) -> Scaling:
    """Mean 0 and population standard deviation 1; constant columns to 0."""
    exponent, low, _ = minmax_scaling(X) if minmax is None else minmax
    powers = _powers(exponent)
    counts = np.maximum(len(X) - np.isnan(X).sum(axis=0), 1.0)
    mean = deviation_sums(X, powers, low, np.zeros_like(low))[0] / counts
    deviation = np.sqrt(deviation_sums(X, powers, low, mean)[1] / counts)
    return Scaling(exponent, low + mean, np.where(deviation > 0, deviation, 1.0))


def _powers(exponent: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Two powers of two whose product is 2**-exponent, which may be too large for one float."""
    held = np.maximum(exponent, -1023)
    return np.ldexp(1.0, -held), np.ldexp(1.0, held - exponent)


def soft_scaling(X: FloatArray) -> SoftScaling:
    """Median and interquartile range of each column, then the z-scores of the result."""
    plain = zscore_scaling(X)
    low, median, high = np.concatenate(list(_quartiles(X, plain)), axis=1)
    spread = high - low
    robust = Scaling(plain.exponent, median, np.where(spread > 0, spread, plain.scale))
    values = robust.apply(X)
    return SoftScaling(robust, zscore_scaling(np.arcsinh(values, out=values)))


def _quartiles(X: FloatArray, plain: Scaling) -> Iterator[FloatArray]:
    """A few columns at a time, so that no copy of ``X`` is made."""
    width = max(1, VALUES_PER_SORT // len(X))
    for first in range(0, X.shape[1], width):
        part = slice(first, first + width)
        columns = np.ldexp(X[:, part], -plain.exponent[part], dtype=np.float64, order="C")
        missing = np.isnan(columns)
        columns[:, missing.all(axis=0)] = 0.0
        quantile = np.nanquantile if missing.any() else np.quantile
        yield quantile(columns, (0.25, 0.5, 0.75), axis=0, overwrite_input=True)


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


def as_array(X: Any) -> FloatArray:
    """An array or a sparse matrix as an array."""
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray(order="C"))


def filled(Z: FloatArray) -> FloatArray:
    """Missing cells (NaN) of a scaled matrix as 0, the mean of their column; ``Z`` if none is."""
    missing = np.isnan(Z)
    return np.where(missing, 0.0, Z) if missing.any() else Z


def with_means(X: FloatArray) -> FloatArray:
    """Missing values (NaN) as the mean of their column, 0 if it has none; ``X`` without any."""
    return np.where(np.isnan(X), observed_means(X), X) if np.isnan(X).any() else X


def observed_means(X: FloatArray) -> FloatArray:
    """Mean of each column over the cells that are not missing; 0 if all are."""
    missing = np.isnan(X)
    known, counts = np.where(missing, 0.0, X), np.maximum((~missing).sum(axis=0), 1)
    with np.errstate(over="ignore", invalid="ignore"):
        means: FloatArray = known.sum(axis=0) / counts
    if not np.isfinite(means).all():  # the sum of huge numbers overflows, their mean does not
        means = (known / counts).sum(axis=0)
    return means


def row_chunks(
    X: Any, columns: IndexArray, scaling: Scaling | SoftScaling, most_rows: int = MAX_CELLS
) -> Iterator[FloatArray]:
    """Scale some columns of all rows, at most `MAX_CELLS` values and so many rows at a time."""
    if not are_within(columns, X.shape[1]):
        raise ValueError(f"a scaling does not fit X, which has {X.shape[1]} columns.")
    scaling = scaling.take(columns)
    source: Any = X if isinstance(X, np.ndarray) else X[:, columns].tocsr()
    size = min(most_rows, max(1, MAX_CELLS // max(1, len(columns))))
    for first in range(0, X.shape[0], size):
        rows = source[first : first + size]
        yield scaling.apply(rows[:, columns] if source is X else rows.toarray())


class Filling(NamedTuple):
    """A row is ``mean + loadings @ factors`` and independent errors of variance ``noise``."""

    mean: FloatArray
    loadings: FloatArray
    noise: FloatArray

    def take(self, columns: IndexArray) -> "Filling":
        """Filling of tables that have only some of the columns."""
        return Filling(self.mean[columns], self.loadings[columns], self.noise[columns])

    def apply(self, Z: FloatArray) -> FloatArray:
        """Replace NaN by an estimate where the rest of the row explains enough of the cell."""
        return fill_rows(Z, *self, LEAST_EXPLAINED) if np.isnan(Z).any() else Z


def filling_of(Z: FloatArray) -> Filling:
    """Learn how to fill tables like ``Z``, which is scaled, and may be overwritten."""
    n_rows, n_columns = Z.shape
    if n_columns > MOST_ROWS:
        Z = Z[np.linspace(0, n_rows - 1, min(n_rows, MOST_ROWS)).astype(np.intp)]
    is_complete = not np.isnan(Z).any()
    filling = _components(Z if is_complete else filled(Z))
    if not is_complete:
        for _ in range(ROUNDS - 1):
            filling = _components(fill_rows(Z, *filling, -np.inf))  # rounding can be below 0
    return filling


def _components(centred: FloatArray) -> Filling:
    """The main principal components of a table, which is overwritten, less those of noise."""
    n_rows, n_columns = centred.shape
    mean = centred.mean(axis=0)
    centred -= mean
    wide = n_columns > n_rows
    products = centred @ centred.T if wide else centred.T @ centred
    variances, vectors = np.linalg.eigh(products / n_rows)
    variances, vectors = np.maximum(variances[::-1], 0.0), vectors[:, ::-1]
    n_all = min(n_rows - 1, n_columns)
    n_main = max(min(MOST_COMPONENTS, n_all - 1), 0)
    main, rest = variances[:n_main], variances[n_main:n_all].mean() if n_all else 0.0
    axes = vectors[:, :n_main]
    if wide:
        axes = centred.T @ axes / np.sqrt(np.maximum(n_rows * main, np.finfo(float).tiny))
    loadings = axes * np.sqrt(np.maximum(main - rest, 0.0))
    own = np.square(centred, out=centred).mean(axis=0) - np.square(loadings).sum(axis=1)
    return Filling(mean, loadings, np.maximum(own, LEAST_NOISE))
