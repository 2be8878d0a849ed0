"""Weights of classes, as the parameter ``class_weight`` names them."""

from math import inf
from numbers import Real
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray


def weights_of_classes(class_weight: Any, classes: AnyArray, sizes: IndexArray) -> FloatArray:
    """Weight of each class."""
    if class_weight == "balanced":
        balanced: FloatArray = sizes.sum() / (len(classes) * sizes)
        return balanced
    labels = classes.tolist()
    for label, weight in class_weight.items():
        if label not in labels:
            raise ValueError(f"class_weight names {label!r}, which is not a class of y.")
        if not (isinstance(weight, Real) and 0 < float(weight) < inf):
            raise ValueError(
                f"class_weight[{label!r}] is {weight!r}; weights are finite and positive. Leave "
                "the rows of a class out instead of giving it no weight."
            )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def refuse_label_weights(neuron: Any) -> None:
    """Refuse class weights by label where a neuron is trained on True and False instead."""
    if isinstance(getattr(neuron, "class_weight", None), dict):
        raise ValueError(
            f"{type(neuron).__name__} has class_weight={neuron.class_weight!r}, but it is trained "
            'on one class against the rest, not on these labels; use "balanced" or None.'
        )
