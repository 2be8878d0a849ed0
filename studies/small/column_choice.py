"""The choice of columns by L1 and by shrunken centroids, and logistic regression on columns."""

from typing import Any, Self

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c
from sklearn.utils.fixes import parse_version

from bicneuron._core._arrays import BoolArray, FloatArray
from reproduction._problems import Problem
from reproduction._protocols import grouped_folds

# Multiples of the C at which the first column enters: from just below 1 to 3,000.
L1_PATH = np.geomspace(0.98, 3e3, 127)
# Values of C to choose from: the weakest penalty is the last.
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
N_FOLDS = 5
# scikit-learn 1.8 replaced penalty="l1" by l1_ratio=1.
IS_NEW = parse_version(sklearn.__version__) >= parse_version("1.8")
L1_PENALTY = {"l1_ratio": 1.0} if IS_NEW else {"penalty": "l1"}


class L1Columns(SelectorMixin, BaseEstimator):
    """The largest weights of L1 logistic regression, under the strongest penalty that has enough.

    Parameters
    ----------
    n_columns : int, default=10
        There are fewer where no penalty has as many.
    random_state : int, default=None

    Attributes
    ----------
    mask_ : bool array
    """

    def __init__(self, n_columns: int = 10, *, random_state: Any = None) -> None:
        self.n_columns = n_columns
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Halve the path of penalties until the first one that has enough columns is found."""
        if self.n_columns >= X.shape[1]:
            self.mask_ = np.ones(X.shape[1], dtype=bool)
            return self
        path = l1_min_c(X, y, loss="log", fit_intercept=False) * L1_PATH
        few, enough = -1, len(path)
        while enough - few > 1:
            middle = (few + enough) // 2
            weights = self._weights(X, y, path[middle])
            if np.count_nonzero(weights) < self.n_columns:
                few = middle
            else:
                enough = middle
        weights = self._weights(X, y, path[min(enough, len(path) - 1)])
        self.mask_ = np.zeros(X.shape[1], dtype=bool)
        self.mask_[np.argsort(-weights, kind="stable")[: self.n_columns]] = True
        self.mask_ &= weights > 0
        return self

    def _weights(self, X: FloatArray, y: Any, C: float) -> FloatArray:
        # The solver also penalises the intercept; the scaling weakens that.
        model = LogisticRegression(
            C=C,
            solver="liblinear",
            intercept_scaling=10.0,
            max_iter=200,
            random_state=self.random_state,
            **L1_PENALTY,
        )
        weights: FloatArray = np.abs(model.fit(X, y).coef_[0])
        return weights

    def _get_support_mask(self) -> BoolArray:
        return self.mask_


class CentroidColumns(SelectorMixin, BaseEstimator):
    """The columns in which shrunken centroids still differ when a number of them is left.

    Parameters
    ----------
    n_columns : int, default=10

    Attributes
    ----------
    mask_ : bool array
    """

    def __init__(self, n_columns: int = 10) -> None:
        self.n_columns = n_columns

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Centroids of a column differ up to a threshold of its largest deviation."""
        deviations = np.abs(NearestCentroid().fit(X, y).deviations_).max(axis=0)
        order = np.argsort(-np.nan_to_num(deviations), kind="stable")
        self.mask_ = np.zeros(X.shape[1], dtype=bool)
        self.mask_[order[: self.n_columns]] = True
        return self

    def _get_support_mask(self) -> BoolArray:
        return self.mask_


class LogisticRegressionOnColumns(ClassifierMixin, BaseEstimator):
    """L2 logistic regression on chosen columns; the penalty has the least log loss in inner folds.

    Columns are scaled and chosen anew in each inner fold.

    Parameters
    ----------
    selector : selector of columns
        It gets standardised columns.
    random_state : int, default=None

    Attributes
    ----------
    classes_ : array of shape (2,)
    selector_ : Pipeline
        Scaler and fitted selector.
    model_ : LogisticRegression
    """

    def __init__(self, selector: Any, *, random_state: Any = None) -> None:
        self.selector = selector
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any, groups: Any = None) -> Self:
        """Choose the penalty, then columns and weights on all rows.

        Inner folds keep the rows of a group together; labels are -1 and 1.
        """
        scaled = make_pipeline(StandardScaler(), self.selector)
        losses = np.zeros(len(STRENGTHS))
        for train, test in grouped_folds(Problem("", X, y, groups), N_FOLDS, self.random_state):
            selector = clone(scaled).fit(X[train], y[train])
            inside, outside = selector.transform(X[train]), selector.transform(X[test])
            for place, C in enumerate(STRENGTHS):
                model = LogisticRegression(C=C, max_iter=1000).fit(inside, y[train])
                chances = model.predict_proba(outside)
                losses[place] += len(test) * log_loss(y[test], chances, labels=model.classes_)
        self.selector_ = clone(scaled).fit(X, y)
        self.model_ = LogisticRegression(C=STRENGTHS[int(np.argmin(losses))], max_iter=1000)
        self.model_.fit(self.selector_.transform(X), y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Log odds of the second class."""
        scores: FloatArray = self.model_.decision_function(self.selector_.transform(X))
        return scores

    def predict(self, X: FloatArray) -> Any:
        """Class of each row."""
        return self.model_.predict(self.selector_.transform(X))

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Probability of each class."""
        chances: FloatArray = self.model_.predict_proba(self.selector_.transform(X))
        return chances
