"""Rivals of the network that scikit-learn does not provide."""

from typing import Any, Self

from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bicneuron.reproduction._protocols import Protocol


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
