"""From contributions of neurons to explanations of rows, for any model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron.explanation._explanation import Explanation, Explanations
from bicneuron.explanation._neuron import contribution_of
from bicneuron.patterns import Pattern


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """The scores of rows, split into the contributions of neurons to them.

    ``numbers`` are those of the patterns in the model, from 1 on. ``X`` and ``estimates`` (of
    missing cells, NaN elsewhere) are in the user's units. ``contributions`` of a neuron are NaN
    where it does not enter the score; ``factors`` are these divided by its own score. ``biases``
    are constants of the scores, ``predicted`` the numbers of the predicted classes and
    ``probabilities`` theirs, or None. ``list_all`` lists every neuron, not only the strongest.
    """

    patterns: Sequence[Pattern]
    numbers: Sequence[int]
    X: FloatArray
    estimates: FloatArray
    contributions: FloatArray
    factors: FloatArray
    biases: FloatArray
    scores: FloatArray
    predicted: IndexArray
    probabilities: FloatArray | None
    classes: Sequence[Any]
    features: Sequence[str]
    rows: Sequence[Any]
    list_all: bool

    def explanations(self) -> Explanations:
        """One explanation per row, computed when it is accessed."""
        return Explanations(self.explain_row, range(len(self.X)))

    def explain_row(self, position: int, share: float, most: int | None = None) -> Explanation:
        """List the strongest neurons, up to a share of what all contribute and a number."""
        contributions = self.contributions[position]
        involved = np.flatnonzero(~np.isnan(contributions))
        order = involved[np.argsort(-np.abs(contributions[involved]), kind="stable")]
        sizes = np.abs(contributions[order])
        n_listed = len(order) if self.list_all else _needed(sizes, share)
        if most is not None:
            n_listed = min(n_listed, most)
        predicted = self.classes[int(self.predicted[position])]
        two = len(self.classes) == 2
        return Explanation(
            row=self.rows[position],
            predicted=predicted,
            score=float(self.scores[position]),
            probability=None if self.probabilities is None else float(self.probabilities[position]),
            positive_class=self.classes[1] if two else predicted,
            negative_class=self.classes[0] if two else None,
            bias=float(self.biases[position]),
            patterns=tuple(
                contribution_of(
                    self.patterns[k],
                    self.numbers[k],
                    self.X[position],
                    self.estimates[position],
                    self.features,
                    float(contributions[k]),
                    float(self.factors[position, k]),
                )
                for k in order[:n_listed].tolist()
            ),
            n_patterns=len(order),
            rest=float(contributions[order[n_listed:]].sum()),
        )


def _needed(sizes: FloatArray, share: float) -> int:
    """Count the largest sizes that together make up a share of the sum; at least one."""
    sums = np.cumsum(sizes)
    return min(len(sums), int(np.searchsorted(sums, share * sums[-1:].sum())) + 1)
