"""Why a network of many patterns decides as it does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._soft_scaling import SoftScaling
from bicneuron.explanation._terms import (
    Linear,
    column_contributions,
    column_terms,
    linear_weights,
    root_mean_square,
)
from bicneuron.explanation._values import Explanation, Explanations, PatternContribution


@dataclass(frozen=True, slots=True)
class NetworkExplainer:
    """The scores of rows, to be split into what each pattern adds to them.

    Parameters
    ----------
    patterns : sequence of Pattern
    X : array of shape (n_rows, n_columns)
    raw : array of shape (n_rows, n_patterns)
        Scores of the neurons, before tanh bends them.
    scores : array of shape (n_rows, n_targets)
    probabilities : array of shape (n_rows, n_classes)
    intercept : array of shape (n_targets,)
    scaling : SoftScaling
        Of all columns.
    classes, features, rows : sequences of labels and names
    """

    patterns: Sequence[Any]
    X: FloatArray
    raw: FloatArray
    scores: FloatArray
    probabilities: FloatArray
    intercept: FloatArray
    scaling: SoftScaling
    classes: Sequence[Any]
    features: Sequence[str]
    rows: Sequence[Any]
    linear: Sequence[Linear | None] = field(init=False)

    def __post_init__(self) -> None:
        """Read the weights of linear neurons once, not for every row."""
        centres = (np.array([p.anchor_centre, p.contrast_centre]) for p in self.patterns)
        linear = [linear_weights(p.neuron, c) for p, c in zip(self.patterns, centres, strict=True)]
        object.__setattr__(self, "linear", linear)

    def explanations(self) -> Explanations:
        """Those of all rows."""
        return Explanations(self.explain_row, range(len(self.X)))

    def explain_row(self, position: int, share: float) -> Explanation:
        """Tell the strongest patterns, up to a share of what all contribute."""
        two = len(self.classes) == 2
        scores = self.scores[position]
        winner = int(scores[0] > 0) if two else int(scores.argmax())
        target = 0 if two else winner
        scales = np.array([pattern.typical_score for pattern in self.patterns])
        weights = np.array([pattern.weight[target] for pattern in self.patterns])
        parts = weights * np.tanh(self.raw[position] / scales)
        order = np.argsort(-np.abs(parts), kind="stable")
        told = order[: _needed(np.abs(parts[order]), share)]
        z = self.scaling.apply(self.X[position][None])[0]
        return Explanation(
            row=self.rows[position],
            predicted=self.classes[winner],
            score=float(scores[target]),
            probability=float(self.probabilities[position, winner]),
            positive_class=self.classes[1] if two else self.classes[winner],
            negative_class=self.classes[0] if two else None,
            bias=float(self.intercept[target]),
            patterns=tuple(
                self._pattern(position, number, float(parts[number]), target, z)
                for number in told.tolist()
            ),
            n_patterns=len(parts),
            rest=float(parts[order[len(told) :]].sum()),
        )

    def _pattern(
        self, position: int, number: int, contribution: float, target: int, z_row: FloatArray
    ) -> PatternContribution:
        pattern = self.patterns[number]
        columns = pattern.pair.columns
        z = z_row[columns]
        centroids = np.array([pattern.anchor_centre, pattern.contrast_centre])
        terms = column_terms(pattern.neuron, self.linear[number], z, centroids)
        if terms is not None:
            # tanh bends the sum as a whole: each column keeps its share of it.
            raw = float(self.raw[position, number])
            steepest = float(pattern.weight[target]) / pattern.typical_score
            terms = terms.times(contribution / raw if raw else steepest)
        return PatternContribution(
            number=number,
            anchor_class=pattern.pair.anchor_class,
            contrast_class=pattern.contrast_class,
            is_pair=True,
            contribution=contribution,
            bias=None if terms is None else terms.bias,
            threshold=0.0,
            anchor_distance=root_mean_square(z - pattern.anchor_centre),
            contrast_distance=root_mean_square(z - pattern.contrast_centre),
            columns=column_contributions(
                [self.features[column] for column in columns.tolist()],
                self.X[position, columns],
                z,
                centroids,
                self.scaling.take(columns),
                terms,
            ),
        )


def _needed(sizes: FloatArray, share: float) -> int:
    """How many, from the largest on, make up a share of the sum; at least one."""
    sums = np.cumsum(sizes)
    return int(np.searchsorted(sums, share * sums[-1])) + 1
