"""What estimators share: seeds, labels from scores and weights of linear neurons."""

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray


def draw_seed(random_state: Any) -> int:
    """Turn a scikit-learn ``random_state`` into an integer seed; an integer stays itself."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def seeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator and set every ``random_state`` in it to the seed."""
    copy = clone(estimator)
    keys = [key for key in copy.get_params() if key.split("__")[-1] == "random_state"]
    return copy.set_params(**dict.fromkeys(keys, seed))


def decided_classes(scores: FloatArray) -> IndexArray:
    """Number of the predicted class of each row: the one rule that turns scores into labels."""
    decided = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
    return decided.astype(np.intp)


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
        """
        winners = decided_classes(self.decision_function(X))  # first, as it checks the fit
        return self.classes_[winners]


class Linear(NamedTuple):
    """A score is ``z @ coef + intercept``."""

    coef: FloatArray
    intercept: float


def linear_weights(neuron: Any, points: FloatArray) -> Linear | None:
    """Coefficients and intercept of a neuron, or None if it is not linear."""
    if hasattr(neuron, "coef_"):
        coef = np.ravel(neuron.coef_)
    elif getattr(neuron, "kernel", None) == "linear":
        coef = np.ravel(neuron.dual_coef_ @ neuron.support_vectors_)
    else:
        return None
    intercept = float(np.ravel(getattr(neuron, "intercept_", 0.0))[0])
    if coef.shape != points[0].shape:
        return None
    scores = neuron.decision_function(points)
    is_linear = np.allclose(points @ coef + intercept, scores, rtol=1e-8, atol=1e-8)
    return Linear(np.asarray(coef, dtype=np.float64), intercept) if is_linear else None
