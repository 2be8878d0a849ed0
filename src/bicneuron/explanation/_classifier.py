"""What the classifiers of one deciding neuron can say about themselves."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._scaling import Scaling
from bicneuron._multiclass import BinaryProblem, DecomposingClassifier, binary_problems
from bicneuron._validation import check_numbers
from bicneuron.contrast import ContrastivePair
from bicneuron.explanation._formula import Formula, fold_scaling
from bicneuron.explanation._names import feature_names, row_names
from bicneuron.explanation._terms import (
    Linear,
    column_contributions,
    column_terms,
    linear_weights,
    root_mean_square,
)
from bicneuron.explanation._values import Explanation, Explanations, PatternContribution


class DecidingNeuron(NamedTuple):
    """A neuron that decides between two sides, and what it was trained on.

    Parameters
    ----------
    neuron : fitted classifier
    pair : ContrastivePair or None
        None for a neuron on all rows and columns.
    columns : array of intp
    scaling : Scaling
        Of these columns.
    centroids : array of shape (2, n_columns)
        Of anchor and contrast, or of the positive and the negative class; scaled.
    threshold : float
    """

    neuron: Any
    pair: ContrastivePair | None
    columns: IndexArray
    scaling: Scaling
    centroids: FloatArray
    threshold: float

    def linear(self) -> Linear | None:
        """Its weights on scaled columns, or None if it is not linear."""
        return linear_weights(self.neuron, self.centroids)


class Part(NamedTuple):
    """A problem, the neuron that solves it, and by what its score becomes log odds."""

    number: int
    problem: BinaryProblem
    deciding: DecidingNeuron
    linear: Linear | None
    slope: float
    offset: float


class ExplainedClassifier(DecomposingClassifier):
    """A classifier in which one neuron decides each problem."""

    @abstractmethod
    def _deciding(self) -> DecidingNeuron:
        """The neuron of a model of two classes."""

    def explain(self, X: Any) -> Explanations:
        """Say why each row is given its class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        Explanations
            One `Explanation` for each row: the pair that decided, what each of its columns adds to
            the score, and how far the row is from both centroids. Beyond two classes, the part of
            the predicted class against the rest, or its parts against each other class.
        """
        check_is_fitted(self)
        values = check_numbers(self, X, reset=False, accept_sparse=False)
        two = len(self.classes_) == 2
        problems = binary_problems(self.classes_, self.multi_class)
        models: list[Any] = [self] if two else self.estimators_
        slopes, offsets = ([1.0], [0.0]) if two else (self._slopes, self._offsets)
        deciding = [model._deciding() for model in models]
        parts = [
            Part(k, problem, neuron, neuron.linear(), float(slopes[k]), float(offsets[k]))
            for k, (problem, neuron) in enumerate(zip(problems, deciding, strict=True))
        ]
        explainer = _Explainer(
            parts=parts,
            scores=np.column_stack([model._binary_scores(values) for model in models]),
            X=values,
            rows=row_names(X, len(values)),
            features=feature_names(self),
            predicted=self.predict(X).tolist(),
            classes=self.classes_.tolist(),
        )
        return Explanations(explainer.explain_row, range(len(values)))

    def to_formula(self) -> Formula:
        """Write the neuron that decides as one formula in the units of the table.

        Returns
        -------
        Formula
            Scaling and threshold are folded in: it gives the same scores as `decision_function`.
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError(
                f"to_formula needs two classes; y had {len(self.classes_)}, and each of "
                "estimators_ has a formula of its own."
            )
        deciding = self._deciding()
        linear = deciding.linear()
        if linear is None:
            raise ValueError(
                f"{deciding.neuron!r} is not linear and has no formula; use explain, or a linear "
                "neuron such as OnlinePerceptron."
            )
        features = feature_names(self)
        return fold_scaling(
            linear.coef,
            linear.intercept - deciding.threshold,
            deciding.scaling,
            [features[column] for column in deciding.columns.tolist()],
            deciding.columns,
            self.classes_,
        )


@dataclass(frozen=True, slots=True)
class _Explainer:
    """What explanations of many rows are made of."""

    parts: Sequence[Part]
    scores: FloatArray
    X: FloatArray
    rows: Sequence[Any]
    features: Sequence[str]
    predicted: Sequence[Any]
    classes: Sequence[Any]

    def explain_row(self, position: int, share: float) -> Explanation:
        """All that has a part in the decision is told, whatever the share: it is little."""
        predicted, two = self.predicted[position], len(self.classes) == 2
        speaks_for = self.classes[1] if two else predicted
        patterns, bias = [], 0.0
        for part in self.parts:
            sign = _sign(part.problem, speaks_for)
            if sign:
                bias += sign * part.offset
                patterns.append(self._pattern(position, part, sign * part.slope))
        patterns.sort(key=lambda pattern: -abs(pattern.contribution))
        return Explanation(
            row=self.rows[position],
            predicted=predicted,
            score=bias + sum(pattern.contribution for pattern in patterns),
            probability=None,
            positive_class=speaks_for,
            negative_class=self.classes[0] if two else None,
            bias=bias,
            patterns=tuple(patterns),
            n_patterns=len(patterns),
            rest=0.0,
        )

    def _pattern(self, position: int, part: Part, factor: float) -> PatternContribution:
        deciding = part.deciding
        x = self.X[position, deciding.columns]
        z = deciding.scaling.apply(x[None])[0]
        terms = column_terms(deciding.neuron, part.linear, z, deciding.centroids)
        if terms is not None:
            terms = terms._replace(bias=terms.bias - deciding.threshold).times(factor)
        anchor_class, contrast_class = _side_labels(part)
        return PatternContribution(
            number=part.number,
            anchor_class=anchor_class,
            contrast_class=contrast_class,
            is_pair=deciding.pair is not None,
            contribution=float(factor * self.scores[position, part.number]),
            bias=None if terms is None else terms.bias,
            threshold=deciding.threshold,
            anchor_distance=root_mean_square(z - deciding.centroids[0]),
            contrast_distance=root_mean_square(z - deciding.centroids[1]),
            columns=column_contributions(
                [self.features[column] for column in deciding.columns.tolist()],
                x,
                z,
                deciding.centroids,
                deciding.scaling,
                terms,
            ),
        )


def _sign(problem: BinaryProblem, label: Any) -> int:
    """Whether a positive score speaks for a class (1), against it alone (-1) or neither (0)."""
    if label in problem.positive.tolist():
        return 1
    return -1 if problem.negative.tolist() == [label] else 0


def _side_labels(part: Part) -> tuple[Any, Any]:
    """Class of the anchor and that of its contrast, or None for several."""
    (positive,) = part.problem.positive.tolist()
    negative = part.problem.negative.tolist()
    other = negative[0] if len(negative) == 1 else None
    pair = part.deciding.pair
    if pair is None or pair.anchor_class == positive:
        return positive, other
    return pair.anchor_class, positive
