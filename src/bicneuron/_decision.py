"""The one rule by which models turn scores into labels."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags

from bicneuron._core._arrays import AnyArray, FloatArray


class ScoreClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Of two classes ``classes_[1]`` iff the score is > 0; beyond, the first with the most."""

    classes_: AnyArray

    @abstractmethod
    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row, of shape (n_rows,) or, beyond two classes, (n_rows, n_classes)."""

    def predict(self, X: Any) -> AnyArray:
        """Class of each row.

        Parameters
        ----------
        X : array-like or, where the model takes them, sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        labels : array of shape (n_rows,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            labels: AnyArray = self.classes_[scores.argmax(axis=1)]
        else:
            labels = np.where(scores > 0, self.classes_[1:], self.classes_[:1])
        return labels


class BinaryClassifier(ScoreClassifier):
    """A classifier of two classes and no more."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
