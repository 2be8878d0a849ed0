"""Null tables, in which there is nothing to find, and searches of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import helmert, null_space
from scipy.special import gammaln

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._workers import one_blas_thread, resolve_data, share_data, start_workers
from bicneuron.significance._known import Known, row_numbers, strata_of_units, units_by_class
from bicneuron.significance._refits import fitted_quietly, strengths_of

# The first rounds are short, because it may be clear soon that there is nothing. They do not depend
# on n_jobs, so that the result does not.
FIRST_ROUND, LONGEST_ROUND = 4, 32
# Called with the number of searches that were made and the number of all.
AfterSearches = Callable[[int, int], None]
# The table and its labels.
NullTable: TypeAlias = tuple[Any, AnyArray | None]


class LabelShuffler:
    """Orders of labels, each as likely as that of y if patterns do not depend on the class."""

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.strata = row_numbers(strata, n, "strata")
        units = units_by_class(groups, y, n)
        members = np.arange(n) if units is None else units
        self.has_groups = bool(members.max() + 1 < n)
        first = np.unique(members, return_index=True)[1]
        self._y, self._groups = y, groups
        self._members = members
        self._labels = y[first]
        of_strata = strata_of_units(self.strata, members)
        self._pools = [np.flatnonzero(of_strata == one) for one in np.unique(of_strata)]
        self.log_orders = float(sum(_log_orders(self._labels[pool]) for pool in self._pools))
        if self.log_orders == 0:
            raise ValueError(
                "strata leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def of(self, rows: IndexArray) -> "LabelShuffler":
        """Orders of the labels of some rows."""
        if len(rows) == len(self._y):
            return self
        groups = None if self._groups is None else np.asarray(self._groups)[rows]
        return LabelShuffler(self._y[rows], self.strata[rows], groups)

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw one order of the labels."""
        labels = self._labels.copy()
        for pool in self._pools:
            labels[pool] = labels[rng.permutation(pool)]
        return labels[self._members]


class RotatedRows(NamedTuple):
    """Rows that are rotated at random within their class, about its mean: no groups.

    Columns have the means and covariances that they had, to the last digit. If the rows of a class
    are from one normal distribution, whatever its covariance, every rotation of them is as likely
    (Langsrud, 2005): the test is exact. Rows drawn from a normal distribution with the covariance
    that was seen would vary more than the table, because they add their own chance to its chance.

    With strata, rows are rotated within them; with covariates, about a line and not the mean.
    """

    X: FloatArray
    y: AnyArray | None
    known: Known = Known()

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        drawn = self.X.copy()
        for rows in _blocks(self.y, self.known, len(self.X)):
            block = self.X[rows]
            missing = np.isnan(block)
            complete = with_means(block)
            # One thread, because sums over threads may differ in their last bits.
            with one_blas_thread():
                # Coordinates of what is not explained, fewer than rows.
                basis = _unexplained(self.known.of(rows), len(rows))
                if not len(basis):
                    continue
                explained = _explained(complete, basis, self.known)
                deviations = basis.T @ (_random_rotation(len(basis), rng) @ (basis @ complete))
            # Filled cells have no deviation; the others make up for it, and they stay missing.
            deviations /= np.sqrt(np.maximum(1 - missing.mean(axis=0), 1 / len(rows)))
            drawn[rows] = np.where(missing, np.nan, explained + deviations)
        return drawn, self.y


class ShuffledColumns(NamedTuple):
    """Shuffle each column within the classes, which destroys groups of rows.

    With strata, within these; with covariates, what they do not explain is shuffled.
    """

    X: FloatArray
    y: AnyArray | None
    known: Known = Known()

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        drawn = np.empty_like(self.X)
        for rows in _blocks(self.y, self.known, len(self.X)):
            block = self.X[rows]
            explained: Any = 0.0
            if self.known.covariates is not None:
                basis = _unexplained(self.known.of(rows), len(rows))
                with one_blas_thread():
                    explained = _explained(with_means(block), basis, self.known)
            drawn[rows] = explained + rng.permuted(block - explained, axis=0)
        return drawn, self.y


def _blocks(y: AnyArray | None, known: Known, n_rows: int) -> list[IndexArray]:
    """Rows of each class, or of each class in each stratum."""
    of_class, of_stratum = row_numbers(y, n_rows, "y"), row_numbers(known.strata, n_rows, "strata")
    blocks = row_numbers(np.column_stack([of_class, of_stratum]), n_rows, "blocks")
    return [np.flatnonzero(blocks == block) for block in range(int(blocks.max()) + 1)]


def _unexplained(known: Known, n_rows: int) -> FloatArray:
    """Orthonormal rows that span what neither the mean nor the covariates explain."""
    if known.covariates is None:
        basis: FloatArray = helmert(n_rows)
        return basis
    covariates = np.asarray(known.covariates, np.float64).reshape(n_rows, -1)
    spread = covariates - covariates.mean(axis=0)
    largest = np.abs(spread).max(axis=0)
    basis = null_space(np.column_stack([np.ones(n_rows), spread / np.where(largest, largest, 1)]).T)
    return basis.T


def _explained(complete: FloatArray, basis: FloatArray, known: Known) -> FloatArray:
    """What the mean and the covariates explain of some rows."""
    if known.covariates is None:
        mean: FloatArray = complete.mean(axis=0)
        return mean
    return complete - basis.T @ (basis @ complete)


class Repeated(NamedTuple):
    """A null table whose rows stand in it as often as those of units do in the table."""

    null: RotatedRows | ShuffledColumns
    units: IndexArray

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        X, y = self.null.draw(rng)
        return X[self.units], None if y is None else y[self.units]


Null: TypeAlias = RotatedRows | ShuffledColumns | Repeated


class NullSearches(NamedTuple):
    """Searches of null tables."""

    model: Any
    n_tables: int
    seed: int
    n_jobs: int | None
    after_searches: AfterSearches | None
    known: Known = Known()

    def strongest(self, nulls: Sequence[Null]) -> Iterator[FloatArray]:
        """Strength of the strongest pattern in tables of each kind, a round at a time."""
        start_workers(self.n_jobs)
        search = Parallel(n_jobs=self.n_jobs, return_as="generator")
        data = share_data(self.model, nulls, self.known)
        first, length = 0, FIRST_ROUND
        while first < self.n_tables:
            numbers = range(first, min(first + length, self.n_tables))
            tasks = search(
                delayed(_strongest)(*data, kind, [self.seed, kind, number])
                for number in numbers
                for kind in range(len(nulls))
            )
            strengths: list[tuple[float, float]] = []
            for strongest in tasks:
                strengths.append(strongest)
                n_tables, n_more = divmod(len(strengths), len(nulls))
                if self.after_searches is not None and not n_more:
                    self.after_searches(first + n_tables, self.n_tables)
            first, length = numbers.stop, min(2 * length, LONGEST_ROUND)
            yield np.array(strengths).reshape(len(numbers), len(nulls), 2)


def _strongest(
    model: Any, nulls: Any, known: Any, kind: int, seed: list[int]
) -> tuple[float, float]:
    model, nulls, known = resolve_data(model, nulls, known)
    X, y = nulls[kind].draw(np.random.default_rng(seed))
    fitted = fitted_quietly(model, X, y, 1, known=known)
    strengths = strengths_of(fitted)
    is_class = [pattern.is_class_wide for pattern in fitted.patterns_]
    others = [one for one, is_wide in zip(strengths, is_class, strict=True) if not is_wide]
    return max(others, default=-np.inf), max(strengths, default=-np.inf)


def _log_orders(labels: AnyArray) -> float:
    """Logarithm of the number of different orders."""
    counts = np.unique(labels, return_counts=True)[1]
    return float(gammaln(len(labels) + 1) - gammaln(counts + 1).sum()) if len(counts) > 1 else 0.0


def _random_rotation(n: int, rng: np.random.Generator) -> FloatArray:
    """A rotation or reflection, each as likely as any other."""
    rotation, triangle = np.linalg.qr(rng.standard_normal((n, n)))
    # With these signs the decomposition is unique, and its first part is uniform (Mezzadri, 2007).
    uniform: FloatArray = rotation * np.sign(np.diag(triangle))
    return uniform
