"""Biclusters in a pipeline: as features of rows, and to select columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._core._residue import block_residue
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, StrOptions, fit_context
from bicneuron._shared._scaling import as_array, observed_means, with_means, zscore_scaling
from bicneuron.biclustering._coherent import CoherentBiclustering
from bicneuron.biclustering._miner import BiclusterMiner, checked_table, searched
from bicneuron.patterns import Pattern


class MinerTransformer(BaseEstimator):
    """Base of transformers with a parameter ``miner``; they take what the miner takes."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {"miner": [BiclusterMiner, None]}
    miner: BiclusterMiner | None

    def _miner(self) -> BiclusterMiner:
        return CoherentBiclustering() if self.miner is None else self.miner

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find biclusters, with labels ``y`` (for features also several per row) if used."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_miner = get_tags(self._miner())
        tags.input_tags.sparse = of_miner.input_tags.sparse
        tags.input_tags.allow_nan = of_miner.input_tags.allow_nan
        tags.target_tags.required = of_miner.target_tags.required
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class BiclusterFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MinerTransformer):
    """Describe rows by their fit to each bicluster of the training set.

    A bicluster with column means m_j and mean m expects of a row x the values
    ``p_j = mean(x_J) + m_j - m``: the profile of its columns, at the level of the row. With several
    labels per row, a miner that uses labels is fitted to each of them.

    *Sourced:* the expected values and the binary feature, of R. Prati, F. de França, "Extending
    features for multilabel classification with swarm biclustering" (CEC 2013). *Our reading:* the
    two graded ones. A missing value fits no bicluster, and does not count for its residue.

    Parameters
    ----------
    miner : BiclusterMiner or None, default=None
        None stands for ``CoherentBiclustering()``.
    output : {"match", "share", "residue"}, default="match"
        1 if all columns are within ``delta`` of what is expected and else 0, the share of the
        columns that are, or the mean of the squared differences.
    delta : float, default=0.25
        Largest squared difference, in squared units of the columns that are searched.

    Attributes
    ----------
    patterns_ : list of Pattern
        One for each feature.
    profiles_ : list of arrays
        Means of the columns of each bicluster over its rows, in the units that were searched.
    n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron.biclustering import BiclusterFeatures, DifferenceBiclustering
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, *_ = make_additive_biclusters((60, 20), bicluster_shape=(20, 6), random_state=0)
    >>> BiclusterFeatures(miner=DifferenceBiclustering()).fit_transform(X).sum(axis=0)
    array([20.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MinerTransformer._parameter_constraints,
        "output": [StrOptions({"match", "share", "residue"})],
        "delta": [Interval(Real, 0, None, closed="left")],
    }

    miner: BiclusterMiner | None = None
    output: Literal["match", "share", "residue"] = "match"
    delta: float = 0.25

    def _fit(self, X: Any, y: Any) -> Self:
        miner = self._miner()
        X, y = checked_table(self, miner, X, y, multi_output=True)
        self._scaling = zscore_scaling(as_array(X)) if miner.standardize else None
        Z = searched(X, self._scaling)
        labels = [y] if y is None or y.ndim == 1 else list(y.T)
        self.patterns_ = [
            found
            for label in labels
            for found in clone(miner).set_params(standardize=False).fit(Z, label).patterns_
        ]
        self.profiles_ = [
            observed_means(Z[np.ix_(found.rows, found.columns)]) for found in self.patterns_
        ]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Features of rows, shape (n_rows, n_biclusters)."""
        check_is_fitted(self)
        Z = searched(check_numbers(self, X, reset=False), self._scaling)
        features = np.empty((len(Z), len(self.patterns_)))
        for k, (found, profile) in enumerate(zip(self.patterns_, self.profiles_, strict=True)):
            deviations = Z[:, found.columns] - profile
            is_known = ~np.isnan(deviations)
            n_known = np.maximum(is_known.sum(axis=1), 1)
            levels = np.where(is_known, deviations, 0.0).sum(axis=1) / n_known
            squares = np.square(np.where(is_known, deviations - levels[:, None], 0.0))
            if self.output == "residue":
                features[:, k] = squares.sum(axis=1) / n_known
            else:
                features[:, k] = np.mean(is_known & (squares <= self.delta), axis=1)
        return np.floor(features) if self.output == "match" else features

    @property
    def _n_features_out(self) -> int:
        return len(self.patterns_)


def column_scores(Z: FloatArray, biclusters: Sequence[Pattern]) -> FloatArray:
    """Scores of columns from z-scores, whose variance is 1, or 0 for a constant column."""
    scores = np.zeros(Z.shape[1])
    for found in biclusters:
        n_in, n_out = len(found.rows), len(Z) - len(found.rows)
        variance = float(Z[:, found.columns].var(axis=0).mean())
        if n_out == 0 or variance <= 0:
            continue
        interdependence = 1 - block_residue(Z, found.rows, found.columns) / variance
        # The mean of all rows is 0, so the variance between the two groups is this.
        means = Z[np.ix_(found.rows, found.columns)].mean(axis=0)
        separability = np.square(means) * n_in / n_out
        scores[found.columns] += max(interdependence, 0.0) * np.minimum(separability, 1.0)
    return scores / max(len(biclusters), 1)


@dataclass(kw_only=True, eq=False, repr=False)
class BiclusterSelector(SelectorMixin, MinerTransformer):
    """Select the columns that take part in coherent and separate biclusters.

    The score of a column is the mean over all biclusters of 1 minus the residue over the mean
    variance of the columns, times the share of the column's variance that lies between the rows of
    the bicluster and all others. *Our reading* of a ranking by Huang et al. (2011), which is known
    in outline only.

    Parameters
    ----------
    miner : BiclusterMiner or None, default=None
        None stands for ``CoherentBiclustering()``. If it uses labels, so does the selection.
    n_features_to_select : int or float, default=0.5
        Number of columns, or their share.

    Attributes
    ----------
    scores_ : array of shape (n_columns,)
        From 0 to 1.
    n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron import CoherentBiclustering
    >>> from bicneuron.biclustering import BiclusterSelector
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, *_ = make_additive_biclusters((60, 20), bicluster_shape=(20, 6), random_state=0)
    >>> miner = CoherentBiclustering(cut_distance=0.5)
    >>> BiclusterSelector(miner=miner, n_features_to_select=6).fit_transform(X).shape
    (60, 6)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MinerTransformer._parameter_constraints,
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
    }

    miner: BiclusterMiner | None = None
    n_features_to_select: float = 0.5

    def _fit(self, X: Any, y: Any) -> Self:
        X, y = checked_table(self, self._miner(), X, y)
        if self.n_features_to_select > X.shape[1]:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} exceeds the {X.shape[1]} "
                "columns of X."
            )
        found = clone(self._miner()).fit(X, y).patterns_
        table = as_array(X)
        Z = with_means(zscore_scaling(table).apply(table))
        self.scores_ = column_scores(Z, found)
        return self

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        wanted, n_columns = self.n_features_to_select, len(self.scores_)
        count = int(wanted) if wanted >= 1 else max(1, int(wanted * n_columns))
        support = np.zeros(n_columns, dtype=bool)
        support[np.argsort(-self.scores_, kind="stable")[:count]] = True
        return support
