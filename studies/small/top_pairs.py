"""Classification by which of two columns is larger, in the pairs that tell most."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectKBest

from bicneuron._core._arrays import FloatArray, IndexArray

# Pairs are formed of so many columns of largest F statistic.
N_PRESELECTED = 100


class TopScoringPairs(ClassifierMixin, BaseEstimator):
    """k top scoring pairs (Tan et al., 2005), for two classes.

    The score of two columns a and b is the difference between both classes in the share of rows
    with ``a < b``; ties are broken by the same difference in the mean of ``b - a``. The pairs of
    largest score that have no column in common vote.

    Parameters
    ----------
    n_pairs : int, default=1
        There are fewer where there are fewer columns, and one fewer where the number is even, so
        that no vote is tied.

    Attributes
    ----------
    classes_ : array of shape (2,)
    pairs_ : array of intp of shape (n_pairs, 2)
        Rows where the first column of a pair is smaller are more often of the second class.
    """

    def __init__(self, n_pairs: int = 1) -> None:
        self.n_pairs = n_pairs

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Choose pairs."""
        self.classes_ = np.unique(y)
        n_columns = X.shape[1]
        best = SelectKBest(k=min(N_PRESELECTED, n_columns)).fit(X, y).get_support(indices=True)
        first, second = (X[np.ix_(y == label, best)] for label in self.classes_)
        score = _smaller(second) - _smaller(first)
        gap = second.mean(axis=0) - first.mean(axis=0)
        gap = gap[None, :] - gap[:, None]
        pairs: list[tuple[int, int]] = []
        taken: set[int] = set()
        most = max(1, min(self.n_pairs, n_columns // 2))
        most -= most % 2 == 0
        order = np.lexsort([-gap.ravel(), -score.ravel()])
        for a, b in zip(*(each.tolist() for each in np.divmod(order, len(best))), strict=True):
            if len(pairs) == most:
                break
            if a != b and not {a, b} & taken:
                pairs.append((a, b))
                taken |= {a, b}
        self.pairs_: IndexArray = best[np.array(pairs, np.intp).reshape(-1, 2)]
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Share of the pairs that vote for the second class, from -1 for none to 1 for all."""
        votes = X[:, self.pairs_[:, 0]] < X[:, self.pairs_[:, 1]]
        scores: FloatArray = 2.0 * votes.mean(axis=1) - 1.0
        return scores

    def predict(self, X: FloatArray) -> Any:
        """Class of each row, by the majority of the pairs."""
        return self.classes_[(self.decision_function(X) > 0).astype(np.intp)]


def _smaller(X: FloatArray) -> FloatArray:
    """Share of rows in which each column is smaller than each other one."""
    shares = np.zeros((X.shape[1], X.shape[1]))
    for row in X:
        shares += row[:, None] < row[None, :]
    return shares / len(X)
