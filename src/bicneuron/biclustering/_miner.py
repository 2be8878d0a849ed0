"""Base class of the miners."""

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, BiclusterMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._blocks import join, misplaced
from bicneuron._core._residue import observed_residue
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._estimators._checks import check_numbers
from bicneuron._estimators._compat import fit_context
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._scaled_matrix import dense, scaled, scaling_of
from bicneuron._estimators._scaling import zscore_scaling
from bicneuron.biclustering._bicluster import Bicluster
from bicneuron.exceptions import NoBiclusterWarning


class BiclusterMiner(BiclusterMixin, BaseEstimator, metaclass=ABCMeta):
    """Base class of miners, and the contract between a miner and a classifier.

    A miner is an estimator whose ``fit`` sets ``found_``, a list of ``Bicluster`` with indices into
    the rows and columns of its input, and ``n_seeds_``, the number of starts of its search. A
    subclass has a parameter ``standardize`` and implements ``_mine``.

    - An unsupervised miner is given the rows of the anchor class only. A miner that uses labels
      sets ``uses_labels``, and ``needs_labels`` if there is no search without them. It
      is given all rows and ``y``, and each bicluster it returns has rows of one class only.
    - A missing value (NaN) is replaced by the mean of its column for the search, unless the miner
      sets ``takes_missing``; residues are those of the other cells.
    - A classifier scales the data itself: it sets ``standardize`` to False and passes the matrix to
      be searched. Otherwise a miner searches the column z-scores of its input.

    Attributes
    ----------
    found_ : list of Bicluster
    n_seeds_ : int
    rows_ : bool array of shape (n_biclusters, n_rows)
    columns_ : bool array of shape (n_biclusters, n_columns)
    biclusters_ : tuple of ``rows_`` and ``columns_``
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "standardize": ["boolean"],
        "n_jobs": [Integral, None],
    }
    standardize: bool
    # True if the miner is given labels when there are any, and if it refuses to do without them.
    uses_labels: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    # True if the miner is given missing values.
    takes_missing: ClassVar[bool] = False
    found_: list[Any]

    @property
    def _advice(self) -> str:
        """Advice for the case that nothing is found."""
        return "loosen the parameters that limit its biclusters"

    @abstractmethod
    def _mine(self, Z: FloatArray, y: AnyArray | None) -> tuple[Sequence[Bicluster], int]:
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

        Returns
        -------
        self : object
        """
        if get_tags(self).target_tags.required or (self.uses_labels and y is not None):
            X, y = check_numbers(self, X, y, to_be_scaled=self.standardize)
        else:
            X, y = check_numbers(self, X, to_be_scaled=self.standardize), None
        self._scaling = scaling_of(zscore_scaling, X) if self.standardize else None
        if self._scaling is not None:
            X = dense(scaled(X, self._scaling))
        else:
            X = X.toarray(order="C") if issparse(X) else X
            refuse_huge(X)
        complete = X if self.takes_missing else with_means(X)
        found, self.n_seeds_ = self._mine(complete, y)
        self.found_ = list(found)
        if complete is not X:
            self.found_ = [
                replace(one, msr=observed_residue(X[np.ix_(one.rows, one.columns)]))
                for one in self.found_
            ]
        self._check_found(X.shape)
        self._n_rows = len(X)
        if not self.found_:
            warnings.warn(
                f"no bicluster in {X.shape[0]} rows x {X.shape[1]} columns ({self.n_seeds_} seeds);"
                f" {self._advice}",
                NoBiclusterWarning,
                stacklevel=3,
            )
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.needs_labels
        return tags

    def _check_found(self, shape: tuple[int, ...]) -> None:
        """Raise if an index is outside the matrix: the kernels do not check indices."""
        for name, length in zip(("rows", "columns"), shape, strict=True):
            indices = [getattr(found, name) for found in self.found_]
            starts, flat = join(indices)
            bad = misplaced(flat, starts, length)
            if bad >= 0:
                raise ValueError(
                    f"{type(self).__name__} returned a bicluster with {name} {indices[bad]}, but "
                    f"{name} are sorted indices from 0 to {length - 1}."
                )

    @property
    def rows_(self) -> BoolArray:
        """Rows of each bicluster, as indicators."""
        check_is_fitted(self)
        return _indicators([found.rows for found in self.found_], self._n_rows)

    @property
    def columns_(self) -> BoolArray:
        """Columns of each bicluster, as indicators."""
        check_is_fitted(self)
        return _indicators([found.columns for found in self.found_], self.n_features_in_)

    def get_indices(self, i: int) -> tuple[IndexArray, IndexArray]:
        """Row and column indices of the ``i``-th bicluster."""
        check_is_fitted(self)
        return self.found_[i].rows, self.found_[i].columns


def refuse_huge(X: FloatArray) -> None:
    """Refuse values whose differences cannot be squared."""
    if max(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None)) > FARTHEST:
        row, column = np.unravel_index(np.nanargmax(np.abs(X)), X.shape)
        raise ValueError(
            f"X[{row}, {column}] is {X[row, column]:.3g}, too large to square; "
            "use standardize=True or scale the column"
        )


def _indicators(indices: list[IndexArray], length: int) -> BoolArray:
    masks = np.zeros((len(indices), length), dtype=bool)
    for mask, index in zip(masks, indices, strict=True):
        mask[index] = True
    return masks


def at_least_two_classes(y: AnyArray) -> AnyArray:
    """The classes of ``y``; one alone is refused."""
    check_classification_targets(y)
    classes: AnyArray = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes.tolist()[0]!r}; two are needed.")
    return classes


def non_negative(Z: FloatArray) -> tuple[FloatArray, IndexArray, IndexArray]:
    """Subtract the smallest value if it is negative, and drop rows and columns that are then 0.

    Returns
    -------
    table : array of shape (n_kept_rows, n_kept_columns)
    rows, columns : arrays of int
        Rows and columns that were kept.
    """
    shifted = Z - min(float(Z.min()), 0.0)
    rows, columns = np.flatnonzero(shifted.any(axis=1)), np.flatnonzero(shifted.any(axis=0))
    return shifted[np.ix_(rows, columns)], rows, columns
