"""Weights of linear neurons."""

from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray


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
    expected = points @ coef + intercept
    if not np.allclose(expected, neuron.decision_function(points), rtol=1e-8, atol=1e-8):
        return None
    return Linear(np.asarray(coef, dtype=np.float64), intercept)
