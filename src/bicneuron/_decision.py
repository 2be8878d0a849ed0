"""The one rule by which two-class models turn scores into labels."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags

from bicneuron._core._arrays import AnyArray, FloatArray


class BinaryClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of two classes: ``classes_[1]`` iff the score is > 0."""

    classes_: AnyArray

    @abstractmethod
    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; positive speaks for ``classes_[1]``."""

    def predict(self, X: Any) -> AnyArray:
        """Class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        labels : array of shape (n_rows,)
        """
        positive = self.decision_function(X) > 0
        labels: AnyArray = self.classes_[positive.astype(np.intp)]
        return labels

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
