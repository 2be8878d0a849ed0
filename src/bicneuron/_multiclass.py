"""More than two classes: the problems of two sides that they become, and the joint decision."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bicneuron._compat import ovr_decision_function
from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._decision import ScoreClassifier
from bicneuron._validation import check_numbers

MultiClass = Literal["ovr", "ovo"]


class BinaryProblem(NamedTuple):
    """Classes on two sides; a positive score speaks for the second."""

    negative: AnyArray
    positive: AnyArray

    @property
    def classes(self) -> AnyArray:
        """Label of each side: its class, or whether it is the class rather than the rest."""
        return np.array([False, True]) if len(self.negative) > 1 else np.concatenate(self)

    def rows(self, y: AnyArray) -> IndexArray:
        """Rows of either side."""
        return np.flatnonzero(np.isin(y, np.concatenate(self)))

    def labels(self, y: AnyArray) -> AnyArray:
        """Label of the side that each of these rows is on."""
        return np.isin(y, self.positive) if len(self.negative) > 1 else y

    def __str__(self) -> str:
        other = "the rest" if len(self.negative) > 1 else f"class {self.negative.tolist()[0]!r}"
        return f"class {self.positive.tolist()[0]!r} against {other}"


def binary_problems(classes: AnyArray, multi_class: MultiClass) -> list[BinaryProblem]:
    """Each class against the rest or each pair of classes; of two classes, the one problem."""
    if len(classes) == 2 or multi_class == "ovo":
        pairs = combinations(range(len(classes)), 2)
        return [BinaryProblem(classes[[i]], classes[[j]]) for i, j in pairs]
    return [BinaryProblem(np.delete(classes, k), classes[[k]]) for k in range(len(classes))]


class DecomposingClassifier(ScoreClassifier):
    """A classifier of two classes that, given more, joins one copy of itself for each problem."""

    multi_class: MultiClass

    @abstractmethod
    def _binary_scores(self, X: FloatArray) -> FloatArray:
        """Scores of checked rows, by a model of two classes."""

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,), or (n_rows, n_classes) beyond two classes
            With two classes, positive speaks for ``classes_[1]``. Beyond, the highest score
            decides. The scores of each problem become log-odds by a logistic regression on the
            training rows, in which both sides weigh alike. One against the rest, these are the
            scores; pairwise, they are the votes of each class, with a fraction for the sum of
            its log-odds as in scikit-learn's `OneVsOneClassifier`.
        """
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False, to_be_scaled=True)
        if len(self.classes_) == 2:
            return self._binary_scores(X)
        scores = np.column_stack([part._binary_scores(X) for part in self.estimators_])
        log_odds: FloatArray = scores * self._slopes + self._offsets
        if self.multi_class == "ovr":
            return log_odds
        votes: FloatArray = ovr_decision_function(scores > 0, log_odds, len(self.classes_))
        return votes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _part(self, problem: BinaryProblem) -> Self:
        """What is to solve one problem: of two classes the model itself."""
        if len(self.classes_) == 2:
            return self
        part = copy(self)
        # By this scikit-learn ties an estimator to a fit around it, a pipeline's for instance.
        part.__dict__.pop("_parent_callback_ctx", None)
        part.classes_ = problem.classes
        return part

    def _join(
        self,
        problems: Sequence[BinaryProblem],
        parts: Sequence[Self],
        X: FloatArray,
        y: AnyArray,
    ) -> Self:
        """Let fitted parts decide together."""
        if len(self.classes_) > 2:
            self.estimators_ = list(parts)
            lines = []
            for problem, part in zip(problems, parts, strict=True):
                rows = problem.rows(y)
                positive = np.isin(y[rows], problem.positive)
                lines.append(_log_odds_line(part._binary_scores(X[rows]), positive))
            self._slopes, self._offsets = np.transpose(lines)
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit, perhaps of another number of classes, has left."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    if not TYPE_CHECKING:  # to mypy a class with __getattr__ has every attribute

        def __getattr__(self, name: str) -> Any:
            parts = vars(self).get("estimators_")
            if parts and name in vars(parts[0]):
                raise AttributeError(
                    f"{name} exists for two classes; y had {len(self.classes_)}, and each of "
                    f"estimators_ has its own {name}."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _log_odds_line(scores: FloatArray, positive: BoolArray) -> tuple[float, float]:
    """Slope and offset that turn scores, which have no unit of their own, into log-odds."""
    unit = scores.std() if np.ptp(scores) > 0 else 1.0
    # The faint penalty keeps the slope finite where a threshold parts the sides.
    model = LogisticRegression(C=100, class_weight="balanced", solver="newton-cholesky")
    model.fit(scores[:, None] / unit, positive)
    return float(model.coef_[0, 0] / unit), float(model.intercept_[0])
