"""Rivals of the network that scikit-learn does not provide."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, l1_min_c

from bicneuron._core._arrays import FloatArray
from bicneuron._sklearn._compat import L1_PENALTY
from bicneuron.experiments._protocols import Protocol

# Multiples of the C at which the first column enters: from just below 1 to 10,000.
L1_PATH = np.geomspace(0.98, 1e4, 200)


class RelativeSVC(SVC):
    """SVC with a gamma relative to ``"scale"``, so that one grid suits any number of columns.

    Parameters
    ----------
    C : float, default=1.0
    relative_gamma : float, default=1.0
        Multiple of ``1 / (n_columns * X.var())``.
    """

    def __init__(self, *, C: float = 1.0, relative_gamma: float = 1.0) -> None:
        super().__init__(C=C)
        self.relative_gamma = relative_gamma

    def fit(self, X: Any, y: Any) -> Self:
        """Set gamma for these rows and fit."""
        self.gamma = self.relative_gamma / (X.shape[1] * X.var())
        super().fit(X, y)
        return self


def tuned_svc(protocol: Protocol, dataset: str, seed: int) -> Any:
    """SVC with C and gamma by inner cross-validation, on standardised columns."""
    return GridSearchCV(
        make_pipeline(StandardScaler(), RelativeSVC()),
        {
            "relativesvc__C": (0.1, 1.0, 10.0, 100.0),
            "relativesvc__relative_gamma": (0.1, 0.3, 1.0, 3.0),
        },
        cv=StratifiedKFold(5, shuffle=True, random_state=seed),
    )


class SparseLogisticRegression(LogisticRegression):
    """L1 logistic regression on centred columns, of which it uses at most ``max_columns``.

    The penalty is weakened step by step until the next step would use too many.

    Parameters
    ----------
    max_columns : int, default=10
    random_state : int, default=None
    """

    coef_: FloatArray
    intercept_: FloatArray

    def __init__(self, max_columns: int = 10, *, random_state: Any = None) -> None:
        # The solver also penalises the intercept; the scaling weakens that.
        super().__init__(
            solver="liblinear",
            intercept_scaling=10.0,
            max_iter=1000,
            random_state=random_state,
            **L1_PENALTY,
        )
        self.max_columns = max_columns

    def fit(self, X: Any, y: Any) -> Self:
        """Follow the path of penalties as far as ``max_columns`` allows."""
        kept = np.zeros((1, X.shape[1])), np.zeros(1)
        for self.C in l1_min_c(X, y, loss="log", fit_intercept=False) * L1_PATH:
            super().fit(X, y)
            if np.count_nonzero(self.coef_) > self.max_columns:
                self.coef_, self.intercept_ = kept
                break
            kept = self.coef_, self.intercept_
        return self


class RuleTerms(TransformerMixin, BaseEstimator):
    """Candidate terms of RuleFit: rules of boosted trees, and the columns themselves.

    A rule is the path to a node of a small tree. Of rules that split the training rows in the same
    way one is kept, because each would count as a term. Columns are clipped at their 2.5 % and
    97.5 % quantiles and have a standard deviation of 0.4, like a common rule.

    Parameters
    ----------
    random_state : int, default=None
    """

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Grow the trees."""
        self.boosting_ = GradientBoostingClassifier(
            max_leaf_nodes=4, subsample=0.5, random_state=self.random_state
        ).fit(X, y)
        rules = self._rules(X)
        _, first = np.unique(rules != rules[0], axis=1, return_index=True)
        self.distinct_ = np.sort(first)
        self.limits_ = np.quantile(X, (0.025, 0.975), axis=0)
        self.scaler_ = StandardScaler().fit(np.clip(X, *self.limits_))
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Indicators of the rules that each row satisfies, followed by its columns."""
        columns = 0.4 * self.scaler_.transform(np.clip(X, *self.limits_))
        return np.hstack([self._rules(X)[:, self.distinct_], columns])

    def _rules(self, X: FloatArray) -> FloatArray:
        trees = self.boosting_.estimators_.ravel()
        return np.hstack([tree.decision_path(X).toarray()[:, 1:] for tree in trees])


def rule_fit(protocol: Protocol, dataset: str, seed: int, *, max_terms: int) -> Any:
    """L1 logistic regression with at most ``max_terms`` terms, in the manner of RuleFit."""
    return make_pipeline(
        RuleTerms(random_state=seed),
        StandardScaler(with_std=False),
        SparseLogisticRegression(max_terms, random_state=seed),
    )
