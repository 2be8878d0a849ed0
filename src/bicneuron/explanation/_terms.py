"""Scores of neurons as sums over columns, if they are such sums."""

from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._estimators._scaling import Scaling
from bicneuron._estimators._soft_scaling import SoftScaling
from bicneuron.explanation._contributions import ColumnContribution


class Terms(NamedTuple):
    """A score is ``bias + columns.sum()``; ``weights`` are those of a linear neuron."""

    bias: float
    columns: FloatArray
    weights: FloatArray | None

    def times(self, factor: float) -> "Terms":
        """The terms of a multiple of the score."""
        weights = None if self.weights is None else factor * self.weights
        return Terms(factor * self.bias, factor * self.columns, weights)


class Linear(NamedTuple):
    """A score is ``z @ coef + intercept``."""

    coef: FloatArray
    intercept: float


def linear_weights(neuron: Any, points: FloatArray) -> Linear | None:
    """Coefficients and intercept of a neuron, or None if it is not linear.

    They are checked against the scores of the neuron at some points.
    """
    if hasattr(neuron, "coef_"):
        coef = np.ravel(neuron.coef_)
    elif getattr(neuron, "kernel", None) == "linear":
        coef = np.ravel(neuron.dual_coef_ @ neuron.support_vectors_)
    else:
        return None
    intercept = float(np.ravel(getattr(neuron, "intercept_", 0.0))[0])
    if coef.shape != points[0].shape:
        return None
    expected = points @ coef + intercept
    if not np.allclose(expected, neuron.decision_function(points), rtol=1e-8, atol=1e-8):
        return None
    return Linear(np.asarray(coef, dtype=np.float64), intercept)


def column_terms(
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


def column_contributions(
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
