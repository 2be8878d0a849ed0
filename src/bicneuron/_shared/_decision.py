"""The one rule that turns scores into labels."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray


def decided_classes(scores: FloatArray) -> IndexArray:
    """Number of the predicted class of each row."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    winners: IndexArray = scores.argmax(axis=1)
    return winners


class ScoreClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier whose labels follow from its scores by `decided_classes`."""

    classes_: AnyArray

    @abstractmethod
    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row, of shape (n_rows,) or, beyond two classes, (n_rows, n_classes)."""

    def predict(self, X: Any) -> AnyArray:
        """Class of each row: of two classes, the second iff the score is > 0; else the highest.

        Parameters
        ----------
        X : array-like or, if the model supports it, sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        labels : array of shape (n_rows,)
        """
        winners = decided_classes(self.decision_function(X))
        return self.classes_[winners]
