"""Selection of columns by the biclusters that they take part in."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._core._residue import block_residue
from bicneuron._estimators._checks import check_numbers
from bicneuron._estimators._compat import Interval, fit_context
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._scaled_matrix import dense, scaled, scaling_of
from bicneuron._estimators._scaling import zscore_scaling
from bicneuron.biclustering._bicluster import Bicluster
from bicneuron.biclustering._coherent import CoherentBiclustering
from bicneuron.biclustering._miner import BiclusterMiner


def bicluster_column_scores(X: Any, biclusters: Iterable[Bicluster]) -> FloatArray:
    """Score columns by the biclusters that they take part in.

    A bicluster gives each of its columns its *interdependence* times the column's *separability*:
    1 minus its residue over the mean variance of its columns, and the share of the column's
    variance that lies between the rows of the bicluster and all others. The score of a column is
    the mean over all biclusters, with 0 for those without it.

    The idea is that of Huang et al. (2011), whose text could not be had; the formula is our
    reading of "interdependence of features and separability of instances".

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        The table that was mined, in any units; missing values (NaN) count as means.
    biclusters : iterable of Bicluster

    Returns
    -------
    array of shape (n_columns,)
        From 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import Bicluster, bicluster_column_scores
    >>> X = [[0, 5, 1], [0, 5, 2], [1, 9, 2], [1, 9, 1]]
    >>> bicluster_column_scores(X, [Bicluster(np.array([0, 1]), np.array([0, 1]), 0.0)])
    array([1., 1., 0.])
    """
    given = np.asarray(X, dtype=np.float64)
    return _scores(with_means(zscore_scaling(given).apply(given)), biclusters)


def _scores(Z: FloatArray, biclusters: Iterable[Bicluster]) -> FloatArray:
    """Scores from z-scores, whose variance is 1, or 0 for a constant column."""
    scores, count = np.zeros(Z.shape[1]), 0
    for found in biclusters:
        count += 1
        n_in, n_out = len(found.rows), len(Z) - len(found.rows)
        variance = float(Z[:, found.columns].var(axis=0).mean())
        if n_out == 0 or variance <= 0:
            continue
        interdependence = 1 - block_residue(Z, found.rows, found.columns) / variance
        # The mean of all rows is 0, so the variance between the two groups is this.
        means = Z[np.ix_(found.rows, found.columns)].mean(axis=0)
        separability = np.square(means) * n_in / n_out
        scores[found.columns] += max(interdependence, 0.0) * np.minimum(separability, 1.0)
    return scores / max(count, 1)


class BiclusterSelector(SelectorMixin, BaseEstimator):
    """Select the columns that take part in coherent and separate biclusters.

    Columns are ranked by `bicluster_column_scores`. Equal scores keep the order of the columns, so
    that columns in no bicluster come last.

    *Our reading* of an unsupervised ranking by Huang et al. (2011), which is known in outline only.

    Parameters
    ----------
    miner : BiclusterMiner or None, default=None
        None stands for ``CoherentBiclustering()``. If it uses labels, so does the selection.
    n_features_to_select : int or float, default=0.5
        Number of columns, or their share.

    Attributes
    ----------
    scores_ : array of shape (n_columns,)
    n_biclusters_ : int
        Number of biclusters that gave the scores.
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> from bicneuron import CoherentBiclustering
    >>> from bicneuron.biclustering import BiclusterSelector
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> X, rows, columns = make_additive_biclusters(
    ...     (60, 20), bicluster_shape=(20, 6), random_state=0
    ... )
    >>> miner = CoherentBiclustering(cut_distance=0.5)
    >>> selector = BiclusterSelector(miner=miner, n_features_to_select=6).fit(X)
    >>> bool((selector.get_support() == columns[0]).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "miner": [BiclusterMiner, None],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
    }

    def __init__(
        self, *, miner: BiclusterMiner | None = None, n_features_to_select: float = 0.5
    ) -> None:
        self.miner = miner
        self.n_features_to_select = n_features_to_select

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find biclusters and score the columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), default=None
            Labels, for a miner that uses them.

        Returns
        -------
        self : object
        """
        miner = self._miner()
        if get_tags(miner).target_tags.required or (miner.uses_labels and y is not None):
            X, y = check_numbers(self, X, y)
        else:
            X, y = check_numbers(self, X), None
        if self.n_features_to_select > X.shape[1]:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} exceeds the {X.shape[1]} "
                "columns of X."
            )
        found = clone(miner).fit(X, y).found_
        self.scores_ = _scores(with_means(dense(scaled(X, scaling_of(zscore_scaling, X)))), found)
        self.n_biclusters_ = len(found)
        return self

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        wanted = self.n_features_to_select
        n_columns = len(self.scores_)
        count = int(wanted) if wanted >= 1 else max(1, int(wanted * n_columns))
        support = np.zeros(n_columns, dtype=bool)
        support[np.argsort(-self.scores_, kind="stable")[:count]] = True
        return support

    def _miner(self) -> BiclusterMiner:
        return CoherentBiclustering() if self.miner is None else self.miner

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_miner = get_tags(self._miner())
        tags.input_tags.sparse = of_miner.input_tags.sparse
        tags.input_tags.allow_nan = of_miner.input_tags.allow_nan
        tags.target_tags.required = of_miner.target_tags.required
        return tags
