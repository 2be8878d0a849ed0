"""Base class of the miners."""

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import replace
from inspect import cleandoc
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, BiclusterMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import join, misplaced, pack_blocks, split
from bicneuron._core._residue import block_profiles, observed_residue
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import check_classes, check_numbers
from bicneuron._shared._compat import Interval, fit_context
from bicneuron._shared._scaling import Scaling, as_array, with_means, zscore_scaling
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Pattern, PatternModel

# Descriptions of the last parameters of a miner, which replace "{shared}" in its docstring.
SHARED = {
    "standardize": "bool, default={}\n    Search the column z-scores.",
    "n_jobs": "int, default={}\n    Number of threads, where the search can use several.",
    "random_state": "int, RandomState instance or None, default={}\n    Seed of random draws.",
}
COUNT = Interval(Integral, 1, None, closed="left")
SEVERAL = Interval(Integral, 2, None, closed="left")
# Residues that differ by less, relatively or in squared standard deviations, count as equal.
ROUNDING = 1e-9


class BiclusterMiner(PatternModel, BiclusterMixin, BaseEstimator, metaclass=ABCMeta):
    """Base class of miners, and the contract between a miner and a classifier.

    A subclass has a parameter ``standardize`` and implements ``_mine``.

    - An unsupervised miner is given the rows of the anchor class only. A miner that uses labels
      sets ``uses_labels``, and ``needs_labels`` if there is no search without them. It
      is given all rows and ``y``, and each bicluster it returns has rows of one class only.
    - A missing value (NaN) is replaced by the mean of its column for the search, unless the miner
      sets ``takes_missing``; residues are those of the other cells.
    - With ``standardize`` it searches the column z-scores; a classifier scales the data itself.

    Attributes
    ----------
    patterns_ : list of Pattern
    n_seeds_ : int
        Number of starts of the search.
    rows_ : bool array of shape (n_biclusters, n_rows)
    columns_ : bool array of shape (n_biclusters, n_columns)
    biclusters_ : tuple of ``rows_`` and ``columns_``
    n_features_in_, feature_names_in_ : int, and array of str if the input has column names
    """

    # Of parameters that several miners have.
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cut_distance": [Interval(Real, 0, None, closed="left")],
        "max_residue": [Interval(Real, 0, None, closed="left")],
        "n_biclusters": [COUNT],
        "min_rows": [SEVERAL],
        "min_columns": [SEVERAL],
        "max_seeds": [COUNT, None],
        "standardize": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    standardize: bool
    # True if the miner is given labels when there are any, and if it refuses to do without them.
    uses_labels: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    # True if the miner is given missing values.
    takes_missing: ClassVar[bool] = False
    patterns_: list[Pattern]

    @property
    def _advice(self) -> str:
        """Advice for the case that nothing is found."""
        return "loosen the parameters that limit its biclusters"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {name: vars(cls)[name] for name in SHARED if name in vars(cls)}
        told = [f"{name} : {SHARED[name].format(default)}" for name, default in own.items()]
        if cls.__doc__:
            cls.__doc__ = cleandoc(cls.__doc__).replace("{shared}", "\n".join(told))

    @abstractmethod
    def _mine(self, Z: FloatArray, y: Any) -> tuple[list[Pattern], int]:
        """Find biclusters in ``Z``; return them with the number of seeds."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find biclusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value. A sparse matrix is made dense.
        y : array-like of shape (n_rows,), default=None
            Labels; ignored by an unsupervised miner.
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, **known: Any) -> Self:
        X, y = checked_table(self, self, X, y, to_be_scaled=self.standardize)
        self._remember(X, y)
        table, X = X, self._prepared(X)
        complete = X if self.takes_missing else with_means(X)
        if self.needs_labels:
            self.classes_, _ = check_classes(y)
        self.patterns_, self.n_seeds_ = self._mine(complete, y, **known)
        if complete is not X:
            self.patterns_ = [
                replace(one, msr=observed_residue(X[np.ix_(one.rows, one.columns)]))
                for one in self.patterns_
            ]
        for name, length in zip(("rows", "columns"), X.shape, strict=True):
            indices = [getattr(found, name) for found in self.patterns_]
            starts, flat = join(indices)
            bad = misplaced(flat, starts, length)
            if bad >= 0:  # the kernels do not check indices
                raise ValueError(
                    f"{type(self).__name__} returned a bicluster with {name} {indices[bad]}, but "
                    f"{name} are sorted indices from 0 to {length - 1}."
                )
        self._n_rows = X.shape[0]
        self._learn_carriers(table, X, y)
        if not self.patterns_:
            warnings.warn(
                f"no bicluster in {X.shape[0]} rows x {X.shape[1]} columns ({self.n_seeds_} seeds);"
                f" {self._advice}",
                NoBiclusterWarning,
                stacklevel=4,
            )
        return self

    def _prepared(self, X: Any) -> Any:
        """The checked table as `_mine` takes it, here scaled; keep what scales other rows."""
        self._scaling = zscore_scaling(as_array(X)) if self.standardize else None
        return searched(X, self._scaling)

    def _learn_carriers(self, X: Any, Z: FloatArray, y: AnyArray | None) -> None:
        """Keep what decides whether a row carries a bicluster: its profile, and the reach of it."""
        blocks = pack_blocks((found.rows, found.columns) for found in self.patterns_)
        complete = with_means(Z)
        profiles, farthest = block_profiles(complete, blocks)
        self._profiles = split(profiles, blocks.column_starts)
        if complete is not Z:
            both = zip(self.patterns_, self._profiles, strict=True)
            cells = (Z[np.ix_(found.rows, found.columns)] - profile for found, profile in both)
            farthest = np.array([row_residues(deviations).max() for deviations in cells])
        self._reaches = (1 + ROUNDING) * farthest + ROUNDING

    def _pattern_scores(self, X: Any) -> FloatArray:
        Z = searched(X, self._scaling)
        scores = np.empty((len(Z), len(self.patterns_)))
        for k, (found, profile) in enumerate(zip(self.patterns_, self._profiles, strict=True)):
            # Not Z[:, columns], whose memory layout, and so the bits of sums, depend on the rows.
            deviations = np.take(Z, found.columns, axis=1) - profile
            with np.errstate(over="ignore"):  # the reach may be that of rounding
                distances = row_residues(deviations) / self._reaches[k]
            scores[:, k] = 1 - np.minimum(distances, np.finfo(float).max)
            # At its own level, one value of several is always on the profile.
            few = np.count_nonzero(~np.isnan(deviations), axis=1) < min(2, len(profile))
            scores[few, k] = 0.0
        return scores

    def _scaled(self, X: Any) -> FloatArray:
        return with_means(searched(X, self._scaling))

    def in_table_units(self, values: FloatArray, columns: IndexArray) -> FloatArray:
        return values if self._scaling is None else self._scaling.take(columns).undo(values)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.needs_labels
        return tags

    @property
    def rows_(self) -> BoolArray:
        """Rows of each bicluster, as indicators."""
        check_is_fitted(self)
        return _indicators([found.rows for found in self.patterns_], self._n_rows)

    @property
    def columns_(self) -> BoolArray:
        """Columns of each bicluster, as indicators."""
        check_is_fitted(self)
        return _indicators([found.columns for found in self.patterns_], self.n_features_in_)


def checked_table(
    estimator: Any, miner: BiclusterMiner, X: Any, y: Any, multi_output: bool = False, **how: Any
) -> tuple[Any, Any]:
    """The table, and the labels if the miner uses them."""
    if get_tags(miner).target_tags.required or (miner.uses_labels and y is not None):
        X, y = check_numbers(estimator, X, y, multi_output=multi_output, **how)
        return X, y
    return check_numbers(estimator, X, **how), None


def row_residues(deviations: FloatArray) -> FloatArray:
    """Mean square of the deviations of rows from a profile, each at its own level."""
    is_known = ~np.isnan(deviations)
    n_known = np.maximum(is_known.sum(axis=1), 1)
    known = np.where(is_known, deviations, 0.0)
    if deviations.shape[1] > 1:
        levels = known.sum(axis=1) / n_known
        known = np.where(is_known, deviations - levels[:, None], 0.0)
    return np.asarray(np.square(known).sum(axis=1) / n_known)


def searched(X: Any, scaling: Scaling | None) -> FloatArray:
    """Checked rows in the units that are searched, with NaN for missing cells."""
    if scaling is not None:
        return np.asarray(scaling.apply(as_array(X)), np.float64)
    matrix: FloatArray = X.toarray(order="C") if issparse(X) else X
    if max(np.fmax.reduce(matrix, axis=None), -np.fmin.reduce(matrix, axis=None)) > FARTHEST:
        row, column = np.unravel_index(np.nanargmax(np.abs(matrix)), matrix.shape)
        raise ValueError(
            f"X[{row}, {column}] is {matrix[row, column]:.3g}, too large to square; "
            "use standardize=True or scale the column"
        )
    return matrix


def _indicators(indices: list[IndexArray], length: int) -> BoolArray:
    masks = np.zeros((len(indices), length), dtype=bool)
    for mask, index in zip(masks, indices, strict=True):
        mask[index] = True
    return masks


def slices(count: int, size: int) -> list[slice]:
    """Consecutive slices of so many positions; there may be none."""
    return [slice(first, first + size) for first in range(0, count, size)]
