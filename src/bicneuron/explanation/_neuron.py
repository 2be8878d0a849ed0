"""A fitted neuron as explanations see it, and its score as a sum over columns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._estimators._checks import takes_missing
from bicneuron._estimators._linear_weights import Linear, linear_weights
from bicneuron._estimators._scaling import Scaling, SoftScaling
from bicneuron.explanation._contributions import ColumnContribution, PatternContribution
from bicneuron.explanation._formula import Formula


class Terms(NamedTuple):
    """A score is ``bias + columns.sum()``; ``weights`` are those of a linear neuron."""

    bias: float
    columns: FloatArray
    weights: FloatArray | None

    def times(self, factor: float) -> "Terms":
        """The terms of a multiple of the score."""
        weights = None if self.weights is None else factor * self.weights
        return Terms(factor * self.bias, factor * self.columns, weights)


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

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(random_state=0).fit(X, y)
    >>> (explained,) = model.explained_neurons()
    >>> bool((explained.columns == model.selected_pair_.columns).all())
    True
    >>> explained.linear is None
    False
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

    def to_formula(self, features: Sequence[str], labels: tuple[Any, Any]) -> Formula:
        """Write a linear neuron as one formula in the units of the table.

        Parameters
        ----------
        features : sequence of str
            Names of all columns of the table.
        labels : tuple of two labels
            The class of scores up to 0, and that of scores above.

        Returns
        -------
        Formula
            It includes scaling and threshold.
        """
        if self.linear is None:
            raise ValueError(
                f"{self.neuron!r} is not linear and has no formula; use explain, or a linear "
                "neuron such as OnlinePerceptron."
            )
        if not isinstance(self.scaling, Scaling):
            raise ValueError("columns after soft scaling have no formula; use explain.")
        coef, names = self.linear.coef, [features[column] for column in self.columns.tolist()]
        coefficients = self.scaling.per_unit(coef)
        infinite = np.flatnonzero(~np.isfinite(coefficients))
        if len(infinite):
            raise ValueError(
                f"column {names[infinite[0]]!r} varies too little to be written in its own units; "
                "rescale or drop it."
            )
        shifts = coef * self.scaling.shift / self.scaling.scale
        intercept = self.linear.intercept - self.threshold
        return Formula(
            intercept=math.fsum([intercept, *(-shifts).tolist()]),
            coefficients=tuple(coefficients.tolist()),
            features=tuple(names),
            columns=tuple(self.columns.tolist()),
            labels=labels,
        )

    def contribute(
        self,
        row: FloatArray,
        estimates: FloatArray,
        features: Sequence[str],
        contribution: float,
        factor: float,
    ) -> PatternContribution:
        """Split the contribution of the neuron to the score of one row over its columns.

        Parameters
        ----------
        row, estimates : arrays of shape (n_columns_of_the_table,)
            The values that are not missing, and estimates of the others, if there are any.
        features : sequence of str
            Names of all columns of the table.
        contribution : float
        factor : float
            ``contribution`` divided by the neuron's score less its threshold: every column's share
            of the score is multiplied by it.

        Returns
        -------
        PatternContribution
        """
        x, estimated = row[self.columns], estimates[self.columns]
        z = self.scaling.apply(np.where(np.isnan(x), estimated, x)[None])[0]
        seen = z if takes_missing(self.neuron) else np.where(np.isnan(z), self.fill, z)
        terms = _column_terms(self.neuron, self.linear, seen, self.centroids)
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
            columns=_column_contributions(
                [features[column] for column in self.columns.tolist()],
                x,
                estimated,
                z,
                self.centroids,
                self.scaling,
                terms,
            ),
        )


def _column_terms(
    neuron: Any, linear: Linear | None, z: FloatArray, centroids: FloatArray
) -> Terms | None:
    """Terms of a neuron's score of one row, or None if it is not a sum over columns.

    Those of a linear neuron are measured from the midpoint between both centroids, so that they do
    not depend on the units and the zero of the columns.

    Parameters
    ----------
    neuron : fitted classifier of two classes
        If it has a method ``column_scores``, the score is the mean of these.
    linear : Linear or None
        Its `linear_weights`.
    z : array of shape (n_columns,)
        Scaled as the neuron wants it. A missing value, NaN, adds nothing.
    centroids : array of shape (2, n_columns)
    """
    if hasattr(neuron, "column_scores"):
        return Terms(0.0, neuron.column_scores(z[None])[0] / len(z), None)
    if linear is None:
        return None
    middle = centroids.mean(axis=0)
    bias = linear.intercept + float(linear.coef @ middle)
    return Terms(bias, linear.coef * np.where(np.isnan(z), 0.0, z - middle), linear.coef)


def _column_contributions(
    features: list[str],
    x: FloatArray,
    estimates: FloatArray,
    z: FloatArray,
    centroids: FloatArray,
    scaling: Scaling | SoftScaling,
    terms: Terms | None,
) -> tuple[ColumnContribution, ...]:
    """The columns of a pattern, the largest contribution first, in the units of ``x``."""
    anchor, contrast = scaling.undo(centroids)
    with np.errstate(over="ignore", invalid="ignore"):
        nearness = np.nan_to_num((z - centroids[1]) ** 2 - (z - centroids[0]) ** 2)
    nothing = [None] * len(x)
    weights, contributions = nothing, nothing
    if terms is not None:
        contributions = terms.columns.tolist()
        if terms.weights is not None and isinstance(scaling, Scaling):
            weights = scaling.per_unit(terms.weights).tolist()
    order = np.argsort(-np.abs(nearness if terms is None else terms.columns), kind="stable")
    columns = list(
        map(
            ColumnContribution,
            features,
            x.tolist(),
            [None if np.isnan(estimate) else estimate for estimate in estimates.tolist()],
            anchor.tolist(),
            contrast.tolist(),
            nearness.tolist(),
            weights,
            contributions,
        )
    )
    return tuple(columns[k] for k in order.tolist())


def root_mean_square(differences: FloatArray) -> float:
    """Distance over the columns that are not missing, whatever their number; NaN without any."""
    known = differences[~np.isnan(differences)]
    if not len(known):
        return float("nan")
    largest = np.abs(known).max()
    unit = largest if largest > FARTHEST else 1.0
    return float(unit * np.sqrt(np.mean((known / unit) ** 2)))
