"""The score of a pattern's neuron as a sum over columns, and as a formula."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._scaling import Scaling
from bicneuron.explanation._contributions import ColumnContribution, PatternContribution
from bicneuron.explanation._formula import Formula
from bicneuron.patterns import Pattern, TrainedNeuron


class Terms(NamedTuple):
    """A score is ``bias + columns.sum()``; ``weights`` are those of a linear neuron."""

    bias: float
    columns: FloatArray
    weights: FloatArray | None

    def times(self, factor: float) -> "Terms":
        """The terms of a multiple of the score."""
        weights = None if self.weights is None else factor * self.weights
        return Terms(factor * self.bias, factor * self.columns, weights)


def formula_of(pattern: Pattern, features: Sequence[str], labels: tuple[Any, Any]) -> Formula:
    """Write the linear neuron of a pattern as one formula in the units of the table.

    Parameters
    ----------
    pattern : Pattern
        Its neuron has a scaling.
    features : sequence of str
        Names of all columns of the table.
    labels : tuple of two labels
        The class of scores up to 0, and that of scores above.

    Returns
    -------
    Formula
        It includes scaling and threshold.
    """
    neuron = _neuron_of(pattern)
    if neuron.linear is None:
        raise ValueError(
            f"{neuron.estimator!r} is not linear and has no formula; use explain, or a linear "
            "neuron such as OnlinePerceptron."
        )
    if not isinstance(neuron.scaling, Scaling):
        raise ValueError("columns after soft scaling have no formula; use explain.")
    coef, names = neuron.linear.coef, [features[column] for column in pattern.columns.tolist()]
    coefficients = neuron.scaling.per_unit(coef)
    infinite = np.flatnonzero(~np.isfinite(coefficients))
    if len(infinite):
        raise ValueError(
            f"column {names[infinite[0]]!r} varies too little to be written in its own units; "
            "rescale or drop it."
        )
    shifts = coef * neuron.scaling.shift / neuron.scaling.scale
    intercept = neuron.linear.intercept - neuron.threshold
    return Formula(
        intercept=math.fsum([intercept, *(-shifts).tolist()]),
        coefficients=tuple(coefficients.tolist()),
        features=tuple(names),
        columns=tuple(pattern.columns.tolist()),
        labels=labels,
    )


def contribution_of(
    pattern: Pattern,
    number: int,
    row: FloatArray,
    estimates: FloatArray,
    features: Sequence[str],
    contribution: float,
    factor: float,
) -> PatternContribution:
    """Split the contribution of a pattern to the score of one row over its columns."""
    neuron, names = _neuron_of(pattern), [features[k] for k in pattern.columns.tolist()]
    assert neuron.scaling is not None  # see above
    x, estimated = row[pattern.columns], estimates[pattern.columns]
    z = neuron.scaling.apply(np.where(np.isnan(x), estimated, x)[None])[0]
    seen = z if takes_missing(neuron.estimator) else np.where(np.isnan(z), neuron.fill, z)
    terms = _column_terms(neuron, seen)
    if terms is not None:
        terms = terms._replace(bias=terms.bias - neuron.threshold).times(factor)
    return PatternContribution(
        number=number,
        anchor_class=pattern.anchor_class,
        contrast_class=pattern.contrast_class,
        is_pair=pattern.kind != "class",
        contribution=contribution,
        bias=None if terms is None else terms.bias,
        threshold=neuron.threshold,
        anchor_distance=root_mean_square(z - neuron.centroids[0]),
        contrast_distance=root_mean_square(z - neuron.centroids[1]),
        columns=_column_contributions(neuron, names, x, estimated, z, terms),
    )


def _neuron_of(pattern: Pattern) -> TrainedNeuron:
    assert pattern.neuron is not None  # scores of neurons are explained
    return pattern.neuron


def _column_terms(neuron: TrainedNeuron, z: FloatArray) -> Terms | None:
    """Terms of a neuron's score of one row, or None if it is not a sum over columns."""
    if hasattr(neuron.estimator, "column_scores"):
        return Terms(0.0, neuron.estimator.column_scores(z[None])[0] / len(z), None)
    linear = neuron.linear
    if linear is None:
        return None
    middle = neuron.centroids.mean(axis=0)
    bias = linear.intercept + float(linear.coef @ middle)
    return Terms(bias, linear.coef * np.where(np.isnan(z), 0.0, z - middle), linear.coef)


def _column_contributions(
    neuron: TrainedNeuron,
    features: list[str],
    x: FloatArray,
    estimates: FloatArray,
    z: FloatArray,
    terms: Terms | None,
) -> tuple[ColumnContribution, ...]:
    """The columns of a pattern, the largest contribution first, in the units of ``x``."""
    scaling, centroids = neuron.scaling, neuron.centroids
    assert scaling is not None  # see above
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
