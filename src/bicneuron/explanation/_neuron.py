"""A fitted neuron as explanations see it, and its contribution to the score of one row."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._estimators._checks import takes_missing
from bicneuron._estimators._scaling import Scaling
from bicneuron._estimators._soft_scaling import SoftScaling
from bicneuron.explanation._contributions import PatternContribution
from bicneuron.explanation._terms import (
    Linear,
    column_contributions,
    column_terms,
    linear_weights,
    root_mean_square,
)


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedNeuron:
    """A fitted neuron with everything that an explanation of its score needs.

    Both models describe their neurons by this value, so that explanations need to know neither
    model. It is derived from a fitted model and never stored.

    Parameters
    ----------
    number : int
        Its position in ``patterns_`` or ``estimators_``.
    neuron : fitted classifier
    columns : array of intp
    scaling : Scaling or SoftScaling
        Of these columns.
    centroids : array of shape (2, n_columns)
        Of anchor and contrast, or of the positive and the negative class; scaled.
    threshold : float
        Subtracted from the neuron's own score.
    fill : array of shape (n_columns,)
        Scaled values in the place of missing ones, unless the neuron takes these itself.
    anchor_class, contrast_class : label or None
        Of the two centroids; None for several classes together.
    is_pair : bool
        False for a neuron on all rows and columns.

    Attributes
    ----------
    linear : Linear or None
        Its weights on scaled columns, or None if it is not linear.
    """

    number: int
    neuron: Any
    columns: IndexArray
    scaling: Scaling | SoftScaling
    centroids: FloatArray
    threshold: float
    fill: FloatArray
    anchor_class: Any
    contrast_class: Any
    is_pair: bool
    linear: Linear | None = field(init=False)

    def __post_init__(self) -> None:
        """Find the weights of a linear neuron once, not for every row."""
        object.__setattr__(self, "linear", linear_weights(self.neuron, self.centroids))

    def contribute(
        self,
        row: FloatArray,
        estimates: FloatArray,
        features: Sequence[str],
        contribution: float,
        factor: float,
    ) -> PatternContribution:
        """What the neuron adds to the score of one row.

        Parameters
        ----------
        row, estimates : arrays of shape (n_columns_of_the_table,)
            The values that are not missing, and what is known of the others.
        features : sequence of str
            Names of all columns of the table.
        contribution : float
        factor : float
            ``contribution`` divided by the neuron's score less its threshold: every column's share
            of the score is multiplied by it.
        """
        x, estimated = row[self.columns], estimates[self.columns]
        z = self.scaling.apply(np.where(np.isnan(x), estimated, x)[None])[0]
        seen = z if takes_missing(self.neuron) else np.where(np.isnan(z), self.fill, z)
        terms = column_terms(self.neuron, self.linear, seen, self.centroids)
        if terms is not None:
            terms = terms._replace(bias=terms.bias - self.threshold).times(factor)
        return PatternContribution(
            number=self.number,
            anchor_class=self.anchor_class,
            contrast_class=self.contrast_class,
            is_pair=self.is_pair,
            contribution=contribution,
            bias=None if terms is None else terms.bias,
            threshold=self.threshold,
            anchor_distance=root_mean_square(z - self.centroids[0]),
            contrast_distance=root_mean_square(z - self.centroids[1]),
            columns=column_contributions(
                [features[column] for column in self.columns.tolist()],
                x,
                estimated,
                z,
                self.centroids,
                self.scaling,
                terms,
            ),
        )
