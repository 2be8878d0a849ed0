"""Null tables, in which there is nothing to find, and searches of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import helmert
from scipy.special import gammaln
from sklearn.utils import column_or_1d

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._workers import one_blas_thread, resolve_data, share_data, start_workers
from bicneuron.patterns import class_masks
from bicneuron.significance._refits import fitted_quietly, strengths_of

# The first rounds are short, because it may be clear soon that there is nothing. They do not depend
# on n_jobs, so that the result does not.
FIRST_ROUND, LONGEST_ROUND = 4, 32
# Called with the number of searches that were made and the number of all.
AfterSearches = Callable[[int, int], None]
# The table and its labels.
NullTable: TypeAlias = tuple[Any, AnyArray | None]


class LabelShuffler:
    """Orders of labels that are as likely as the given one if patterns do not depend on the class.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Class of each row, as a number.
    strata : array of shape (n_rows,) or None
        Labels are exchanged within strata only, such as batches, sexes or centres.
    groups : array of shape (n_rows,) or None
        Rows of a group, such as the samples of a patient, keep a common label.
    """

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.strata = _numbered(strata, n, "strata")
        members = np.arange(n) if groups is None else _numbered(groups, n, "groups")
        self.has_groups = groups is not None
        first = np.unique(members, return_index=True)[1]
        for name, values in (("label", y), ("stratum", self.strata)):
            differs = np.flatnonzero(values != values[first][members])
            if len(differs):
                group = np.asarray(groups).tolist()[differs[0]]
                raise ValueError(
                    f"groups has {group!r} with more than one {name}; "
                    "the rows of a group are exchanged together, so they need the same."
                )
        self._members = members
        self._labels = y[first]
        units = self.strata[first]
        self._pools = [np.flatnonzero(units == stratum) for stratum in np.unique(units)]
        self.log_orders = float(sum(_log_orders(self._labels[pool]) for pool in self._pools))
        if self.log_orders == 0:
            what = "groups" if strata is None else "strata"
            raise ValueError(
                f"{what} leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw one order of the labels."""
        labels = self._labels.copy()
        for pool in self._pools:
            labels[pool] = labels[rng.permutation(pool)]
        return labels[self._members]


class ShuffledLabels(NamedTuple):
    """The same table with its labels in another order."""

    X: Any
    classes: AnyArray
    shuffler: LabelShuffler

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        return self.X, self.classes[self.shuffler.draw(rng)]


class RotatedRows(NamedTuple):
    """Rows that are rotated at random within their class, about its mean: no groups.

    Columns have the means and covariances that they had, to the last digit. If the rows of a class
    are from one normal distribution, whatever its covariance, every rotation of them is as likely
    (Langsrud, 2005): the test is exact. Rows drawn from a normal distribution with the covariance
    that was seen would vary more than the table, because they add their own chance to its chance.
    """

    X: FloatArray
    y: AnyArray | None

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        drawn = np.empty_like(self.X)
        for rows in map(np.flatnonzero, class_masks(self.y, len(self.X)).values()):
            block = self.X[rows]
            missing = np.isnan(block)
            complete = with_means(block)
            # One thread, because sums over threads may differ in their last bits.
            with one_blas_thread():
                # Coordinates of the deviations from the mean, one fewer than rows.
                basis = helmert(len(rows))
                deviations = basis.T @ (_random_rotation(len(basis), rng) @ (basis @ complete))
            # Filled cells have no deviation; the others make up for it, and they stay missing.
            deviations /= np.sqrt(np.maximum(1 - missing.mean(axis=0), 1 / len(rows)))
            drawn[rows] = np.where(missing, np.nan, complete.mean(axis=0) + deviations)
        return drawn, self.y


class ShuffledColumns(NamedTuple):
    """Shuffle each column within the classes, which destroys groups of rows."""

    X: FloatArray
    y: AnyArray | None

    def draw(self, rng: np.random.Generator) -> NullTable:
        """Draw one null table."""
        drawn = np.empty_like(self.X)
        for rows in map(np.flatnonzero, class_masks(self.y, len(self.X)).values()):
            drawn[rows] = rng.permuted(self.X[rows], axis=0)
        return drawn, self.y


Null: TypeAlias = ShuffledLabels | RotatedRows | ShuffledColumns


class NullSearches(NamedTuple):
    """Searches of null tables.

    Parameters
    ----------
    model : estimator
        Unfitted.
    n_tables : int
        Largest number of tables of each kind.
    seed : int
    n_jobs : int or None
        Processes.
    after_searches : callable or None
    """

    model: Any
    n_tables: int
    seed: int
    n_jobs: int | None
    after_searches: AfterSearches | None

    def strongest(self, nulls: Sequence[Null]) -> Iterator[list[list[float]]]:
        """Strength of the strongest pattern in tables of each kind, a round at a time.

        Yields
        ------
        list of list of float
            For each table of the round and each of ``nulls``; minus infinity if nothing is found.
        """
        start_workers(self.n_jobs)
        tasks = Parallel(n_jobs=self.n_jobs)
        data = share_data(self.model, nulls)
        first, length = 0, FIRST_ROUND
        while first < self.n_tables:
            numbers = range(first, min(first + length, self.n_tables))
            found = tasks(
                delayed(_strongest)(*data, kind, [self.seed, kind, number])
                for number in numbers
                for kind in range(len(nulls))
            )
            first, length = numbers.stop, min(2 * length, LONGEST_ROUND)
            if self.after_searches is not None:
                self.after_searches(first, self.n_tables)
            strengths = cast("list[float]", found)
            yield [strengths[k : k + len(nulls)] for k in range(0, len(strengths), len(nulls))]


def _strongest(model: Any, nulls: Any, kind: int, seed: list[int]) -> float:
    model, nulls = resolve_data(model, nulls)
    X, y = nulls[kind].draw(np.random.default_rng(seed))
    fitted = fitted_quietly(model, X, y, 1)
    return max(strengths_of(fitted, X, y), default=-np.inf)


def _numbered(values: Any, n_rows: int, name: str) -> IndexArray:
    """Consecutive numbers in place of values; zeros for None."""
    if values is None:
        return np.zeros(n_rows, np.intp)
    values = column_or_1d(np.asarray(values))
    if len(values) != n_rows:
        raise ValueError(f"{name} has {len(values)} values for {n_rows} rows; give one for each.")
    return np.unique(values, return_inverse=True)[1].astype(np.intp)


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
